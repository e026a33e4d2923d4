/**
 * How markets end: the oracle's record of what is proposed and what was paid, completed by the
 * listing and by the exchange's pages where the record does not tell.
 *
 * @module
 */
import { Clock, Effect, Result } from "effect"
import { HttpClientRequest } from "effect/http"
import { day, type EpochMs } from "../../core/domain/time.ts"
import { MarketId } from "../../markets/domain/market.ts"
import type { Resolution } from "../../markets/domain/resolution.ts"
import type { Proposal } from "../../markets/domain/proposal.ts"
import { payoutsFromPage } from "./clob.ts"
import { decodeListedResolution, type ListedResolution, listingRows } from "./gamma.ts"
import { askable, byMarkets, type Limits, type Route, rowsIn } from "./requests.ts"
import {
  conditionId,
  decodeRows,
  flag,
  instant,
  list,
  merge,
  number,
  object,
  text,
  type WireObject,
} from "./wire.ts"

/** Why a row of the record cannot be used. */
type RecordRejection = "undecodable" | "missing_id" | "not_binary" | "bad_payouts"

/**
 * One market's record. `unpublished`: ended for good, and the record does not say what was paid. Every
 * state but `resolved` is `pending`: a proposal may be disputed, and a dispute decided either way.
 */
export type OracleRecord =
  & { readonly marketId: MarketId; readonly changedAt: EpochMs | null }
  & (
    | { readonly state: "paid"; readonly payouts: readonly [number, number] }
    | { readonly state: "unpublished" }
    | { readonly state: "pending"; readonly proposal: Proposal | null }
  )

/** One row. Its prices are what was proposed, and never what was paid: that only the payouts are. */
export function decodeRecord(value: unknown): Result.Result<OracleRecord, RecordRejection> {
  const row = object(value)
  if (row === null) return Result.fail("undecodable")
  const id = conditionId(row["condition_id"])
  if (id === null) return Result.fail("missing_id")
  const marketId = MarketId.make(id)
  const changedAt = instant(row["resolved_at"]) ?? instant(row["last_update_timestamp"])
  if (text(row["status"]).toLowerCase() !== "resolved") {
    const proposal = proposalIn(row, marketId, changedAt)
    return Result.succeed({ marketId, changedAt, state: "pending", proposal })
  }
  const payouts = list(row["payouts"]).map(number)
  if (payouts.every((payout) => payout === 0)) {
    return Result.succeed({ marketId, changedAt, state: "unpublished" })
  }
  if (payouts.length !== 2) return Result.fail("not_binary")
  const [first = null, second = null] = payouts
  if (first === null || second === null || first < 0 || second < 0) {
    return Result.fail("bad_payouts")
  }
  const both = first + second
  return Result.succeed({
    marketId,
    changedAt,
    state: "paid",
    payouts: [first / both, second / both],
  })
}

/** Prices at the oracle are in units of 1e-18: a dollar for a share of the first outcome, or nothing. */
const oneDollar = 1e18

/** What the oracle writes where nothing was proposed. */
const unset = 69

/** Which outcome a price proposes; `neither` for a half each and all else that names no winner. */
type Named = 0 | 1 | "neither" | "unset" | "missing"

function namedBy(price: unknown): Named {
  const value = number(price)
  if (value === null) return "missing"
  return value === oneDollar ? 0 : value === 0 ? 1 : value === unset ? "unset" : "neither"
}

/**
 * Which proposal is the last word in each state, and whether it has been challenged. Where a second
 * one must have been possible, the first counts only when the record says that there was none.
 */
const lastWords: {
  readonly [state: string]: {
    readonly of: (first: Named, second: Named) => Named
    readonly disputed: boolean
  }
} = {
  proposed: { of: (first) => first, disputed: false },
  challenged: {
    of: (first, second) => second === "unset" || second === "missing" ? first : second,
    disputed: true,
  },
  reproposed: { of: (_, second) => second, disputed: true },
  disputed: { of: (first, second) => second === "unset" ? first : second, disputed: true },
  arbitration: { of: (first, second) => second === "unset" ? first : second, disputed: true },
}

/**
 * The outcome that stands proposed, since the record's last change; null when there is none, when the
 * record does not say which, or since when. Once challenged it counts as disputed until the end.
 */
function proposalIn(
  row: WireObject,
  marketId: MarketId,
  changedAt: EpochMs | null,
): Proposal | null {
  const status = text(row["status"]).toLowerCase()
  const word = Object.hasOwn(lastWords, status) ? lastWords[status] : undefined
  const outcome = word?.of(namedBy(row["proposed_price"]), namedBy(row["reproposed_price"]))
  if (word === undefined || changedAt === null || typeof outcome !== "number") return null
  const disputed = word.disputed || flag(row["was_disputed"]) === true ||
    flag(row["extended_review"]) === true
  const settlesAt = instant(row["expected_settlement_time"])
  return { marketId, outcome, proposedAt: changedAt, settlesAt, disputed }
}

/** The record of each market: of several rows the one that says most, the newest of those. */
export function recordsById(
  records: ReadonlyArray<OracleRecord>,
): ReadonlyMap<MarketId, OracleRecord> {
  const says = { paid: 2, unpublished: 1, pending: 0 } as const
  const inOrder = records.toSorted((a, b) =>
    says[a.state] - says[b.state] || (a.changedAt ?? 0) - (b.changedAt ?? 0)
  )
  return new Map(inOrder.map((record) => [record.marketId, record]))
}

/** For so long after the oracle called a market resolved, what it paid may still be published. */
export const unpublishedAfterMs = day

/** What the venue's other places say of a market's end. */
export interface FallbackPayouts {
  /** By the listing; null when it does not call the market closed for good. */
  readonly listed: {
    readonly payouts: readonly [number, number] | null
    readonly closedAt: EpochMs | null
  } | null
  /** By the order book's market page; `unread` when it was not asked or did not answer. */
  readonly page: readonly [number, number] | "none" | "unread"
}

/**
 * How a market ended: by the oracle's payouts, else by the listing's prices, else by the winner on
 * the order book's page. It is cancelled when the oracle called it resolved a day ago, the listing
 * calls it closed, its page was read (or there is none), and nowhere is a payout published. Without the
 * oracle's word nothing is: pages of old markets name no winner although somebody won. Null when
 * it has not ended, or nobody can say how.
 */
export function resolutionOf(
  marketId: MarketId,
  record: OracleRecord | null,
  { listed, page }: FallbackPayouts,
  now: EpochMs,
): Resolution | null {
  if (record?.state === "pending") return null
  const resolvedAt = record?.changedAt ?? listed?.closedAt ?? null
  if (record?.state === "paid") {
    return { marketId, resolvedAt, source: "oracle", state: "paid", payouts: record.payouts }
  }
  if (listed !== null && listed.payouts !== null) {
    return { marketId, resolvedAt, source: "listing", state: "paid", payouts: listed.payouts }
  }
  if (page !== "none" && page !== "unread") {
    return { marketId, resolvedAt, source: "book", state: "paid", payouts: page }
  }
  const forGood = record !== null && record.changedAt !== null &&
    record.changedAt <= now - unpublishedAfterMs
  return forGood && listed !== null && page === "none"
    ? { marketId, resolvedAt, source: "oracle", state: "cancelled" }
    : null
}

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
    const found = yield* records(routes.oracle, "resolutions", asked, limits)
    const record = recordsById(found.rows)
    const unpublished = asked.filter((id) =>
      (record.get(id)?.state ?? "unpublished") === "unpublished"
    )
    const listed = unpublished.slice(0, limits.listedResolutionsMax)
    const ends = yield* listedEnds(routes.listing, listed, limits)
    const end = new Map(ends.rows.map((row) => [row.marketId, row]))
    const closed = [...end.values()].filter(({ payouts }) => payouts === null)
    const paged = closed.slice(0, limits.resolutionPagesMax)
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
    const postponed = unpublished.length - listed.length + closed.length - paged.length
    return merge<Resolution>([
      { rows, rejected: found.rejected },
      { rows: [], rejected: ends.rejected },
      { rows: [], rejected: counted({ unavailable, postponed }) },
    ])
  })
}

/** The oracle's records of these markets, as far as it has any. */
function records(
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
  return byMarkets<ListedResolution>(
    marketIds,
    limits.factsBatch,
    limits,
    (batch) =>
      Effect.map(listingRows(listing, "resolutions", batch, true), ({ rows }) => ({
        rows: rows.flatMap((row) => decodeListedResolution(row) ?? []),
        rejected: {},
      })),
  ).pipe(
    Effect.catch(() =>
      Effect.succeed({ rows: [], rejected: counted({ unavailable: marketIds.length }) })
    ),
  )
}

function pageWord(page: Route, { marketId, tokenIds }: ListedResolution) {
  const request = HttpClientRequest.get(`${page.url}/markets/${marketId}`)
  return page.ask("resolutions", request, object).pipe(
    Effect.map((body) => payoutsFromPage(body, tokenIds) ?? "none" as const),
    Effect.catch(({ reason }) =>
      Effect.succeed(reason === "status 404" ? "none" as const : "unread" as const)
    ),
  )
}

function counted(counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
}

/** By the oracle alone: the listing says that an outcome stands proposed, and not which. */
export function proposals(oracle: Route, limits: Limits) {
  return Effect.fn("polymarket.proposals")(function* (marketIds: ReadonlyArray<MarketId>) {
    const found = yield* records(oracle, "proposals", askable(marketIds), limits)
    return { rows: proposalsIn(found.rows), rejected: found.rejected }
  })
}

/** What stands proposed by these records; a market that has ended has nothing proposed any more. */
export function proposalsIn(records: ReadonlyArray<OracleRecord>): ReadonlyArray<Proposal> {
  return [...recordsById(records).values()].flatMap((record) =>
    record.state === "pending" && record.proposal !== null ? [record.proposal] : []
  )
}
