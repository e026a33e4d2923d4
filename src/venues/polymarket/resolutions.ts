/**
 * How markets ended: the oracle is asked first, then the listing, then the order book's pages.
 *
 * @module
 */
import { Clock, Effect, Result } from "effect"
import { HttpClientRequest } from "effect/http"
import type { MarketId } from "../../markets/domain/market.ts"
import type { Resolution } from "../../markets/domain/resolution.ts"
import { paidByPage } from "./clob.ts"
import { decodeRows, merge } from "./decoded.ts"
import { type ListedEnd, listedEnd } from "./gamma.ts"
import type { Limits } from "./limits.ts"
import { askable, byMarkets, listingRows, type Route, rowsIn } from "./lookup.ts"
import { decodeRecord, type OracleRecord, recordsById, resolutionOf } from "./oracle.ts"
import { object } from "./wire.ts"

interface Routes {
  readonly oracle: Route
  readonly listing: Route
  readonly page: Route
}

/**
 * The oracle is asked about all markets, the listing about those it does not tell of, pages about
 * those that the listing calls closed and tells no payout of. An answer that stays away after the
 * oracle's costs only the markets it is about; it is counted, like those beyond the limits.
 */
export function resolutions(routes: Routes, limits: Limits) {
  return Effect.fn("polymarket.resolutions")(function* (marketIds: ReadonlyArray<MarketId>) {
    const asked = askable(marketIds)
    const told = yield* records(routes.oracle, "resolutions", asked, limits)
    const record = recordsById(told.rows)
    const untold = asked.filter((id) => (record.get(id)?.state ?? "untold") === "untold")
    const listed = untold.slice(0, limits.listedEndsMax)
    const ends = yield* listedEnds(routes.listing, listed, limits)
    const end = new Map(ends.rows.map((row) => [row.marketId, row]))
    const closed = [...end.values()].filter(({ payouts }) => payouts === null)
    const paged = closed.slice(0, limits.endPagesMax)
    const words = yield* Effect.forEach(paged, (row) => pageWord(routes.page, row), {
      concurrency: limits.marketBatchesAtOnce,
    })
    const now = yield* Clock.currentTimeMillis
    const word = new Map(paged.map(({ marketId }, at) => [marketId, words[at] ?? "unread"]))
    const rows = asked.flatMap((id): ReadonlyArray<Resolution> => {
      const others = { listed: end.get(id) ?? null, page: word.get(id) ?? "unread" }
      const resolution = resolutionOf(id, record.get(id) ?? null, others, now)
      return resolution === null ? [] : [resolution]
    })
    const unavailable = words.filter((found) => found === "unread").length
    const postponed = untold.length - listed.length + closed.length - paged.length
    return merge<Resolution>([
      { rows, rejected: told.rejected },
      { rows: [], rejected: ends.rejected },
      { rows: [], rejected: counted({ unavailable, postponed }) },
    ])
  })
}

/** The oracle's records of these markets, as far as it has any. */
export function records(
  oracle: Route,
  operation: string,
  marketIds: ReadonlyArray<MarketId>,
  limits: Limits,
) {
  return byMarkets(marketIds, limits.resolutionBatch, limits, (batch) => {
    const asked = new Set(batch)
    const request = HttpClientRequest.get(`${oracle.url}/resolutions`, {
      urlParams: { condition: batch },
    })
    const decode = (row: unknown): Result.Result<OracleRecord, string> =>
      Result.filterOrFail(decodeRecord(row), ({ marketId }) => asked.has(marketId), () => "unasked")
    return Effect.map(
      oracle.ask(operation, request, rowsIn("data")),
      ({ rows }) => decodeRows(rows, decode),
    )
  })
}

/** Of closed markets only; rows of others say nothing about an end. */
function listedEnds(listing: Route, marketIds: ReadonlyArray<MarketId>, limits: Limits) {
  return byMarkets<ListedEnd>(
    marketIds,
    limits.factsBatch,
    limits,
    (batch) =>
      Effect.map(listingRows(listing, "resolutions", batch, true), ({ rows }) => ({
        rows: rows.flatMap((row) => listedEnd(row) ?? []),
        rejected: {},
      })),
  ).pipe(
    Effect.catch(() =>
      Effect.succeed({ rows: [], rejected: counted({ unavailable: marketIds.length }) })
    ),
  )
}

function pageWord(page: Route, { marketId, tokenIds }: ListedEnd) {
  const request = HttpClientRequest.get(`${page.url}/markets/${marketId}`)
  return page.ask("resolutions", request, object).pipe(
    Effect.map((body) => paidByPage(body, tokenIds) ?? "none" as const),
    Effect.catch(({ reason }) =>
      Effect.succeed(reason === "status 404" ? "none" as const : "unread" as const)
    ),
  )
}

function counted(counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
}
