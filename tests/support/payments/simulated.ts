/**
 * The simulated facilitator and chain for tests, with the faults that real ones have shown.
 *
 * @module
 */
import { Context, Duration, Effect, Layer, Scope } from "effect"
import { Chain, ChainUnavailable } from "../../../src/payments/Chain.ts"
import {
  Facilitator,
  type FacilitatorRequest,
  type SettleOutcome,
  type VerifyOutcome,
} from "../../../src/payments/Facilitator.ts"
import type { Signatures } from "../../../src/payments/Signatures.ts"
import { layerLedger as layerWithoutFaults } from "../../../src/payments/simulated/facilitator.ts"
import type { Ledger } from "../../../src/payments/simulated/ledger.ts"

export type Misbehaviour =
  | "success_without_transaction"
  | "failure_after_broadcast"
  | "double_broadcast"
  | "late_broadcast"
  | "error_after_broadcast"
  | "html"
  | "garbage"
  | "silence"
  | "silence_after_broadcast"

export interface SimulationOptions {
  /** The duration of every call. */
  readonly delay?: Duration.Duration
  /** The delay of a late broadcast. */
  readonly late?: Duration.Duration
  /** The fault of the next call; null or absent for none. */
  readonly misbehave?: (call: "verify" | "settle") => Misbehaviour | null
  /** True while the chain cannot be read. */
  readonly chainDown?: () => boolean
  /** True while the chain accepts requests and never responds. */
  readonly chainSilent?: () => boolean
  /** How many seconds after its block a transfer is safe. */
  readonly safeAfterSeconds?: number
}

/** Facilitator and chain on the given ledger. */
export const layerLedger = (
  options: SimulationOptions = {},
): Layer.Layer<Facilitator | Chain, never, Ledger | Signatures> =>
  Layer.effectContext(Effect.gen(function* () {
    const scope = yield* Scope.Scope
    const ports = yield* Layer.build(Layer.fresh(layerWithoutFaults(options.safeAfterSeconds)))
    return Context.mergeAll(
      Context.make(Facilitator, misbehaving(Context.get(ports, Facilitator), scope, options)),
      Context.make(Chain, failing(Context.get(ports, Chain), options)),
    )
  }))

function misbehaving(
  inner: Facilitator["Service"],
  scope: Scope.Scope,
  { delay = Duration.zero, late = Duration.seconds(5), misbehave = () => null }: SimulationOptions,
): Facilitator["Service"] {
  const pause = Duration.isZero(delay) ? Effect.void : Effect.sleep(delay)

  const settle = Effect.fnUntraced(function* (
    request: FacilitatorRequest,
  ): Effect.fn.Return<SettleOutcome> {
    yield* pause
    const misbehaviour = misbehave("settle")
    const broadcast = inner.settle(request)
    switch (misbehaviour) {
      case null:
        return yield* broadcast
      case "success_without_transaction":
        return { outcome: "settled", transaction: `0x${"00".repeat(32)}` }
      case "failure_after_broadcast":
        return yield* Effect.as(broadcast, declined)
      case "double_broadcast":
        return yield* Effect.andThen(broadcast, broadcast)
      case "late_broadcast":
        yield* Effect.forkIn(Effect.delay(broadcast, late), scope)
        return unknown(misbehaviour)
      case "error_after_broadcast":
        return yield* Effect.as(broadcast, unknown(misbehaviour))
      case "html":
      case "garbage":
        return unknown(misbehaviour)
      case "silence":
        return yield* Effect.never
      case "silence_after_broadcast":
        return yield* Effect.andThen(broadcast, Effect.never)
    }
  })

  const verify = Effect.fnUntraced(function* (
    request: FacilitatorRequest,
  ): Effect.fn.Return<VerifyOutcome> {
    yield* pause
    const misbehaviour = misbehave("verify")
    if (misbehaviour === null) return yield* inner.verify(request)
    if (misbehaviour === "success_without_transaction") return { outcome: "valid" }
    return misbehaviour === "silence" || misbehaviour === "silence_after_broadcast"
      ? yield* Effect.never
      : unknown(misbehaviour)
  })

  return Facilitator.of({ name: inner.name, verify, settle })
}

function failing(
  inner: Chain["Service"],
  { chainDown = () => false, chainSilent = () => false }: SimulationOptions,
): Chain["Service"] {
  const readable = Effect.suspend((): Effect.Effect<void, ChainUnavailable> =>
    chainDown()
      ? Effect.fail(new ChainUnavailable({ reason: "simulated" }))
      : chainSilent()
      ? Effect.never
      : Effect.void
  )
  const whenReadable = <A>(read: Effect.Effect<A, ChainUnavailable>) =>
    Effect.andThen(readable, read)
  return Chain.of({
    head: whenReadable(inner.head),
    paymentProof: (expected) => whenReadable(inner.paymentProof(expected)),
    transfers: (query) => whenReadable(inner.transfers(query)),
    isNonceUsed: (...nonce) => whenReadable(inner.isNonceUsed(...nonce)),
    balanceOf: (...holder) => whenReadable(inner.balanceOf(...holder)),
    hasCode: (address) => whenReadable(inner.hasCode(address)),
    wouldSettle: (...transfer) => whenReadable(inner.wouldSettle(...transfer)),
  })
}

const declined: SettleOutcome = { outcome: "declined", reason: "transaction_failed" }
const unknown = (reason: string) => ({ outcome: "unknown", reason, unanswered: true }) as const
