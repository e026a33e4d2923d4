/**
 * How the Data API is asked about wallets: its leaderboards, and what one of them did.
 *
 * @module
 */
import { Effect } from "effect"
import { HttpClientRequest } from "effect/http"
import { type EpochMs, second } from "../../core/domain/time.ts"
import type { Board, Standing } from "../../markets/domain/leaderboard.ts"
import type { ActivityPage, Decoded, WalletSource } from "../../markets/VenueClient.ts"
import { activityPage } from "./activity.ts"
import { type DataPage, dataPage } from "./data.ts"
import { decodeRows, merge } from "./decoded.ts"
import { categories, decodeStanding, firstByRank, sortedBy } from "./leaderboard.ts"
import type { Limits } from "./limits.ts"
import type { Ask } from "./requests.ts"
import { object } from "./wire.ts"

export function walletSource(
  asks: { readonly activity: Ask; readonly leaderboard: Ask },
  dataUrl: string,
  limits: Limits,
): WalletSource {
  return {
    categories,
    leaderboard: leaderboard(asks.leaderboard, dataUrl, limits),
    activity: activity(asks.activity, dataUrl, limits),
  }
}

/** Pages by rank, until there are enough wallets. */
function leaderboard(ask: Ask, dataUrl: string, limits: Limits) {
  return Effect.fn("polymarket.leaderboard")(function* (board: Board, limit: number) {
    const pages: Array<Decoded<Standing>> = []
    const followed = new Set<string>()
    const found = () => firstByRank(pages.flatMap(({ rows }) => rows), limit)
    let cursor: string | null = null
    for (let page = 0; page < limits.boardPagesMax && found().length < limit; page++) {
      const request: HttpClientRequest.HttpClientRequest = HttpClientRequest.get(
        `${dataUrl}/leaderboard`,
        {
          urlParams: {
            time_period: board.period,
            category: board.category,
            sort_by: sortedBy[board.by],
            limit: Math.min(limit, limits.boardRows),
            ...(cursor === null ? {} : { cursor }),
          },
        },
      )
      const { rows, next } = yield* ask("leaderboard", request, unfollowed(followed))
      pages.push(decodeRows(rows, decodeStanding))
      if (next === null) break
      followed.add(next)
      cursor = next
    }
    return { rows: found(), rejected: merge(pages).rejected }
  })
}

/** Nothing came before the venue: a range from the beginning of time starts a second after it. */
const firstSecond = 1

/**
 * One page. The route tells of maker and taker fills alike, unlike that of trades, and leaves
 * deposits and withdrawals out unless asked for them. A cursor it calls wrong is one too deep: it
 * gives no more of the range. A page without its pagination would pass for the last one, so it is a
 * fault, like one that leads to itself.
 */
function activity(ask: Ask, dataUrl: string, limits: Limits) {
  return Effect.fn("polymarket.activity")(function* (
    wallet: string,
    range: { readonly from: EpochMs; readonly to: EpochMs },
    cursor: string | null,
  ) {
    const start = Math.max(firstSecond, Math.ceil(range.from / second))
    const end = Math.floor(range.to / second)
    if (end < start) return nothing
    const request = HttpClientRequest.get(`${dataUrl}/activity`, {
      urlParams: {
        user: wallet,
        start,
        end,
        sort_direction: "DESC",
        limit: limits.activityRows,
        ...(cursor === null ? {} : { cursor }),
      },
    })
    const followed = unfollowed(new Set(cursor === null ? [] : [cursor]))
    return yield* ask("activity", request, (body) => paginated(body) ? followed(body) : null).pipe(
      Effect.map((page) => activityPage(page, wallet.toLowerCase(), range)),
      Effect.catchIf(
        ({ reason }) => cursor !== null && reason === "status 400",
        () => Effect.succeed({ ...nothing, cut: true }),
      ),
    )
  })
}

const nothing: ActivityPage = { rows: [], rejected: {}, oldest: null, next: null, cut: false }

function paginated(body: unknown): boolean {
  return object(object(body)?.["pagination"]) !== null
}

/** Reads a page that does not lead back. */
function unfollowed(followed: ReadonlySet<string>): (body: unknown) => DataPage | null {
  return (body) => {
    const page = dataPage(body)
    return page !== null && page.next !== null && followed.has(page.next) ? null : page
  }
}
