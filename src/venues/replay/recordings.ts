/**
 * Decodes recorded pages of the venue, by the shape of their rows, and derives the past from them: how
 * markets ended and what wallets did.
 *
 * A page is decoded as of the newest time in it, so a market that ended after the recording is live.
 *
 * @module
 */
import { Effect } from "effect"
import type { EpochMs } from "../../core/domain/time.ts"
import type { ActivityRow, Decoded, WalletSource } from "../../markets/VenueClient.ts"
import type { OrderBook } from "../../markets/domain/book.ts"
import {
  type Market,
  type MarketFacts,
  MarketId,
  type PricePoint,
  type Trade,
} from "../../markets/domain/market.ts"
import type { Resolution } from "../../markets/domain/resolution.ts"
import type { MarketRules } from "../../markets/domain/proposal.ts"
import { decodeBook, decodeHistory, payoutsFromPage, toGammaRow } from "../polymarket/clob.ts"
import {
  decodeActivity,
  decodeLeaderboardRow,
  decodeTrades,
  firstByRank,
} from "../polymarket/data.ts"
import {
  decodeFacts,
  decodeListedResolution,
  decodeMarkets,
  decodeRules,
  type ListedResolution,
  marketsOfEvent,
} from "../polymarket/gamma.ts"
import { decodeRecord, type OracleRecord, recordsById, resolutionOf } from "../polymarket/oracle.ts"
import {
  conditionId,
  decodeRows,
  instant,
  list,
  object,
  type WireObject,
} from "../polymarket/wire.ts"
import type { LeaderboardRow } from "../../markets/domain/leaderboard.ts"

/** A recorded page's rows by kind. */
export interface RecordedRows extends Readonly<Record<Kind, ReadonlyArray<WireObject>>> {
  readonly points: ReadonlyArray<PricePoint>
  /** Rows of kinds that no `VenueClient` call returns: positions, messages, tags. */
  readonly unused: number
  /** The newest time in the rows; null when they have none. */
  readonly newest: EpochMs | null
}

export interface RecordedPage {
  readonly markets: Decoded<Market>
  readonly facts: Decoded<MarketFacts>
  readonly rules: Decoded<MarketRules>
  readonly books: Decoded<OrderBook>
  readonly trades: Decoded<Trade>
  readonly activity: Decoded<ActivityRow>
  readonly standings: Decoded<LeaderboardRow>
  readonly records: Decoded<OracleRecord>
  /** Undecoded rows of the listing. */
  readonly listed: ReadonlyArray<WireObject>
  /** Undecoded market pages of the exchange. */
  readonly pages: ReadonlyArray<WireObject>
  readonly points: ReadonlyArray<PricePoint>
  readonly unused: number
}

/** Sorts rows by their shape. `body` is any response of the venue, its array of rows, or one row. */
export function classify(body: unknown): RecordedRows {
  const rows: Record<Kind, Array<WireObject>> = {
    markets: [],
    pages: [],
    books: [],
    trades: [],
    activity: [],
    standings: [],
    records: [],
  }
  let unused = 0
  const points = isHistory(body) ? decodeHistory(body) ?? [] : []
  for (const value of isHistory(body) ? [] : rowsOf(body)) {
    const row = object(value)
    const kind = row === null ? null : kindOf(row)
    if (row === null || kind === null) unused++
    else if (kind === "events") rows.markets.push(...marketsOfEvent(row))
    else rows[kind].push(row)
  }
  return { ...rows, points, unused, newest: newest(rows, points) }
}

export function decodePage(rows: RecordedRows, asOf: EpochMs): RecordedPage {
  const markets = [...rows.markets, ...rows.pages.map(toGammaRow)]
  return {
    markets: decodeMarkets(markets),
    facts: decodeRows(markets, decodeFacts),
    rules: decodeRows(markets, decodeRules),
    books: decodeRows(rows.books, (row) => decodeBook(row, asOf)),
    trades: decodeTrades(rows.trades, null),
    activity: decodeRows(rows.activity, decodeActivity),
    standings: decodeRows(rows.standings, decodeLeaderboardRow),
    records: decodeRows(rows.records, decodeRecord),
    listed: rows.markets,
    pages: rows.pages,
    points: rows.points,
    unused: rows.unused,
  }
}

/** Trades also have a time and a price, but more fields too. */
function isHistory(body: unknown): boolean {
  const fields = object(body)
  if (Array.isArray(fields?.["history"])) return true
  const first = object(list(fields?.["data"])[0])
  return first !== null && "price" in first &&
    Object.keys(first).every((key) => historyFields.has(key))
}

const historyFields: ReadonlySet<string> = new Set(["timestamp", "price", "resolution_seconds"])

function rowsOf(body: unknown): ReadonlyArray<unknown> {
  if (Array.isArray(body)) return body
  const fields = object(body)
  if (fields === null) return []
  if (Array.isArray(fields["data"])) return fields["data"]
  if (Array.isArray(fields["events"]) && !("conditionId" in fields)) return fields["events"]
  if (Array.isArray(fields["markets"]) && !("slug" in fields)) return fields["markets"]
  return [fields]
}

type Kind = "markets" | "pages" | "books" | "trades" | "activity" | "standings" | "records"

function kindOf(row: WireObject): Kind | "events" | null {
  if ("conditionId" in row && "clobTokenIds" in row) return "markets"
  if (Array.isArray(row["markets"])) return "events"
  if ("condition_id" in row && Array.isArray(row["tokens"])) return "pages"
  if ("asset_id" in row && Array.isArray(row["bids"]) && Array.isArray(row["asks"])) return "books"
  if ("status" in row && "last_update_timestamp" in row) return "records"
  if ("rank" in row && "pnl" in row && ("user_id" in row || "proxyWallet" in row)) {
    return "standings"
  }
  const signed = "transaction_hash" in row || "transactionHash" in row
  if (!signed || !("side" in row) || !("price" in row)) return null
  return "type" in row ? "activity" : "trades"
}

function newest(
  rows: Readonly<Record<Kind, ReadonlyArray<WireObject>>>,
  points: ReadonlyArray<PricePoint>,
): EpochMs | null {
  const times = [
    ...rows.markets.map((row) => instant(row["updatedAt"])),
    ...[rows.books, rows.trades, rows.activity].flat().map((row) => instant(row["timestamp"])),
    ...rows.records.map((row) => instant(row["last_update_timestamp"])),
    ...points.map(({ at }) => at),
  ]
  return times.reduce<EpochMs | null>(
    (latest, at) => at !== null && (latest === null || at > latest) ? at : latest,
    null,
  )
}

/** How each market ended as of `now`, from all pages, by the same rule as the live adapter. */
export function recordedEnds(
  pages: ReadonlyArray<RecordedPage>,
  now: EpochMs,
): ReadonlyMap<MarketId, Resolution> {
  const records = recordsById(pages.flatMap((page) => page.records.rows))
  const listed = new Map(
    pages.flatMap((page) =>
      page.listed.flatMap((row): ReadonlyArray<[MarketId, ListedResolution]> => {
        const end = decodeListedResolution(row)
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
    const page = payoutsFromPage(ownPages.get(id), end?.tokenIds ?? null) ?? "none"
    const found = resolutionOf(id, records.get(id) ?? null, { listed: end, page }, now)
    if (found !== null) ends.set(id, found)
  }
  return ends
}

/**
 * Null when no page contains a wallet. A recorded leaderboard does not name its category or period,
 * so every request returns the wallets of all recorded leaderboards.
 */
export function recordedWallets(pages: ReadonlyArray<RecordedPage>): WalletSource | null {
  const standings = pages.flatMap((page) => page.standings.rows)
  const rows = withoutOverlap(pages).toSorted((a, b) => b.event.at - a.event.at)
  if (standings.length === 0 && rows.length === 0) return null
  return {
    categories: ["overall"],
    leaderboard: (_, limit) =>
      Effect.succeed({ rows: firstByRank(standings, limit), rejected: {} }),
    activity: (wallet, { from, to }) => {
      const found = rows.filter(({ event }) =>
        event.wallet === wallet.toLowerCase() && event.at >= from && event.at <= to
      )
      const oldest = found.at(-1)?.event.at ?? null
      return Effect.succeed({ rows: found, rejected: {}, oldest, next: null, cut: false })
    },
  }
}

/** Recorded pages may overlap: each transaction comes from the page with most of its rows. */
function withoutOverlap(pages: ReadonlyArray<RecordedPage>): ReadonlyArray<ActivityRow> {
  const fullest = new Map<string, ReadonlyArray<ActivityRow>>()
  for (const { activity } of pages) {
    const ofPage = Map.groupBy(activity.rows, ({ event }) => `${event.wallet} ${event.transaction}`)
    for (const [transaction, rows] of ofPage) {
      if (rows.length > (fullest.get(transaction)?.length ?? 0)) fullest.set(transaction, rows)
    }
  }
  return [...fullest.values()].flat()
}
