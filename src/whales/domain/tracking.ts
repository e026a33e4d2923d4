/**
 * Which wallets are tracked, and how much of their history is read.
 *
 * @module
 */
import type { EpochMs } from "../../core/domain/time.ts"
import type { Board, BoardPeriod, LeaderboardRow } from "../../markets/domain/leaderboard.ts"

/**
 * The kind of leaderboard a wallet was found on. A volume board does not depend on outcomes, so the
 * whole history of its wallets counts. A wallet of a profit board was selected because it won, so only
 * entries opened after the selection count.
 */
export type TrackingSource = Board["by"]

/**
 * How much of a wallet's history has been read. `truncated`: the venue returns no more of it, or it is
 * larger than the limit, so the wallet is not judged.
 */
export type HistoryState = "reading" | "whole" | "truncated"

export interface TrackedWallet {
  /** Lower case. */
  readonly wallet: string
  /** The published name; never empty. */
  readonly name: string
  readonly source: TrackingSource
  readonly trackedAt: EpochMs
  readonly history: HistoryState
  /** Every activity event in `[readFrom, readTo]` has been read; null before the first page. */
  readonly readFrom: EpochMs | null
  readonly readTo: EpochMs | null
  /** Stored activity events. */
  readonly activityCount: number
  /** Distinct markets with activity, and those of them in which it bought both outcomes. */
  readonly markets: number
  readonly bothSides: number
  /** Those that it farmed. */
  readonly farmed: number
}

/** Tracked wallets, as many as one tick can read. No wallet is added beyond this limit. */
export const trackedMax = 1_000
/** Wallets read from each board. */
export const boardDepth = 15
/** In code points, so that no character is cut in two; a longer name is cut. */
export const nameLengthMax = 40

/** The periods whose boards are read, longest first. The winners of a day are mostly luck. */
const periodsRead: ReadonlyArray<BoardPeriod> = ["all", "month", "week"]

/** The boards that are read, volume boards first. */
export function boardsOf(categories: ReadonlyArray<string>): ReadonlyArray<Board> {
  return (["volume", "profit"] as const).flatMap((by) =>
    periodsRead.flatMap((period) => categories.map((category) => ({ period, category, by })))
  )
}

/** A wallet found on at least one board. */
export interface BoardWallet {
  readonly wallet: string
  readonly userName: string
  readonly source: TrackingSource
}

/**
 * Every wallet of the boards once, in the order in which they are tracked: wallets of volume boards
 * first, then by rank.
 */
export function boardWallets(
  boards: ReadonlyArray<{ readonly board: Board; readonly rows: ReadonlyArray<LeaderboardRow> }>,
): ReadonlyArray<BoardWallet> {
  const found = new Map<string, BoardWallet>()
  const ranked = boards.flatMap(({ board, rows }) => rows.map((row) => ({ ...row, by: board.by })))
  for (const { wallet, userName, by } of ranked.sort(byPriority)) {
    const before = found.get(wallet)
    const name = before === undefined || nameOf(before.userName) === null
      ? userName
      : before.userName
    found.set(wallet, { wallet, userName: name, source: before?.source ?? by })
  }
  return [...found.values()]
}

function byPriority(
  a: { readonly by: TrackingSource; readonly rank: number },
  b: { readonly by: TrackingSource; readonly rank: number },
): number {
  return Number(a.by === "profit") - Number(b.by === "profit") || a.rank - b.rank
}

/**
 * The published name of a wallet: the owner's name, else the venue's pseudonym with the address, because
 * pseudonyms are not unique; null without either. Both are untrusted text.
 */
export function displayName(
  { wallet, userName, pseudonym }: {
    readonly wallet: string
    readonly userName: string
    readonly pseudonym: string
  },
): string | null {
  const words = nameOf(pseudonym)
  return nameOf(userName) ?? (words === null ? null : `${words} (${shortAddress(wallet)})`)
}

/** An abbreviated address: `0x1234…abcd`. */
export function shortAddress(wallet: string): string {
  return wallet.length <= 12 ? wallet : `${wallet.slice(0, 6)}…${wallet.slice(-4)}`
}

/** An address, abbreviated or not, or one followed by a timestamp, which the venue generates. */
const addressLike = /^0x[0-9a-f.…]*(-\d+)?$/i
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u
/** Control characters, among them those that change the text direction. */
const invisible = /[\p{C}\p{Zl}\p{Zp}]/gu

/** Untrusted text as a name of one line; null when it contains no name. */
function nameOf(text: string): string | null {
  const line = text.replace(invisible, "").replace(/\s+/g, " ").trim()
  if (!visible.test(line) || addressLike.test(line)) return null
  return [...line].slice(0, nameLengthMax).join("").trim()
}
