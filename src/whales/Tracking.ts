/**
 * Which wallets are tracked: once a day the venue's leaderboards are read, and who is new on them is
 * tracked for good.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer, Result } from "effect"
import { type EpochMs } from "../core/domain/time.ts"
import {
  boardDepth,
  boardsOf,
  type Candidate,
  candidates,
  displayName,
  trackedMax,
  type TrackedWallet,
} from "./domain/tracking.ts"
import type { Board, LeaderboardRow } from "../markets/domain/leaderboard.ts"
import { type Rejections, tally } from "../core/stages.ts"
import { VenueClient, type WalletSource } from "../markets/VenueClient.ts"
import { historyFrom } from "./WalletHistory.ts"
import { WalletStore } from "./WalletStore.ts"

/** Boards, or wallets' names, asked for at once; how often is the adapter's to bound. */
const concurrency = 4
/** How often a board that did not answer is asked in all, and how long it is left alone between. */
const boardTriesMax = 3
const boardRetryDelay = Duration.minutes(10)

/** What one reading of the boards saw and did. */
export interface TrackingReport {
  readonly boards: number
  /** Boards that never answered, such as `volume week sports`. */
  readonly failed: ReadonlyArray<string>
  /** Wallets on the boards that did. */
  readonly found: number
  readonly added: number
  /** Wallets without a name: not tracked, and asked again the next time. */
  readonly unnamed: number
  /** Named wallets for which there is no place left. */
  readonly overBudget: number
  /** Rows of boards that were no standings, by reason. */
  readonly rejected: Rejections
}

export class Tracking extends Context.Service<Tracking, {
  /**
   * Reads the boards once, and those that do not answer a few times more. Never fails for a board or
   * a wallet: what went wrong is in the report.
   */
  readonly update: Effect.Effect<TrackingReport>
}>()("bellwether/whales/Tracking") {
  static readonly layer = Layer.effect(
    Tracking,
    Effect.gen(function* () {
      const { wallets: source } = yield* VenueClient
      const store = yield* WalletStore
      return Tracking.of({
        update: source === null ? Effect.succeed(nothing) : update({ source, store }),
      })
    }),
  )
}

interface Services {
  readonly source: WalletSource
  readonly store: WalletStore["Service"]
}

const nothing: TrackingReport = {
  boards: 0,
  failed: [],
  found: 0,
  added: 0,
  unnamed: 0,
  overBudget: 0,
  rejected: {},
}

const update = Effect.fn("Tracking.update")(function* (services: Services) {
  const boards = boardsOf(services.source.categories)
  const answered: Array<ReadBoard> = []
  const rejected: Record<string, number> = {}
  let left = boards
  let report: TrackingReport = { ...nothing, boards: boards.length }
  for (let count = 1; count <= boardTriesMax && left.length > 0; count++) {
    if (count > 1) yield* Effect.sleep(boardRetryDelay)
    const { read, failed } = yield* readBoards(services, left, rejected)
    answered.push(...read)
    left = failed
    if (left.length > 0 && count < boardTriesMax) {
      const after = Duration.format(boardRetryDelay)
      yield* Effect.logWarning(`${left.length} leaderboards are asked again in ${after}`)
    }
    // What answered is worked off before the rest is waited for.
    if (read.length === 0 && count > 1) continue
    const taken = yield* take(services, candidates(answered))
    report = { ...report, ...taken, added: report.added + taken.added }
  }
  return { ...report, failed: left.map(boardName), rejected } satisfies TrackingReport
})

interface ReadBoard {
  readonly board: Board
  readonly standings: ReadonlyArray<LeaderboardRow>
}

const readBoards = Effect.fnUntraced(function* (
  { source }: Services,
  boards: ReadonlyArray<Board>,
  rejected: Record<string, number>,
) {
  const results = yield* Effect.forEach(
    boards,
    (board) =>
      source.leaderboard(board, boardDepth).pipe(
        Effect.tapError(({ reason }) =>
          Effect.logWarning(`Cannot read the leaderboard ${boardName(board)}`, reason)
        ),
        Effect.result,
      ),
    { concurrency },
  )
  const read: Array<ReadBoard> = []
  const failed: Array<Board> = []
  for (const [n, board] of boards.entries()) {
    const result = results[n]
    if (result === undefined || Result.isFailure(result)) {
      failed.push(board)
      continue
    }
    tally(rejected, result.success.rejected)
    read.push({ board, standings: result.success.rows.slice(0, boardDepth) })
  }
  return { read, failed }
})

/** Tracks the new ones that have a name and a place, and renames those that have taken another. */
const take = Effect.fnUntraced(function* (services: Services, found: ReadonlyArray<Candidate>) {
  const now = yield* Clock.currentTimeMillis
  const tracked = new Map((yield* services.store.tracked).map((known) => [known.wallet, known]))
  const changed = found.flatMap((candidate) => changeOf(candidate, tracked.get(candidate.wallet)))
  const strangers = found.filter(({ wallet }) => !tracked.has(wallet)).slice(0, trackedMax)
  const names = yield* Effect.forEach(
    strangers,
    (candidate) => nameOf(services, candidate, now),
    { concurrency },
  )
  const named = strangers.flatMap(({ wallet, source }, n) => {
    const name = names[n] ?? null
    return name === null ? [] : [{ wallet, source, name }]
  })
  const chosen = named.slice(0, Math.max(0, trackedMax - tracked.size))
  const added = yield* services.store.track([...changed, ...chosen], now)
  return {
    found: found.length,
    added,
    unnamed: strangers.length - named.length,
    overBudget: named.length - chosen.length,
  }
})

/** A tracked wallet that has a new name, or is found on a board of volume for the first time. */
function changeOf({ wallet, userName, source }: Candidate, known: TrackedWallet | undefined) {
  if (known === undefined) return []
  const name = displayName({ wallet, userName, pseudonym: "" }) ?? known.name
  const raised = known.source === "profit" && source === "volume"
  return name === known.name && !raised ? [] : [{ wallet, source, name }]
}

/** The name on the board, else the one beside what the wallet did last; null where there is none. */
const nameOf = Effect.fnUntraced(function* (
  { source }: Services,
  { wallet, userName }: Candidate,
  now: EpochMs,
) {
  const name = displayName({ wallet, userName, pseudonym: "" })
  if (name !== null) return name
  const page = yield* Effect.result(source.activity(wallet, { from: historyFrom, to: now }, null))
  if (Result.isFailure(page)) return null
  return page.success.rows
    .map((row) => displayName({ ...row, wallet }))
    .find((name) => name !== null) ?? null
})

function boardName({ by, period, category }: Board): string {
  return `${by} ${period} ${category}`
}
