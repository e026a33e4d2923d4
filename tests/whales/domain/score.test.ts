/**
 * A wallet's sums do not depend on the order of changes, have a bounded size, and contain only what
 * counts.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { mix } from "../../../src/venues/simulated/seed.ts"
import { ratesOf } from "../../../src/whales/domain/rates.ts"
import { marketScore, noSums, recount, type WalletSums } from "../../../src/whales/domain/score.ts"
import { law } from "../../support/effect.ts"
import {
  alike,
  anyEvent,
  anyRecord,
  entry,
  type PlayedEvent,
  scoresOf,
  sumsOf,
} from "../../support/whales/records.ts"

const seeds = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e6 })))

/** A wrong first version of an event: fewer markets, with the payouts swapped. */
function misread(event: PlayedEvent): PlayedEvent {
  return event.slice(0, -1).map((market) => ({
    ...market,
    payouts: market.payouts === null
      ? [1, 0] as const
      : [market.payouts[1], market.payouts[0]] as const,
  }))
}

/** The sums after events in a random order, first wrong, then corrected, some removed in between. */
function byDetours(record: ReadonlyArray<PlayedEvent>, seed: number): WalletSums {
  const steps = record.flatMap((event, i) => {
    const key = mix(seed, i)
    const [right, wrong] = [scoresOf(event), scoresOf(misread(event))]
    const ways = [
      [[[], right]],
      [[[], wrong], [wrong, right]],
      [[[], right], [right, []], [[], right]],
      [[[], wrong], [wrong, []], [[], right], [right, wrong], [wrong, right]],
    ] as const
    const way = ways[key % ways.length] ?? ways[0]
    return way.map(([before, after], step) => ({ before, after, at: step + mix(key, 1) / 2 ** 31 }))
  })
  return steps
    .sort((a, b) => a.at - b.at)
    .reduce((sums, { before, after }) => recount(sums, before, after), noSums)
}

/** The rounding error that subtraction may leave, relative to the largest figure. */
function roundingErrorOf(events: ReadonlyArray<PlayedEvent>): number {
  const shares = events.flat().flatMap(({ entries }) => entries.map(({ shares }) => shares))
  return Math.max(1e-9, 1e-14 * shares.reduce((sum, it) => sum + it, 0))
}

law(
  "recount() has the same sums in any order, with corrections and removals",
  Arbitrary.all({ record: anyRecord, seed: seeds }),
  ({ record, seed }) => alike(byDetours(record, seed), sumsOf(record), roundingErrorOf(record)),
)

law(
  "recount() and its reverse change nothing",
  Arbitrary.all({ record: anyRecord, event: anyEvent }),
  ({ record, event }) => {
    const sums = sumsOf(record)
    const back = recount(recount(sums, [], scoresOf(event)), scoresOf(event), [])
    return alike(back, sums, roundingErrorOf([...record, event]))
  },
)

law("recount() of unchanged scores changes nothing", anyRecord, (record) => {
  const sums = sumsOf(record)
  return record.every((event) => alike(recount(sums, scoresOf(event), scoresOf(event)), sums))
})

law("recount() clears the sums exactly when everything is removed", anyRecord, (record) => {
  const back = record.reduce((sums, event) => recount(sums, scoresOf(event), []), sumsOf(record))
  equal(back, noSums)
})

law(
  "scores and sums survive JSON, and have as many figures as empty ones",
  anyRecord,
  (record) => {
    const sums = sumsOf(record)
    equal(JSON.parse(JSON.stringify(sums)), sums)
    record.flatMap(scoresOf).forEach((score) => equal(JSON.parse(JSON.stringify(score)), score))
    const figures = (it: unknown) => JSON.stringify(it).split(",").length
    return figures(sums) === figures(noSums) && JSON.stringify(sums).length < 5_000
  },
)

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

law(
  "the order of entries in a market and of markets in an event changes nothing",
  anyRecord,
  (record) => {
    const reversed = record.map((event) =>
      event.map((market) => ({ ...market, entries: market.entries.toReversed() })).toReversed()
    )
    return alike(sumsOf(record), sumsOf(reversed))
  },
)

Deno.test("marketScore() leaves out entries hedged by more than half", () => {
  const hedged = (share: number) => entry({ hedgedShares: share * 2_000 })
  const entries = (share: number) =>
    marketScore([entry(), hedged(share)], [1, 0], 0).bands[0]?.sums.entries
  equal([0, 0.5, 0.51, 1].map(entries), [2, 2, 1, 1])
})

Deno.test("marketScore() of a cancelled market only counts its entries", () => {
  const cancelled = marketScore([entry(), entry(), entry({ hedgedShares: 2_000 })], null, 0.02)
  equal(cancelled, { cancelled: 2, bands: [] })
  const sums = recount(noSums, [], [cancelled])
  equal(sums, { ...noSums, totals: { ...noSums.totals, cancelled: 2 } })
  equal(recount(sums, [cancelled], []), noSums)
  equal(ratesOf(sums), null)
})
