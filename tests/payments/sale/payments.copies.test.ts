/**
 * Many copies of one authorization: concurrent on several routes and replicas, and after its nonce was
 * used for something else.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect, Layer, Logger, Result } from "effect"
import { layer as signatures } from "../../../src/payments/wasmSignatures.ts"
import { layerLedger } from "../../support/payments/simulated.ts"
import { Ledger, playBalance } from "../../../src/payments/simulated/ledger.ts"
import { address } from "../../../src/payments/domain/payment.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import type { Outcome } from "../../../src/payments/purchase.ts"
import type { Purchase, Work } from "../../../src/payments/purchase.ts"
import type { Product } from "../../../src/catalog/domain/product.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import { Random } from "../../support/random.ts"
import { buyer } from "../../support/payments/buyers.ts"
import { test } from "../../support/effect.ts"
import { memoryPayments } from "../../support/payments/memoryPayments.ts"
import {
  answering,
  buying,
  early,
  inMarket,
  market,
  once,
  outcomeText,
  passing,
  paymentsLayer,
  product,
  purchase,
  replica,
  rowOf,
  startSeconds,
  taken,
  workOf,
} from "../../support/payments/sales.ts"
import { terms, token } from "../../support/payments/terms.ts"
import { VirtualTime } from "../simulation/virtualTime.ts"
import { layerMemory } from "../../support/payments/memoryLedger.ts"

const realSignatures = await Effect.runPromise(Signatures.pipe(Effect.provide(signatures)))
const signed = await Effect.runPromise(Effect.provide(purchase(), market()).pipe(Effect.scoped))
const secret = "a-secret-of-16-chars"

/** One call with the copied payment. */
interface Copy {
  readonly sold: Product
  readonly request: string
  readonly secret: string | null
  readonly replica: number
}

/** Three routes with one price, in both settlement orders. */
const routes: readonly [
  Pick<Copy, "sold" | "request">,
  ...ReadonlyArray<Pick<Copy, "sold" | "request">>,
] = [
  { sold: product, request: "latest?[]" },
  { sold: product, request: 'signal?[["index",1]]' },
  { sold: early, request: "early?[]" },
]

const drawCopies = (random: Random, count: number): ReadonlyArray<Copy> =>
  Array.from({ length: count }, () => ({
    ...random.pick(routes),
    secret: random.chance(0.3) ? null : random.pick([secret, secret, "another-secret-of-16"]),
    replica: random.below(2),
  }))

/**
 * Makes all calls at once in a random schedule; returns their outcomes and the number of answers.
 */
const racing = (copies: ReadonlyArray<Copy>, random: Random) => {
  let computed = 0
  const memory = memoryPayments()
  const race = Effect.gen(function* () {
    const replicas = [yield* Payments, yield* replica]
    const outcomes = yield* Effect.forEach(copies, ({ sold, request, secret, replica }) => {
      const bought: Purchase = { ...signed, product: sold, request, secret }
      const work = Effect.suspend(() => answering(`${request} ${++computed}`))
      const payments = replicas[replica]
      return payments === undefined
        ? Effect.die("no such replica")
        : Effect.result(payments.sell(bought, workOf(work)))
    }, { concurrency: "unbounded" })
    return { outcomes, computed, taken: yield* taken, rows: [...memory.countByState()] }
  })
  const ports = Layer.mergeAll(
    Layer.succeed(PaymentStore, memory.store),
    Layer.provideMerge(layerLedger(), Layer.fresh(layerMemory)),
    Logger.layer([]),
  ).pipe(Layer.provideMerge(Layer.succeed(Signatures, realSignatures)))
  const service = Layer.provideMerge(Layer.fresh(paymentsLayer()), ports)
  const time = new VirtualTime(startSeconds * 1_000, random)
  return time.run(Effect.scoped(Effect.provide(race, service)), 1_000_000)
}

const checkOneAnswer = (
  outcomes: ReadonlyArray<Result.Result<Outcome, { readonly _tag: string }>>,
  copies: ReadonlyArray<Copy>,
) => {
  const winner = outcomes.findIndex((outcome) =>
    Result.isSuccess(outcome) && !outcome.success.replayed
  )
  const won = copies[winner]
  for (const [at, outcome] of outcomes.entries()) {
    const copy = copies[at]
    if (Result.isFailure(outcome)) {
      ok(
        ["payment_conflict", "payment_in_progress", "payment_already_used"].includes(
          outcomeText(outcome),
        ),
      )
      continue
    }
    // Other answers must be repeats for the winner.
    equal([copy?.request, copy?.secret], [won?.request, won?.secret])
    equal(outcomeText(outcome).replace(" again", ""), `${won?.request} 1`)
    ok(at === winner || copy?.secret !== null, "a caller without a secret got an answer")
  }
}

for (const [schedules, least, most] of [[300, 2, 4], [20, 50, 50]] as const) {
  Deno.test(`${least} to ${most} copies on three routes and two replicas give one answer, in ${schedules} schedules`, () => {
    const winners = new Set<string>()
    for (let seed = 1; seed <= schedules; seed++) {
      const random = new Random(seed)
      const copies = drawCopies(random, least + random.below(most - least + 1))
      const { outcomes, computed, taken, rows } = racing(copies, random)
      equal([seed, computed, taken, rows], [seed, 1, once, [["answered", 1]]])
      checkOneAnswer(outcomes, copies)
      winners.add(outcomes.map((outcome) => Result.isSuccess(outcome) ? "+" : "-").join(""))
    }
    // Different copies win in different schedules.
    ok(winners.size > 3)
  })
}

/** Uses the payment's nonce on the chain for something other than a payment to us. */
const useNonceElsewhere = Effect.fnUntraced(
  function* ({ payment }: Purchase, how: "cancelled" | "spent") {
    const ledger = yield* Ledger
    const { from, value, nonce } = payment.authorization
    const use = {
      ...{ asset: token.asset, from, nonce, transaction: "0xcc" },
      blockTime: BigInt(startSeconds),
    }
    yield* how === "cancelled"
      ? ledger.cancel(use)
      : ledger.transfer({ ...use, to: address(buyer(1).address), value })
  },
)

for (const sold of [product, early]) {
  for (const how of ["cancelled", "spent"] as const) {
    for (const when of ["before the call", "during the check"] as const) {
      test(`a ${sold.settlementOrder} payment whose nonce is ${how} elsewhere ${when} gets no answer and no refund`, () =>
        inMarket(Effect.gen(function* () {
          const ledger = yield* Ledger
          const { scan, sweepReleased } = yield* Payments
          yield* scan
          const bought = yield* purchase({ product: sold, secret })
          const spending = Effect.provideService(useNonceElsewhere(bought, how), Ledger, ledger)
          const neverComputed = workOf(Effect.die("computed"))
          if (when === "before the call") yield* spending
          const checked: Work = sold === early
            ? { ...neverComputed, check: spending }
            : workOf(Effect.andThen(spending, answering()))
          const work = when === "before the call" ? neverComputed : checked
          equal(yield* buying(bought, work), "payment_required")
          yield* passing(130)
          yield* sweepReleased
          yield* passing(60)
          yield* scan
          // Only a payment that was found valid has a row.
          const row = yield* rowOf(bought)
          const claimed = sold === product && when === "during the check"
          equal(row === null ? null : [row.state, row.refund], claimed ? ["void", null] : null)
          equal(yield* ledger.balance(address(terms.treasury)), playBalance)
          equal((yield* taken).received, 0n)
          equal(
            yield* buying({ ...bought, validityFault: "expired" }, neverComputed),
            "payment_required",
          )
        })))
    }
  }
}
