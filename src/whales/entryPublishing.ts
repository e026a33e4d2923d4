/**
 * From the activity of tracked wallets to entries, and from entries to items of the feed, each once.
 *
 * Every position with new activity has its entries recomputed, and each new one is given its wallet's
 * calibration as it stood before. An item is put into the feed before its entry is marked as published:
 * a crash between the two has the entry published again, and the feed leaves it out, for its key names
 * the entry.
 *
 * @module
 */
import { Clock, Duration, Effect, Result } from "effect"
import type { EpochMs } from "../core/domain/time.ts"
import { tally } from "../core/stages.ts"
import type { FeedStore } from "../feed/FeedStore.ts"
import { type Microstructure, microstructure } from "../markets/domain/book.ts"
import type { Market, MarketId } from "../markets/domain/market.ts"
import type { MarketStore } from "../markets/MarketStore.ts"
import type { VenueClient } from "../markets/VenueClient.ts"
import type { Calibration } from "./Calibration.ts"
import { entriesOf, isMarketMaker } from "./domain/entry.ts"
import { carryOver, type FeedTerms, isDue, type StoredEntry } from "./domain/storedEntry.ts"
import type { TrackedWallet } from "./domain/tracking.ts"
import { entryRejection, passing, whaleItem } from "./domain/whaleItem.ts"
import type { ComputedPosition, DuePosition, EntryStore, StalePosition } from "./EntryStore.ts"
import type { WalletStore } from "./WalletStore.ts"

/** Positions recomputed in one transaction, and in one tick. */
const positionsBatch = 200
const positionsMax = 200_000
/** Positions reviewed, and items made, in one tick: the largest stakes; the others wait. */
const dueMax = 2_000
const itemsMax = 50
/** How long books are waited for: an item without one is worth more than none. */
const bookPatience = Duration.seconds(10)

/** What an entry must have to be published, whoever made it. */
export type Terms = Omit<FeedTerms, "marketMaker">

/** What was made so far; it grows in place, so that a stage cut short says what it did. */
interface MakingTally {
  made: number
}

/** The ports through which entries are published. */
export interface EntryServices {
  readonly venue: VenueClient["Service"]
  readonly markets: MarketStore["Service"]
  readonly feed: FeedStore["Service"]
  readonly wallets: WalletStore["Service"]
  readonly entries: EntryStore["Service"]
}

/**
 * Makes the entries of stale positions, those of the newest activity first, until none is left (true)
 * or `until`.
 */
export const recomputeEntries = Effect.fnUntraced(function* (
  { wallets, entries, calibration }: Pick<EntryServices, "wallets" | "entries"> & {
    readonly calibration: Calibration["Service"]
  },
  terms: Terms,
  until: EpochMs,
  tally: MakingTally,
) {
  const makers = new Set(
    (yield* wallets.tracked).filter(isMarketMaker).map(({ wallet }) => wallet),
  )
  while (tally.made < positionsMax && (yield* Clock.currentTimeMillis) < until) {
    const stale = yield* entries.stale(positionsBatch)
    if (stale.length === 0) return true
    const before = yield* calibration.before([...new Set(stale.map(({ wallet }) => wallet))])
    yield* entries.saveEntries(
      stale.map((position) =>
        made(position, before, { ...terms, marketMaker: makers.has(position.wallet) })
      ),
    )
    tally.made += stale.length
  }
  return false
})

function made(
  { wallet, market, version, activity, entries }: StalePosition,
  before: Effect.Success<ReturnType<Calibration["Service"]["before"]>>,
  terms: FeedTerms,
): ComputedPosition {
  const position = entriesOf(activity, market.tokenIds)
  const carried = carryOver(entries, position.entries, (instant) => before(wallet, instant))
  return {
    wallet,
    marketId: market.id,
    version,
    entries: carried,
    boughtBoth: position.boughtBoth,
    due: carried.some((entry) => isDue(entry, terms)),
  }
}

/** Titles of what was published, and why the rest was not. */
interface Published {
  readonly items: Array<string>
  readonly rejected: Record<string, number>
}

/** An entry with nothing against it. */
interface Publishable {
  readonly position: DuePosition
  readonly entry: StoredEntry
  readonly wallet: TrackedWallet
  readonly market: Market
}

/** Puts the entries that wait into the feed, with their markets' books. */
export const publishEntries = Effect.fnUntraced(function* (
  services: EntryServices,
  terms: Terms,
  published: Published,
) {
  const { wallets, entries, markets, feed } = services
  const due = yield* entries.due(dueMax)
  if (due.length === 0) return
  const tracked = new Map((yield* wallets.tracked).map((wallet) => [wallet.wallet, wallet]))
  const listed = yield* markets.byIds([...new Set(due.map(({ market }) => market.id))])
  const { publishable, waiting } = sift(due, tracked, listed, terms, published.rejected)

  const largest = publishable.toSorted(byStake)
  const chosen = largest.slice(0, itemsMax)
  const later = largest.slice(itemsMax)
  if (later.length > 0) tally(published.rejected, { over_budget: later.length })
  const books = yield* readBooks(services, chosen, published.rejected)
  const now = yield* Clock.currentTimeMillis
  const items = chosen.map(({ wallet, market, entry }) =>
    whaleItem({ wallet, market, entry, microstructure: books.get(market.id) ?? null }, now)
  )
  const added = yield* feed.append(items)
  published.items.push(...added.map(({ title }) => title))

  const emitted = new Set(chosen.map(({ entry }) => entry))
  for (const { position } of later) waiting.add(position)
  yield* entries.saveEntries(due.map((position) => ({
    wallet: position.wallet,
    marketId: position.market.id,
    version: position.version,
    boughtBoth: position.boughtBoth,
    entries: position.entries.map((entry) =>
      emitted.has(entry) ? { ...entry, emitted: true } : entry
    ),
    due: waiting.has(position),
  })))
})

/** The entries to publish, and the positions that have one which may be published later. */
function sift(
  due: ReadonlyArray<DuePosition>,
  tracked: ReadonlyMap<string, TrackedWallet>,
  listed: ReadonlyMap<MarketId, Market>,
  terms: Terms,
  rejected: Record<string, number>,
) {
  const publishable: Array<Publishable> = []
  const waiting = new Set<DuePosition>()
  for (const position of due) {
    const wallet = tracked.get(position.wallet)
    if (wallet === undefined) continue
    const market = listed.get(position.market.id)
    const marketMaker = isMarketMaker(wallet)
    for (const entry of position.entries) {
      if (!isDue(entry, { ...terms, marketMaker })) continue
      const reason = entryRejection(wallet, market)
      if (reason !== null) tally(rejected, { [reason]: 1 })
      if (passing.has(reason)) waiting.add(position)
      if (reason === null && market !== undefined) {
        publishable.push({ position, entry, wallet, market })
      }
    }
  }
  return { publishable, waiting }
}

/** The microstructure of each market with a valid book. Without a venue there is none, and no delay. */
const readBooks = Effect.fnUntraced(function* (
  { venue }: Pick<EntryServices, "venue">,
  publishable: ReadonlyArray<Publishable>,
  rejected: Record<string, number>,
) {
  const shown = new Map<MarketId, Microstructure>()
  const firsts = new Map(publishable.map(({ market }) => [market.tokenIds[0], market.id]))
  if (firsts.size === 0) return shown
  const books = yield* venue.books([...firsts.keys()]).pipe(
    Effect.map(({ rows }) => rows),
    Effect.timeout(bookPatience),
    Effect.catch(() => {
      tally(rejected, { unavailable: firsts.size })
      return Effect.succeed([])
    }),
  )
  for (const book of books) {
    const marketId = firsts.get(book.tokenId)
    const read = microstructure(book)
    if (marketId !== undefined && Result.isSuccess(read)) shown.set(marketId, read.success)
  }
  return shown
})

/** Largest first; ties fall by wallet and market, so that the order of arrival decides nothing. */
function byStake(a: Publishable, b: Publishable): number {
  if (a.entry.stakeUsd !== b.entry.stakeUsd) return b.entry.stakeUsd - a.entry.stakeUsd
  const [one, other] = [a, b].map(({ position, entry }) =>
    `${position.wallet}:${position.market.id}:${entry.outcome}:${entry.openedAt}`
  )
  return (one ?? "") < (other ?? "") ? -1 : 1
}
