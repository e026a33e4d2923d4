/**
 * The five whale stores in memory: the model of the laws, and a fast store for tests of services.
 *
 * @module
 */
import { Effect } from "effect"
import { second } from "../../../src/core/domain/time.ts"
import type { NumberedActivityEvent } from "../../../src/markets/domain/activity.ts"
import type { MarketFacts, MarketId } from "../../../src/markets/domain/market.ts"
import type { Resolution } from "../../../src/markets/domain/resolution.ts"
import type { CalibrationStore } from "../../../src/whales/CalibrationStore.ts"
import type { CountingStore, UncountedEvent } from "../../../src/whales/CountingStore.ts"
import { dueAt } from "../../../src/whales/domain/due.ts"
import { isHedge, isMarketMaker } from "../../../src/whales/domain/entry.ts"
import { type OpenEntry, type StoredEntry } from "../../../src/whales/domain/storedEntry.ts"
import type { Judgement } from "../../../src/whales/domain/label.ts"
import type { MarketScore, WalletSums } from "../../../src/whales/domain/score.ts"
import type { HistoryState, TrackedWallet } from "../../../src/whales/domain/tracking.ts"
import type { CalibratedWhale } from "../../../src/whales/domain/whale.ts"
import type { ComputedPosition, EntryStore } from "../../../src/whales/EntryStore.ts"
import type { WalletStore } from "../../../src/whales/WalletStore.ts"
import type { WhaleMarketStore } from "../../../src/whales/WhaleMarketStore.ts"
import { dueBefore } from "./dueOrder.ts"
import type { WhaleStores } from "./whaleStores.ts"

/** Five stores over shared tables. */
export function memoryWhales(): WhaleStores {
  const tables = makeTables()
  return {
    ...walletStore(tables),
    ...whaleMarketStore(tables),
    ...entryStore(tables),
    ...countingStore(tables),
    ...calibrationStore(tables),
  }
}

type Wallet = Omit<TrackedWallet, "activityCount" | "markets" | "bothSides"> & {
  readonly version: number
  readonly sums: WalletSums | null
  readonly judgement: Judgement | null
}

interface Position {
  readonly wallet: string
  readonly marketId: MarketId
  readonly activity: ReadonlyMap<string, NumberedActivityEvent>
  readonly activityVersion: number
  readonly computedVersion: number
  readonly computed: Pick<ComputedPosition, "entries" | "boughtBoth" | "due">
  readonly stale: { readonly lastEventAt: number } | null
  readonly uncounted: { readonly since: number; readonly version: number } | null
  readonly score: MarketScore | null
}

interface MarketState {
  readonly facts: MarketFacts | null
  readonly event: string | null
  readonly dueAt: number
  readonly factsRequestedAt: number
  readonly checkedAt: number
  readonly resolution: Resolution | null
  readonly endedAt: number
  /** When its resolution was last new or changed. */
  readonly changedAt: number
}

const never = -Infinity

const unknown: MarketState = {
  facts: null,
  event: null,
  dueAt: never,
  factsRequestedAt: never,
  checkedAt: never,
  resolution: null,
  endedAt: never,
  changedAt: never,
}

const unread = {
  history: "reading",
  readFrom: null,
  readTo: null,
  version: 0,
  sums: null,
  judgement: null,
} as const

const fresh = (wallet: string, marketId: MarketId): Position => ({
  wallet,
  marketId,
  activity: new Map(),
  activityVersion: 0,
  computedVersion: 0,
  computed: { entries: [], boughtBoth: false, due: false },
  stale: null,
  uncounted: null,
  score: null,
})

const histories: ReadonlyArray<HistoryState> = ["reading", "whole", "truncated"]

const nameOf = (event: NumberedActivityEvent) =>
  JSON.stringify([
    event.transaction,
    event.kind,
    event.tokenId,
    event.size,
    event.price,
    event.occurrence,
  ])

const payoutOf = (resolution: Resolution | null) =>
  resolution?.state === "paid" ? resolution.payouts.join() : resolution?.state

/** The shared tables, and the changes that more than one store makes. */
function makeTables() {
  const wallets = new Map<string, Wallet>()
  const markets = new Map<MarketId, MarketState>()
  const positions = new Map<string, Position>()
  const calibrations = new Map<string, ReadonlyArray<CalibratedWhale>>()
  let changes = 0

  const key = (wallet: string, marketId: MarketId) => `${wallet} ${marketId}`
  const marketOf = (id: MarketId): MarketState => markets.get(id) ?? unknown
  const all = () => [...positions.values()]
  const ofWallet = (wallet: string) => all().filter((position) => position.wallet === wallet)
  const ofMarket = (id: MarketId) => all().filter(({ marketId }) => marketId === id)
  const sidesOf = (wallet: string) => ({
    markets: ofWallet(wallet).length,
    bothSides: ofWallet(wallet).filter(({ computed }) => computed.boughtBoth).length,
  })
  const isOpen = (id: MarketId) => marketOf(id).resolution === null
  const hasEntries = (id: MarketId) =>
    ofMarket(id).some(({ computed }) => computed.entries.length > 0)

  const put = (position: Position, fields: Partial<Position>) =>
    positions.set(key(position.wallet, position.marketId), { ...position, ...fields })
  const putMarket = (id: MarketId, fields: Partial<MarketState>) =>
    markets.set(id, { ...marketOf(id), ...fields })

  const markUncounted = (position: Position, fields: Partial<Position> = {}) => {
    const version = ++changes
    put(position, {
      uncounted: { since: position.uncounted?.since ?? version, version },
      ...fields,
    })
  }
  return {
    ...{ wallets, markets, calibrations, key, marketOf, all, ofWallet, ofMarket, sidesOf, isOpen },
    ...{ hasEntries, positions, put, putMarket, markUncounted },
    /** The number of changes of published calibrations. */
    revision: 0,
  }
}
type Tables = ReturnType<typeof makeTables>

function walletStore(tables: Tables): WalletStore["Service"] {
  const { wallets, markets, key, ofWallet, sidesOf, isOpen, positions, put, markUncounted } = tables
  const addEvent = (wallet: string, event: NumberedActivityEvent) => {
    const stored = positions.get(key(wallet, event.marketId)) ?? fresh(wallet, event.marketId)
    if (stored.activity.has(nameOf(event))) return false
    if (!markets.has(event.marketId)) markets.set(event.marketId, unknown)
    put(stored, {
      activity: new Map([...stored.activity, [nameOf(event), { ...event, wallet }]]),
      activityVersion: stored.activityVersion + 1,
      stale: { lastEventAt: Math.max(event.at, stored.stale?.lastEventAt ?? event.at) },
    })
    return true
  }

  return {
    track: (found, at) =>
      Effect.sync(() => {
        let added = 0
        for (const { wallet, name, source } of found) {
          const stored = wallets.get(wallet)
          if (stored === undefined) {
            added += 1
            wallets.set(wallet, { ...unread, wallet, name, source, trackedAt: at })
          } else {
            const chosen = stored.source === "profit" && source === "volume"
            wallets.set(wallet, { ...stored, name, source: chosen ? source : stored.source })
            for (const position of chosen ? ofWallet(wallet) : []) {
              const ended = !isOpen(position.marketId) && position.computed.entries.length > 0
              if (ended || position.score !== null) markUncounted(position)
            }
          }
        }
        return added
      }),
    tracked: Effect.sync(() =>
      [...wallets.values()].map(({ version: _, sums: __, judgement: ___, ...wallet }) => ({
        ...wallet,
        activityCount: ofWallet(wallet.wallet).reduce(
          (sum, { activity }) => sum + activity.size,
          0,
        ),
        ...sidesOf(wallet.wallet),
      })).sort((a, b) => a.wallet < b.wallet ? -1 : 1)
    ),
    saveRead: (read) =>
      Effect.sync(() => {
        const stored = wallets.get(read.wallet)
        if (stored === undefined) return { added: 0 }
        const added = read.activity.filter((event) => addEvent(read.wallet, event)).length
        const { readFrom, readTo } = stored
        const further = histories.indexOf(read.history) > histories.indexOf(stored.history)
        const history = further ? read.history : stored.history
        if (readFrom === null || readTo === null) {
          wallets.set(read.wallet, {
            ...stored,
            history,
            readFrom: read.readFrom,
            readTo: read.readTo,
          })
        } else if (read.readFrom < readTo + second && read.readTo > readFrom - second) {
          wallets.set(read.wallet, {
            ...stored,
            history,
            readFrom: Math.min(readFrom, read.readFrom),
            readTo: Math.max(readTo, read.readTo),
          })
        }
        return { added }
      }),
  }
}

function whaleMarketStore(tables: Tables): WhaleMarketStore["Service"] {
  const { markets, marketOf, ofMarket, hasEntries, putMarket, markUncounted } = tables
  return {
    unknownMarkets: (limit, requestedBefore) =>
      Effect.sync(() =>
        [...markets].reverse().filter(([id, { facts, factsRequestedAt }]) =>
          facts === null && factsRequestedAt < requestedBefore && ofMarket(id).length > 0
        ).sort(([, a], [, b]) => order(a.factsRequestedAt, b.factsRequestedAt)).slice(0, limit)
          .map(([id]) => id)
      ),
    saveFacts: (facts, requested, at) =>
      Effect.sync(() => {
        for (const one of facts) {
          const known = marketOf(one.id)
          const first = { event: one.eventKey, dueAt: dueAt(one) ?? never }
          putMarket(one.id, { facts: one, ...known.event === null ? first : {} })
        }
        for (const id of requested) {
          putMarket(id, { factsRequestedAt: Math.max(at, marketOf(id).factsRequestedAt) })
        }
      }),
    unresolved: ({ limit, checkedBefore, ending, endedAfter, recheckedBefore }) =>
      Effect.sync(() => {
        const known = [...markets].filter(([id]) => hasEntries(id))
          .sort(([, a], [, b]) => order(a.checkedAt, b.checkedAt))
        const first = known.filter(([, { resolution, checkedAt, facts }]) => {
          const endsAt = facts?.endsAt ?? null
          const ends = endsAt !== null && ending.from <= endsAt && endsAt <= ending.to
          return resolution === null &&
            (checkedAt < checkedBefore || ends && checkedAt < ending.checkedBefore)
        })
        const again = known.filter(([, { resolution, checkedAt, endedAt }]) =>
          resolution !== null && endedAt > endedAfter && checkedAt < recheckedBefore
        )
        const eighth = Math.floor(limit / 8)
        return [...again.slice(0, eighth), ...first, ...again.slice(eighth)]
          .slice(0, limit)
          .map(([id]) => id)
      }),
    saveResolutions: (resolutions, checked, at) =>
      Effect.sync(() => {
        let changed = 0
        for (
          const resolution of new Map(resolutions.map((each) => [each.marketId, each])).values()
        ) {
          const { marketId } = resolution
          const stored = marketOf(marketId)
          const resolvedAt = resolution.resolvedAt ?? stored.resolution?.resolvedAt ?? null
          putMarket(marketId, {
            resolution: { ...resolution, resolvedAt },
            endedAt: resolution.resolvedAt ?? (stored.resolution === null ? at : stored.endedAt),
          })
          if (payoutOf(stored.resolution) === payoutOf(resolution)) continue
          changed += 1
          putMarket(marketId, { changedAt: at })
          for (const position of ofMarket(marketId)) {
            const counts = position.computed.entries.length > 0 || position.score !== null
            if (counts) markUncounted(position)
          }
        }
        for (const id of checked) putMarket(id, { checkedAt: Math.max(at, marketOf(id).checkedAt) })
        return changed
      }),
    ended: ({ endedFrom, changed, limit }) =>
      Effect.sync(() =>
        [...markets].flatMap(([id, { facts, resolution, endedAt, changedAt }]) => {
          const entered = ofMarket(id).filter(({ computed }) => computed.entries.length > 0)
          const fits = endedAt >= endedFrom && changedAt >= changed.from && changedAt < changed.to
          if (facts === null || resolution === null || entered.length === 0 || !fits) return []
          const stakeUsd = entered.flatMap(({ computed }) => computed.entries)
            .reduce((sum, entry) => sum + entry.stakeUsd, 0)
          return [{ market: facts, resolution, endedAt, wallets: entered.length, stakeUsd }]
        }).sort((a, b) => order(b.stakeUsd, a.stakeUsd) || (a.market.id < b.market.id ? -1 : 1))
          .slice(0, limit)
      ),
  }
}

function entryStore(tables: Tables): EntryStore["Service"] {
  const {
    wallets,
    calibrations,
    key,
    marketOf,
    all,
    ofMarket,
    sidesOf,
    isOpen,
    positions,
    put,
    markUncounted,
  } = tables
  const save = (computed: ComputedPosition) => {
    const stored = positions.get(key(computed.wallet, computed.marketId))
    if (stored === undefined || marketOf(computed.marketId).facts === null) return
    if (computed.version < stored.computedVersion || computed.version > stored.activityVersion) {
      return
    }
    const fields: Partial<Position> = {
      computed,
      computedVersion: computed.version,
      ...computed.version === stored.activityVersion ? { stale: null } : {},
    }
    const counts = !isOpen(computed.marketId) || stored.score !== null
    const changed = JSON.stringify(computed.entries) !== JSON.stringify(stored.computed.entries)
    if (counts && changed) markUncounted(stored, fields)
    else put(stored, fields)
  }

  return {
    stale: (limit) =>
      Effect.sync(() =>
        all().sort((a, b) => (b.stale?.lastEventAt ?? 0) - (a.stale?.lastEventAt ?? 0)).flatMap(
          (position) => {
            const { facts } = marketOf(position.marketId)
            return position.stale === null || facts === null ? [] : [{
              wallet: position.wallet,
              market: facts,
              version: position.activityVersion,
              activity: [...position.activity.values()],
              entries: position.computed.entries,
            }]
          },
        ).slice(0, limit)
      ),
    saveEntries: (computed) =>
      Effect.sync(() =>
        new Map(computed.map((each) => [key(each.wallet, each.marketId), each])).forEach(save)
      ),
    due: (limit) =>
      Effect.sync(() =>
        all().flatMap(
          ({ wallet, marketId, computedVersion, computed: { due, entries, boughtBoth } }) => {
            const { facts } = marketOf(marketId)
            return due && facts !== null
              ? [{ wallet, market: facts, version: computedVersion, entries, boughtBoth }]
              : []
          },
        ).slice(0, limit)
      ),
    entriesIn: (marketId, limit) =>
      Effect.sync(() =>
        isOpen(marketId)
          ? largestOpen(
            ofMarket(marketId).flatMap(({ wallet, computed }) => {
              const stored = wallets.get(wallet)
              if (stored === undefined || stored.history === "reading") return []
              const marketMaker = isMarketMaker(sidesOf(wallet))
              const calibration = calibrations.get(wallet)?.[0] ?? null
              return [{ ...stored, marketMaker, calibration, entries: computed.entries }]
            }),
            limit,
          )
          : []
      ),
  }
}

function countingStore(tables: Tables): CountingStore["Service"] {
  const { wallets, key, marketOf, all, ofWallet, isOpen, positions, put } = tables
  const eventOf = ({ wallet, marketId }: Position) => `${wallet} ${marketOf(marketId).event}`

  const dueOf = ({ marketId }: Position) => marketOf(marketId).dueAt
  /** A counted position is due at once. */
  const markDueOf = (position: Position) => position.score === null ? dueOf(position) : never
  const waitsAt = (at: number) => {
    const before = new Map([...wallets.keys()].map((wallet) => {
      const scheduled = ofWallet(wallet).filter(({ computed }) => computed.entries.length > 0)
        .map((one) => ({ dueAt: dueOf(one), isOpen: isOpen(one.marketId) }))
      return [wallet, dueBefore(scheduled, at)] as const
    }))
    return (position: Position) =>
      position.uncounted !== null && position.score === null &&
      dueOf(position) >= (before.get(position.wallet) ?? Infinity)
  }

  const uncountedEvent = (
    members: ReadonlyArray<Position>,
    waits: (position: Position) => boolean,
  ): ReadonlyArray<UncountedEvent> => {
    const tracked = wallets.get(members[0]?.wallet ?? "")
    if (tracked === undefined) return []
    return [{
      wallet: tracked.wallet,
      countFrom: tracked.source === "profit" ? tracked.trackedAt : null,
      selectedAt: tracked.trackedAt,
      positions: members.map((position) => ({ ...position, waits: waits(position) })).map((
        { marketId, uncounted, computed, score, waits },
      ) => ({
        marketId,
        version: uncounted?.version ?? 0,
        feeRate: marketOf(marketId).facts?.takerFeeRate ?? 0,
        entries: computed.entries,
        resolution: marketOf(marketId).resolution,
        counted: score,
        waits,
        changed: uncounted !== null && !waits,
      })),
    }]
  }

  const whole = () =>
    [...wallets.values()].filter(({ wallet, history }) =>
      history === "whole" && ofWallet(wallet).some(({ score }) => score !== null)
    ).sort((a, b) => a.wallet < b.wallet ? -1 : 1)

  return {
    uncounted: (limit, at) =>
      Effect.sync(() => {
        const waits = waitsAt(at)
        const first = all()
          .filter((position) =>
            position.uncounted !== null && markDueOf(position) <= at && !waits(position)
          )
          .sort((a, b) =>
            order(markDueOf(a), markDueOf(b)) ||
            (a.uncounted?.since ?? 0) - (b.uncounted?.since ?? 0)
          ).slice(0, limit)
        const events = new Set(first.map(eventOf))
        return [...events].flatMap((event) =>
          uncountedEvent(
            all().filter((position) =>
              eventOf(position) === event &&
              (position.uncounted !== null || position.score !== null ||
                isOpen(position.marketId) && position.computed.entries.length > 0)
            ),
            waits,
          )
        )
      }),
    sums: (requested) =>
      Effect.sync(() =>
        new Map(
          [...wallets.values()].filter(({ wallet }) => requested.includes(wallet))
            .map(({ wallet, version, sums }) => {
              const counted = ofWallet(wallet).some(({ score }) => score !== null)
              return [wallet, { version, sums: counted ? sums : null }]
            }),
        )
      ),
    saveCounted: (counted, moved) =>
      Effect.sync(() => {
        const valid = counted.every(({ wallet, marketId, version }) =>
          (positions.get(key(wallet, marketId))?.uncounted?.version ?? 0) === version
        ) && moved.every(({ wallet, version }) =>
          wallets.get(wallet)?.version === version
        )
        if (!valid) return false
        if (counted.length + moved.length > 0) tables.revision += 1
        for (const { wallet, marketId, score } of counted) {
          const stored = positions.get(key(wallet, marketId))
          if (stored !== undefined) put(stored, { score, uncounted: null })
        }
        for (const { wallet, version, sums, judgement } of moved) {
          const stored = wallets.get(wallet)
          if (stored !== undefined) {
            wallets.set(wallet, { ...stored, version: version + 1, sums, judgement })
          }
        }
        return true
      }),
    judged: Effect.sync(() => whole().map(({ wallet, judgement }) => ({ wallet, judgement }))),
    totals: Effect.sync(() => whole().flatMap(({ sums }) => sums === null ? [] : [sums.totals])),
  }
}

function calibrationStore(tables: Tables): CalibrationStore["Service"] {
  const { calibrations, all, isOpen } = tables
  return {
    calibrated: Effect.sync(() => [...calibrations.values()].flatMap(([now]) => now ?? [])),
    calibrationVersion: Effect.sync(() => `${tables.revision}`),
    calibrations: (requested) =>
      Effect.sync(() =>
        new Map([...calibrations].filter(([wallet]) => requested.includes(wallet)))
      ),
    saveCalibrated: (whales, removed) =>
      Effect.sync(() => {
        let changed = false
        for (const whale of new Map(whales.map((each) => [each.row.wallet, each])).values()) {
          const [now, before] = calibrations.get(whale.row.wallet) ?? []
          const same = now?.computedAt === whale.computedAt
          if (now !== undefined && now.computedAt > whale.computedAt) continue
          if (same && JSON.stringify(now.row) === JSON.stringify(whale.row)) continue
          const previous = same ? before : now
          calibrations.set(whale.row.wallet, previous === undefined ? [whale] : [whale, previous])
          changed = true
        }
        for (const wallet of removed) changed = calibrations.delete(wallet) || changed
        if (changed) tables.revision += 1
      }),
    openEntries: Effect.sync(() => {
      const open = new Map<string, number>()
      for (const { wallet, marketId, computed: { entries } } of all()) {
        if (!isOpen(marketId) || entries.length === 0) continue
        open.set(wallet, (open.get(wallet) ?? 0) + entries.length)
      }
      return open
    }),
  }
}

/** A wallet with entries in an open market. */
type Holder =
  & Pick<OpenEntry, "wallet" | "name" | "marketMaker" | "calibration">
  & { readonly entries: ReadonlyArray<StoredEntry> }

/** The largest entries; ties by wallet, opening time and outcome. */
function largestOpen(
  holders: ReadonlyArray<Holder>,
  limit: number,
): ReadonlyArray<OpenEntry> {
  return holders
    .flatMap(({ wallet, name, marketMaker, calibration, entries }) =>
      entries.filter((entry) => !isHedge(entry)).map((entry) => ({
        entryOfWallet: { wallet, name, marketMaker, calibration, ...figuresOf(entry) },
        entry,
      }))
    )
    .sort((a, b) =>
      b.entry.stakeUsd - a.entry.stakeUsd ||
      order(a.entryOfWallet.wallet, b.entryOfWallet.wallet) ||
      a.entry.openedAt - b.entry.openedAt || a.entry.outcome - b.entry.outcome
    )
    .slice(0, limit)
    .map(({ entryOfWallet }) => entryOfWallet)
}

const figuresOf = ({ outcome, price, stakeUsd, firstFillAt }: StoredEntry) => ({
  outcome,
  price,
  stakeUsd,
  firstFillAt,
})

const order = <A extends number | string>(a: A, b: A) => a === b ? 0 : a < b ? -1 : 1
