/**
 * Records the calls to the facilitator and to the chain: how long each took, and whether the last
 * ones had a clear answer. Wraps the ports, so that the callers need no change.
 *
 * @module
 */
import { Cause, Context, Effect, Exit, Layer, Metric, Option } from "effect"
import { usdDecimals } from "../core/domain/money.ts"
import { annotate, inSpan } from "../core/tracing.ts"
import { Chain, ChainUnavailable } from "./Chain.ts"
import type { EpochMs } from "../core/domain/time.ts"
import {
  afterAnswer,
  afterFailure,
  type CallRecord,
  type ListingVerdict,
  noCalls,
} from "./domain/paymentHealth.ts"
import { Facilitator, type SettleOutcome } from "./Facilitator.ts"
import { secondsBuckets, timed } from "../core/timed.ts"

/** What was observed of each kind of call. */
interface Records {
  verify: CallRecord
  settle: CallRecord
  chain: CallRecord
  /** When the endpoints of the chain last contradicted each other. */
  disputedAt: EpochMs | null
  /** What a catalogue said at the last settlement with a verdict. */
  listing: ListingVerdict | null
}

export class PortRecords extends Context.Service<PortRecords, Records>()(
  "bellwether/payments/PortRecords",
) {
  static readonly layer: Layer.Layer<PortRecords> = Layer.sync(
    PortRecords,
    () => ({ verify: noCalls, settle: noCalls, chain: noCalls, disputedAt: null, listing: null }),
  )
}

const facilitatorSeconds = Metric.histogram("facilitator_call_seconds", {
  description: "Duration of a call to the facilitator, without the wait for a free place",
  boundaries: secondsBuckets,
})
/** The verdicts that catalogues give; any other counts as `other`, because a label is no free text. */
const knownVerdicts: ReadonlyArray<string> = ["success", "processing", "rejected"]
const listingVerdicts = Metric.counter("listing_verdicts", {
  description: "What catalogues of paid services said at a settlement, by status",
  incremental: true,
})
const chainSeconds = Metric.histogram("chain_call_seconds", {
  description: "Duration of a read of the chain",
  boundaries: secondsBuckets,
})

/** Atomic units as USDC: a float, for metrics only. */
export const inUsdc = (units: bigint) => Number(units) / 10 ** usdDecimals

export const treasuryUsdc = Metric.gauge("treasury_usdc", {
  description: "The treasury's balance, in USDC, as of the last read",
})
/** The service and the refund worker both have this gauge. */
export const chainReadAge = Metric.gauge("chain_read_age_seconds", {
  description: "Seconds since the last good read of the chain",
})

/** A facilitator whose calls are recorded. */
export const layerFacilitator: Layer.Layer<Facilitator, never, Facilitator | PortRecords> = Layer
  .effect(
    Facilitator,
    Effect.gen(function* () {
      const { name, verify, settle } = yield* Facilitator
      const records = yield* PortRecords
      const observed = <A extends { readonly outcome: string }>(
        call: "verify" | "settle",
        answer: Effect.Effect<A>,
      ) =>
        answer.pipe(
          recorded((exit, seconds, now) => {
            const outcome = Exit.isSuccess(exit) ? exit.value.outcome : "defect"
            const failed = outcome === "unknown" || outcome === "defect"
            records[call] = failed ? afterFailure(records[call], now) : afterAnswer(now)
            return Effect.andThen(
              Metric.update(Metric.withAttributes(facilitatorSeconds, { call, outcome }), seconds),
              annotate({ outcome }),
            )
          }),
          inSpan(call),
        )
      return Facilitator.of({
        name,
        verify: (request) => observed("verify", verify(request)),
        settle: (request) => Effect.tap(observed("settle", settle(request)), noteListing(records)),
      })
    }),
  )

/** Counts and keeps a catalogue's verdict, and logs it when it is another one than before. */
const noteListing = (records: Records) => (settled: SettleOutcome) =>
  Effect.gen(function* () {
    if (settled.outcome !== "settled" || settled.listed === undefined) return
    const { status, reason } = settled.listed
    const last = records.listing
    records.listing = settled.listed
    const label = knownVerdicts.includes(status) ? status : "other"
    yield* Metric.update(Metric.withAttributes(listingVerdicts, { status: label }), 1)
    if (last?.status === status && last.reason === reason) return
    const log = status === "rejected" ? Effect.logWarning : Effect.logInfo
    yield* log("A catalogue's verdict on the last settlement", { status, reason })
  })

/** A chain whose reads are recorded. */
export const layerChain: Layer.Layer<Chain, never, Chain | PortRecords> = Layer.effect(
  Chain,
  Effect.gen(function* () {
    const chain = yield* Chain
    const records = yield* PortRecords
    const observed = <A>(call: string, read: Effect.Effect<A, ChainUnavailable>) =>
      read.pipe(
        recorded((exit, seconds, now) => {
          records.chain = Exit.isSuccess(exit) ? afterAnswer(now) : afterFailure(records.chain, now)
          const disputed = Option.match(Exit.findErrorOption(exit), {
            onNone: () => false,
            onSome: (error) => error.disputed === true,
          })
          if (disputed) records.disputedAt = now
          const outcome = Exit.isSuccess(exit) ? "answered" : disputed ? "disputed" : "unavailable"
          return Metric.update(Metric.withAttributes(chainSeconds, { call, outcome }), seconds)
        }),
        inSpan("chain", { operation: call }),
      )
    return Chain.of({
      head: observed("head", chain.head),
      paymentProof: (expected) => observed("proof", chain.paymentProof(expected)),
      transfers: (query) => observed("transfers", chain.transfers(query)),
      isNonceUsed: (...nonce) => observed("nonce", chain.isNonceUsed(...nonce)),
      balanceOf: (...holder) => observed("balance", chain.balanceOf(...holder)),
      hasCode: (address) => observed("code", chain.hasCode(address)),
      wouldSettle: (...transfer) => observed("settling", chain.wouldSettle(...transfer)),
    })
  }),
)

/**
 * Runs `record` when a call ends, unless its caller interrupted it. That says nothing about the
 * port: a buyer who hangs up must not make the facilitator look broken.
 */
const recorded = <A, E>(
  record: (exit: Exit.Exit<A, E>, seconds: number, now: number) => Effect.Effect<void>,
) =>
  timed<A, E>((exit, seconds, now) =>
    Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
      ? Effect.void
      : record(exit, seconds, now)
  )
