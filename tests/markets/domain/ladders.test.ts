/**
 * Ladders of one event: coherent prices contradict nothing, and every planted contradiction is found,
 * with the spread that an enumeration of all states of the world gives.
 *
 * @module
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert"
import { Arbitrary, Schema } from "effect"
import {
  type Contradiction,
  contradictionsMax,
  contradictionsOf,
  impliedEnd,
  ladderBounds,
  type LadderMarket,
  ladderMarketsMax,
  laddersOf,
  tradedUsdMin,
} from "../../../src/markets/domain/ladders.ts"
import { type Market, MarketId } from "../../../src/markets/domain/market.ts"
import { quoteOf, quoteOfMid } from "../../../src/markets/domain/quote.ts"
import { impliedFact } from "../../../src/writing/facts/ladders.ts"
import { law } from "../../support/effect.ts"
import { market } from "../../support/movers/market.ts"

const between = (minimum: number, maximum: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))
const flag = Arbitrary.schema(Schema.Boolean)

/** One rung of a generated ladder: its prices are those of the rung's outcome, in steps of 0.0001. */
interface Given {
  readonly bid: number
  readonly ask: number
  readonly bidShares: number
  readonly askShares: number
  /** Whether the rung's outcome is the second one. */
  readonly flipped: boolean
  readonly feeHundredths: number
}

const given: Arbitrary.Arbitrary<Given> = Arbitrary.map(
  Arbitrary.all({
    bid: between(1, 9_800),
    width: between(1, 199),
    bidShares: between(1, 5_000),
    askShares: between(1, 5_000),
    flipped: flag,
    feeHundredths: between(0, 7),
  }),
  ({ width, ...one }) => ({ ...one, ask: one.bid + width }),
)

/** Questions of every kind of ladder, from the easiest rung to the hardest. */
const kinds: ReadonlyArray<(n: number) => string> = [
  (n) => `Will inflation in Norland be above ${4 + n}.5% in November 2026?`,
  (n) => `Will turnout in Arden be below ${90 - n}%?`,
  (n) => `Finch out by December ${31 - n}, 2026?`,
]

const ladder = Arbitrary.all({
  kind: between(0, kinds.length),
  rungs: Arbitrary.array(given, { minLength: 2, maxLength: 6 }),
})
type GivenLadder = { readonly kind: number; readonly rungs: ReadonlyArray<Given> }

/** The markets of a generated ladder; the last kind is an over/under line. */
function marketsOf({ kind, rungs }: GivenLadder): ReadonlyArray<LadderMarket> {
  return rungs.map((rung, n) => {
    const { bid, ask, bidShares, askShares, flipped, feeHundredths } = rung
    const question = kinds[kind]?.(n) ?? `Gulls vs. Rovers: O/U ${n}.5`
    const [happens, other] = kind < kinds.length ? ["Yes", "No"] : ["Over", "Under"]
    const quoted = flipped
      ? {
        ...{ bestBid: (10_000 - ask) / 10_000, bestAsk: (10_000 - bid) / 10_000 },
        ...{ bidShares: askShares, askShares: bidShares },
      }
      : { bestBid: bid / 10_000, bestAsk: ask / 10_000, bidShares, askShares }
    return {
      market: market({
        ...{ question, id: MarketId.make(`m${n}`), takerFeeRate: feeHundredths / 100 },
        outcomes: flipped ? [other ?? "", happens ?? ""] : [happens ?? "", other ?? ""],
      }),
      quote: quoteOf(quoted),
      proposed: null,
    }
  })
}

/**
 * What a share of each side of rung `n` pays in every state. In state `s` the first `s` rungs happened:
 * a harder rung never without the easier ones.
 */
function payoffs(n: number, count: number, happens: boolean): ReadonlyArray<number> {
  return Array.from({ length: count + 1 }, (_, state) => (n < state) === happens ? 1 : 0)
}

/** The cost of one side at its ask, with the taker's fee. */
function costOf({ bid, ask, feeHundredths }: Given, happens: boolean): number {
  const price = (happens ? ask : 10_000 - bid) / 10_000
  return price + feeHundredths / 100 * price * (1 - price)
}

/** The gain in the worst state of buying a side of each of two rungs. */
function worstGain(
  { rungs }: GivenLadder,
  [a, aHappens]: readonly [number, boolean],
  [b, bHappens]: readonly [number, boolean],
): number {
  const [first, second] = [rungs[a], rungs[b]]
  if (first === undefined || second === undefined) return Number.NaN
  const other = payoffs(b, rungs.length, bHappens)
  const paid = payoffs(a, rungs.length, aHappens).map((pays, state) => pays + (other[state] ?? 0))
  return Math.min(...paid) - costOf(first, aHappens) - costOf(second, bHappens)
}

/** What both quotes of a pair cost together, when it can be bought. */
function boughtFor({ rungs }: GivenLadder, easier: number, harder: number): number {
  const [first, second] = [rungs[easier], rungs[harder]]
  if (first === undefined || second === undefined) return 0
  const shares = Math.min(first.askShares, second.bidShares)
  return shares * (costOf(first, true) + costOf(second, false))
}

const near = (a: number, b: number) => Math.abs(a - b) <= 1e-6
const indexOf = ({ market: { id } }: { readonly market: { readonly id: string } }) =>
  Number(id.slice(1))
const pairKey = ({ easier, harder }: Contradiction) => `${indexOf(easier)} ${indexOf(harder)}`

law("contradictionsOf() finds none in coherent prices", ladder, (coherent) => {
  const bids = coherent.rungs.map(({ bid }) => bid).sort((a, b) => b - a)
  const [width] = coherent.rungs.map(({ ask, bid }) => ask - bid)
  const rungs = coherent.rungs.map((rung, n) => ({
    ...rung,
    bid: bids[n] ?? 1,
    ask: (bids[n] ?? 1) + (width ?? 1),
  }))
  const ladders = laddersOf(marketsOf({ ...coherent, rungs }))
  return ladders.length === 1 && ladders[0]?.rungs.length === rungs.length &&
    contradictionsOf(ladders).length === 0
})

law("contradictionsOf() states the gain in the worst of all states, after fees", ladder, (any) => {
  for (const found of contradictionsOf(laddersOf(marketsOf(any)))) {
    const { easier, harder, gainPerShare, size } = found
    const gain = worstGain(any, [indexOf(easier), true], [indexOf(harder), false])
    if (gainPerShare <= 0 || !near(gainPerShare, gain)) return false
    const shares = Math.min(
      any.rungs[indexOf(harder)]?.bidShares ?? 0,
      any.rungs[indexOf(easier)]?.askShares ?? 0,
    )
    if (size === null || size.shares !== shares || size.costUsd < tradedUsdMin) return false
    if (!near(size.gainUsd / shares, gain)) return false
  }
  return true
})

law("contradictionsOf() finds exactly the pairs that gain in every state", ladder, (any) => {
  const found = new Set(contradictionsOf(laddersOf(marketsOf(any))).map(pairKey))
  const sides = [true, false]
  for (const [easier] of any.rungs.entries()) {
    for (const [harder] of any.rungs.entries()) {
      if (harder <= easier) continue
      const best = Math.max(
        ...sides.flatMap((a) => sides.map((b) => worstGain(any, [easier, a], [harder, b]))),
      )
      const usd = boughtFor(any, easier, harder)
      if (near(usd, tradedUsdMin) || near(best, 0)) continue
      const isFound = found.has(`${easier} ${harder}`)
      if (isFound !== (best > 0 && usd >= tradedUsdMin) && found.size < contradictionsMax) {
        return false
      }
    }
  }
  return true
})

law(
  "ladders and what they imply do not depend on the order of the markets",
  Arbitrary.all({ ladder, by: between(1, 100) }),
  ({ ladder: any, by }) => {
    const markets = marketsOf(any).map((one, n): LadderMarket => ({
      ...one,
      proposed: (n + by) % 5 === 0 ? by % 2 === 0 ? 0 : 1 : null,
    }))
    const shuffled = markets.map((one, n) => ({ one, rank: (n * 7_919 + by * 31) % 101 }))
      .sort((a, b) => a.rank - b.rank).map(({ one }) => one)
    const [ladders, again] = [laddersOf(markets), laddersOf(shuffled)]
    deepStrictEqual(again, ladders)
    deepStrictEqual(contradictionsOf(again), contradictionsOf(ladders))
    for (const { market: { id } } of markets) {
      deepStrictEqual(impliedEnd(again, id), impliedEnd(ladders, id))
    }
  },
)

const knownLadder = Arbitrary.all({
  ladder,
  known: Arbitrary.array(between(0, 5), { minLength: 6, maxLength: 6 }),
})

/** 0: proposed not to happen, 1: proposed to happen, otherwise unknown. */
function withKnown(any: GivenLadder, known: ReadonlyArray<number>): ReadonlyArray<LadderMarket> {
  return marketsOf(any).map((one, n) => {
    const [code, flipped] = [known[n] ?? 2, any.rungs[n]?.flipped === true]
    return { ...one, proposed: code > 1 ? null : (code === 1) !== flipped ? 0 : 1 }
  })
}

law(
  "impliedEnd() states what is true in every state that the proposals leave",
  knownLadder,
  ({ ladder: of, known }) => {
    const markets = withKnown(of, known)
    const ladders = laddersOf(markets)
    const states = Array.from({ length: of.rungs.length + 1 }, (_, state) => state)
      .filter((state) =>
        of.rungs.every((_, n) => (known[n] ?? 2) > 1 || (known[n] === 1) === (n < state))
      )
    if (states.length === 0) {
      return markets.some(({ market, proposed }) =>
        proposed !== null && impliedEnd(ladders, market.id)?.outcome === 1 - proposed
      )
    }
    deepStrictEqual(
      markets.map(({ market }) => impliedEnd(ladders, market.id)?.outcome ?? null),
      of.rungs.map(({ flipped }, n) => {
        const happened = new Set(states.map((state) => n < state))
        if ((known[n] ?? 2) < 2 || happened.size > 1) return null
        return happened.has(true) !== flipped ? 0 : 1
      }),
    )
    return true
  },
)

Deno.test("laddersOf() compares only markets of one event", () => {
  const [first, second] = marketsOf({ kind: 0, rungs: [plain(4_000, 4_100), plain(5_000, 5_100)] })
  ok(first !== undefined && second !== undefined)
  strictEqual(contradictionsOf(laddersOf([first, second])).length, 1)
  const elsewhere = { ...second, market: { ...second.market, eventKey: "another" } }
  deepStrictEqual(laddersOf([first, elsewhere]), [])
  deepStrictEqual(laddersOf([first, first]), [])
})

function plain(bid: number, ask: number): Given {
  return { bid, ask, bidShares: 1_000, askShares: 1_000, flipped: false, feeHundredths: 0 }
}

Deno.test("contradictionsOf() compares no equal rungs, and no market with a proposal", () => {
  const [easier, harder] = marketsOf({ kind: 3, rungs: [plain(3_900, 4_100), plain(5_000, 5_100)] })
  ok(easier !== undefined && harder !== undefined)
  const twin = { ...easier, market: { ...easier.market, id: MarketId.make("m2") }, quote: null }
  const dear = { ...twin, quote: quoteOf({ bestBid: 0.45, bestAsk: 0.46 }) }
  deepStrictEqual(contradictionsOf(laddersOf([easier, dear, harder])).map(pairKey), ["0 1", "2 1"])
  const proposed = 0
  deepStrictEqual(contradictionsOf(laddersOf([{ ...easier, proposed }, harder])), [])
  deepStrictEqual(contradictionsOf(laddersOf([easier, { ...harder, proposed }])), [])
})

Deno.test("contradictionsOf() finds a pair from 100 USD on", () => {
  const found = (askShares: number) => {
    const rungs = [{ ...plain(3_900, 4_100), askShares }, plain(4_300, 4_400)]
    return contradictionsOf(laddersOf(marketsOf({ kind: 3, rungs }))).length
  }
  // A share of both sides costs 0.98 USD.
  deepStrictEqual([found(102), found(103)], [0, 1])
})

Deno.test("contradictionsOf() says nothing without quotes or fees, and knows no size without shares", () => {
  const [easier, harder] = marketsOf({ kind: 0, rungs: [plain(3_900, 4_100), plain(5_000, 5_100)] })
  ok(easier !== undefined && harder !== undefined)
  const found = (easier: LadderMarket) => contradictionsOf(laddersOf([easier, harder]))
  deepStrictEqual(found({ ...easier, quote: quoteOfMid(0.4) }), [])
  deepStrictEqual(found({ ...easier, quote: null }), [])
  deepStrictEqual(found({ ...easier, market: { ...easier.market, takerFeeRate: null } }), [])
  const [listed] = found({ ...easier, quote: quoteOf({ bestBid: 0.39, bestAsk: 0.41 }) })
  deepStrictEqual([listed?.gainPerShare, listed?.size], [0.09, null])
  strictEqual(listed?.reason, "a value above the higher limit is also above the lower one")
  deepStrictEqual([listed?.harder.rung.label, listed?.easier.rung.label], [
    "above 5.5%",
    "above 4.5%",
  ])
})

Deno.test("a ladder of deadlines without years never reverses their order", () => {
  const created = Date.UTC(2026, 0, 10)
  const strike = (
    n: number,
    date: string,
    prices: readonly [number, number],
    fields: Partial<LadderMarket["market"]>,
  ): LadderMarket => ({
    market: market({
      id: MarketId.make(`m${n}`),
      question: `Army strike on Ruritania by ${date}?`,
      createdAt: created,
      ...fields,
    }),
    quote: quoteOf({ bestBid: prices[0], bestAsk: prices[1], bidShares: 1_000, askShares: 1_000 }),
    proposed: null,
  })
  const found = (
    first: Partial<LadderMarket["market"]>,
    second: Partial<LadderMarket["market"]>,
    prices: readonly [number, number] = [0.05, 0.06],
  ) => {
    const ladders = laddersOf([
      strike(0, "March 31", prices, first),
      strike(1, "December 31", [0.25, 0.27], second),
    ])
    return [ladders.length, contradictionsOf(ladders).map(pairKey)]
  }
  const [january, december] = [Date.UTC(2026, 0, 31), Date.UTC(2026, 11, 31)]
  const march = Date.UTC(2026, 2, 31)
  deepStrictEqual(found({ endsAt: december }, { endsAt: december }), [1, []])
  deepStrictEqual(found({ endsAt: december }, { endsAt: december }, [0.4, 0.42]), [1, ["1 0"]])
  deepStrictEqual(found({ endsAt: january }, { endsAt: january }, [0.4, 0.42]), [0, []])
  // The ends of the rows contradict the dates of their titles.
  const rules = (at: number) => ({ rulesDates: [at] })
  deepStrictEqual(
    found({ endsAt: december, ...rules(march) }, { endsAt: march, ...rules(december) }, [
      0.4,
      0.42,
    ]),
    [0, []],
  )
  // The later deadline counts from a later creation, so the earlier one may have happened before it.
  const younger = { endsAt: december, createdAt: created + 40 * 86_400_000 }
  deepStrictEqual(found({ endsAt: december }, younger, [0.4, 0.42]), [1, []])
})

Deno.test("limits are compared over one time only", () => {
  const [easier, harder] = marketsOf({ kind: 0, rungs: [plain(3_900, 4_100), plain(5_000, 5_100)] })
  ok(easier !== undefined && harder !== undefined)
  const [soon, late] = [Date.UTC(2026, 11, 1), Date.UTC(2027, 11, 1)]
  const found = (first: Partial<Market>, second: Partial<Market>) =>
    contradictionsOf(laddersOf([
      { ...easier, market: { ...easier.market, ...first } },
      { ...harder, market: { ...harder.market, ...second } },
    ])).length
  strictEqual(found({ endsAt: soon }, { endsAt: soon }), 1)
  strictEqual(found({ endsAt: soon }, { endsAt: late }), 0)
  strictEqual(found({ rulesDates: [soon] }, { rulesDates: [late] }), 0)
  strictEqual(found({ createdAt: late }, { createdAt: soon }), 0)
  strictEqual(found({ createdAt: soon }, { createdAt: late }), 1)
})

Deno.test("laddersOf() and its results stay within their limits", () => {
  const rungs = Array.from({ length: 200 }, (_, n) => plain(100 + n, 110 + n))
  const markets = marketsOf({ kind: 3, rungs }).map((one, n): LadderMarket => ({
    ...one,
    market: { ...one.market, liquidityUsd: n },
  }))
  const ladders = laddersOf(markets)
  strictEqual(ladders[0]?.rungs.length, ladderMarketsMax)
  // The most liquid are read.
  ok(ladders[0]?.rungs.every(({ market }) => market.liquidityUsd >= 200 - ladderMarketsMax))
  strictEqual(contradictionsOf(ladders).length, contradictionsMax)
})

law(
  "ladderBounds() leaves every price that no rung contradicts; a market with a proposal bounds nothing",
  Arbitrary.all({ given: ladder, own: between(0, 5) }),
  ({ given, own }) => {
    const markets = marketsOf(given)
    const at = own % markets.length
    const target = markets[at]
    if (target === undefined) return
    const flips = (n: number) => given.rungs[n]?.flipped === true
    const price = (n: number, side: "bid" | "ask") => (given.rungs[n]?.[side] ?? 0) / 10_000
    // Of the rung's outcome: at least each harder rung's bid, at most each easier rung's ask.
    // After the fee, where 100 USD are offered.
    const net = (n: number, side: "bid" | "ask") => {
      const at = price(n, side)
      if (at * (given.rungs[n]?.[`${side}Shares`] ?? 0) < 100) return []
      const fee = (given.rungs[n]?.feeHundredths ?? 0) / 100 * at * (1 - at)
      return [side === "bid" ? at - fee : at + fee]
    }
    const low = Math.max(0, ...markets.flatMap((_, n) => n > at ? net(n, "bid") : []))
    const high = Math.min(1, ...markets.flatMap((_, n) => n < at ? net(n, "ask") : []))
    const bounds = ladderBounds(laddersOf(markets), target.market.id)
    if (Math.abs(low - high) > 1e-4) strictEqual(bounds === null, low > high)
    if (bounds !== null) {
      const of = flips(at) ? [1 - bounds.high, 1 - bounds.low] : [bounds.low, bounds.high]
      ok(Math.abs((of[0] ?? 0) - low) < 1e-4 && Math.abs((of[1] ?? 0) - high) < 1e-4)
    }
    const proposed = markets.map((one): LadderMarket => ({ ...one, proposed: 0 }))
    deepStrictEqual(ladderBounds(laddersOf(proposed), target.market.id), { low: 0, high: 1 })
  },
)

Deno.test("impliedEnd() names the cheapest implied outcome, and the market with the proposal", () => {
  const rungs = [plain(3_000, 3_100), plain(2_000, 2_100), plain(1_000, 1_100)]
  const impliedBy = (...proposed: ReadonlyArray<0 | 1 | null>) => {
    const markets = marketsOf({ kind: 0, rungs })
      .map((one, n): LadderMarket => ({ ...one, proposed: proposed[n] ?? null }))
    return markets.map(({ market }) => {
      const found = impliedEnd(laddersOf(markets), market.id)
      // A text speaks of an opposite proposal of the market only where it has one.
      const isOpposed = found && impliedFact(found).statement.includes("its own proposal")
      strictEqual(isOpposed, found && found.target.proposed !== null)
      return found && [found.outcome, found.mid, found.source.market.id, found.proposed]
    })
  }
  deepStrictEqual(impliedBy(null, 0, 0), [[0, 0.305, "m1", 0], null, null])
  deepStrictEqual(impliedBy(1), [null, [1, 0.795, "m0", 1], [1, 0.895, "m0", 1]])
  // Two proposals that contradict each other imply both outcomes of the rung between them.
  deepStrictEqual(impliedBy(1, null, 0)[1], [0, 0.205, "m2", 0])
  deepStrictEqual(impliedBy(1, 0)[1], [1, 0.795, "m0", 1])
})
