/**
 * The score of published whale entries: its parts by law, and its intervals on drawn results.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import {
  costOf,
  entryLabels,
  EntryScores,
  entrySummary,
  figureOf,
  namedOutcome,
  publishedEntry,
  readingLateMsMax,
  readingOf,
  type ScoredEntry,
  scoredEventsMin,
} from "../../../src/track-record/domain/entryScore.ts"
import { minute } from "../../../src/core/domain/time.ts"
import { law } from "../../support/effect.ts"
import { book, market, now } from "../../support/movers/market.ts"
import { Random } from "../../support/random.ts"
import { sized } from "../../support/size.ts"
import { reading, scoredEntry, whaleItem } from "../../support/track-record/whaleItems.ts"

const close = (a: number, b: number, within = 1e-9) => Math.abs(a - b) <= within
const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const venueMarket = market({ takerFeeRate: 0.05 })
const items = { market: venueMarket, createdAt: now }

Deno.test("publishedEntry() has the ask of the bought outcome, the fee rate and the label", () => {
  const entry = (outcome: 0 | 1, label: "fade" | null) =>
    publishedEntry(
      whaleItem(7, { ...items, outcome, label, book: { bid: 0.41, ask: 0.44 } }),
      venueMarket,
    )
  equal(entry(0, "fade"), {
    ...{ feedIndex: 7, wallet: "0xa", eventKey: venueMarket.eventKey, label: "fade" },
    ...{ entryPrice: 0.5, asks: [0.44, 0.59], feeRate: 0.05 },
  })
  equal([entry(1, null).asks, entry(1, null).label], [[0.59, 0.44], "none"])
  strictEqual(publishedEntry(whaleItem(7, { ...items, book: null }), venueMarket).asks, null)
  const unknown = publishedEntry(whaleItem(7, items), null)
  equal([unknown.eventKey, unknown.feeRate], [venueMarket.slug, 0])
  equal(
    [0, 1].map((n) => namedOutcome(whaleItem(1, { ...items, outcome: n === 0 ? 0 : 1 }), null)),
    [
      ...[0, 1],
    ],
  )
})

const anyLevels = Arbitrary.schema(
  Schema.Array(Schema.Struct({ steps: int(1, 9_999), size: int(1, 5_000) })).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(5),
  ),
)

law("costOf() of a mean price is at least the fees of its levels", anyLevels, (levels) => {
  const shares = levels.reduce((sum, { size }) => sum + size, 0)
  const paid = levels.reduce((sum, { steps, size }) => sum + size * steps / 10_000, 0)
  const exact = levels.reduce(
    (sum, { steps, size }) => sum + size * costOf(steps / 10_000, 0.07),
    0,
  )
  return shares * costOf(paid / shares, 0.07) >= exact - 1e-9
})

const deep = book(
  [{ price: 0.4, size: 5_000 }, { price: 0.3, size: 90_000 }],
  [{ price: 0.44, size: 1_000 }],
)

Deno.test("readingOf() has the price of its side; a thin book is a null", () => {
  const due = { outcome: 0, dueAt: now } as const
  const read = readingOf(due, deep, now + minute)
  equal(read, { state: "read", prices: [0.44, 0.6] })
  const priceIn = (outcome: 0 | 1, of: typeof deep) => {
    const found = readingOf({ ...due, outcome }, of, now)
    return found.state === "read" ? found.prices[0] : undefined
  }
  // The other side buys at 1 minus the bid.
  equal(priceIn(1, deep), 0.6)
  equal(priceIn(0, book(deep.bids, [{ price: 0.44, size: 200 }])), null)
  equal([0, 1].map((n) => priceIn(n === 0 ? 0 : 1, book([], deep.asks))), [0.44, null])
})

Deno.test("readingOf() is missed when late, and has no price without a valid book", () => {
  const due = { outcome: 0, dueAt: now } as const
  const state = (given: typeof deep | undefined, at: number) => readingOf(due, given, at).state
  strictEqual(state(deep, now + readingLateMsMax), "read")
  strictEqual(state(deep, now + readingLateMsMax + 1), "missed")
  strictEqual(state(undefined, now), "no_book")
  const [crossed, ghost] = [[0.5, 0.4], [0.01, 0.99]].map(([bid = 0, ask = 0]) =>
    book([{ price: bid, size: 9e6 }], [{ price: ask, size: 9e6 }])
  )
  equal([state(crossed, now), state(ghost, now)], ["no_book", "no_book"])
})

const scoresOf = (entries: ReadonlyArray<ScoredEntry>) => entrySummary(entries).byLabel

Deno.test("entrySummary() by example: ten winners at 0.52 with a fee, and ten faded losers", () => {
  const entries = Array.from({ length: 20 }, (_, n) =>
    scoredEntry(n, {
      ...{ label: n < 10 ? "follow" : "fade", payout: n < 10 ? 1 : 0, later: n < 10 ? 0.6 : 0.4 },
    }))
  const { follow, fade, neutral } = scoresOf(entries)
  const cost = 0.52 + 0.02 * 0.52 * 0.48
  equal([follow.published, follow.resolved, follow.events], [10, 10, 10])
  strictEqual(follow.roiAtAsk?.value, Math.round((1 / cost - 1) * 1e4) / 1e4)
  strictEqual(follow.closingLine?.value, 0.1)
  // The other side is bought at its own ask, 0.5, and is worth 0.6 after a day.
  strictEqual(fade.roiAtAsk?.value, Math.round((1 / (0.5 + 0.02 * 0.25) - 1) * 1e4) / 1e4)
  strictEqual(fade.closingLine?.value, 0.1)
  // Equal results have no variance of their own; the interval is that of fair prices.
  ok(follow.roiAtAsk !== null && follow.roiAtAsk.high - follow.roiAtAsk.low > 1)
  equal([neutral.published, neutral.roiAtAsk], [0, null])
})

Deno.test("entrySummary() says nothing below ten events, however many entries", () => {
  const of = (events: number) =>
    scoresOf(
      Array.from({ length: 200 }, (_, n) =>
        scoredEntry(n, { eventKey: `event-${n % events}`, payout: n % 2 })),
    ).follow
  equal([of(scoredEventsMin - 1).roiAtAsk, of(scoredEventsMin - 1).events], [null, 9])
  ok(of(scoredEventsMin).roiAtAsk !== null)
})

const anyEntries = Arbitrary.schema(
  Schema.Array(Schema.Struct({
    ...{ event: int(0, 12), wallet: int(0, 2), price: int(2, 98), ask: int(2, 98) },
    label: Schema.Literals(entryLabels),
    payout: Schema.NullOr(Schema.Literals([0, 0.5, 1])),
    book: Schema.Boolean,
  })).check(Schema.isMaxLength(40)),
)
type Drawn = (typeof anyEntries extends Arbitrary.Arbitrary<infer A> ? A : never)[number]

const drawnEntry = (drawn: Drawn, n: number): ScoredEntry =>
  scoredEntry(n, {
    ...{ eventKey: `event-${drawn.event}`, wallet: `0x${drawn.wallet}`, label: drawn.label },
    entryPrice: drawn.price / 100,
    asks: drawn.book ? [drawn.ask / 100, 1 - drawn.ask / 100] : null,
    payout: drawn.payout,
  })

law("entrySummary() matches its schema and does not depend on the order", anyEntries, (drawn) => {
  const entries = drawn.map(drawnEntry)
  const scores = scoresOf(entries)
  Schema.decodeUnknownSync(EntryScores)(scores)
  const known = (from: ReadonlyArray<ScoredEntry>) => JSON.stringify(scoresOf(from))
  strictEqual(known(entries.toReversed()), JSON.stringify(scores))
  const published = entryLabels.reduce((sum, label) => sum + scores[label].published, 0)
  strictEqual(published, entries.length)
  for (const label of entryLabels) {
    const { roiAtAsk, resolved, withoutBook, events } = scores[label]
    ok(events <= resolved && resolved + withoutBook <= scores[label].published)
    if (roiAtAsk !== null) ok(roiAtAsk.low <= roiAtAsk.value && roiAtAsk.value <= roiAtAsk.high)
  }
})

law(
  "repeating every entry in its event changes the mean by nothing and never narrows its interval",
  anyEntries,
  (drawn) => {
    const entries = drawn.map(drawnEntry)
    const once = scoresOf(entries)
    const twice = scoresOf([...entries, ...entries])
    for (const label of entryLabels) {
      const [a, b] = [once[label].roiAtAsk, twice[label].roiAtAsk]
      strictEqual(a === null, b === null)
      if (a === null || b === null) continue
      ok(close(a.value, b.value, 2e-4) && close(a.low, b.low, 2e-4) && close(a.high, b.high, 2e-4))
    }
  },
)

Deno.test("entrySummary() prices the side of the label in the books that were read", () => {
  const entries = Array.from({ length: 40 }, (_, n) =>
    scoredEntry(n, {
      ...{ label: n < 20 ? "follow" : "fade", payout: n % 2, feeRate: 0 },
      readings: [n % 20 < 12 ? reading(1, 0.4, 0.8) : reading(1, null, 0.8)],
    }))
  const { byLabel: { follow, fade }, copied } = entrySummary(entries)
  const [one, other] = [follow.copiedRoi1m, fade.copiedRoi1m]
  equal([one?.value, one?.entries, one?.events, follow.copiedRoi60m], [0.25, 12, 12, null])
  // The other outcome, for 0.8, wins half of the time.
  equal([other?.value, other?.entries], [-0.375, 20])
  equal([copied.copiedRoi1m?.value, copied.copiedRoi1m?.entries, copied.copiedRoi60m], [
    ...[0.25, 24, null],
  ])
})

law(
  "the score of a wallet is from the side that it bought, whatever the label",
  anyEntries,
  (drawn) => {
    const entries = drawn.map(drawnEntry)
    const relabelled = entries.map((one) => ({ ...one, label: "fade" as const }))
    equal(entrySummary(relabelled).wallets, entrySummary(entries).wallets)
  },
)

Deno.test("the score of a wallet is of its own entries", () => {
  const entries = Array.from(
    { length: 30 },
    (_, n) => scoredEntry(n, { wallet: `0x${n % 2}`, later: n % 2 === 0 ? 0.6 : "unknown" }),
  )
  const { wallets } = entrySummary(entries)
  equal([...wallets.keys()].sort(), ["0x0", "0x1"])
  equal([wallets.get("0x0")?.closingLine?.value, wallets.get("0x1")?.closingLine], [0.1, null])
})

/** The share of 95 % intervals that contain the true mean of drawn results. */
function coverage(options: {
  readonly seed: number
  readonly events: number
  readonly perEvent: number
  readonly prices: readonly [number, number]
  readonly edge: number
}): number {
  const source = new Random(options.seed)
  const random = () => source.fraction()
  const trials = sized({ short: 400, full: 4_000 })
  let covered = 0
  for (let trial = 0; trial < trials; trial++) {
    let expected = 0
    const entries = Array.from({ length: options.events }, (_, event) => {
      const [least, greatest] = options.prices
      const ask = least + (greatest - least) * random()
      const chance = Math.min(1, ask + options.edge)
      const won = random() < chance ? 1 : 0
      return Array.from({ length: 1 + Math.floor(options.perEvent * random()) }, () => {
        expected += chance / costOf(ask, 0.02) - 1
        return { eventKey: `${event}`, asks: [ask, 1 - ask] as const, payout: won }
      })
    }).flat()
    const { roiAtAsk } = scoresOf(entries.map((one, n) => scoredEntry(n, one))).follow
    const mean = expected / entries.length
    if (roiAtAsk !== null && roiAtAsk.low <= mean && mean <= roiAtAsk.high) covered += 1
  }
  return covered / trials
}

for (
  const [name, prices, edge] of [
    ["an edge of 10 points", [0.2, 0.8], 0.1],
    ["long shots", [0.03, 0.15], 0],
  ] as const
) {
  for (const events of sized({ short: [10, 40], full: [10, 40, 200] })) {
    Deno.test(`95 % intervals contain the true return: ${name}, ${events} events`, () => {
      const share = coverage({ seed: 7, events, perEvent: 4, prices, edge })
      ok(share >= 0.925, `${share}`)
    })
  }
}

const ten = { clusters: 10, n: 10, s: 0, nn: 10, ns: 0, ss: 10, ff: 0 }

Deno.test("figureOf() is null below ten events, and loses no more than the stake", () => {
  equal(figureOf(ten), { value: 0, low: -0.754, high: 0.754, entries: 10, events: 10 })
  strictEqual(figureOf({ ...ten, clusters: 9 }), null)
  strictEqual(figureOf({ ...ten, s: -8, ns: -8, ff: 1 })?.low, -1)
})
