/**
 * The oracle's record of a market: which outcome stands proposed, whether it ended, and what each
 * outcome's share was paid.
 *
 * @module
 */
import { Result } from "effect"
import type { Proposal } from "../../markets/domain/proposal.ts"
import { MarketId } from "../../markets/domain/market.ts"
import type { Resolution } from "../../markets/domain/resolution.ts"
import { day, type EpochMs } from "../../core/domain/time.ts"
import { conditionId, flag, instant, list, number, object, text, type WireObject } from "./wire.ts"

/** Why a row of the record cannot be used. */
type RecordRejection = "undecodable" | "missing_id" | "not_binary" | "bad_payouts"

/**
 * One market's record. `untold`: ended for good, and the record does not say what was paid. Every
 * state but `resolved` is `pending`: a proposal may be disputed, and a dispute decided either way.
 */
export type OracleRecord =
  & { readonly marketId: MarketId; readonly changedAt: EpochMs | null }
  & (
    | { readonly state: "paid"; readonly payouts: readonly [number, number] }
    | { readonly state: "untold" }
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

/** Prices at the oracle are in units of 1e-18: a dollar for a share of the first outcome, or nothing. */
const oneDollar = 1e18

/** What the oracle writes where nothing was proposed. */
const unset = 69

/** Which outcome a price proposes; `neither` for a half each and all else that names no winner. */
type Named = 0 | 1 | "neither" | "unset" | "untold"

function namedBy(price: unknown): Named {
  const value = number(price)
  if (value === null) return "untold"
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
    of: (first, second) => second === "unset" || second === "untold" ? first : second,
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
