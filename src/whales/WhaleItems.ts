/**
 * From entries that wait to be told to items of the feed, each once.
 *
 * The item is put into the feed before its entry is marked as told. A crash between the two has the
 * entry told again, and the feed leaves it out: its key names the entry.
 *
 * @module
 */
import { Clock, Duration, Effect, Result } from "effect"
import { type Microstructure, microstructure } from "../markets/domain/book.ts"
import { isMarketMaker } from "./domain/entry.ts"
import { type HeldEntry, isDue, type Telling } from "./domain/heldEntry.ts"
import type { Market, MarketId } from "../markets/domain/market.ts"
import type { TrackedWallet } from "./domain/tracking.ts"
import { entryRejection, passing, whaleItem } from "./domain/whaleItem.ts"
import { tally } from "../core/Tick.ts"
import type { FeedStore } from "../feed/FeedStore.ts"
import type { MarketStore } from "../markets/MarketStore.ts"
import type { VenueClient } from "../markets/VenueClient.ts"
import type { DuePosition, WhaleStore } from "./WhaleStore.ts"

/** Positions looked at, and items made, in one tick: the largest stakes; the others wait. */
const dueMax = 2_000
const itemsMax = 50
/** How long books are waited for: an item without one is worth more than none. */
const bookPatience = Duration.seconds(10)

/** What an entry must have to be told, whoever made it. */
export type Terms = Omit<Telling, "marketMaker">

/** Titles of what was told, and why the rest was not. */
interface Told {
  readonly items: Array<string>
  readonly rejected: Record<string, number>
}

/** The ports through which entries are published. */
export interface ItemServices {
  readonly venue: VenueClient["Service"]
  readonly markets: MarketStore["Service"]
  readonly feed: FeedStore["Service"]
  readonly whales: WhaleStore["Service"]
}

/** An entry with nothing against it. */
interface Tellable {
  readonly position: DuePosition
  readonly entry: HeldEntry
  readonly wallet: TrackedWallet
  readonly market: Market
}

/** Puts the entries that wait into the feed, with their markets' books. */
export const tellEntries = Effect.fnUntraced(function* (
  services: ItemServices,
  terms: Terms,
  told: Told,
) {
  const { whales, markets, feed } = services
  const due = yield* whales.due(dueMax)
  if (due.length === 0) return
  const tracked = new Map((yield* whales.tracked).map((wallet) => [wallet.wallet, wallet]))
  const listed = yield* markets.byIds([...new Set(due.map(({ market }) => market.id))])
  const { tellable, waiting } = sift(due, tracked, listed, terms, told.rejected)

  const largest = tellable.toSorted(byStake)
  const chosen = largest.slice(0, itemsMax)
  const later = largest.slice(itemsMax)
  if (later.length > 0) tally(told.rejected, { over_budget: later.length })
  const books = yield* readBooks(services, chosen, told.rejected)
  const now = yield* Clock.currentTimeMillis
  const items = chosen.map(({ wallet, market, entry }) =>
    whaleItem({ wallet, market, entry, microstructure: books.get(market.id) ?? null }, now)
  )
  const added = yield* feed.append(items)
  told.items.push(...added.map(({ title }) => title))

  const emitted = new Set(chosen.map(({ entry }) => entry))
  for (const { position } of later) waiting.add(position)
  yield* whales.saveMade(due.map((position) => ({
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

/** The entries to tell, and the positions that have one which may be told later. */
function sift(
  due: ReadonlyArray<DuePosition>,
  tracked: ReadonlyMap<string, TrackedWallet>,
  listed: ReadonlyMap<MarketId, Market>,
  terms: Terms,
  rejected: Record<string, number>,
) {
  const tellable: Array<Tellable> = []
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
        tellable.push({ position, entry, wallet, market })
      }
    }
  }
  return { tellable, waiting }
}

/** The microstructure of each market with a sound book. Without a venue there is none, and no delay. */
const readBooks = Effect.fnUntraced(function* (
  { venue }: Pick<ItemServices, "venue">,
  tellable: ReadonlyArray<Tellable>,
  rejected: Record<string, number>,
) {
  const shown = new Map<MarketId, Microstructure>()
  const firsts = new Map(tellable.map(({ market }) => [market.tokenIds[0], market.id]))
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
function byStake(a: Tellable, b: Tellable): number {
  if (a.entry.stakeUsd !== b.entry.stakeUsd) return b.entry.stakeUsd - a.entry.stakeUsd
  const [one, other] = [a, b].map(({ position, entry }) =>
    `${position.wallet}:${position.market.id}:${entry.outcome}:${entry.openedAt}`
  )
  return (one ?? "") < (other ?? "") ? -1 : 1
}
