/**
 * Every call that a sale makes, struck once, before and after it takes effect: what its buyer is told,
 * where the row is left, and how it ends, for a buyer who never comes back and for one who does.
 *
 * The calls are not listed by hand: they are counted as they are made, and each is struck.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Duration, Effect, Fiber, Logger, Result } from "effect"
import type { SimulationOptions } from "../../../src/payments/simulated/facilitator.ts"
import { Ledger } from "../../../src/payments/simulated/ledger.ts"
import { address } from "../../../src/payments/domain/payment.ts"
import type { Delivery } from "../../../src/payments/sale/responses.ts"
import type { Purchase, Work } from "../../../src/payments/sale/sale.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import { buyer } from "../../support/payments/buyers.ts"
import { test } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"
import {
  answering,
  early,
  inMarket,
  once,
  outcomeText,
  passing,
  product,
  purchase,
  rowOf,
  startSeconds,
  stateOf,
  taken,
  workOf,
} from "../../support/payments/sales.ts"
import { terms, token } from "../../support/payments/terms.ts"
import { rowsOf } from "./payments.strikes.ts"
import { mortal, type Strike, strokes } from "../simulation/mortal.ts"

/** A call on a service, and what goes before it on another one. */
interface Flow {
  readonly name: string
  readonly sold: Purchase["product"]
  readonly simulation?: SimulationOptions
  readonly task?: Work
  /** What was sold before, and how long ago. */
  readonly before?: { readonly task: Work; readonly seconds: number; readonly told: string }
}

const worthless = workOf(answering("nothing", false))
const late: SimulationOptions = {
  misbehave: (call) => call === "settle" ? "late_broadcast" : null,
  late: Duration.seconds(10),
}
const flows: ReadonlyArray<Flow> = [
  { name: "compute-first", sold: product },
  { name: "settle-early", sold: early },
  { name: "compute-first, not worth its price", sold: product, task: worthless },
  { name: "settle-early, whose work fails", sold: early, task: workOf(Effect.die("a bug")) },
  { name: "settle-early, whose settlement is not seen", sold: early, simulation: late },
  {
    name: "compute-first after a release",
    sold: product,
    before: { task: worthless, seconds: 1, told: "nothing" },
  },
  {
    name: "settle-early, to be taken up",
    sold: early,
    simulation: late,
    before: { task: workOf(answering()), seconds: 15, told: "Unresolved" },
  },
  {
    name: "compute-first, not handed over yet",
    sold: product,
    before: { task: workOf(answering()), seconds: 1, told: "answer" },
  },
]

/** Runs a flow, struck or not, and tells how it ended. */
const run = Effect.fnUntraced(function* (
  { sold, before, task = workOf(answering()) }: Flow,
  strike: Strike | null,
  returns: boolean,
) {
  const survivor = yield* Payments
  const bought = yield* purchase({ product: sold, secret: "a-secret-of-16-chars" })
  const transcript: Array<string> = []
  const hearing = (call: Effect.Effect<Delivery, { readonly _tag: string }>) =>
    Effect.map(Effect.result(call), (result) => {
      transcript.push(outcomeText(result))
      return result
    })
  if (before !== undefined) {
    const call = yield* Effect.forkChild(hearing(survivor.sell(bought, before.task)))
    yield* passing(before.seconds)
    equal([outcomeText(yield* Fiber.join(call))], [before.told])
    transcript.length = 0
  }
  const victim = yield* mortal(strike)
  const call = victim.payments.sell(bought, victim.taskOf(task)).pipe(
    hearing,
    // The paywall tells that an answer was handed over.
    Effect.tap((result) =>
      Result.isSuccess(result) ? victim.payments.sent(result.success) : Effect.void
    ),
    Effect.asVoid,
    Effect.raceFirst(victim.died),
  )
  yield* Effect.forkChild(call)
  yield* passing(70)
  const told = transcript.at(-1) ?? "lost"
  const left = yield* stateOf(bought)
  for (const seconds of [30, 35, 60, 120, 600, 60]) {
    yield* passing(seconds)
    yield* survivor.sweep
    yield* Effect.orDie(survivor.scan)
    yield* giveBack(bought)
    if (!returns || transcript.some(isFinal)) continue
    const expired = { ...bought, validityFault: "The authorization has expired" }
    yield* Effect.forkChild(
      Effect.tap(
        hearing(survivor.sell(expired, workOf(answering()))),
        (result) => Result.isSuccess(result) ? survivor.sent(result.success) : Effect.void,
      ),
    )
    yield* passing(5)
  }
  const end = yield* ending(bought, transcript)
  return { calls: victim.calls, told, left, end }
})

/** A buyer who has heard this does not come again. */
const isFinal = (told: string) => told.startsWith("answer") || told === "payment_refunded"

/** Pays back what is owed, once the chain shows it paid: what the refund worker is there for. */
const giveBack = Effect.fnUntraced(function* (bought: Purchase) {
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

/** What the chain and the buyer know in the end. */
const ending = Effect.fnUntraced(function* (bought: Purchase, transcript: ReadonlyArray<string>) {
  const ledger = yield* Ledger
  const refunds = yield* ledger.received(address(buyer(0).address))
  const { received } = yield* taken
  const delivered = transcript.some((told) => told.startsWith("answer"))
  ok(received === 0n || received === once.received)
  ok(refunds === 0n || refunds === bought.product.price)
  const known = [delivered ? "delivered" : "", refunds > 0n ? "refunded" : ""].filter(Boolean)
  // Delivered or refunded, or it was never paid.
  equal(known.length > 0, received > 0n)
  return received === 0n ? "unpaid" : known.length > 1 ? "both" : known.join()
})

/** What goes wrong here is meant to, and is logged at length. */
const quiet = Logger.layer([])

const counted = (flow: Flow, strike: Strike | null, returns: boolean) =>
  inMarket(run(flow, strike, returns), flow.simulation)

/** One row of the table: what is told and left; how it ends alone; how it ends for who comes again. */
const outcome = Effect.fnUntraced(function* (flow: Flow, strike: Strike, call: string) {
  const alone = yield* counted(flow, strike, false)
  const again = yield* counted(flow, strike, true)
  equal([again.told, again.left], [alone.told, alone.left])
  for (const { end } of [alone, again]) ok(end !== "both" || call === "markSent", `${call} ${end}`)
  const [told] = alone.told.split(":")
  const ends = alone.end === again.end ? alone.end : `${alone.end}; ${again.end}`
  return `${told}, ${alone.left ?? "no row"}; ${ends}`
})

/** One row of the table in so many is run; the count has no factor in common with the strokes. */
const rowEvery = sized({ short: 5, full: 1 })
const isRun = (_: unknown, row: number) => row % rowEvery === 0

for (const flow of flows) {
  test(`a sale ${flow.name} ends well wherever it is struck, as the table says`, () =>
    Effect.gen(function* () {
      const { calls } = yield* counted(flow, null, false)
      const rows: Array<string> = []
      for (const [index, call] of calls.entries()) {
        for (const [nth, stroke] of strokes.entries()) {
          if (!isRun(call, index * strokes.length + nth)) continue
          const [before, after] = yield* Effect.forEach(
            ["before", "after"] as const,
            (when) => outcome(flow, { at: index + 1, stroke, when }, call),
          )
          rows.push(`${call} ${stroke}: ${before === after ? before : `${before} | ${after}`}`)
        }
      }
      equal(calls.length * strokes.length, rowsOf(flow.name).length)
      equal(rows, rowsOf(flow.name).filter(isRun))
    }).pipe(Effect.provide(quiet)))
}
