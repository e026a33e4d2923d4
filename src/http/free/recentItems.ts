/**
 * The bodies of /signals.json, what the newest items are about and how the prices of the pulse went,
 * and of /opened.json, items of yesterday.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { pageRows } from "../../catalog/domain/pageRow.ts"
import { minute } from "../../core/domain/time.ts"
import type { Feed } from "../../feed/Feed.ts"
import { withOutcome } from "../../feed/domain/item.ts"
import { outcomeDelayMs } from "../../track-record/domain/outcomes.ts"
import type { Outcomes } from "../../track-record/Outcomes.ts"
import type { PublishedMarkets } from "../../feed/PublishedMarkets.ts"
import { pathPoint } from "./marketData.ts"

type OpenedBody = typeof pageRows["opened"]["body"]["Type"]
type RecentBody = typeof pageRows["recent"]["body"]["Type"]

/** The paths move on with the clock even where no tick adds to them. */
const ageMsMax = 5 * minute

/** The body; the store is read for it only when a tick has ended since, or items have come. */
function readAfterTicks<Body>(
  feed: Feed["Service"],
  read: Effect.Effect<Body>,
): Effect.Effect<Body> {
  let last: { readonly state: string; readonly at: number; readonly body: Body } | null = null
  return Effect.gen(function* () {
    const { index, lastTickAt } = yield* feed.index
    const state = `${index} ${lastTickAt}`
    const at = yield* Clock.currentTimeMillis
    if (last?.state !== state || at - last.at >= ageMsMax) last = { state, at, body: yield* read }
    return last.body
  })
}

export const recentItems = (feed: Feed["Service"], markets: PublishedMarkets["Service"]) =>
  readAfterTicks(feed, recentBody(feed, markets))

/** Of each type the newest item that is as old as the items whose outcomes are free. */
export const openedItems = (
  feed: Feed["Service"],
  markets: PublishedMarkets["Service"],
  outcomes: Outcomes["Service"],
) =>
  readAfterTicks(
    feed,
    Effect.gen(function* () {
      const found = yield* markets.opened((yield* Clock.currentTimeMillis) - outcomeDelayMs)
      const items = yield* Effect.forEach(found, (item) =>
        Effect.map(outcomes.after(item.feedIndex - 1), ([next]) => ({
          item: withOutcome(item),
          outcome: next?.feedIndex === item.feedIndex ? next : null,
        })))
      return { success: true, items } satisfies OpenedBody
    }),
  )

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
