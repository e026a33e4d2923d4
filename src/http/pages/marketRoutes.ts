/**
 * The routes of /markets/{slug} and /markets/{slug}.json. A path that is no slug has no route.
 *
 * @module
 */
import { Schema } from "effect"
import type { pageRows } from "../../catalog/domain/pageRow.ts"
import { preparedFor } from "../../core/domain/prepared.ts"
import { Slug, slugKey } from "../../markets/domain/market.ts"
import type { MarketData } from "../free/marketData.ts"
import type { Answer } from "../server/answer.ts"
import type { FreeRoute, RouteResult } from "../server/route.ts"
import type { RateLimiter } from "../server/limits.ts"
import { pageAnswer } from "./layout.tsx"
import { marketMeta, marketPage } from "./market.ts"
import { pageRoute, source } from "./page.ts"
import type { Site } from "./site.ts"

type Body = typeof pageRows["market"]["body"]["Type"]

const isSlug = Schema.is(Slug)
const jsonEnd = ".json"

/** The route of a path, given the part after the prefix. */
export function marketRoutes({ site, limiter, answerOf }: {
  readonly site: Site
  readonly limiter: RateLimiter
  readonly answerOf: MarketData["answerOf"]
}) {
  /** The page of each answer, for as long as the answer is kept. */
  const pageOf = preparedFor((json: Answer): FreeRoute["current"] =>
    pageRoute({
      limiter,
      sources: { market: source<Body>({ current: () => json }) },
      render: ({ market }) =>
        market === null ? json : pageAnswer(
          site,
          marketMeta(market),
          marketPage(market, site.venueMode),
        ),
    }).current
  )
  return (rest: string): FreeRoute | null => {
    const isJson = rest.endsWith(jsonEnd)
    const slug = isJson ? rest.slice(0, -jsonEnd.length) : rest
    if (!isSlug(slug)) return null
    const find = () => answerOf(slugKey(slug))
    const shown = (url: string) => (json: RouteResult) =>
      json === null || "body" in json ? json : pageOf(json)?.(url) ?? null
    return {
      limiter,
      current: isJson ? find : (url) => find().then(shown(url)),
    }
  }
}
