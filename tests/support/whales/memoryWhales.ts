/**
 * The five stores of whales in memory: what their ports say, in maps, for laws and for tests of what
 * stands on them.
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
import { isHedge, isMarketMaker } from "../../../src/whales/domain/entry.ts"
import { type OpenEntry, type StoredEntry } from "../../../src/whales/domain/storedEntry.ts"
import type { Judgement } from "../../../src/whales/domain/label.ts"
import type { MarketScore, WalletSums } from "../../../src/whales/domain/score.ts"
import type { HistoryState, TrackedWallet } from "../../../src/whales/domain/tracking.ts"
import type { CalibratedWhale } from "../../../src/whales/domain/whale.ts"
import type { ComputedPosition, EntryStore } from "../../../src/whales/EntryStore.ts"
import type { WalletStore } from "../../../src/whales/WalletStore.ts"
import type { WhaleMarketStore } from "../../../src/whales/WhaleMarketStore.ts"
import type { WhaleStores } from "./whaleStores.ts"

/** Five stores of one memory. */
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
  readonly actsVersion: number
  readonly madeVersion: number
  readonly made: Pick<ComputedPosition, "entries" | "boughtBoth" | "due">
  readonly stale: { readonly actedAt: number } | null
  readonly uncounted: { readonly since: number; readonly version: number } | null
  readonly score: MarketScore | null
}

interface MarketState {
  readonly facts: MarketFacts | null
  readonly event: string | null
  readonly factsAskedAt: number
  readonly askedAt: number
  readonly resolution: Resolution | null
  readonly endedAt: number
  /** When how it ended was last news. */
  readonly changedAt: number
}

const never = -Infinity

const unknown: MarketState = {
  facts: null,
  event: null,
  factsAskedAt: never,
  askedAt: never,
  resolution: null,
  endedAt: never,
  changedAt: never,
}

const untold = {
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
  actsVersion: 0,
  madeVersion: 0,
  made: { entries: [], boughtBoth: false, due: false },
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

/** What the five stores in memory hold together, and what changes it in more than one of them. */
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
    bothSides: ofWallet(wallet).filter(({ made }) => made.boughtBoth).length,
  })
  const isOpen = (id: MarketId) => marketOf(id).resolution === null
  const hasEntries = (id: MarketId) => ofMarket(id).some(({ made }) => made.entries.length > 0)

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
    /** Which change of what is published this is. */
    revision: 0,
  }
}
type Tables = ReturnType<typeof makeTables>

function walletStore(tables: Tables): WalletStore["Service"] {
  const { wallets, markets, key, ofWallet, sidesOf, isOpen, positions, put, markUncounted } = tables
  const addAct = (wallet: string, event: NumberedActivityEvent) => {
    const held = positions.get(key(wallet, event.marketId)) ?? fresh(wallet, event.marketId)
    if (held.activity.has(nameOf(event))) return false
    if (!markets.has(event.marketId)) markets.set(event.marketId, unknown)
    put(held, {
      activity: new Map([...held.activity, [nameOf(event), { ...event, wallet }]]),
      actsVersion: held.actsVersion + 1,
      stale: { actedAt: Math.max(event.at, held.stale?.actedAt ?? event.at) },
    })
    return true
  }

  return {
    track: (found, at) =>
      Effect.sync(() => {
        let added = 0
        for (const { wallet, name, source } of found) {
          const held = wallets.get(wallet)
          if (held === undefined) {
            added += 1
            wallets.set(wallet, { ...untold, wallet, name, source, trackedAt: at })
          } else {
            const chosen = held.source === "profit" && source === "volume"
            wallets.set(wallet, { ...held, name, source: chosen ? source : held.source })
            for (const position of chosen ? ofWallet(wallet) : []) {
              const ended = !isOpen(position.marketId) && position.made.entries.length > 0
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
        const held = wallets.get(read.wallet)
        if (held === undefined) return { added: 0 }
        const added = read.activity.filter((event) => addAct(read.wallet, event)).length
        const { readFrom, readTo } = held
        const further = histories.indexOf(read.history) > histories.indexOf(held.history)
        const history = further ? read.history : held.history
        if (readFrom === null || readTo === null) {
          wallets.set(read.wallet, {
            ...held,
            history,
            readFrom: read.readFrom,
            readTo: read.readTo,
          })
        } else if (read.readFrom < readTo + second && read.readTo > readFrom - second) {
          wallets.set(read.wallet, {
            ...held,
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
    unknownMarkets: (limit, checkedBefore) =>
      Effect.sync(() =>
        [...markets].filter(([id, { facts, factsAskedAt }]) =>
          facts === null && factsAskedAt < checkedBefore && ofMarket(id).length > 0
        ).sort(([, a], [, b]) => order(a.factsAskedAt, b.factsAskedAt)).slice(0, limit)
          .map(([id]) => id)
      ),
    saveFacts: (facts, asked, at) =>
      Effect.sync(() => {
        for (const told of facts) {
          putMarket(told.id, { facts: told, event: marketOf(told.id).event ?? told.eventSlug })
        }
        for (const id of asked) {
          putMarket(id, { factsAskedAt: Math.max(at, marketOf(id).factsAskedAt) })
        }
      }),
    unresolved: ({ limit, checkedBefore, ending, endedAfter, recheckedBefore }) =>
      Effect.sync(() => {
        const known = [...markets].filter(([id]) => hasEntries(id))
          .sort(([, a], [, b]) => order(a.askedAt, b.askedAt))
        const first = known.filter(([, { resolution, askedAt, facts }]) => {
          const endsAt = facts?.endsAt ?? null
          const ends = endsAt !== null && ending.from <= endsAt && endsAt <= ending.to
          return resolution === null &&
            (askedAt < checkedBefore || ends && askedAt < ending.checkedBefore)
        })
        const again = known.filter(([, { resolution, askedAt, endedAt }]) =>
          resolution !== null && endedAt > endedAfter && askedAt < recheckedBefore
        )
        const eighth = Math.floor(limit / 8)
        return [...again.slice(0, eighth), ...first, ...again.slice(eighth)]
          .slice(0, limit)
          .map(([id]) => id)
      }),
    saveResolutions: (resolutions, asked, at) =>
      Effect.sync(() => {
        let news = 0
        for (
          const resolution of new Map(resolutions.map((each) => [each.marketId, each])).values()
        ) {
          const { marketId } = resolution
          const held = marketOf(marketId)
          const resolvedAt = resolution.resolvedAt ?? held.resolution?.resolvedAt ?? null
          putMarket(marketId, {
            resolution: { ...resolution, resolvedAt },
            endedAt: resolution.resolvedAt ?? (held.resolution === null ? at : held.endedAt),
          })
          if (payoutOf(held.resolution) === payoutOf(resolution)) continue
          news += 1
          putMarket(marketId, { changedAt: at })
          for (const position of ofMarket(marketId)) {
            const counts = position.made.entries.length > 0 || position.score !== null
            if (counts) markUncounted(position)
          }
        }
        for (const id of asked) putMarket(id, { askedAt: Math.max(at, marketOf(id).askedAt) })
        return news
      }),
    ended: ({ endedFrom, changed, limit }) =>
      Effect.sync(() =>
        [...markets].flatMap(([id, { facts, resolution, endedAt, changedAt }]) => {
          const entered = ofMarket(id).filter(({ made }) => made.entries.length > 0)
          const fits = endedAt >= endedFrom && changedAt >= changed.from && changedAt < changed.to
          if (facts === null || resolution === null || entered.length === 0 || !fits) return []
          const stakeUsd = entered.flatMap(({ made }) => made.entries)
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
  const save = (made: ComputedPosition) => {
    const held = positions.get(key(made.wallet, made.marketId))
    if (held === undefined || marketOf(made.marketId).facts === null) return
    if (made.version < held.madeVersion || made.version > held.actsVersion) return
    const fields: Partial<Position> = {
      made,
      madeVersion: made.version,
      ...made.version === held.actsVersion ? { stale: null } : {},
    }
    const counts = !isOpen(made.marketId) || held.score !== null
    const changed = JSON.stringify(made.entries) !== JSON.stringify(held.made.entries)
    if (counts && changed) markUncounted(held, fields)
    else put(held, fields)
  }

  return {
    stale: (limit) =>
      Effect.sync(() =>
        all().sort((a, b) => (b.stale?.actedAt ?? 0) - (a.stale?.actedAt ?? 0)).flatMap(
          (position) => {
            const { facts } = marketOf(position.marketId)
            return position.stale === null || facts === null ? [] : [{
              wallet: position.wallet,
              market: facts,
              version: position.actsVersion,
              activity: [...position.activity.values()],
              entries: position.made.entries,
            }]
          },
        ).slice(0, limit)
      ),
    saveEntries: (made) =>
      Effect.sync(() =>
        new Map(made.map((each) => [key(each.wallet, each.marketId), each])).forEach(save)
      ),
    due: (limit) =>
      Effect.sync(() =>
        all().flatMap(({ wallet, marketId, madeVersion, made: { due, entries, boughtBoth } }) => {
          const { facts } = marketOf(marketId)
          return due && facts !== null
            ? [{ wallet, market: facts, version: madeVersion, entries, boughtBoth }]
            : []
        }).slice(0, limit)
      ),
    entriesIn: (marketId, limit) =>
      Effect.sync(() =>
        isOpen(marketId)
          ? largestOpen(
            ofMarket(marketId).flatMap(({ wallet, made }) => {
              const held = wallets.get(wallet)
              if (held === undefined || held.history === "reading") return []
              const marketMaker = isMarketMaker(sidesOf(wallet))
              const calibration = calibrations.get(wallet)?.[0] ?? null
              return [{ ...held, marketMaker, calibration, entries: made.entries }]
            }),
            limit,
          )
          : []
      ),
  }
}

function countingStore(tables: Tables): CountingStore["Service"] {
  const { wallets, key, marketOf, all, ofWallet, positions, put } = tables
  const eventOf = ({ wallet, marketId }: Position) => `${wallet} ${marketOf(marketId).event}`

  const uncountedEvent = (members: ReadonlyArray<Position>): ReadonlyArray<UncountedEvent> => {
    const tracked = wallets.get(members[0]?.wallet ?? "")
    if (tracked === undefined) return []
    return [{
      wallet: tracked.wallet,
      countFrom: tracked.source === "profit" ? tracked.trackedAt : null,
      positions: members.map(({ marketId, uncounted, made, score }) => ({
        marketId,
        version: uncounted?.version ?? 0,
        feeRate: marketOf(marketId).facts?.takerFeeRate ?? 0,
        entries: made.entries,
        resolution: marketOf(marketId).resolution,
        counted: score,
        changed: uncounted !== null,
      })),
    }]
  }

  const whole = () =>
    [...wallets.values()].filter(({ wallet, history }) =>
      history === "whole" && ofWallet(wallet).some(({ score }) => score !== null)
    ).sort((a, b) => a.wallet < b.wallet ? -1 : 1)

  return {
    uncounted: (limit) =>
      Effect.sync(() => {
        const oldest = all().filter(({ uncounted }) => uncounted !== null)
          .sort((a, b) => (a.uncounted?.since ?? 0) - (b.uncounted?.since ?? 0)).slice(0, limit)
        const events = new Set(oldest.map(eventOf))
        return [...events].flatMap((event) =>
          uncountedEvent(
            all().filter((position) =>
              eventOf(position) === event &&
              (position.uncounted !== null || position.score !== null)
            ),
          )
        )
      }),
    sums: (asked) =>
      Effect.sync(() =>
        new Map(
          [...wallets.values()].filter(({ wallet }) => asked.includes(wallet))
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
          const held = positions.get(key(wallet, marketId))
          if (held !== undefined) put(held, { score, uncounted: null })
        }
        for (const { wallet, version, sums, judgement } of moved) {
          const held = wallets.get(wallet)
          if (held !== undefined) {
            wallets.set(wallet, { ...held, version: version + 1, sums, judgement })
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
    calibrations: (asked) =>
      Effect.sync(() => new Map([...calibrations].filter(([wallet]) => asked.includes(wallet)))),
    saveCalibrated: (whales, gone) =>
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
        for (const wallet of gone) changed = calibrations.delete(wallet) || changed
        if (changed) tables.revision += 1
      }),
    openEntries: Effect.sync(() => {
      const open = new Map<string, number>()
      for (const { wallet, marketId, made: { entries } } of all()) {
        if (!isOpen(marketId) || entries.length === 0) continue
        open.set(wallet, (open.get(wallet) ?? 0) + entries.length)
      }
      return open
    }),
  }
}

/** A wallet in a market that is open. */
type Holder =
  & Pick<OpenEntry, "wallet" | "name" | "marketMaker" | "calibration">
  & { readonly entries: ReadonlyArray<StoredEntry> }

/** The largest of their entries; where stakes are even, by wallet, name of the entry and outcome. */
function largestOpen(
  holders: ReadonlyArray<Holder>,
  limit: number,
): ReadonlyArray<OpenEntry> {
  return holders
    .flatMap(({ wallet, name, marketMaker, calibration, entries }) =>
      entries.filter((entry) => !isHedge(entry)).map((entry) => ({
        shown: { wallet, name, marketMaker, calibration, ...figuresOf(entry) },
        entry,
      }))
    )
    .sort((a, b) =>
      b.entry.stakeUsd - a.entry.stakeUsd || order(a.shown.wallet, b.shown.wallet) ||
      a.entry.openedAt - b.entry.openedAt || a.entry.outcome - b.entry.outcome
    )
    .slice(0, limit)
    .map(({ shown }) => shown)
}

const figuresOf = ({ outcome, price, stakeUsd, firstFillAt }: StoredEntry) => ({
  outcome,
  price,
  stakeUsd,
  firstFillAt,
})

const order = <A extends number | string>(a: A, b: A) => a === b ? 0 : a < b ? -1 : 1
