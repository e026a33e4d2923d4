/**
 * What recorded pages tell of the past: how markets ended, and what wallets did.
 *
 * @module
 */
import { Effect } from "effect"
import { MarketId } from "../../markets/domain/market.ts"
import type { Resolution } from "../../markets/domain/resolution.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import type { ActivityRow, WalletSource } from "../../markets/VenueClient.ts"
import { paidByPage } from "../polymarket/clob.ts"
import { type ListedEnd, listedEnd } from "../polymarket/gamma.ts"
import { firstByRank } from "../polymarket/leaderboard.ts"
import { recordsById, resolutionOf } from "../polymarket/oracle.ts"
import type { RecordedPage } from "./recordings.ts"
import { conditionId, type WireObject } from "../polymarket/wire.ts"

/** How each market ended as of `now`, by whatever page tells it, in the order of the live adapter. */
export function recordedEnds(
  pages: ReadonlyArray<RecordedPage>,
  now: EpochMs,
): ReadonlyMap<MarketId, Resolution> {
  const records = recordsById(pages.flatMap((page) => page.records.rows))
  const listed = new Map(
    pages.flatMap((page) =>
      page.listed.flatMap((row): ReadonlyArray<[MarketId, ListedEnd]> => {
        const end = listedEnd(row)
        return end === null ? [] : [[end.marketId, end]]
      })
    ),
  )
  const ownPages = new Map(
    pages.flatMap((page) =>
      page.pages.flatMap((row): ReadonlyArray<[MarketId, WireObject]> => {
        const id = conditionId(row["condition_id"])
        return id === null ? [] : [[MarketId.make(id), row]]
      })
    ),
  )
  const ends = new Map<MarketId, Resolution>()
  for (const id of [...records.keys(), ...listed.keys(), ...ownPages.keys()]) {
    const end = listed.get(id) ?? null
    const page = paidByPage(ownPages.get(id), end?.tokenIds ?? null) ?? "none"
    const found = resolutionOf(id, records.get(id) ?? null, { listed: end, page }, now)
    if (found !== null) ends.set(id, found)
  }
  return ends
}

/**
 * Null where no page holds a wallet. A recorded board does not say which it is, so all of them are
 * taken for one, whichever is asked for.
 */
export function recordedWallets(pages: ReadonlyArray<RecordedPage>): WalletSource | null {
  const standings = pages.flatMap((page) => page.standings.rows)
  const rows = recordedOnce(pages).toSorted((a, b) => b.act.at - a.act.at)
  if (standings.length === 0 && rows.length === 0) return null
  return {
    categories: ["overall"],
    leaderboard: (_, limit) =>
      Effect.succeed({ rows: firstByRank(standings, limit), rejected: {} }),
    activity: (wallet, { from, to }) => {
      const found = rows.filter(({ act }) =>
        act.wallet === wallet.toLowerCase() && act.at >= from && act.at <= to
      )
      const oldest = found.at(-1)?.act.at ?? null
      return Effect.succeed({ rows: found, rejected: {}, oldest, next: null, cut: false })
    },
  }
}

/** Recorded pages may overlap: each transaction is taken from the page that holds most of it. */
function recordedOnce(pages: ReadonlyArray<RecordedPage>): ReadonlyArray<ActivityRow> {
  const fullest = new Map<string, ReadonlyArray<ActivityRow>>()
  for (const { activity } of pages) {
    const ofPage = Map.groupBy(activity.rows, ({ act }) => `${act.wallet} ${act.transaction}`)
    for (const [transaction, rows] of ofPage) {
      if (rows.length > (fullest.get(transaction)?.length ?? 0)) fullest.set(transaction, rows)
    }
  }
  return [...fullest.values()].flat()
}
