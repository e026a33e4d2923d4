/**
 * What a wallet's sums say of it: held to the definitions worked out entry by entry, and labels held
 * to Benjamini and Hochberg's rule by brute force.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import {
  type Judgement,
  judgementOf,
  labels,
  ruleVersion,
} from "../../../src/whales/domain/label.ts"
import { overall, ratesOf } from "../../../src/whales/domain/rates.ts"
import { noSums } from "../../../src/whales/domain/score.ts"
import { law } from "../../support/effect.ts"
import {
  alike,
  anyRecord,
  counted,
  entry,
  type PlayedEvent,
  sumsOf,
} from "../../support/whales/records.ts"

const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((a, b) => a + b, 0)

law("ratesOf() is what the definitions give entry by entry", anyRecord, (record) => {
  const entries = counted(record)
  const rates = ratesOf(sumsOf(record))
  if (rates === null) return entries.length === 0
  const decisive = entries.filter(({ paid }) => paid === 0 || paid === 1)
  const follow = entries.map(({ stakeUsd: c, paid, price: p, feeRate }) => ({
    back: c * paid / p,
    cost: c + c * feeRate * (1 - p),
  }))
  const fade = entries.map(({ stakeUsd: c, paid, price: p, feeRate }) => ({
    back: c * (1 - paid) / (1 - p),
    cost: c + c * feeRate * (1 - (1 - p)),
  }))
  const roi = (sides: typeof follow) =>
    sum(sides.map(({ back }) => back)) / sum(sides.map(({ cost }) => cost)) - 1
  return rates.resolved === entries.length &&
    rates.events === new Set(entries.map(({ event }) => event)).size &&
    alike(rates.stakeUsd, sum(entries.map(({ stakeUsd }) => stakeUsd))) &&
    alike(rates.meanEntryPrice, sum(entries.map(({ price }) => price)) / entries.length) &&
    alike(rates.edge, sum(entries.map(({ paid, price }) => paid - price)) / entries.length) &&
    alike(rates.followRoi, roi(follow)) && alike(rates.fadeRoi, roi(fade)) &&
    (decisive.length === 0 ||
      rates.winRate === decisive.filter(({ paid }) => paid === 1).length / decisive.length)
})

/** Entries in events of their own unless told otherwise; `won` of them are paid. */
function played(
  entries: number,
  won: number,
  price: number,
  perEvent = 1,
  feeRate = 0,
): ReadonlyArray<PlayedEvent> {
  return Array.from({ length: entries / perEvent }, (_, i) => [{
    entries: Array.from({ length: perEvent }, () => entry({ price })),
    payouts: i * perEvent < won ? [1, 0] as const : [0, 1] as const,
    feeRate,
  }])
}

law(
  "the edge's interval is clustered by event, and no narrower than fair prices allow",
  anyRecord,
  (record) => {
    const entries = counted(record)
    const rates = ratesOf(sumsOf(record))
    if (rates === null || rates.events < 2) return true
    const events = [...Map.groupBy(entries, ({ event }) => event).values()]
    const squares = sum(
      events.map((event) => sum(event.map(({ paid, price }) => paid - price - rates.edge)) ** 2),
    )
    const error = Math.sqrt(squares * events.length / (events.length - 1)) / entries.length
    const margin = 1.959963984540054 * error
    return rates.edgeLow <= Math.max(-1, rates.edge - margin) + 1e-9 &&
      rates.edgeHigh >= Math.min(1, rates.edge + margin) - 1e-9
  },
)

Deno.test("the edge's interval is that of the events' sums", () => {
  // 20 events of 3 entries at .5, 11 of them won: sums of +1.5 and -1.5 about a mean of .15.
  const rates = ratesOf(sumsOf(played(60, 33, 0.5, 3)))
  const squares = 11 * (1.5 - 0.15) ** 2 + 9 * (1.5 + 0.15) ** 2
  const error = Math.sqrt(squares * 20 / 19) / 60
  ok(alike(rates?.edge, 0.05))
  ok(alike(rates?.edgeLow, 0.05 - 1.959963984540054 * error))
  ok(alike(rates?.edgeHigh, 0.05 + 1.959963984540054 * error))
})

Deno.test("entries of one event tell hardly more than one", () => {
  const width = (perEvent: number) => {
    const rates = ratesOf(sumsOf(played(120, 60, 0.5, perEvent)))
    return (rates?.edgeHigh ?? 0) - (rates?.edgeLow ?? 0)
  }
  ok(Math.abs(width(4) / width(1) - 2) < 0.05)
})

Deno.test("straight wins have no variance of their own: their interval is that of fair prices", () => {
  const rates = ratesOf(sumsOf(played(40, 40, 0.95)))
  const error = Math.sqrt(0.95 * 0.05 / 40)
  ok(alike(rates?.edge, 0.05))
  ok(alike(rates?.edgeLow, 0.05 - 1.959963984540054 * error))
})

Deno.test("ratesOf() says nothing of no entries, and no win rate of pushes alone", () => {
  strictEqual(ratesOf(noSums), null)
  const push: PlayedEvent = [{ entries: [entry()], payouts: [0.5, 0.5], feeRate: 0 }]
  const rates = ratesOf(sumsOf([push, push]))
  equal([rates?.resolved, rates?.winRate, rates?.winRateLow, rates?.winRateHigh], [2, 0.5, 0, 1])
  equal(rates?.followRoi, 0)
})

Deno.test("judgementOf() needs 30 counted entries in 10 events", () => {
  strictEqual(judgementOf(sumsOf(played(29, 15, 0.5))), null)
  ok(judgementOf(sumsOf(played(30, 15, 0.5))) !== null)
  strictEqual(judgementOf(sumsOf(played(36, 18, 0.5, 4))), null)
  ok(judgementOf(sumsOf(played(40, 20, 0.5, 4))) !== null)
})

Deno.test("judgementOf() is what ratesOf() says, and the p-value", () => {
  const sums = sumsOf(played(40, 30, 0.5, 1, 0.02))
  const { pValue, ...said } = judgementOf(sums) ?? { pValue: NaN }
  const { edge, followRoi, fadeRoi } = ratesOf(sums) ?? {}
  equal(said, { edge, followRoi, fadeRoi })
  // 2 P(X >= 30), X binomial (40, 1/2): 2 x 1221246132 / 2^40.
  ok(Math.abs(pValue / 0.0022214 - 1) < 1e-4, `${pValue}`)
})

Deno.test("judgementOf() takes the markets of one event for one, and events for apart", () => {
  const [apart, pairs] = [played(40, 30, 0.5), played(20, 15, 0.5)]
  const shared = pairs.map((event) => [...event, ...event])
  const [one, other] = [judgementOf(sumsOf(apart)), judgementOf(sumsOf(shared))]
  equal(one?.edge, other?.edge)
  // 2 P(X >= 15), X binomial (20, 1/2): 2 x 21700 / 2^20.
  ok(Math.abs((other?.pValue ?? 0) / (2 * 21_700 / 2 ** 20) - 1) < 1e-9, `${other?.pValue}`)
  ok((one?.pValue ?? 1) < 0.1 * (other?.pValue ?? 0))
})

const anyJudged = Arbitrary.map(
  Arbitrary.array(
    Arbitrary.schema(Schema.Struct({
      thousandths: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 })),
      edge: Schema.Literals([-0.1, 0.1]),
      followRoi: Schema.Literals([-0.1, 0.1]),
      fadeRoi: Schema.Literals([-0.1, 0.1]),
    })),
    { maxLength: 40 },
  ),
  (all) =>
    new Map(
      all.map(({ thousandths, ...rest }, i) =>
        [`0x${i}`, { pValue: thousandths / 1_000, ...rest }] as const
      ),
    ),
)

/** Whether wallets are rejected: any number k of them whose p-values are all at most k 0.05 / n. */
function rejectedByHand(judged: ReadonlyMap<string, Judgement>, wallet: string): boolean {
  const own = judged.get(wallet)?.pValue ?? 1
  const all = [...judged.values()].map(({ pValue }) => pValue)
  return all.some((_, i) => {
    const level = 0.05 * (i + 1) / all.length
    return own <= level && all.filter((p) => p <= level).length >= i + 1
  })
}

law(
  "labels() rejects what Benjamini and Hochberg do, and labels what would have paid",
  anyJudged,
  (judged) => {
    const given = labels(judged)
    return given.size === judged.size && [...judged].every(([wallet, it]) => {
      const rejected = rejectedByHand(judged, wallet)
      const expected = rejected && it.edge > 0 && it.followRoi > 0
        ? "follow"
        : rejected && it.edge < 0 && it.fadeRoi > 0
        ? "fade"
        : "neutral"
      return given.get(wallet) === expected
    })
  },
)

const judgement = (pValue: number): Judgement => ({
  pValue,
  edge: 0.1,
  followRoi: 0.1,
  fadeRoi: -0.1,
})

Deno.test("labels() asks more of a wallet among many than of one alone", () => {
  const among = (others: number) =>
    labels(
      new Map([
        ["0xa", judgement(0.01)],
        ...Array.from({ length: others }, (_, i) => [`${i}`, judgement(0.9)] as const),
      ]),
    ).get("0xa")
  equal([among(0), among(4), among(5), among(99)], ["follow", "follow", "neutral", "neutral"])
})

Deno.test("labels() of the example of Benjamini and Hochberg's paper rejects four of fifteen", () => {
  const ps = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324]
    .concat([0.4262, 0.5719, 0.6528, 0.759, 1])
  const given = labels(new Map(ps.map((p, i) => [`${i}`, judgement(p)] as const)))
  equal([...given.values()].filter((label) => label === "follow").length, 4)
})

law("overall() scores the prices paid as Brier did", anyRecord, (record) => {
  const { brier } = overall(record.map((event) => sumsOf([event]).totals))
  const misses = counted(record).map(({ paid, price }) => (paid - price) ** 2)
  return brier === null ? misses.length === 0 : alike(brier, sum(misses) / misses.length)
})

Deno.test("labels() of nobody is empty, and overall() of nobody says nothing", () => {
  strictEqual(labels(new Map()).size, 0)
  equal(overall([]), {
    resolved: 0,
    cancelled: 0,
    winRate: null,
    brier: null,
    followRoi: null,
    fadeRoi: null,
    oddsBands: [],
  })
  ok(ruleVersion.length > 0)
})
