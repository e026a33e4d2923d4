/**
 * Recomputes entries from the activity of tracked wallets, and publishes each entry once in the feed.
 *
 * A new entry gets its wallet's newest calibration from before the entry. An item is added to the feed
 * first, then its entry is marked as emitted. After a crash between the two the entry is published again,
 * and the feed ignores the duplicate because of its dedupe key.
 *
 * @module
 */
import { Clock, Duration, Effect, Struct } from "effect"
import type { EpochMs } from "../core/domain/time.ts"
import { tally } from "../core/stages.ts"
import type { FeedStore } from "../feed/FeedStore.ts"
import type { OrderBook } from "../markets/domain/book.ts"
import type { Market, MarketId, TokenId } from "../markets/domain/market.ts"
import type { MarketStore } from "../markets/MarketStore.ts"
import type { VenueClient } from "../markets/VenueClient.ts"
import type { Calibration } from "./Calibration.ts"
import { entriesOf, isFarm, isMarketMaker } from "./domain/entry.ts"
import { carryOver, type FeedTerms, isDue, type StoredEntry } from "./domain/storedEntry.ts"
import type { TrackedWallet } from "./domain/tracking.ts"
import { entryRejection, temporaryRejections, whaleItem } from "./domain/whaleItem.ts"
import type { ComputedPosition, DuePosition, EntryStore, StalePosition } from "./EntryStore.ts"
import type { WalletStore } from "./WalletStore.ts"

/** Positions recomputed in one transaction, and in one tick. */
const positionsBatch = 200
const positionsMax = 200_000
/** Due positions read in one tick. */
const dueMax = 2_000
/** Items published in one tick, the largest stakes first; the others wait. */
const itemsMax = 50
/** If the books take longer, items are published without them. */
const booksTimeout = Duration.seconds(10)

/** The conditions for publishing an entry that do not depend on its wallet. */
export type PublishingTerms = Omit<FeedTerms, "marketMaker">

const hasNoOpinion = (wallet: TrackedWallet) => isMarketMaker(wallet) || isFarm(wallet)

/** Mutable, so that an interrupted stage reports what it did. */
interface RecomputeTally {
  recomputed: number
}

/** The ports used for publishing entries. */
export interface EntryServices {
  readonly venue: VenueClient["Service"]
  readonly markets: MarketStore["Service"]
  readonly feed: FeedStore["Service"]
  readonly wallets: WalletStore["Service"]
  readonly entries: EntryStore["Service"]
}

/**
 * Recomputes the entries of stale positions, the newest activity first. Returns true when none is left,
 * false at `until` or `positionsMax`.
 */
export const recomputeEntries = Effect.fnUntraced(function* (
  { wallets, entries, calibration }: Pick<EntryServices, "wallets" | "entries"> & {
    readonly calibration: Calibration["Service"]
  },
  terms: PublishingTerms,
  until: EpochMs,
  tally: RecomputeTally,
) {
  const makers = new Set(
    (yield* wallets.tracked).filter(hasNoOpinion).map(({ wallet }) => wallet),
  )
  while (tally.recomputed < positionsMax && (yield* Clock.currentTimeMillis) < until) {
    const stale = yield* entries.stale(positionsBatch)
    if (stale.length === 0) return true
    const before = yield* calibration.before([...new Set(stale.map(({ wallet }) => wallet))])
    yield* entries.saveEntries(
      stale.map((position) =>
        recompute(position, before, { ...terms, marketMaker: makers.has(position.wallet) })
      ),
    )
    tally.recomputed += stale.length
  }
  return false
})

function recompute(
  { wallet, market, version, activity, entries }: StalePosition,
  before: Effect.Success<ReturnType<Calibration["Service"]["before"]>>,
  terms: FeedTerms,
): ComputedPosition {
  const position = entriesOf(activity, market.tokenIds)
  const carried = carryOver(entries, position.entries, (instant) => before(wallet, instant))
  return {
    ...{ wallet, marketId: market.id, version, ...position },
    entries: carried,
    due: carried.some((entry) => isDue(entry, terms)),
  }
}

/** Mutable: the titles of the published items, and the number of rejected entries by reason. */
interface Published {
  readonly items: Array<string>
  readonly rejected: Record<string, number>
}

interface Publishable {
  readonly position: DuePosition
  readonly entry: StoredEntry
  readonly wallet: TrackedWallet
  readonly market: Market
}

/** Publishes due entries in the feed, with their markets' books. */
export const publishEntries = Effect.fnUntraced(function* (
  services: EntryServices,
  terms: PublishingTerms,
  published: Published,
) {
  const { wallets, entries, markets, feed } = services
  const due = yield* entries.due(dueMax)
  if (due.length === 0) return
  const tracked = new Map((yield* wallets.tracked).map((wallet) => [wallet.wallet, wallet]))
  const listed = yield* markets.byIds([...new Set(due.map(({ market }) => market.id))])
  const { publishable, waiting } = selectPublishable(
    due,
    tracked,
    listed,
    terms,
    published.rejected,
  )

  const largest = publishable.toSorted(byStake)
  const chosen = largest.slice(0, itemsMax)
  const later = largest.slice(itemsMax)
  if (later.length > 0) tally(published.rejected, { over_budget: later.length })
  const books = yield* readBooks(services, chosen, published.rejected)
  const now = yield* Clock.currentTimeMillis
  const items = chosen.map(({ wallet, market, entry }) =>
    whaleItem({ wallet, market, entry, book: books.get(market.tokenIds[0]) ?? null }, now)
  )
  const added = yield* feed.append(items)
  published.items.push(...added.map(({ title }) => title))

  const emitted = new Set(chosen.map(({ entry }) => entry))
  for (const { position } of later) waiting.add(position)
  yield* entries.saveEntries(due.map((position) => ({
    ...Struct.omit(position, ["market"]),
    marketId: position.market.id,
    entries: position.entries.map((entry) =>
      emitted.has(entry) ? { ...entry, emitted: true } : entry
    ),
    due: waiting.has(position),
  })))
})

/** The entries to publish, and the positions with an entry that may be published later. */
function selectPublishable(
  due: ReadonlyArray<DuePosition>,
  tracked: ReadonlyMap<string, TrackedWallet>,
  listed: ReadonlyMap<MarketId, Market>,
  terms: PublishingTerms,
  rejected: Record<string, number>,
) {
  const publishable: Array<Publishable> = []
  const waiting = new Set<DuePosition>()
  for (const position of due) {
    const wallet = tracked.get(position.wallet)
    if (wallet === undefined) continue
    const market = listed.get(position.market.id)
    const marketMaker = hasNoOpinion(wallet)
    for (const entry of position.entries) {
      if (!isDue(entry, { ...terms, marketMaker })) continue
      const reason = entryRejection(wallet, market)
      if (reason !== null) tally(rejected, { [reason]: 1 })
      if (temporaryRejections.has(reason)) waiting.add(position)
      if (reason === null && market !== undefined) {
        publishable.push({ position, entry, wallet, market })
      }
    }
  }
  return { publishable, waiting }
}

/** The books of the first outcomes, by token; none when the venue is unavailable. */
const readBooks = Effect.fnUntraced(function* (
  { venue }: Pick<EntryServices, "venue">,
  publishable: ReadonlyArray<Publishable>,
  rejected: Record<string, number>,
) {
  const tokens = [...new Set(publishable.map(({ market }) => market.tokenIds[0]))]
  if (tokens.length === 0) return new Map<TokenId, OrderBook>()
  const { rows } = yield* venue.books(tokens).pipe(
    Effect.timeout(booksTimeout),
    Effect.catch(() => {
      tally(rejected, { unavailable: tokens.length })
      return Effect.succeed({ rows: [] })
    }),
  )
  return new Map(rows.map((book) => [book.tokenId, book]))
})

/** Largest first; ties by wallet and market, so that the order of arrival does not matter. */
function byStake(a: Publishable, b: Publishable): number {
  if (a.entry.stakeUsd !== b.entry.stakeUsd) return b.entry.stakeUsd - a.entry.stakeUsd
  const [one, other] = [a, b].map(({ position, entry }) =>
    `${position.wallet}:${position.market.id}:${entry.outcome}:${entry.openedAt}`
  )
  return (one ?? "") < (other ?? "") ? -1 : 1
}
