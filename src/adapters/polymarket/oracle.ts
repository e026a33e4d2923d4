/**
 * The oracle's record of a market: whether it ended, and what each outcome's share was paid.
 *
 * @module
 */
import { Result } from "effect"
import { MarketId } from "../../domain/market.ts"
import type { Resolution } from "../../domain/resolution.ts"
import { day, type EpochMs } from "../../domain/time.ts"
import { conditionId, instant, list, number, object, text } from "./wire.ts"

/** Why a row of the record cannot be used. */
export type RecordRejection = "undecodable" | "missing_id" | "not_binary" | "bad_payouts"

/**
 * One market's record. `untold`: ended for good, and the record does not say what was paid. Every
 * state but `resolved` is `pending`: a proposal may be disputed, and a dispute decided either way.
 */
export type OracleRecord =
  & { readonly marketId: MarketId; readonly changedAt: EpochMs | null }
  & (
    | { readonly state: "paid"; readonly payouts: readonly [number, number] }
    | { readonly state: "untold" }
    | { readonly state: "pending" }
  )

/**
 * One row. Its prices are left alone: they are what was proposed (69 where nothing was), and only
 * the payouts are what was paid.
 */
export function decodeRecord(value: unknown): Result.Result<OracleRecord, RecordRejection> {
  const row = object(value)
  if (row === null) return Result.fail("undecodable")
  const id = conditionId(row["condition_id"])
  if (id === null) return Result.fail("missing_id")
  const marketId = MarketId.make(id)
  const changedAt = instant(row["resolved_at"]) ?? instant(row["last_update_timestamp"])
  if (text(row["status"]).toLowerCase() !== "resolved") {
    return Result.succeed({ marketId, changedAt, state: "pending" })
  }
  const payouts = list(row["payouts"]).map(number)
  if (payouts.every((payout) => payout === 0)) {
    return Result.succeed({ marketId, changedAt, state: "untold" })
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

/** The record of each market: of several rows the one that says most, the newest of those. */
export function recordsById(
  records: ReadonlyArray<OracleRecord>,
): ReadonlyMap<MarketId, OracleRecord> {
  const says = { paid: 2, untold: 1, pending: 0 } as const
  const inOrder = records.toSorted((a, b) =>
    says[a.state] - says[b.state] || (a.changedAt ?? 0) - (b.changedAt ?? 0)
  )
  return new Map(inOrder.map((record) => [record.marketId, record]))
}

/** For so long after the oracle called a market resolved, what it paid may still come to be told. */
export const untoldAfterMs = day

/** What the venue's other places say of a market's end. */
export interface OtherWords {
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
 * calls it closed, its page was read (or there is none), and nowhere is a payout told. Without the
 * oracle's word nothing is: pages of old markets name no winner although somebody won. Null when
 * it has not ended, or nobody can say how.
 */
export function resolutionOf(
  marketId: MarketId,
  record: OracleRecord | null,
  { listed, page }: OtherWords,
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
    record.changedAt <= now - untoldAfterMs
  return forGood && listed !== null && page === "none"
    ? { marketId, resolvedAt, source: "oracle", state: "cancelled" }
    : null
}
