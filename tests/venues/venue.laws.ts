/**
 * What every venue promises, whichever adapter is behind it.
 *
 * @module
 */
import { Clock, Effect, type Layer, Schema, Stream } from "effect"
import { rulesLengthMax } from "../../src/markets/domain/proposal.ts"
import { type Market, MarketId, Slug, TokenId } from "../../src/markets/domain/market.ts"
import { day, hour, minute } from "../../src/core/domain/time.ts"
import type { Rejections } from "../../src/core/stages.ts"
import { VenueClient, type VenueUnavailable } from "../../src/markets/VenueClient.ts"
import { liveTest, startingAt } from "../support/effect.ts"
import { recordedAt } from "../support/venues/polymarket.ts"

/** Markets of a sweep that are looked at more closely. */
export const samples = 12

export function hold(condition: boolean, what: string): void {
  if (!condition) throw new Error(`Broken: ${what}`)
}

export function holdCounted(rejected: Rejections): void {
  for (const [reason, count] of Object.entries(rejected)) {
    hold(/^[a-z][a-z_]*$/.test(reason), `reason ${reason} is snake_case`)
    hold(Number.isInteger(count) && count > 0, `${reason} is counted in whole rows`)
  }
}

export const within = (value: number, least: number, most: number) =>
  value >= least && value <= most

function holdMarket(market: Market): void {
  hold(Schema.is(Slug)(market.slug), `${market.slug} is a slug`)
  hold(market.question.trim() !== "" && !/\p{Cc}/u.test(market.question), "a question is shown")
  hold(market.url.startsWith("https://"), "a market has a page")
  hold(market.tokenIds[0] !== market.tokenIds[1], "outcomes have tokens of their own")
  hold(market.volumeUsd >= 0 && market.liquidityUsd >= 0, "amounts are not negative")
  hold(within(market.takerFeeRate, 0, 1), "a fee rate is a share")
  const { listed } = market
  hold(
    listed === null ||
      within(listed.bestBid, 0, 1) && within(listed.bestAsk, 0, 1) &&
        listed.bestBid < listed.bestAsk,
    "listed prices do not cross",
  )
}

export const sweep = Effect.flatMap(
  VenueClient,
  ({ listMarkets }) =>
    Effect.map(Stream.runCollect(listMarkets), (pages) => pages.flatMap(({ rows }) => rows)),
)

export type Laws = Readonly<Record<string, Effect.Effect<void, VenueUnavailable, VenueClient>>>

/** States the laws of `VenueClient` for one adapter, an hour after the recordings. */
export function venueLaws<E>(
  name: string,
  layer: Layer.Layer<VenueClient, E>,
  stated = laws,
): void {
  for (const [what, law] of Object.entries(stated)) {
    liveTest(`${name}: ${what}`, () => startingAt(recordedAt + hour, Effect.provide(law, layer)))
  }
}

const soundMarkets = Effect.gen(function* () {
  const { listMarkets } = yield* VenueClient
  const pages = yield* Stream.runCollect(listMarkets)
  hold(pages.some(({ rows }) => rows.length > 0), "there are markets")
  for (const { rows, rejected } of pages) {
    rows.forEach(holdMarket)
    holdCounted(rejected)
  }
})

/** Markets come and go, but one that is there before and after is there in between. */
const wholeSweeps = Effect.gen(function* () {
  const [before, between, after] = [yield* sweep, yield* sweep, yield* sweep].map((markets) =>
    new Set(markets.map(({ id }) => id))
  )
  const lost = [...before ?? []].filter((id) => after?.has(id) && !between?.has(id))
  hold(lost.length === 0, `a sweep left out ${lost}`)
})

const askedBooks = Effect.gen(function* () {
  const { books } = yield* VenueClient
  const asked = (yield* sweep).slice(0, samples).flatMap(({ tokenIds }) => tokenIds)
  const now = yield* Clock.currentTimeMillis
  const { rows, rejected } = yield* books([...asked, TokenId.make("123456789")])
  const given = rows.map(({ tokenId }) => tokenId)
  hold(given.length > 0 && given.every((token) => asked.includes(token)), "only what was asked for")
  hold(new Set(given).size === given.length, "each token once")
  for (const { bids, asks, observedAt } of rows) {
    const levels = [...bids, ...asks]
    hold(levels.every(({ price }) => Number.isFinite(price)), "prices are numbers")
    hold(levels.every(({ size }) => Number.isFinite(size)), "sizes are numbers")
    hold(observedAt > 0 && observedAt <= now + minute, "no book is from the future")
  }
  holdCounted(rejected)
  hold((yield* books([])).rows.length === 0, "nothing asked, nothing given")
})

const boundedHistory = Effect.gen(function* () {
  const { priceHistory } = yield* VenueClient
  const now = yield* Clock.currentTimeMillis
  for (const { tokenIds } of (yield* sweep).slice(0, samples)) {
    const range = { from: now - 20 * day, to: now - day, stepMs: 10 * minute }
    for (const { at, price } of yield* priceHistory(tokenIds[0], range)) {
      hold(within(at, range.from, range.to), "points lie in the range")
      hold(within(price, 0, 1), "prices are probabilities")
    }
    const backwards = yield* priceHistory(tokenIds[0], { ...range, to: range.from - 1 })
    hold(backwards.length === 0, "an empty range has no points")
  }
})

const recentTrades = Effect.gen(function* () {
  const { trades } = yield* VenueClient
  const now = yield* Clock.currentTimeMillis
  for (const { id, tokenIds } of (yield* sweep).slice(0, samples)) {
    const since = now - 2 * day
    const { rows, rejected } = yield* trades(id, since)
    hold(rows.length <= 1_000, "at most 1,000")
    hold(rows.every(({ at }, index) => at <= (rows[index - 1]?.at ?? Infinity)), "newest first")
    for (const { at, marketId, tokenId, price, size } of rows) {
      hold(at >= since && marketId === id && tokenIds.includes(tokenId), "what was asked for")
      hold(within(price, 0, 1) && size > 0, "a price and a size")
    }
    holdCounted(rejected)
    hold((yield* trades(id, now + day)).rows.length === 0, "none from the future")
  }
  hold((yield* trades(MarketId.make("0xnone"), 0)).rows.length === 0, "none of an unknown market")
})

const soundProposals = Effect.gen(function* () {
  const { proposals } = yield* VenueClient
  const before = statuses(yield* sweep)
  const asked = [...before.keys()]
  const { rows, rejected } = yield* proposals([...asked, ...asked, unknownMarket])
  const now = yield* Clock.currentTimeMillis
  const after = statuses(yield* sweep)
  holdCounted(rejected)
  hold(new Set(rows.map(({ marketId }) => marketId)).size === rows.length, "each market once")
  for (const { marketId, outcome, proposedAt, settlesAt } of rows) {
    hold(before.has(marketId), "only what was asked for")
    hold(outcome === 0 || outcome === 1, "one of two outcomes")
    hold(within(proposedAt, 1, now + minute), "a time gone by")
    hold(settlesAt === null || settlesAt > 0, "a time, if any")
    const still = [before.get(marketId), after.get(marketId)]
    hold(!still.every((status) => status === "open"), "an open market has nothing proposed")
  }
  hold((yield* proposals([])).rows.length === 0, "nothing asked, nothing given")
})

const statuses = (markets: ReadonlyArray<Market>) =>
  new Map(markets.map(({ id, status }) => [id, status]))

const unknownMarket = MarketId.make(`0x${"f".repeat(64)}`)

const soundRules = Effect.gen(function* () {
  const { rules } = yield* VenueClient
  const asked = (yield* sweep).slice(0, 2 * samples).map(({ id }) => id)
  const { rows, rejected } = yield* rules([...asked, ...asked, unknownMarket])
  holdCounted(rejected)
  hold(rows.length > 0, "some market says how it is decided")
  hold(new Set(rows.map(({ marketId }) => marketId)).size === rows.length, "each market once")
  for (const { marketId, text } of rows) {
    hold(asked.includes(marketId), "only what was asked for")
    hold(text.trim() !== "" && [...text].length <= rulesLengthMax, "a text within its limit")
    hold(!/[\p{C}\p{Zl}\p{Zp}]/u.test(text), "nothing unseen in it")
  }
  hold((yield* rules([])).rows.length === 0, "nothing asked, nothing given")
})

const laws: Laws = {
  "listMarkets gives sound markets only, and counts the rest": soundMarkets,
  "listMarkets leaves out no market that was there before and after": wholeSweeps,
  "books() gives each asked token at most once, and no other": askedBooks,
  "priceHistory() gives prices inside of its range": boundedHistory,
  "trades() gives the market's fills since an instant, newest first": recentTrades,
  "proposals() gives each asked market at most once, and none that is open": soundProposals,
  "rules() gives a plain, bounded text of asked markets, each once": soundRules,
}
