/**
 * How markets end: the oracle's record of proposals and payouts. The listing and the exchange's market
 * pages are the fallback where the record has no payout.
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
import {
  inMarketBatches,
  type RequestLimits,
  type Route,
  rowsIn,
  validMarketIds,
} from "./requests.ts"
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

/** Why an oracle record is rejected. */
type RecordRejection = "undecodable" | "missing_id" | "not_binary" | "bad_payouts"

/**
 * One market's record. `unpublished`: the market is resolved, but the record has no payout. Any status
 * except `resolved` is `pending`: a proposal may be disputed, and a dispute may be decided either way.
 */
export type OracleRecord =
  & { readonly marketId: MarketId; readonly changedAt: EpochMs | null }
  & (
    | { readonly state: "paid"; readonly payouts: readonly [number, number] }
    | { readonly state: "unpublished" }
    | { readonly state: "pending"; readonly proposal: Proposal | null }
  )

/** One row. Its prices are what was proposed; only `payouts` is what was paid. */
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

/** The oracle's prices are in units of 1e-18 dollars for a share of the first outcome: 1 or 0. */
const oneDollar = 1e18

/** The value that the oracle writes when nothing was proposed. */
const unset = 69

/** Which outcome a price proposes; `neither` for half each and any other price without a winner. */
type ProposedOutcome = 0 | 1 | "neither" | "unset" | "missing"

function proposedOutcome(price: unknown): ProposedOutcome {
  const value = number(price)
  if (value === null) return "missing"
  return value === oneDollar ? 0 : value === 0 ? 1 : value === unset ? "unset" : "neither"
}

/**
 * Which of the two proposals is current in each state, and whether it was challenged. In states that
 * allow a second proposal, the first is current only when the second is explicitly unset.
 */
const proposalRules: {
  readonly [state: string]: {
    readonly current: (first: ProposedOutcome, second: ProposedOutcome) => ProposedOutcome
    readonly disputed: boolean
  }
} = {
  proposed: { current: (first) => first, disputed: false },
  challenged: {
    current: (first, second) => second === "unset" || second === "missing" ? first : second,
    disputed: true,
  },
  reproposed: { current: (_, second) => second, disputed: true },
  disputed: { current: (first, second) => second === "unset" ? first : second, disputed: true },
  arbitration: { current: (first, second) => second === "unset" ? first : second, disputed: true },
}

/**
 * The currently proposed outcome; `proposedAt` is the record's last change. Null when there is no
 * proposal, or its outcome or time is unknown. A challenged proposal is disputed until the end.
 */
function proposalIn(
  row: WireObject,
  marketId: MarketId,
  changedAt: EpochMs | null,
): Proposal | null {
  const status = text(row["status"]).toLowerCase()
  const rule = Object.hasOwn(proposalRules, status) ? proposalRules[status] : undefined
  const outcome = rule?.current(
    proposedOutcome(row["proposed_price"]),
    proposedOutcome(row["reproposed_price"]),
  )
  if (rule === undefined || changedAt === null || typeof outcome !== "number") return null
  const disputed = rule.disputed || flag(row["was_disputed"]) === true ||
    flag(row["extended_review"]) === true
  const settlesAt = instant(row["expected_settlement_time"])
  return { marketId, outcome, proposedAt: changedAt, settlesAt, disputed }
}

/** One record for each market. Of several it takes the one in the most final state, then the newest. */
export function recordsById(
  records: ReadonlyArray<OracleRecord>,
): ReadonlyMap<MarketId, OracleRecord> {
  const finality = { paid: 2, unpublished: 1, pending: 0 } as const
  const inOrder = records.toSorted((a, b) =>
    finality[a.state] - finality[b.state] || (a.changedAt ?? 0) - (b.changedAt ?? 0)
  )
  return new Map(inOrder.map((record) => [record.marketId, record]))
}

/** How long after the oracle's resolution a payout may still be published. */
export const payoutDelayMsMax = day

/** What the listing and the market page report, for a market without a payout at the oracle. */
export interface FallbackPayouts {
  /** By the listing; null when the listing does not report the market as finally closed. */
  readonly listed: Pick<ListedResolution, "payouts" | "even" | "closedAt"> | null
  /**
   * By the exchange's market page. `none`: the page has no payout, or does not exist. `unread`: it was
   * not requested, the request failed, or the page cannot be read.
   */
  readonly page: readonly [number, number] | "none" | "unread"
}

/**
 * How a market ended: by the oracle's payouts, else by the listing's prices, else by the winner on the
 * exchange's market page. A market is cancelled when the oracle resolved it a day ago or more, the
 * listing reports it closed, its page was read (or does not exist), and none of them has a payout. A
 * missing winner alone is not enough: pages of old markets have none although one outcome won. Null
 * when the market has not ended or its result is unknown.
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
    return { marketId, resolvedAt, state: "paid", payouts: record.payouts }
  }
  if (listed !== null && listed.payouts !== null) {
    return { marketId, resolvedAt, state: "paid", payouts: listed.payouts }
  }
  if (page !== "none" && page !== "unread") {
    return { marketId, resolvedAt, state: "paid", payouts: page }
  }
  if (record !== null && listed?.even === true) {
    return { marketId, resolvedAt, state: "paid", payouts: [0.5, 0.5] }
  }
  const isFinal = record !== null && record.changedAt !== null &&
    record.changedAt <= now - payoutDelayMsMax
  return isFinal && listed !== null && page === "none"
    ? { marketId, resolvedAt, state: "cancelled" }
    : null
}

interface Routes {
  readonly oracle: Route
  readonly listing: Route
  readonly page: Route
}

/**
 * Requests the oracle's records of all markets, then the listing of those without a payout, then the
 * pages of those that the listing reports closed without a payout. A listing or page request that
 * fails skips only its own markets; they are counted as `unavailable`, and those beyond the limits as
 * `postponed`.
 */
export function resolutions(routes: Routes, limits: RequestLimits) {
  return Effect.fn("polymarket.resolutions")(function* (marketIds: ReadonlyArray<MarketId>) {
    const requested = validMarketIds(marketIds)
    const found = yield* records(routes.oracle, "resolutions", requested, limits)
    const record = recordsById(found.rows)
    const unpublished = requested.filter((id) =>
      (record.get(id)?.state ?? "unpublished") === "unpublished"
    )
    const listed = unpublished.slice(0, limits.listedResolutionsMax)
    const ends = yield* listedResolutions(routes.listing, listed, limits)
    const end = new Map(ends.rows.map((row) => [row.marketId, row]))
    const closed = [...end.values()].filter(({ payouts }) => payouts === null)
    const paged = closed.slice(0, limits.resolutionPagesMax)
    const payouts = yield* Effect.forEach(paged, (row) => payoutsByPage(routes.page, row), {
      concurrency: limits.marketBatchesAtOnce,
    })
    const now = yield* Clock.currentTimeMillis
    const byPage = new Map(paged.map(({ marketId }, n) => [marketId, payouts[n] ?? "unread"]))
    const rows = requested.flatMap((id): ReadonlyArray<Resolution> => {
      const fallback = { listed: end.get(id) ?? null, page: byPage.get(id) ?? "unread" }
      const resolution = resolutionOf(id, record.get(id) ?? null, fallback, now)
      return resolution === null ? [] : [resolution]
    })
    const unavailable = payouts.filter((found) => found === "unread").length
    const postponed = unpublished.length - listed.length + closed.length - paged.length
    return merge<Resolution>([
      { rows, rejected: found.rejected },
      { rows: [], rejected: ends.rejected },
      { rows: [], rejected: nonZero({ unavailable, postponed }) },
    ])
  })
}

function records(
  oracle: Route,
  operation: string,
  marketIds: ReadonlyArray<MarketId>,
  limits: RequestLimits,
) {
  return inMarketBatches(operation, marketIds, limits.resolutionBatch, limits, (batch) => {
    const requested = new Set(batch)
    // One value: a repeated key is refused with 400 "duplicate field".
    const request = HttpClientRequest.get(`${oracle.url}/resolutions`, {
      urlParams: { condition: batch.join(",") },
    })
    const decode = (row: unknown): Result.Result<OracleRecord, string> =>
      Result.filterOrFail(
        decodeRecord(row),
        ({ marketId }) => requested.has(marketId),
        () => "not_requested",
      )
    return Effect.map(
      oracle.send(operation, request, rowsIn("data")),
      ({ rows }) => decodeRows(rows, decode),
    )
  })
}

/** Reads closed markets only: an open market has no result. */
function listedResolutions(
  listing: Route,
  marketIds: ReadonlyArray<MarketId>,
  limits: RequestLimits,
) {
  return inMarketBatches<ListedResolution>(
    "listed resolutions",
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
      Effect.succeed({ rows: [], rejected: nonZero({ unavailable: marketIds.length }) })
    ),
  )
}

function payoutsByPage(page: Route, { marketId, tokenIds }: ListedResolution) {
  const request = HttpClientRequest.get(`${page.url}/markets/${marketId}`)
  return page.send("resolutions", request, object).pipe(
    Effect.map((body) => payoutsFromPage(body, tokenIds)),
    Effect.catch(({ reason }) =>
      Effect.succeed(reason === "status 404" ? "none" as const : "unread" as const)
    ),
  )
}

/** The counts above 0. */
function nonZero(counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
}

/** From the oracle only: the listing reports that an outcome is proposed, but not which. */
export function proposals(oracle: Route, limits: RequestLimits) {
  return Effect.fn("polymarket.proposals")(function* (marketIds: ReadonlyArray<MarketId>) {
    const found = yield* records(oracle, "proposals", validMarketIds(marketIds), limits)
    return { rows: proposalsIn(found.rows), rejected: found.rejected }
  })
}

/** The current proposals in these records; a market that has ended has none. */
export function proposalsIn(records: ReadonlyArray<OracleRecord>): ReadonlyArray<Proposal> {
  return [...recordsById(records).values()].flatMap((record) =>
    record.state === "pending" && record.proposal !== null ? [record.proposal] : []
  )
}
