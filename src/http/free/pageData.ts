/**
 * The bodies of page data, computed in the background and encoded again only when they have changed:
 * what the newest items are about and how the prices of the pulse went, items of yesterday, the titles of
 * digests, and how the service ran.
 *
 * @module
 */
import { Clock, Effect, Record } from "effect"
import { digestEvery, digestRetention } from "../../digest/domain/digest.ts"
import { Digest } from "../../digest/Digest.ts"
import { Status } from "../../status/Status.ts"
import { TrackRecord } from "../../track-record/TrackRecord.ts"
import { PublishedMarkets } from "../../feed/PublishedMarkets.ts"
import { hour, minute, second } from "../../core/domain/time.ts"
import { jsonAnswers } from "../server/answer.ts"
import { type FreeRoute, ready } from "../server/route.ts"
import type { RateLimiter } from "../server/limits.ts"
import { makePolled } from "./reads.ts"
import { withOutcome } from "../../feed/domain/item.ts"
import { outcomeDelayMs } from "../../track-record/domain/outcomes.ts"

/** A page may be this much older than the store, as clients may keep it for a minute. */
const times = { everyMs: 15 * second, timeoutMs: 5 * second, ageMsMax: minute }

/**
 * The paths of page data: what a page shows beyond the free rows, as JSON, under the budget of pages. They
 * are no skills and no operations of /openapi.json: an agent buys the same from a product.
 */
export const dataPaths = {
  /** What the newest free items are about, the newest first. */
  recent: "/signals.json",
  /**
   * Of each type the newest item that is more than a day old, whole, and what became of it. They are
   * not chosen by their outcome, which is null while it is not scored.
   */
  opened: "/opened.json",
  /** The digests of the last week, the newest first; without those below the threshold of a sale. */
  digests: "/digest.json",
  status: "/status.json",
} as const
type PageDataId = keyof typeof dataPaths

/** The bodies of page data, by name. */
export type PageBodies = {
  readonly [Id in PageDataId]: Effect.Success<Effect.Success<typeof bodiesNow>[Id]>
}
/** The routes of page data, by name. */
export type PageDataRoutes = Readonly<Record<PageDataId, FreeRoute>>

const bodiesNow = Effect.gen(function* () {
  const markets = yield* PublishedMarkets
  return {
    recent: recentItems(markets),
    opened: openedItems(markets, yield* TrackRecord),
    digests: digestTitles(yield* Digest),
    status: (yield* Status).report,
  }
})

/** Computes the bodies until the scope closes; run `refresh` after each tick. */
export const makePageData = Effect.fnUntraced(function* (limiter: RateLimiter) {
  const routeOf = (body: Effect.Effect<object>, id: PageDataId) =>
    Effect.map(
      makePolled(Effect.map(body, jsonAnswers("page")), `Cannot read ${dataPaths[id]}`, times),
      ({ current, refresh }) => ({ refresh, route: { limiter, current: ready(current) } }),
    )
  const made = yield* Effect.all(Record.map(yield* bodiesNow, routeOf))
  const routes: PageDataRoutes = Record.map(made, ({ route }) => route)
  return { routes, refresh: made.recent.refresh }
})

const digestTitles = (digests: Digest["Service"]) =>
  Effect.map(
    digests.history(digestRetention / hour, digestRetention / digestEvery),
    (found) => ({
      success: true,
      digests: found.map(({ title, createdAt }) => ({ title, createdAt })),
    }),
  )

/** Of each type the newest item that is as old as the items whose outcomes are free. */
const openedItems = (
  markets: PublishedMarkets["Service"],
  { outcomes }: TrackRecord["Service"],
) =>
  Effect.gen(function* () {
    const found = yield* markets.opened((yield* Clock.currentTimeMillis) - outcomeDelayMs)
    const items = yield* Effect.forEach(found, (item) =>
      Effect.map(outcomes(item.feedIndex - 1), ([next]) => ({
        item: withOutcome(item),
        outcome: next?.feedIndex === item.feedIndex ? next : null,
      })))
    return { success: true, items }
  })

const recentItems = (markets: PublishedMarkets["Service"]) =>
  Effect.map(markets.recent, (items) => ({
    success: true,
    items: items.map(({ feedIndex, type, createdAt, market: { slug, question } }) => ({
      feedIndex,
      type,
      slug,
      question,
      createdAt,
    })),
  }))
