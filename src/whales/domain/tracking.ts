/**
 * Which wallets are tracked, why, and how much of their history is known.
 *
 * @module
 */
import type { EpochMs } from "../../core/domain/time.ts"
import type { Board, BoardPeriod, LeaderboardRow } from "../../markets/domain/leaderboard.ts"

/**
 * The kind of leaderboard a wallet was found on. A volume board has no outcome in it, so the whole
 * history of its wallets counts. A wallet of a profit board was chosen because it won: only what it
 * opens after it was chosen can prove anything.
 */
export type TrackingSource = Board["by"]

/**
 * How much of a wallet's past has been read. `truncated`: its venue gives no more of it, or there is
 * more of it than is kept, so nothing can be said of the wallet.
 */
export type HistoryState = "reading" | "whole" | "truncated"

export interface TrackedWallet {
  /** Lower case. */
  readonly wallet: string
  /** What it is shown as; never empty. */
  readonly name: string
  readonly source: TrackingSource
  readonly trackedAt: EpochMs
  readonly history: HistoryState
  /** Every act in `[readFrom, readTo]` has been read; null before the first page. */
  readonly readFrom: EpochMs | null
  readonly readTo: EpochMs | null
  /** Acts that are known of it. */
  readonly activityCount: number
  /** Distinct markets it acted in, and those of them in which it bought both outcomes. */
  readonly markets: number
  readonly bothSides: number
}

/** Wallets tracked at most: what a tick can read the news of. A full table takes no new ones. */
export const trackedMax = 1_000
/** Wallets read of each board. */
export const boardDepth = 15
/** A longer name is cut; in code points, so that no letter is cut in two. */
export const nameLengthMax = 40

/** The periods whose boards are read, the steadiest first. A day's winners are mostly luck. */
const periodsRead: ReadonlyArray<BoardPeriod> = ["all", "month", "week"]

/** The boards that are read, those without an outcome in them first. */
export function boardsOf(categories: ReadonlyArray<string>): ReadonlyArray<Board> {
  return (["volume", "profit"] as const).flatMap((by) =>
    periodsRead.flatMap((period) => categories.map((category) => ({ period, category, by })))
  )
}

/** A wallet as all boards together show it. */
export interface Candidate {
  readonly wallet: string
  readonly userName: string
  readonly source: TrackingSource
}

/**
 * Every wallet of the boards once, by rank, those found on a board of volume first: they have the
 * better claim to a place that is not there for all.
 */
export function candidates(
  boards: ReadonlyArray<
    { readonly board: Board; readonly standings: ReadonlyArray<LeaderboardRow> }
  >,
): ReadonlyArray<Candidate> {
  const found = new Map<string, Candidate>()
  const places = boards.flatMap(({ board, standings }) =>
    standings.map((standing) => ({ ...standing, by: board.by }))
  )
  for (const { wallet, userName, by } of places.sort(byClaim)) {
    const before = found.get(wallet)
    const name = before === undefined || nameOf(before.userName) === null
      ? userName
      : before.userName
    found.set(wallet, { wallet, userName: name, source: before?.source ?? by })
  }
  return [...found.values()]
}

function byClaim(
  a: { readonly by: TrackingSource; readonly rank: number },
  b: { readonly by: TrackingSource; readonly rank: number },
): number {
  return Number(a.by === "profit") - Number(b.by === "profit") || a.rank - b.rank
}

/**
 * What a wallet is shown as: its owner's name; else the venue's words for it, with its address, as
 * they are not its alone; null where it has neither. Both are strangers' text.
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

/** An address as people tell it from others: `0x1234…abcd`. */
export function shortAddress(wallet: string): string {
  return wallet.length <= 12 ? wallet : `${wallet.slice(0, 6)}…${wallet.slice(-4)}`
}

/** An address, short or whole, or one with the instant behind it that the venue makes up. */
const addressLike = /^0x[0-9a-f.…]*(-\d+)?$/i
/** What shows as something. */
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u
/** What shows as nothing, or turns the text around it. */
const invisible = /[\p{C}\p{Zl}\p{Zp}]/gu

/** A stranger's text as a name in one line; null when it names nobody. */
function nameOf(text: string): string | null {
  const line = text.replace(invisible, "").replace(/\s+/g, " ").trim()
  if (!visible.test(line) || addressLike.test(line)) return null
  return [...line].slice(0, nameLengthMax).join("").trim()
}
