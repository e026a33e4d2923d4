/**
 * The laws of every venue adapter.
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

/** Markets of a sweep that are checked in detail. */
export const samples = 12

export function assertThat(condition: boolean, what: string): void {
  if (!condition) throw new Error(`Broken: ${what}`)
}

export function assertRejections(rejected: Rejections): void {
  for (const [reason, count] of Object.entries(rejected)) {
    assertThat(/^[a-z][a-z_]*$/.test(reason), `reason ${reason} is snake_case`)
    assertThat(Number.isInteger(count) && count > 0, `${reason} is counted in whole rows`)
  }
}

export const within = (value: number, least: number, most: number) =>
  value >= least && value <= most

function assertMarket(market: Market): void {
  assertThat(Schema.is(Slug)(market.slug), `${market.slug} is a slug`)
  assertThat(
    market.question.trim() !== "" && !/\p{Cc}/u.test(market.question),
    "a question is readable",
  )
  assertThat(market.url.startsWith("https://"), "a market has a page")
  assertThat(market.tokenIds[0] !== market.tokenIds[1], "the two outcomes have different tokens")
  assertThat(market.volumeUsd >= 0 && market.liquidityUsd >= 0, "amounts are not negative")
  assertThat(within(market.takerFeeRate ?? 0, 0, 1), "a fee rate is between 0 and 1")
  const { listed } = market
  assertThat(
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

/** Registers the laws of `VenueClient` for one adapter; the clock starts an hour after `recordedAt`. */
export function venueLaws<E>(
  name: string,
  layer: Layer.Layer<VenueClient, E>,
  lawsToCheck = laws,
): void {
  for (const [what, law] of Object.entries(lawsToCheck)) {
    liveTest(`${name}: ${what}`, () => startingAt(recordedAt + hour, Effect.provide(law, layer)))
  }
}

const validMarkets = Effect.gen(function* () {
  const { listMarkets } = yield* VenueClient
  const pages = yield* Stream.runCollect(listMarkets)
  assertThat(pages.some(({ rows }) => rows.length > 0), "there are markets")
  for (const { rows, rejected } of pages) {
    rows.forEach(assertMarket)
    assertRejections(rejected)
  }
})

/** Markets open and close, but one in the sweeps before and after is also in the one in between. */
const completeSweeps = Effect.gen(function* () {
  const [before, between, after] = [yield* sweep, yield* sweep, yield* sweep].map((markets) =>
    new Set(markets.map(({ id }) => id))
  )
  const lost = [...before ?? []].filter((id) => after?.has(id) && !between?.has(id))
  assertThat(lost.length === 0, `a sweep omitted ${lost}`)
})

const requestedBooks = Effect.gen(function* () {
  const { books } = yield* VenueClient
  const requested = (yield* sweep).slice(0, samples).flatMap(({ tokenIds }) => tokenIds)
  const now = yield* Clock.currentTimeMillis
  const { rows, rejected } = yield* books([...requested, TokenId.make("123456789")])
  const returned = rows.map(({ tokenId }) => tokenId)
  assertThat(
    returned.length > 0 && returned.every((token) => requested.includes(token)),
    "only what was requested",
  )
  assertThat(new Set(returned).size === returned.length, "each token once")
  for (const { bids, asks, observedAt } of rows) {
    const levels = [...bids, ...asks]
    assertThat(levels.every(({ price }) => Number.isFinite(price)), "prices are numbers")
    assertThat(levels.every(({ size }) => Number.isFinite(size)), "sizes are numbers")
    assertThat(observedAt > 0 && observedAt <= now + minute, "no book is from the future")
  }
  assertRejections(rejected)
  assertThat((yield* books([])).rows.length === 0, "an empty request returns no rows")
})

const boundedHistory = Effect.gen(function* () {
  const { priceHistory } = yield* VenueClient
  const now = yield* Clock.currentTimeMillis
  for (const { tokenIds } of (yield* sweep).slice(0, samples)) {
    const range = { from: now - 20 * day, to: now - day, stepMs: 10 * minute }
    for (const { at, price } of yield* priceHistory(tokenIds[0], range)) {
      assertThat(within(at, range.from, range.to), "points are in the range")
      assertThat(within(price, 0, 1), "prices are probabilities")
    }
    const backwards = yield* priceHistory(tokenIds[0], { ...range, to: range.from - 1 })
    assertThat(backwards.length === 0, "an empty range has no points")
  }
})

const recentTrades = Effect.gen(function* () {
  const { trades } = yield* VenueClient
  const now = yield* Clock.currentTimeMillis
  for (const { id, tokenIds } of (yield* sweep).slice(0, samples)) {
    const since = now - 2 * day
    const { rows, rejected } = yield* trades(id, since)
    assertThat(rows.length <= 1_000, "at most 1,000")
    assertThat(
      rows.every(({ at }, index) => at <= (rows[index - 1]?.at ?? Infinity)),
      "newest first",
    )
    for (const { at, marketId, tokenId, price, size } of rows) {
      assertThat(
        at >= since && marketId === id && tokenIds.includes(tokenId),
        "only the requested market and time",
      )
      assertThat(within(price, 0, 1) && size > 0, "a price and a size")
    }
    assertRejections(rejected)
    assertThat((yield* trades(id, now + day)).rows.length === 0, "none from the future")
  }
  assertThat(
    (yield* trades(MarketId.make("0xnone"), 0)).rows.length === 0,
    "an unknown market has no trades",
  )
})

const validProposals = Effect.gen(function* () {
  const { proposals } = yield* VenueClient
  const before = statuses(yield* sweep)
  const requested = [...before.keys()]
  const { rows, rejected } = yield* proposals([...requested, ...requested, unknownMarket])
  const now = yield* Clock.currentTimeMillis
  const after = statuses(yield* sweep)
  assertRejections(rejected)
  assertThat(new Set(rows.map(({ marketId }) => marketId)).size === rows.length, "each market once")
  for (const { marketId, outcome, proposedAt, settlesAt } of rows) {
    assertThat(before.has(marketId), "only what was requested")
    assertThat(outcome === 0 || outcome === 1, "one of two outcomes")
    assertThat(within(proposedAt, 1, now + minute), "a time in the past")
    assertThat(settlesAt === null || settlesAt > 0, "a time, if any")
    const still = [before.get(marketId), after.get(marketId)]
    assertThat(!still.every((status) => status === "open"), "an open market has no proposal")
  }
  assertThat((yield* proposals([])).rows.length === 0, "an empty request returns no rows")
})

const statuses = (markets: ReadonlyArray<Market>) =>
  new Map(markets.map(({ id, status }) => [id, status]))

const unknownMarket = MarketId.make(`0x${"f".repeat(64)}`)

const validRules = Effect.gen(function* () {
  const { rules } = yield* VenueClient
  const requested = (yield* sweep).slice(0, 2 * samples).map(({ id }) => id)
  const { rows, rejected } = yield* rules([...requested, ...requested, unknownMarket])
  assertRejections(rejected)
  assertThat(rows.length > 0, "some market has rules")
  assertThat(new Set(rows.map(({ marketId }) => marketId)).size === rows.length, "each market once")
  for (const { marketId, text } of rows) {
    assertThat(requested.includes(marketId), "only what was requested")
    assertThat(text.trim() !== "" && [...text].length <= rulesLengthMax, "a text within its limit")
    assertThat(!/[\p{C}\p{Zl}\p{Zp}]/u.test(text), "no invisible characters")
  }
  assertThat((yield* rules([])).rows.length === 0, "an empty request returns no rows")
})

const foundBySlug = Effect.gen(function* () {
  const { bySlug } = yield* VenueClient
  const before = (yield* sweep).filter(({ status }) => status === "open").slice(0, samples)
  const known = new Map<string, ReadonlyArray<Market>>()
  for (const { slug, eventSlug } of before) {
    for (const wanted of [slug, eventSlug]) known.set(wanted, (yield* bySlug(wanted)).rows)
  }
  const after = new Set((yield* sweep).map(({ id }) => id))
  const stayed = before.filter(({ id }) => after.has(id))
  assertThat(stayed.length > 0, "some market stays listed")
  for (const { id, slug, eventSlug } of stayed) {
    const own = known.get(slug)?.map((market) => market.id) ?? []
    assertThat(own.length === 1 && own[0] === id, `${slug} is one market, itself`)
    const siblings = known.get(eventSlug) ?? []
    assertThat(
      eventSlug === slug || siblings.some((market) => market.id === id) ||
        siblings.every((market) => market.slug === eventSlug),
      `${eventSlug} has ${slug}`,
    )
    assertThat(
      siblings.every((market) => market.eventSlug === eventSlug || market.slug === eventSlug),
      `${eventSlug} has no market of another event`,
    )
    siblings.forEach(assertMarket)
  }
  const none = yield* bySlug("no-market-and-no-event-has-this-slug")
  assertThat(none.rows.length === 0, "an unknown slug has no market")
  assertRejections(none.rejected)
})

const laws: Laws = {
  "bySlug() returns the market with the slug, or those of its event, and no other": foundBySlug,
  "listMarkets returns only valid markets, and counts the rest": validMarkets,
  "listMarkets omits no market that was listed before and after": completeSweeps,
  "books() returns each requested token at most once, and no other": requestedBooks,
  "priceHistory() returns prices inside its range": boundedHistory,
  "trades() returns the market's fills since an instant, newest first": recentTrades,
  "proposals() returns each requested market at most once, and none that is open": validProposals,
  "rules() returns plain, bounded text of requested markets, each once": validRules,
}
