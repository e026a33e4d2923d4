/**
 * A venue with wallets, and a wallet store in memory, for tests of code that reads activity: pages of
 * any length, late rows, failing requests, a store that crashes.
 *
 * @module
 */
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { ActivityEvent, NumberedActivityEvent } from "../../../src/markets/domain/activity.ts"
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
import { activityEventKey } from "./activityEvents.ts"

/** A row of the venue. */
export interface VenueRow {
  readonly event: ActivityEvent
  readonly isActivity: boolean
  /** How long after its event the venue returns it. */
  readonly lateMs: number
}

/** Less than the overlap with which new activity is read. */
export const lateMsMax = 10 * minute

export const down = new VenueUnavailable({ operation: "activity", reason: "down" })

export interface ActivityOptions {
  /** Draws the number of rows of each page. */
  readonly pageRows: (random: Random) => number
  /** Whether this request fails. */
  readonly fails?: () => boolean
  /** How long a request takes; rows arrive meanwhile. */
  readonly answerMs?: number
}

/** A source of activity: the newest rows of a range; those of one second have a fixed order. */
export function activityOf(
  rows: (wallet: string) => ReadonlyArray<VenueRow>,
  random: Random,
  options: ActivityOptions,
): WalletSource["activity"] {
  const { pageRows, fails = () => false, answerMs = 0 } = options
  return (wallet, range) =>
    Effect.gen(function* () {
      if (answerMs > 0) yield* TestClock.adjust(answerMs)
      const now = yield* Clock.currentTimeMillis
      if (fails()) return yield* down
      const visible = rows(wallet).toReversed().filter(({ event: { at }, lateMs }) =>
        range.from <= at && at <= range.to && at + lateMs <= now
      ).sort((a, b) => b.event.at - a.event.at)
      const page = visible.slice(0, Math.max(1, pageRows(random)))
      const activity = page.filter(({ isActivity }) => isActivity)
      return {
        rows: activity.map(({ event }) => ({ event, userName: "", pseudonym: "Scary-Barrel" })),
        rejected: activity.length < page.length
          ? { other_type: page.length - activity.length }
          : {},
        oldest: page.at(-1)?.event.at ?? null,
        more: page.length < visible.length,
      } satisfies ActivityPage
    })
}

/** Pages of random length, each longer than the longest second of these rows. */
export function wholePages(rows: ReadonlyArray<VenueRow>, moreMax: number) {
  const seconds = [...Map.groupBy(rows, ({ event }) => event.at).values()]
  const longest = Math.max(...seconds.map(({ length }) => length))
  return (random: Random) => longest + 1 + random.below(moreMax)
}

/** A venue with wallets and nothing else. */
export function walletVenue(source: Partial<WalletSource>) {
  const wallets: WalletSource = {
    categories: ["overall"],
    leaderboard: () => Effect.succeed({ rows: [], rejected: {} }),
    activity: () => Effect.succeed({ rows: [], rejected: {}, oldest: null, more: false }),
    ...source,
  }
  return Layer.mock(VenueClient, { wallets })
}

/** A `WalletStore` in memory with visible state, which can crash. */
export interface MemoryWallets {
  readonly layer: Layer.Layer<WalletStore>
  readonly wallets: Map<string, TrackedWallet>
  readonly activity: Map<string, NumberedActivityEvent>
  /** Runs before and after each save; a test can make it crash. */
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

/** A newly tracked wallet. */
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
    farmed: 0,
  }
}

/** The range only grows, and only without a gap; a history never goes back. */
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
