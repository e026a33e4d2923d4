/**
 * The body of /signals.json: what the newest items are about, and how the prices of the pulse went.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { pageRows } from "../../catalog/domain/pageRow.ts"
import { minute } from "../../core/domain/time.ts"
import type { Feed } from "../../feed/Feed.ts"
import type { PublishedMarkets } from "../../feed/PublishedMarkets.ts"
import { pathPoint } from "./marketData.ts"

type RecentBody = typeof pageRows["recent"]["body"]["Type"]

/** The paths move on with the clock even where no tick adds to them. */
const ageMsMax = 5 * minute

/** The body; the store is read for it only when a tick has ended since, or items have come. */
export function recentItems(
  feed: Feed["Service"],
  markets: PublishedMarkets["Service"],
): Effect.Effect<RecentBody> {
  const read = recentBody(feed, markets)
  let last: { readonly state: string; readonly at: number; readonly body: RecentBody } | null = null
  return Effect.gen(function* () {
    const { index, lastTickAt } = yield* feed.index
    const state = `${index} ${lastTickAt}`
    const at = yield* Clock.currentTimeMillis
    if (last?.state !== state || at - last.at >= ageMsMax) last = { state, at, body: yield* read }
    return last.body
  })
}

const recentBody = (
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
