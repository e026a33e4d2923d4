/**
 * /markets/{slug} and /markets/{slug}.json: the public facts of a market that the feed has published, and
 * its price path.
 *
 * @module
 */
import { Effect, Schema } from "effect"
import type { VenueMode } from "../../catalog/domain/freeRow.ts"
import { products } from "../../catalog/domain/product.ts"
import { usd } from "../../core/domain/money.ts"
import { preparedFor } from "../../core/domain/prepared.ts"
import { minute } from "../../core/domain/time.ts"
import { safeName } from "../../core/domain/untrusted.ts"
import { freeAfterMs, pathDays } from "../../feed/domain/publishedMarket.ts"
import { Slug, slugKey } from "../../markets/domain/market.ts"
import type { MarketBody as Market, MarketData } from "../free/marketData.ts"
import type { Answer } from "../server/answer.ts"
import type { RateLimiter } from "../server/limits.ts"
import { bodyOf, type FreeRoute, type RouteResult } from "../server/route.ts"
import { priceChart } from "./charts.tsx"
import { badge } from "./items.tsx"
import { pageAnswer } from "./layout.tsx"
import { marketsPrefix, type Site } from "./site.ts"
import type { Block, Page } from "./sections.tsx"
import { code, name, num, outside, price, range, say, time, wholeUsd } from "./text.tsx"

const isSlug = Schema.is(Slug)
const jsonEnd = ".json"

/** The route of a path, given the part after the prefix; null where that is no slug. */
export function marketRoutes({ site, limiter, answerOf }: {
  readonly site: Site
  readonly limiter: RateLimiter
  readonly answerOf: MarketData["answerOf"]
}) {
  /** The page of each answer, for as long as the answer is kept. */
  const pageOf = preparedFor((json: Answer): Answer => {
    const market = bodyOf(json) as Market | null
    return market === null ? json : pageAnswer(site, marketPage(market, site.venueMode), {
      path: pathOf(market.slug),
      json: [`${pathOf(market.slug)}${jsonEnd}`],
    })
  })
  const shown = (json: RouteResult) => json !== null && "bytes" in json ? pageOf(json) : json
  return (rest: string): FreeRoute | null => {
    const isJson = rest.endsWith(jsonEnd)
    const slug = isJson ? rest.slice(0, -jsonEnd.length) : rest
    if (!isSlug(slug)) return null
    const found = answerOf(slugKey(slug))
    return { limiter, current: () => isJson ? found : Effect.map(found, shown) }
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
          say`Price of ${name(outcome, 40)}, USD`,
          num(market.path.at(-1)?.mid ?? null, price),
        ],
        ["Spread: bid to ask, USD", range({ low: market.bestBid, high: market.bestAsk }, price)],
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
