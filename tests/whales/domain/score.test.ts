/**
 * A wallet's sums do not depend on any order, have a bounded size, and contain only what counts.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { ratesOf } from "../../../src/whales/domain/rates.ts"
import { noSums, sumsOf } from "../../../src/whales/domain/score.ts"
import { law } from "../../support/effect.ts"
import { alike, anyRecord, entry, type PlayedEvent } from "../../support/whales/records.ts"

law("sums survive JSON, and have as many figures as empty ones", anyRecord, (record) => {
  const sums = sumsOf(record)
  equal(JSON.parse(JSON.stringify(sums)), sums)
  const figures = (it: unknown) => JSON.stringify(it).split(",").length
  return figures(sums) === figures(noSums) && JSON.stringify(sums).length < 5_000
})

/** The same event with the outcomes of every market in the other order. */
function swapped(event: PlayedEvent): PlayedEvent {
  return event.map(({ entries, payouts, feeRate }) => ({
    entries: entries.map((it) => ({ ...it, outcome: it.outcome === 0 ? 1 as const : 0 as const })),
    payouts: payouts === null ? null : [payouts[1], payouts[0]] as const,
    feeRate,
  }))
}

law("the order of outcomes changes nothing", anyRecord, (record) => {
  const [one, other] = [sumsOf(record), sumsOf(record.map(swapped))]
  return alike(one, other) && alike(ratesOf(one), ratesOf(other))
})

law("the order of entries, of markets and of events changes nothing", anyRecord, (record) => {
  const reversed = record.map((event) =>
    event.map((market) => ({ ...market, entries: market.entries.toReversed() })).toReversed()
  ).toReversed()
  return alike(sumsOf(record), sumsOf(reversed))
})

Deno.test("sumsOf() leaves out entries hedged by more than half", () => {
  const entries = (share: number) =>
    ratesOf(sumsOf([[{
      entries: [entry(), entry({ hedgedShares: share * 2_000 })],
      payouts: [1, 0],
      feeRate: 0,
    }]]))?.resolved
  equal([0, 0.5, 0.51, 1].map(entries), [2, 2, 1, 1])
})

Deno.test("sumsOf() of hedges alone has no entry and no event, and of a cancelled market only their number", () => {
  const hedge = entry({ hedgedShares: 2_000 })
  equal(sumsOf([[{ entries: [hedge], payouts: [0, 1], feeRate: 0 }]]), noSums)
  const cancelled = sumsOf([[{ entries: [entry(), entry(), hedge], payouts: null, feeRate: 0.02 }]])
  equal(cancelled, { ...noSums, cancelled: 2 })
  equal(ratesOf(cancelled), null)
})
