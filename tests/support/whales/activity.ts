/**
 * A venue's wallets and the store of what was read of them, for tests of what reads: pages of any length,
 * rows that come in late, answers that fail, a store that crashes.
 *
 * @module
 */
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  type ActivityEvent,
  activityEventKey,
  type NumberedActivityEvent,
} from "../../../src/markets/domain/activity.ts"
import { minute } from "../../../src/core/domain/time.ts"
import type {
  HistoryState,
  TrackedWallet,
  TrackingSource,
} from "../../../src/whales/domain/tracking.ts"
import {
  type ActivityPage,
  VenueClient,
  VenueUnavailable,
  type WalletSource,
} from "../../../src/markets/VenueClient.ts"
import { WalletStore } from "../../../src/whales/WalletStore.ts"
import type { Random } from "../random.ts"

/** A row of the venue: an act, or something that is none. */
export interface VenueRow {
  readonly event: ActivityEvent
  readonly isAct: boolean
  /** How long after it happened the venue shows it. */
  readonly lateMs: number
}

/** The latest a row comes: well within what reading new acts goes back. */
export const lateMsMax = 10 * minute

export const down = new VenueUnavailable({ operation: "activity", reason: "down" })

export interface ActivityOptions {
  /** Rows of each page, drawn anew for every page. */
  readonly pageRows: (random: Random) => number
  /** Whether this answer fails. */
  readonly fails?: () => boolean
  /** Rows the venue gives of one range. */
  readonly depthMax?: number
  /** How long an answer takes: rows come in meanwhile. */
  readonly answerMs?: number
}

/** What wallets did, newest first; rows of one second stand in a fixed order. */
export function activityOf(
  rows: (wallet: string) => ReadonlyArray<VenueRow>,
  random: Random,
  options: ActivityOptions,
): WalletSource["activity"] {
  const { pageRows, fails = () => false, depthMax = Infinity, answerMs = 0 } = options
  return (wallet, range, cursor) =>
    Effect.gen(function* () {
      if (answerMs > 0) yield* TestClock.adjust(answerMs)
      const now = yield* Clock.currentTimeMillis
      if (fails()) return yield* down
      const shown = rows(wallet).toReversed().filter(({ event: { at }, lateMs }) =>
        range.from <= at && at <= range.to && at + lateMs <= now
      ).sort((a, b) => b.event.at - a.event.at)
      const offset = Number(cursor ?? 0)
      const end = Math.min(depthMax, offset + Math.max(1, pageRows(random)))
      const page = shown.slice(offset, end)
      const activity = page.filter(({ isAct }) => isAct)
      return {
        rows: activity.map(({ event }) => ({ event, userName: "", pseudonym: "Scary-Barrel" })),
        rejected: activity.length < page.length ? { no_act: page.length - activity.length } : {},
        oldest: page.at(-1)?.event.at ?? null,
        next: end < shown.length && end < depthMax ? String(end) : null,
        cut: end < shown.length && end === depthMax,
      } satisfies ActivityPage
    })
}

/** A venue that shows wallets and nothing else. */
export function walletVenue(source: Partial<WalletSource>) {
  const wallets: WalletSource = {
    categories: ["overall"],
    leaderboard: () => Effect.succeed({ rows: [], rejected: {} }),
    activity: () =>
      Effect.succeed({ rows: [], rejected: {}, oldest: null, next: null, cut: false }),
    ...source,
  }
  return Layer.mock(VenueClient, { wallets })
}

/** A `WalletStore` in memory that a test can look into, and have crash. */
export interface MemoryWallets {
  readonly layer: Layer.Layer<WalletStore>
  readonly wallets: Map<string, TrackedWallet>
  readonly activity: Map<string, NumberedActivityEvent>
  /** Runs before and after each save takes effect: where a test has it crash. */
  hook: (when: "before" | "after") => Effect.Effect<void>
}

const rank: Readonly<Record<HistoryState, number>> = { reading: 0, whole: 1, truncated: 2 }

export function memoryWallets(given: ReadonlyArray<string> = []): MemoryWallets {
  const wallets = new Map(given.map((wallet) => [wallet, unreadWallet(wallet)]))
  const activity = new Map<string, NumberedActivityEvent>()
  const saveRead: WalletStore["Service"]["saveRead"] = (read) =>
    Effect.gen(function* () {
      yield* memory.hook("before")
      const before = activity.size
      for (const event of read.activity) activity.set(activityEventKey(event), event)
      const added = activity.size - before
      const known = wallets.get(read.wallet)
      if (known !== undefined) wallets.set(read.wallet, moved(known, read, added))
      yield* memory.hook("after")
      return { added }
    })
  const track: WalletStore["Service"]["track"] = (given, at) =>
    Effect.sync(() => {
      const before = wallets.size
      for (const { wallet, name, source } of given) {
        const known = wallets.get(wallet) ?? unreadWallet(wallet, source, at)
        const raised = source === "volume" ? source : known.source
        wallets.set(wallet, { ...known, name, source: raised })
      }
      return wallets.size - before
    })
  const memory: MemoryWallets = {
    wallets,
    activity,
    hook: () => Effect.void,
    layer: Layer.succeed(WalletStore, {
      tracked: Effect.sync(() => [...wallets.values()]),
      track,
      saveRead,
    }),
  }
  return memory
}

/** A wallet as it is tracked first. */
export function unreadWallet(
  wallet: string,
  source: TrackingSource = "volume",
  trackedAt = 0,
): TrackedWallet {
  return {
    wallet,
    name: wallet,
    source,
    trackedAt,
    history: "reading",
    readFrom: null,
    readTo: null,
    activityCount: 0,
    markets: 0,
    bothSides: 0,
  }
}

/** Markers move apart only, and only over what has no gap; a history never goes back. */
function moved(
  known: TrackedWallet,
  read: Parameters<WalletStore["Service"]["saveRead"]>[0],
  added: number,
): TrackedWallet {
  const { readFrom, readTo } = known
  const history = rank[read.history] > rank[known.history] ? read.history : known.history
  const counted = { ...known, activityCount: known.activityCount + added }
  if (readFrom === null || readTo === null) {
    return { ...counted, history, readFrom: read.readFrom, readTo: read.readTo }
  }
  if (read.readFrom > readTo + 1 || read.readTo < readFrom - 1) return counted
  return {
    ...counted,
    history,
    readFrom: Math.min(readFrom, read.readFrom),
    readTo: Math.max(readTo, read.readTo),
  }
}
