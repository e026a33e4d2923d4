/**
 * Selects the tracked wallets: reads the venue's leaderboards once a day, and tracks new wallets for
 * ever.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer, Result } from "effect"
import { type EpochMs } from "../core/domain/time.ts"
import { isFarm } from "./domain/entry.ts"
import {
  boardDepth,
  boardsOf,
  type BoardWallet,
  boardWallets,
  displayName,
  trackedMax,
  type TrackedWallet,
} from "./domain/tracking.ts"
import type { Board } from "../markets/domain/leaderboard.ts"
import { type Rejections, tally } from "../core/stages.ts"
import { VenueClient, type WalletSource } from "../markets/VenueClient.ts"
import { historyFrom } from "./WalletHistory.ts"
import { WalletStore } from "./WalletStore.ts"

/** Boards, or names of wallets, requested concurrently; the venue adapter limits the request rate. */
const concurrency = 4
/** Attempts to read a board, the first included. */
const boardTriesMax = 3
const boardRetryDelay = Duration.minutes(10)

const noRejections: Rejections = {}

/** The result of an update without a board. */
const nothing = {
  boards: 0,
  /** Boards that could not be read, such as `volume week sports`. */
  failed: Array.of<string>(),
  /** Wallets on the other boards. */
  found: 0,
  added: 0,
  /** Wallets without a name: not tracked, and tried again at the next update. */
  unnamed: 0,
  /** Named wallets left out because of `trackedMax`. */
  overBudget: 0,
  /** Invalid rows of boards, by reason. */
  rejected: noRejections,
}
type TrackingReport = Readonly<typeof nothing>

export class Tracking extends Context.Service<Tracking, {
  /**
   * Reads the boards, with a few retries for those that fail. Never fails because of a board or a
   * wallet: the report contains the failures.
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

const update = Effect.fn("Tracking.update")(function* (services: Services) {
  const boards = boardsOf(services.source.categories)
  const allRead: Array<Parameters<typeof boardWallets>[0][number]> = []
  const rejected: Record<string, number> = {}
  let remaining: ReadonlyArray<Board> = boards
  let report: TrackingReport = { ...nothing, boards: boards.length }
  for (let attempt = 1; attempt <= boardTriesMax && remaining.length > 0; attempt++) {
    if (attempt > 1) yield* Effect.sleep(boardRetryDelay)
    const [read, failed] = yield* readBoards(services, remaining, rejected)
    allRead.push(...read)
    remaining = failed
    if (remaining.length > 0 && attempt < boardTriesMax) {
      const delay = Duration.format(boardRetryDelay)
      yield* Effect.logWarning(`Retrying ${remaining.length} leaderboards in ${delay}`)
    }
    // The wallets found so far are tracked before the next attempt.
    if (read.length === 0 && attempt > 1) continue
    const tracked = yield* trackFound(services, boardWallets(allRead))
    report = { ...report, ...tracked, added: report.added + tracked.added }
  }
  return { ...report, failed: remaining.map(boardName), rejected } satisfies TrackingReport
})

const readBoards = (
  { source }: Services,
  boards: ReadonlyArray<Board>,
  rejected: Record<string, number>,
) =>
  Effect.partition(boards, (board) =>
    source.leaderboard(board, boardDepth).pipe(
      Effect.tapError(({ reason }) =>
        Effect.logWarning(`Cannot read the leaderboard ${boardName(board)}`, reason)
      ),
      Effect.mapError(() => board),
      Effect.map((page) => {
        tally(rejected, page.rejected)
        return { board, rows: page.rows.slice(0, boardDepth) }
      }),
    ), { concurrency })

/** Tracks new wallets that have a name, up to `trackedMax`, and updates wallets that changed. */
const trackFound = Effect.fnUntraced(function* (
  services: Services,
  found: ReadonlyArray<BoardWallet>,
) {
  const now = yield* Clock.currentTimeMillis
  const tracked = new Map((yield* services.store.tracked).map((known) => [known.wallet, known]))
  const changed = found.flatMap((wallet) => changeOf(wallet, tracked.get(wallet.wallet)))
  const untracked = found.filter(({ wallet }) => !tracked.has(wallet)).slice(0, trackedMax)
  const names = yield* Effect.forEach(
    untracked,
    (wallet) => nameOf(services, wallet, now),
    { concurrency },
  )
  const named = untracked.flatMap(({ wallet, source }, n) => {
    const name = names[n] ?? null
    return name === null ? [] : [{ wallet, source, name }]
  })
  const chosen = named.slice(
    0,
    Math.max(0, trackedMax - [...tracked.values()].filter((one) => !isFarm(one)).length),
  )
  const added = yield* services.store.track([...changed, ...chosen], now)
  return {
    found: found.length,
    added,
    unnamed: untracked.length - named.length,
    overBudget: named.length - chosen.length,
  }
})

/** A tracked wallet with a new name, or found on a volume board for the first time. */
function changeOf({ wallet, userName, source }: BoardWallet, known: TrackedWallet | undefined) {
  if (known === undefined) return []
  const name = displayName({ wallet, userName, pseudonym: "" }) ?? known.name
  const sourceChanged = known.source === "profit" && source === "volume"
  return name === known.name && !sourceChanged ? [] : [{ wallet, source, name }]
}

/** The name on the board, else the newest name in the wallet's activity; null without a name. */
const nameOf = Effect.fnUntraced(function* (
  { source }: Services,
  { wallet, userName }: BoardWallet,
  now: EpochMs,
) {
  const name = displayName({ wallet, userName, pseudonym: "" })
  if (name !== null) return name
  const page = yield* Effect.result(source.activity(wallet, { from: historyFrom, to: now }))
  if (Result.isFailure(page)) return null
  return page.success.rows
    .map((row) => displayName({ ...row, wallet }))
    .find((name) => name !== null) ?? null
})

function boardName({ by, period, category }: Board): string {
  return `${by} ${period} ${category}`
}
