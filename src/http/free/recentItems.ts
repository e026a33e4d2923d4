/**
 * The bodies of /signals.json, what the newest items are about and how the prices of the pulse went,
 * and of /opened.json, items of yesterday.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { pageRows } from "../../catalog/domain/pageRow.ts"
import type { Feed } from "../../feed/Feed.ts"
import { withOutcome } from "../../feed/domain/item.ts"
import { outcomeDelayMs } from "../../track-record/domain/outcomes.ts"
import type { Outcomes } from "../../track-record/Outcomes.ts"
import type { PublishedMarkets } from "../../feed/PublishedMarkets.ts"
import { pathPoint } from "./marketData.ts"

type OpenedBody = typeof pageRows["opened"]["body"]["Type"]
type RecentBody = typeof pageRows["recent"]["body"]["Type"]

/** Of each type the newest item that is as old as the items whose outcomes are free. */
export const openedItems = (
  markets: PublishedMarkets["Service"],
  outcomes: Outcomes["Service"],
) =>
  Effect.gen(function* () {
    const found = yield* markets.opened((yield* Clock.currentTimeMillis) - outcomeDelayMs)
    const items = yield* Effect.forEach(found, (item) =>
      Effect.map(outcomes.after(item.feedIndex - 1), ([next]) => ({
        item: withOutcome(item),
        outcome: next?.feedIndex === item.feedIndex ? next : null,
      })))
    return { success: true, items } satisfies OpenedBody
  })

export const recentItems = (
  feed: Feed["Service"],
  markets: PublishedMarkets["Service"],
): Effect.Effect<RecentBody> =>
  Effect.gen(function* () {
    const items = yield* markets.recent
    const movers = yield* feed.pulse
    const pulsePaths = yield* Effect.forEach(
      movers,
      ({ slug, outcome }) =>
        Effect.map(markets.dayPath(slug), (path) => ({ slug, outcome, path: path.map(pathPoint) })),
    )
    return {
      success: true,
      items: items.map(({ feedIndex, type, createdAt, market: { slug, question } }) => ({
        feedIndex,
        type,
        slug,
        question,
        createdAt,
      })),
      pulsePaths,
    }
  })
