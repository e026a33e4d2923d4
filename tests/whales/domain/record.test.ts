/**
 * Which results of a wallet count, when the next ones may, and which bets are its evidence.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { day, hour } from "../../../src/core/domain/time.ts"
import { MarketId } from "../../../src/markets/domain/market.ts"
import { resultsAt, type ScheduledPosition } from "../../../src/whales/domain/due.ts"
import { evidenceOf } from "../../../src/whales/domain/evidence.ts"
import { type RecordedPosition, recordOf } from "../../../src/whales/domain/record.ts"
import { sumsOf } from "../../../src/whales/domain/score.ts"
import { law } from "../../support/effect.ts"
import { runParts } from "../../support/runParts.ts"
import { dueBefore } from "../../support/whales/dueOrder.ts"
import { entry } from "../../support/whales/records.ts"

const week = 7 * day
const whole = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const now = 100 * day
const anyPositions = Arbitrary.array(
  Arbitrary.map(
    Arbitrary.schema(Schema.Struct({
      days: Schema.NullOr(whole(-12, 3)),
      isOpen: Schema.Boolean,
      isCounted: Schema.Boolean,
    })),
    ({ days, isOpen, isCounted }): ScheduledPosition => ({
      dueAt: days === null ? null : now + days * day,
      endedAt: isOpen ? null : now,
      isCounted: isCounted && !isOpen,
    }),
  ),
  { maxLength: 8 },
)

law("resultsAt() counts by the rule, and what counted", anyPositions, (positions) => {
  const before = dueBefore(
    positions.map(({ dueAt, endedAt }) => ({
      dueAt: dueAt ?? -Infinity,
      isOpen: endedAt === null,
    })),
    now,
  )
  const expected = positions.filter(({ dueAt, endedAt, isCounted }) =>
    endedAt !== null && (isCounted || (dueAt ?? -Infinity) < before)
  )
  equal(resultsAt(positions, now).counted, expected)
})

law("resultsAt() returns when the next result counts, if nothing changes", anyPositions, (all) => {
  let at = now
  for (let looks = 0; looks <= all.length; looks++) {
    const { counted, nextAt } = resultsAt(all, at)
    const ended = all.filter(({ endedAt }) => endedAt !== null)
    if (nextAt === null) return equal(counted, ended)
    equal(resultsAt(all, nextAt - 1).counted, counted)
    at = nextAt
  }
  throw new Error("A result waits for ever")
})

Deno.test("resultsAt() lets a result wait until it is due, and a week for an earlier open one", () => {
  const paid = { dueAt: now + hour, endedAt: now, isCounted: false }
  const open = { ...paid, endedAt: null }
  equal(resultsAt([paid], now), { counted: [], nextAt: now + hour })
  equal(resultsAt([paid], now + hour), { counted: [paid], nextAt: null })
  equal(resultsAt([paid, open], now + hour), { counted: [], nextAt: now + hour + week })
  equal(resultsAt([paid, open], now + hour + week).counted, [paid])
  equal(resultsAt([paid, { ...open, dueAt: now + hour + 1 }], now + 2 * hour).counted, [paid])
  equal(resultsAt([{ ...paid, isCounted: true }, open], now).counted.length, 1)
})

const position = (n: number, fields: Partial<RecordedPosition> = {}): RecordedPosition => ({
  marketId: MarketId.make(`m${n}`),
  theme: n,
  dueAt: null,
  endedAt: now,
  isCounted: false,
  feeRate: 0,
  payouts: [1, 0],
  entries: [entry({ firstFillAt: now - 2 * day })],
  ...fields,
})

Deno.test("recordOf() adds up the results that count, by theme, and names the new ones", () => {
  const positions = [
    position(0, { isCounted: true }),
    position(1, { theme: 0 }),
    position(2, { dueAt: now + day }),
    position(3, { endedAt: null, payouts: null }),
  ]
  const { record, newlyCounted, nextAt } = runParts(
    recordOf({ source: "volume", trackedAt: 0 }, positions, now),
  )
  equal(record.sums, sumsOf([positions.slice(0, 2)]))
  equal([newlyCounted, nextAt], [[MarketId.make("m1")], now + day])
})

Deno.test("recordOf() has no entry of a profit board's wallet from before it was found", () => {
  const early = entry({ firstFillAt: now - 3 * day, openingPrice: 0.2 })
  const late = entry({ firstFillAt: now - day })
  const both = [position(0, { entries: [late, early] })]
  const of = (source: "profit" | "volume") =>
    runParts(recordOf({ source, trackedAt: now - 2 * day }, both, now)).record.sums
  equal([of("profit"), of("volume")], [
    sumsOf([[position(0, { entries: [late] })]]),
    sumsOf([both]),
  ])
})

Deno.test("recordOf() bets on the first entry of each market that is no sweep, whatever became of it", () => {
  const first = entry({ outcome: 1, openingPrice: 0.3, firstFillAt: now - 2 * day })
  const hedged = { ...first, hedgedShares: first.shares }
  const sweep = entry({ openingPrice: 0.96, firstFillAt: now - 3 * day })
  const more = entry({ openingPrice: 0.4, firstFillAt: now - day })
  const positions = [
    position(0, { entries: [more, sweep, hedged] }),
    position(1, { endedAt: null, payouts: null, dueAt: now + day }),
    position(2, { entries: [sweep] }),
  ]
  const { record } = runParts(recordOf({ source: "volume", trackedAt: 0 }, positions, now))
  const bets = [
    { price: 0.3, openedAt: now - 2 * day, endedAt: now, paid: 0 },
    { price: 0.5, openedAt: now - 2 * day, endedAt: null, paid: null },
  ]
  equal(record.evidence, evidenceOf(bets, 0))
})
