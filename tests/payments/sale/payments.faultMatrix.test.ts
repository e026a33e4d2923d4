/**
 * Injects one fault at every call that a sale makes, before and after the call takes effect, and
 * checks the buyer's outcome, the state of the row, and the end, for a buyer who does not send
 * the payment again and for one who does.
 *
 * The calls are not listed by hand: a run without a fault records them.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Duration, Effect, Fiber, Logger, Result } from "effect"
import type { SimulationOptions } from "../../support/payments/simulated.ts"
import { Ledger } from "../../../src/payments/simulated/ledger.ts"
import { address } from "../../../src/payments/domain/payment.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import { buyer } from "../../support/payments/buyers.ts"
import { test } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"
import {
  answering,
  early,
  type Ended,
  inMarket,
  once,
  outcomeText,
  passing,
  product,
  type Purchase,
  purchase,
  rowOf,
  startSeconds,
  stateOf,
  taken,
  type Work,
  workOf,
} from "../../support/payments/sales.ts"
import { terms, token } from "../../support/payments/terms.ts"
import { rowsOf } from "./payments.faultMatrix.ts"
import { faultKinds, type InjectedFault, serviceWithFault } from "../simulation/serviceWithFault.ts"

/** A call on one service, and an earlier call on another one. */
interface Flow {
  readonly name: string
  readonly sold: Purchase["product"]
  readonly simulation?: SimulationOptions
  readonly work?: Work
  /** The earlier call, and how long ago it was. */
  readonly before?: { readonly work: Work; readonly seconds: number; readonly outcome: string }
}

const unchargedWork = workOf(answering("nothing", false))
const late: SimulationOptions = {
  misbehave: (call) => call === "settle" ? "late_broadcast" : null,
  late: Duration.seconds(10),
}
const flows: ReadonlyArray<Flow> = [
  { name: "compute-first", sold: product },
  { name: "settle-early", sold: early },
  { name: "compute-first, not worth its price", sold: product, work: unchargedWork },
  { name: "settle-early, whose work fails", sold: early, work: workOf(Effect.die("a bug")) },
  { name: "settle-early, whose settlement is late", sold: early, simulation: late },
  {
    name: "compute-first after a release",
    sold: product,
    before: { work: unchargedWork, seconds: 1, outcome: "nothing" },
  },
  {
    name: "settle-early, to be resumed",
    sold: early,
    simulation: late,
    before: { work: workOf(answering()), seconds: 15, outcome: "Unresolved" },
  },
  {
    name: "compute-first, not delivered yet",
    sold: product,
    before: { work: workOf(answering()), seconds: 1, outcome: "answer" },
  },
]

/** Runs a flow with or without a fault, and returns how it ended. */
const run = Effect.fnUntraced(function* (
  { sold, before, work = workOf(answering()) }: Flow,
  fault: InjectedFault | null,
  returns: boolean,
) {
  const survivor = yield* Payments
  const bought = yield* purchase({ product: sold, secret: "a-secret-of-16-chars" })
  const transcript: Array<string> = []
  const recorded = (call: ReturnType<Payments["Service"]["sell"]>) =>
    Effect.map(Effect.result(call), (result: Ended) => {
      transcript.push(outcomeText(result))
      return result
    })
  if (before !== undefined) {
    const call = yield* Effect.forkChild(recorded(survivor.sell(bought, before.work)))
    yield* passing(before.seconds)
    equal([outcomeText(yield* Fiber.join(call))], [before.outcome])
    transcript.length = 0
  }
  const victim = yield* serviceWithFault(fault)
  const call = victim.payments.sell(bought, victim.workOf(work)).pipe(
    recorded,
    // The paywall reports the delivery.
    Effect.tap((result) =>
      Result.isSuccess(result) ? victim.payments.sent(result.success) : Effect.void
    ),
    Effect.asVoid,
    Effect.raceFirst(victim.died),
  )
  yield* Effect.forkChild(call)
  yield* passing(70)
  const outcome = transcript.at(-1) ?? "lost"
  const left = yield* stateOf(bought)
  for (const seconds of [30, 35, 60, 120, 600, 60]) {
    yield* passing(seconds)
    yield* Effect.andThen(survivor.sweep, survivor.sweepReleased)
    yield* Effect.orDie(survivor.scan)
    yield* payRefund(bought)
    if (!returns || transcript.some(isFinal)) continue
    const expired = { ...bought, validityFault: "The authorization has expired" }
    yield* Effect.forkChild(
      Effect.tap(
        recorded(survivor.sell(expired, workOf(answering()))),
        (result) => Result.isSuccess(result) ? survivor.sent(result.success) : Effect.void,
      ),
    )
    yield* passing(5)
  }
  const end = yield* endOf(bought, transcript)
  return { calls: victim.calls, outcome, left, end }
})

/** After this outcome a buyer does not send the payment again. */
const isFinal = (outcome: string) => outcome.startsWith("answer") || outcome === "payment_refunded"

/** Pays what is owed, as the refund worker would. */
const payRefund = Effect.fnUntraced(function* (bought: Purchase) {
  const ledger = yield* Ledger
  const { refundNonce } = yield* Signatures
  const row = yield* rowOf(bought)
  if (row?.state !== "refund_due") return
  const { from, nonce, value } = row.authorization
  yield* ledger.transfer({
    asset: token.asset,
    from: address(terms.treasury),
    to: from,
    value,
    nonce: refundNonce({ ...token, from, nonce }),
    transaction: "0xdd",
    blockTime: BigInt(startSeconds),
  })
})

/** The end as the chain and the buyer see it. */
const endOf = Effect.fnUntraced(function* (bought: Purchase, transcript: ReadonlyArray<string>) {
  const ledger = yield* Ledger
  const refunds = yield* ledger.received(address(buyer(0).address))
  const { received } = yield* taken
  const delivered = transcript.some((outcome) => outcome.startsWith("answer"))
  ok(received === 0n || received === once.received)
  ok(refunds === 0n || refunds === bought.product.price)
  const known = [delivered ? "delivered" : "", refunds > 0n ? "refunded" : ""].filter(Boolean)
  // A paid payment is delivered or refunded.
  equal(known.length > 0, received > 0n)
  return received === 0n ? "unpaid" : known.length > 1 ? "both" : known.join()
})

/** The failures here are intended, and their logs are long. */
const noLogs = Logger.layer([])

const runInMarket = (flow: Flow, fault: InjectedFault | null, returns: boolean) =>
  inMarket(run(flow, fault, returns), flow.simulation)

/**
 * One row of the table: the buyer's outcome, the state of the row, and the ends without and with a
 * buyer who sends the payment again.
 */
const tableRow = Effect.fnUntraced(function* (flow: Flow, fault: InjectedFault, call: string) {
  const alone = yield* runInMarket(flow, fault, false)
  const again = yield* runInMarket(flow, fault, true)
  equal([again.outcome, again.left], [alone.outcome, alone.left])
  for (const { end } of [alone, again]) ok(end !== "both" || call === "markSent", `${call} ${end}`)
  const [outcome] = alone.outcome.split(":")
  const ends = alone.end === again.end ? alone.end : `${alone.end}; ${again.end}`
  return `${outcome}, ${alone.left ?? "no row"}; ${ends}`
})

/** Every n-th row of the table runs; n shares no factor with the number of fault kinds. */
const rowEvery = sized({ short: 5, full: 1 })
const isRun = (_: unknown, row: number) => row % rowEvery === 0

for (const flow of flows) {
  test(`a sale ${flow.name} has the outcome of the table for a fault at any call`, () =>
    Effect.gen(function* () {
      const { calls } = yield* runInMarket(flow, null, false)
      const rows: Array<string> = []
      for (const [index, call] of calls.entries()) {
        for (const [nth, kind] of faultKinds.entries()) {
          if (!isRun(call, index * faultKinds.length + nth)) continue
          const [before, after] = yield* Effect.forEach(
            ["before", "after"] as const,
            (when) => tableRow(flow, { at: index + 1, kind, when }, call),
          )
          rows.push(`${call} ${kind}: ${before === after ? before : `${before} | ${after}`}`)
        }
      }
      equal(calls.length * faultKinds.length, rowsOf(flow.name).length)
      equal(rows, rowsOf(flow.name).filter(isRun))
    }).pipe(Effect.provide(noLogs)))
}
