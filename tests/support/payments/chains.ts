/**
 * Chains for tests: the simulated one, and the token on anvil. Their time is the TestClock, and a
 * block lasts 2 s.
 *
 * @module
 */
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layerLedger } from "./simulated.ts"
import { Ledger } from "../../../src/payments/simulated/ledger.ts"
import { layer as signatures } from "../../../src/payments/wasmSignatures.ts"
import { address } from "../../../src/payments/domain/payment.ts"
import { ChainControl, type TransactionResult } from "../../payments/chain/chain.laws.ts"
import { type Anvil, startAnvil } from "./anvil.ts"
import { buyer } from "./buyers.ts"
import { startSeconds } from "./sales.ts"
import { token } from "./terms.ts"
import {
  type Call,
  cancelCall,
  deployToken,
  mined,
  sent,
  succeeded,
  transferCall,
} from "./token.ts"
import { layerMemory } from "./memoryLedger.ts"

const secondsPerBlock = 2

const nowSeconds = Effect.map(Clock.currentTimeMillis, (ms) => BigInt(Math.floor(ms / 1_000)))
const nextBlock = TestClock.adjust(secondsPerBlock * 1_000)

/** Seconds after its block until a simulated transfer is safe. */
const simulatedSafeAfter = 2

const simulatedControl = Layer.effect(
  ChainControl,
  Effect.map(Ledger, (ledger) => {
    let transactions = 0
    const mine = Effect.fnUntraced(function* (
      does: (transaction: string, blockTime: bigint) => Effect.Effect<boolean>,
    ) {
      yield* nextBlock
      const transaction = `0x${(++transactions).toString(16).padStart(64, "0")}`
      return {
        transaction,
        succeeded: yield* does(transaction, yield* nowSeconds),
      } satisfies TransactionResult
    })
    const { asset } = token
    return ChainControl.of({
      transfer: (_n, { from, to, value, nonce, validBefore }) =>
        mine((transaction, blockTime) =>
          blockTime >= validBefore ? Effect.succeed(false) : Effect.map(
            ledger.transfer({ asset, from, to, value, nonce, transaction, blockTime }),
            (outcome) => outcome === "transferred",
          )
        ),
      cancel: (n, nonce) =>
        mine((transaction, blockTime) =>
          ledger.cancel({ asset, from: address(buyer(n).address), nonce, transaction, blockTime })
        ),
      advance: (seconds) => TestClock.adjust(seconds * 1_000),
      nowSeconds,
      safeSeconds: Effect.map(nowSeconds, (now) => now - BigInt(simulatedSafeAfter)),
    })
  }),
)

/** A new simulated chain. */
export const simulatedChain = Layer.provideMerge(
  simulatedControl,
  layerLedger({ safeAfterSeconds: simulatedSafeAfter }).pipe(
    Layer.provideMerge(layerMemory),
    Layer.provide(signatures),
  ),
)

/** Control of a chain on anvil, whose safe block is this many blocks behind the newest. */
export function controlOf(anvil: Anvil, safeAfterBlocks: number): ChainControl["Service"] {
  const mine = Effect.fnUntraced(function* (call: Call) {
    yield* nextBlock
    const transaction = yield* sent(anvil, call)
    yield* mined(anvil, Number(yield* nowSeconds))
    return {
      transaction,
      succeeded: yield* succeeded(anvil, transaction),
    } satisfies TransactionResult
  })
  return {
    transfer: (n, authorization) => Effect.flatMap(transferCall(buyer(n), authorization), mine),
    cancel: (n, nonce) => Effect.flatMap(cancelCall(buyer(n), nonce), mine),
    advance: Effect.fnUntraced(function* (seconds) {
      const blocks = Math.floor(seconds / secondsPerBlock)
      if (blocks === 0) return
      yield* TestClock.adjust(blocks * secondsPerBlock * 1_000)
      yield* anvil.call("anvil_mine", hex(blocks))
    }),
    nowSeconds,
    safeSeconds: Effect.map(
      nowSeconds,
      (now) => now - BigInt(safeAfterBlocks * secondsPerBlock),
    ),
  }
}

/** A new chain on anvil with the token; its newest block has the clock's time. */
export const freshAnvil = Effect.gen(function* () {
  const anvil = yield* startAnvil({ startSeconds: startSeconds - 40 })
  yield* deployToken(anvil)
  yield* anvil.call("anvil_setBlockTimestampInterval", secondsPerBlock)
  yield* mined(anvil, startSeconds - 38)
  yield* anvil.call("anvil_mine", hex(19))
  return anvil
})

const hex = (number: number) => `0x${number.toString(16)}`
