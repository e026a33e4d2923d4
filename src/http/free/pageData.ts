/**
 * The bodies of page data, computed in the background and encoded again only when they have changed:
 * what the newest items are about and how the prices of the pulse went, items of yesterday, the titles of
 * digests, and how the service ran.
 *
 * @module
 */
import { Clock, Effect, Record } from "effect"
import { pageRows, type SinglePageId } from "../../catalog/domain/pageRow.ts"
import { digestEvery, digestRetention } from "../../digest/domain/digest.ts"
import { Digest } from "../../digest/Digest.ts"
import { Status } from "../../status/Status.ts"
import { TrackRecord } from "../../track-record/TrackRecord.ts"
import { PublishedMarkets } from "../../feed/PublishedMarkets.ts"
import { hour, minute, second } from "../../core/domain/time.ts"
import { jsonAnswers } from "../server/answer.ts"
import type { FreeRoute } from "../server/route.ts"
import type { RateLimiter } from "../server/limits.ts"
import { makePolled } from "./reads.ts"
import { withOutcome } from "../../feed/domain/item.ts"
import { outcomeDelayMs } from "../../track-record/domain/outcomes.ts"

/** A page may be this much older than the store, as clients may keep it for a minute. */
const times = { everyMs: 15 * second, timeoutMs: 5 * second, ageMsMax: minute }

/** The body that the row of a path declares. */
type Body<Id extends SinglePageId> = typeof pageRows[Id]["body"]["Type"]

/** The routes of page data, by row. */
export type PageDataRoutes = Readonly<Record<SinglePageId, FreeRoute>>

/** Computes the bodies until the scope closes; run `refresh` after each tick. */
export const makePageData = Effect.fnUntraced(function* (limiter: RateLimiter) {
  const markets = yield* PublishedMarkets
  const bodies: { readonly [Id in SinglePageId]: Effect.Effect<Body<Id>> } = {
    recent: recentItems(markets),
    opened: openedItems(markets, yield* TrackRecord),
    digests: digestTitles(yield* Digest),
    status: (yield* Status).report,
  }
  const routeOf = (id: SinglePageId) =>
    Effect.map(
      makePolled(
        Effect.map(bodies[id], jsonAnswers("page")),
        `Cannot read ${pageRows[id].path}`,
        times,
      ),
      ({ current, refresh }) => ({ refresh, route: { limiter, current } }),
    )
  const made = yield* Effect.all(Record.map(bodies, (_, id) => routeOf(id)))
  const routes: PageDataRoutes = Record.map(made, ({ route }) => route)
  return { routes, refresh: made.recent.refresh }
})

const digestTitles = (digests: Digest["Service"]): Effect.Effect<Body<"digests">> =>
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
    return { success: true, items } satisfies Body<"opened">
  })

const recentItems = (markets: PublishedMarkets["Service"]): Effect.Effect<Body<"recent">> =>
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
