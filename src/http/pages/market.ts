/**
 * /markets/{slug} and /markets/{slug}.json: the public facts of a market that the feed has published, and
 * its price path.
 *
 * @module
 */
import { Cache, Effect, Exit, Option, Schema } from "effect"
import type { VenueMode } from "../../catalog/domain/freeRow.ts"
import { products } from "../../catalog/domain/product.ts"
import { usd } from "../../core/domain/money.ts"
import { forgetAfterStepBack } from "../../core/cachedFor.ts"
import { preparedFor } from "../../core/domain/prepared.ts"
import { isoTime, minute } from "../../core/domain/time.ts"
import { safeName } from "../../core/domain/untrusted.ts"
import { freeAfterMs, pathDays, type PublishedMarket } from "../../feed/domain/publishedMarket.ts"
import { PublishedMarkets } from "../../feed/PublishedMarkets.ts"
import { Slug, slugKey } from "../../markets/domain/market.ts"
import { makeStoreReads } from "../free/reads.ts"
import { type Answer, answer, jsonIn } from "../server/answer.ts"
import { overloaded, prepare, refuse } from "../server/errors.ts"
import type { RateLimiter } from "../server/limits.ts"
import type { FreeRoute } from "../server/route.ts"
import { priceChart } from "./charts.tsx"
import { badge } from "./items.tsx"
import { pageAnswer } from "./layout.tsx"
import { marketsPrefix } from "../documents/addresses.ts"
import type { Site } from "../site.ts"
import type { Block, Page } from "./sections.tsx"
import { code, name, num, outside, price, range, say, time, wholeUsd } from "./text.tsx"

const isSlug = Schema.is(Slug)
const jsonEnd = ".json"

/** An answer is kept this long where no tick ends it: another replica may have run the tick. */
const ageMsMax = minute
/** The most slugs that are kept. */
const slugsMax = 500

/**
 * Makes the routes of markets. Each slug is looked up in the store at most once between two ticks, known
 * and unknown ones alike; run `clear` after each tick.
 */
export const makeMarketRoutes = Effect.fnUntraced(function* (site: Site, limiter: RateLimiter) {
  const markets = yield* PublishedMarkets
  const inTime = makeStoreReads("Cannot read a published market")
  const answers = yield* Cache.makeWith(
    (slug: string) =>
      Effect.flatMap(
        inTime(markets.bySlug(slug)),
        (found) =>
          found === null ? refuse(overloaded) : Option.match(found, {
            onNone: () => refuse(unpublished),
            onSome: (market) =>
              Effect.sync(() =>
                answer({ body: JSON.stringify(marketBody(market)), cache: "page" })
              ),
          }),
      ),
    {
      capacity: slugsMax,
      timeToLive: (exit) => Option.contains(Exit.findErrorOption(exit), overloaded) ? 0 : ageMsMax,
    },
  )
  const clear = Cache.invalidateAll(answers)
  const whileTimeGoesOn = forgetAfterStepBack(clear)
  /** The page of each answer, for as long as the answer is kept. */
  const pageOf = preparedFor((json: Answer): Answer => {
    const market = jsonIn(json) as Market
    return pageAnswer(site, marketPage(market, site.venueMode), {
      path: pathOf(market.slug),
      json: [`${pathOf(market.slug)}${jsonEnd}`],
    })
  })
  /** The route of a path, given the part after the prefix; null where that is no slug. */
  const routeOf = (rest: string): FreeRoute | null => {
    const isJson = rest.endsWith(jsonEnd)
    const slug = isJson ? rest.slice(0, -jsonEnd.length) : rest
    if (!isSlug(slug)) return null
    const found = whileTimeGoesOn(Cache.get(answers, slugKey(slug)))
    return { limiter, current: () => isJson ? found : Effect.map(found, pageOf) }
  }
  return { routeOf, clear }
})

const unpublished = prepare({
  code: "not_found",
  message: "The feed has no item about a market of this name",
  hint: "/signals.json lists the newest items with the names of their markets.",
})

type Market = ReturnType<typeof marketBody>

function marketBody({ market, status, listed, volume24hUsd, path, items }: PublishedMarket) {
  const { volumeUsd, liquidityUsd, ...named } = market
  return {
    success: true,
    ...named,
    /** As last listed; null if it is not stored. */
    status,
    outcome: market.outcomes[0],
    /** As last listed; null without a book. */
    bestBid: listed?.bestBid ?? null,
    bestAsk: listed?.bestAsk ?? null,
    volumeUsd,
    volume24hUsd,
    liquidityUsd,
    path: path.map(({ at, mid }) => ({ at: isoTime(at), mid })),
    items: items.map(({ feedIndex, type, createdAt }) => ({ feedIndex, type, createdAt })),
  }
}

const pathOf = (slug: string) => marketsPrefix + encodeURIComponent(slug)

const marketPage = (market: Market, venueMode: VenueMode): Page => ({
  name: safeName(market.question),
  description: "The price of this market, and when something was published about it.",
  title: [name(market.question)],
  blocks: [
    ...facts(market),
    ...(venueMode === "polymarket" && market.url.startsWith("https://")
      ? [[outside(market.url, "The market's page at Polymarket")]]
      : []),
  ],
  sections: [
    {
      id: "price",
      title: say`Price of ${name(market.outcome, 40)}`,
      blocks: [prices(market)],
    },
    {
      id: "items",
      title: "Items about this market",
      blocks: [
        {
          list: market.items.map(({ type, createdAt, feedIndex }) =>
            say`${badge(type)} ${time(createdAt)}, feed index ${num(feedIndex)}`
          ),
        },
        say`Listed ${freeAfterMs / minute} minutes after publication. Their content costs $${
          usd(products.signals.price)
        }: [Signals](/signals). A report on this market, ${
          code(`${products.research.path}?market=${market.slug}`)
        }, costs $${usd(products.research.price)}: [Pricing](/pricing).`,
      ],
    },
  ],
})

function facts(market: Market): ReadonlyArray<Block> {
  const { outcomes, outcome, status, eventEndDate, category } = market
  return [
    {
      facts: [
        [
          say`${name(outcome, 40)}, bid to ask as last listed, USD`,
          range({ low: market.bestBid, high: market.bestAsk }, price),
        ],
        ["Volume of a day", num(market.volume24hUsd, wholeUsd)],
        ["Volume so far", num(market.volumeUsd, wholeUsd)],
        ["Status", status ?? "not known"],
        ["Scheduled end", eventEndDate === null ? "none named" : time(eventEndDate)],
      ],
    },
    say`Outcomes: ${name(outcomes[0], 40)} or ${name(outcomes[1], 40)}.${
      category === null ? "" : say` Category: ${name(category, 40)}.`
    }`,
  ]
}

const prices = ({ path, items }: Market): Block => ({
  plot: priceChart({
    title: `The price was ${price(path[0]?.mid ?? null)} at the start and ${
      price(path.at(-1)?.mid ?? null)
    } at the end`,
    path,
    marks: items.map(({ createdAt }) => createdAt),
  }),
  caption:
    `The middle of bid and ask at each update of the last ${pathDays} days, in USD per share; none while the two are too far apart. The axis fits the move: it need not begin at 0. A dashed line is an item that was published.`,
  empty: `No price stored in the last ${pathDays} days`,
})
