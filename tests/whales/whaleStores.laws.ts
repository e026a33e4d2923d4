/**
 * Fixtures for the laws of the whale stores: wallets, markets and entries by number, programs of calls
 * to all stores, and the whole readable state of the stores.
 *
 * @module
 */
import { Arbitrary, Effect, Schema } from "effect"
import type { NumberedActivityEvent } from "../../src/markets/domain/activity.ts"
import type { StoredEntry } from "../../src/whales/domain/storedEntry.ts"
import { type MarketFacts, MarketId, Slug, TokenId } from "../../src/markets/domain/market.ts"
import type { Resolution } from "../../src/markets/domain/resolution.ts"
import { type MarketScore, noSums, type WalletSums } from "../../src/whales/domain/score.ts"
import type { StoredSums, UncountedEvent } from "../../src/whales/CountingStore.ts"
import type { ComputedPosition, StalePosition } from "../../src/whales/EntryStore.ts"
import { whaleRow } from "../support/products.ts"
import type { WhaleStores } from "../support/whales/whaleStores.ts"

export type Store = WhaleStores

const wallets = 3
const markets = 5
export const start = Date.UTC(2026, 10, 20)

const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const some = <S extends Schema.Constraint>(item: S, most: number, least = 0) =>
  Schema.Array(item).check(Schema.isMinLength(least), Schema.isMaxLength(most))
const seldom = Schema.Literals([false, false, false, true])
const wallet = int(0, wallets - 1)
const market = int(0, markets - 1)

/** A call of a store method, with numbers small enough to collide with those of other calls. */
const Call = Schema.Union([
  Schema.Struct({
    do: Schema.Literal("track"),
    found: some(Schema.Struct({ wallet, name: int(0, 1), chosen: Schema.Boolean }), 3),
  }),
  Schema.Struct({
    do: Schema.Literal("saveRead"),
    wallet,
    activity: some(Schema.Struct({ market, event: int(0, 15) }), 4),
    from: int(0, 9),
    length: int(0, 5),
    history: Schema.Literals(["reading", "whole", "truncated"]),
  }),
  Schema.Struct({
    do: Schema.Literal("saveFacts"),
    found: some(market, 3),
    requested: some(market, 2),
  }),
  /** Saves entries of stale positions; `late`: of positions that were read some calls before. */
  Schema.Struct({
    do: Schema.Literal("saveEntries"),
    which: some(Schema.Struct({ n: int(0, 6), entries: int(0, 3), due: Schema.Boolean }), 9, 2),
    late: seldom,
  }),
  Schema.Struct({ do: Schema.Literal("publish"), n: int(0, 2) }),
  Schema.Struct({
    do: Schema.Literal("saveResolutions"),
    ended: some(Schema.Struct({ market, how: int(0, 4), seconds: int(0, 3) }), 3, 1),
    checked: some(market, 2),
  }),
  Schema.Struct({
    do: Schema.Literal("saveCounted"),
    events: int(1, 9),
    late: Schema.Literal(false),
  }),
  /** `late`: with events, or with sums, that were read some calls before. */
  Schema.Struct({
    do: Schema.Literal("saveCounted"),
    events: int(1, 9),
    late: Schema.Literals(["events", "sums"]),
  }),
  Schema.Struct({
    do: Schema.Literal("saveCalibrated"),
    whales: some(Schema.Struct({ wallet, at: int(0, 2), resolved: int(0, 1) }), 3),
    removed: some(wallet, 1),
  }),
])
type Call = typeof Call.Type

const allWallets = [0, 1, 2]
const allMarkets = [0, 1, 2, 3, 4]

/** The initial calls: activity of all wallets in all markets, and entries in all markets but one. */
const before: ReadonlyArray<Call> = [
  {
    do: "track",
    found: allWallets.map((wallet) => ({ wallet, name: 0, chosen: wallet === 0 })),
  },
  { do: "saveFacts", found: [0, 1, 2, 3], requested: [] },
  ...allWallets.map((wallet) => ({
    do: "saveRead" as const,
    wallet,
    activity: allMarkets.flatMap((market) => [0, 1].map((event) => ({ market, event }))),
    from: 3,
    length: 2,
    history: wallet === 2 ? "reading" as const : "whole" as const,
  })),
  {
    do: "saveEntries",
    which: Array.from({ length: 10 }, (_, n) => ({ n, entries: n % 3, due: n % 4 === 0 })),
    late: false,
  },
  { do: "saveResolutions", ended: [{ market: 1, how: 0, seconds: 1 }], checked: [1] },
]

export const program = Arbitrary.array(Arbitrary.schema(Call), { minLength: 16, maxLength: 16 })
  .pipe(Arbitrary.map((calls) => [...before, ...calls]))

export const walletOf = (n: number) => `0x${`${n}`.padStart(40, "0")}`
export const marketOf = (n: number) => MarketId.make(`0x${`${n}`.padStart(64, "0")}`)
const all = <A>(count: number, of: (n: number) => A) =>
  Array.from({ length: count }, (_, n) => of(n))

export const factsOf = (n: number, version = 0): MarketFacts => ({
  id: marketOf(n),
  slug: Slug.make(`market-${n}`),
  question: `Version ${version}?`,
  // Two events of two markets, and one of one; in a later version a market stays in its event.
  eventSlug: version === 0 ? `event-${n >> 1}` : "another",
  url: "https://venue.example/",
  category: null,
  outcomes: ["Yes", "No"],
  tokenIds: [TokenId.make(`yes-${n}`), TokenId.make(`no-${n}`)],
  // Due one after another while the calls of a program run; a later version changes no due time.
  endsAt: n === 0 ? null : start + (n * 5 + version) * 1_000,
  gameStartsAt: n === 0 ? start : null,
  eventKey: `event-${n >> 1}`,
  exclusive: n === 1,
  takerFeeRate: n / 100,
})

const kinds = ["buy", "sell", "split", "merge"] as const

/** The n-th activity event: neighbours differ in one field of the key. */
export const activityEventOf = (who: number, market: number, n: number): NumberedActivityEvent => ({
  wallet: walletOf(who),
  marketId: marketOf(market),
  kind: kinds[n % 4] ?? "buy",
  tokenId: n % 4 > 1 ? null : TokenId.make(n % 3 === 0 ? `yes-${market}` : "of no market"),
  size: n < 8 ? 0.1 + 0.2 : 1e6 / 3,
  price: n % 4 > 1 ? 0 : 0.07,
  at: start + n * 1_000,
  transaction: n % 5 === 0 ? `odd ${n}` : `0x${`${n >> 2}`.padStart(64, "a")}`,
  occurrence: n % 2,
})

export const entryOf = (n: number): StoredEntry => ({
  outcome: n % 2 === 0 ? 0 : 1,
  price: 0.1 * (n + 1),
  openingPrice: 0.1 * (n + 1),
  stakeUsd: n === 2 ? 33.5 : 100 / 3,
  shares: 10,
  // The second is a hedge, the third all but one.
  hedgedShares: [0, 5 + 1e-9, 5][n] ?? 0,
  fills: 1 + n,
  firstFillAt: start,
  lastFillAt: start,
  openedAt: start,
  calibration: null,
  emitted: n === 2,
})

export const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)

/** Tracks the first wallet, with one activity event in each of `markets` markets with known facts. */
export const addActivity = Effect.fnUntraced(function* (store: Store, markets: number) {
  yield* store.track([{ wallet: walletOf(0), name: "Wallet", source: "volume" }], start)
  yield* store.saveFacts(upTo(markets).map((market) => factsOf(market)), [], start)
  yield* readAll(store, upTo(markets).map((market) => activityEventOf(0, market, 0)))
})

/** Saves activity of the first wallet. */
export const readAll = (store: Store, activity: ReadonlyArray<NumberedActivityEvent>) =>
  store.saveRead({
    ...{ wallet: walletOf(0), activity, readFrom: start, readTo: start, history: "whole" },
  })

/** A position of the first wallet with one entry. */
export const positionOf = (market: number, version = 1): ComputedPosition => ({
  wallet: walletOf(0),
  marketId: marketOf(market),
  version,
  entries: [entryOf(0)],
  boughtBoth: false,
  due: true,
})

const payouts = [[1, 0], [0, 1], [0.5, 0.5], [0.1 + 0.2, 0.7]] as const

export const resolutionOf = (n: number, how: number, seconds = 0): Resolution => {
  const base = {
    marketId: marketOf(n),
    resolvedAt: seconds === 0 ? null : start + seconds * 1_000,
    source: seconds % 2 === 0 ? "oracle" : "book",
  } as const
  const paid = payouts[how]
  return paid === undefined
    ? { ...base, state: "cancelled" }
    : { ...base, state: "paid", payouts: paid }
}

/** Scores and sums that are distinct for each n. */
const scoreOf = (n: number): MarketScore => ({
  cancelled: n,
  bands: [],
})
const sumsOf = (n: number): WalletSums => ({
  ...noSums,
  edges: { ...noSums.edges, clusters: n },
  totals: { ...noSums.totals, cancelled: n },
})

/** A client of the stores, with everything it has read so far. */
export interface Worker {
  readonly store: Store
  readonly stale: Array<ReadonlyArray<StalePosition>>
  readonly uncounted: Array<ReadonlyArray<UncountedEvent>>
  readonly sums: Array<ReadonlyMap<string, StoredSums>>
}

export const worker = (store: Store): Worker => ({
  store,
  stale: [],
  uncounted: [],
  sums: [],
})

type Place = Pick<StalePosition, "wallet" | "market">
const byPlace = (a: Place, b: Place) =>
  `${a.wallet} ${a.market.id}` < `${b.wallet} ${b.market.id}` ? -1 : 1

const manyMax = 100
/** When every market was due so long ago that no open one delays others. */
export const far = start + 1e9

/** Runs the n-th call of a program, and returns its result. */
export const runCall = Effect.fnUntraced(function* (worker: Worker, call: Call, n: number) {
  const { store } = worker
  const at = start + n * 1_000
  switch (call.do) {
    case "track":
      return yield* store.track(
        call.found.map(({ wallet, name, chosen }) => ({
          wallet: walletOf(wallet),
          name: `name ${name}`,
          source: chosen ? "volume" as const : "profit" as const,
        })),
        at,
      )
    case "saveRead":
      return yield* store.saveRead({
        wallet: walletOf(call.wallet),
        activity: call.activity.map(({ market, event }) =>
          activityEventOf(call.wallet, market, event)
        ),
        readFrom: start + call.from * 1_000,
        readTo: start + (call.from + call.length) * 1_000,
        history: call.history,
      })
    case "saveFacts":
      return yield* store.saveFacts(
        call.found.map((market) => factsOf(market, n % 2)),
        call.requested.map(marketOf),
        at,
      )
    case "saveEntries": {
      worker.stale.push([...yield* store.stale(manyMax)].sort(byPlace))
      const positions = positionsOf(worker.stale.at(call.late ? -3 : -1) ?? [], call.which)
      return yield* store.saveEntries(positions)
    }
    case "publish": {
      const due = [...yield* store.due(manyMax)].sort((a, b) => byPlace(a, b))
      const position = due[call.n]
      if (position === undefined) return
      const { wallet, market, version, boughtBoth } = position
      const entries = position.entries.map((entry) => ({ ...entry, emitted: true }))
      return yield* store.saveEntries([
        { wallet, marketId: market.id, version, boughtBoth, entries, due: false },
      ])
    }
    case "saveResolutions":
      return yield* store.saveResolutions(
        call.ended.map(({ market, how, seconds }) => resolutionOf(market, how, seconds)),
        call.checked.map(marketOf),
        at,
      )
    case "saveCounted": {
      // Reads all events, because another law checks their order.
      worker.uncounted.push(sorted(yield* store.uncounted(manyMax, at)))
      worker.sums.push(yield* store.sums(all(wallets, walletOf)))
      const events = worker.uncounted.at(call.late === "events" ? -2 : -1) ?? []
      const sums = worker.sums.at(call.late === "sums" ? -2 : -1) ?? new Map()
      return yield* count(store, events.slice(0, call.events), sums, n)
    }
    case "saveCalibrated":
      return yield* store.saveCalibrated(
        call.whales.map(({ wallet, at, resolved }) => ({
          computedAt: start + at,
          row: whaleRow({ wallet: walletOf(wallet), resolved }),
        })),
        call.removed.map(walletOf),
      )
  }
})

function positionsOf(
  stale: ReadonlyArray<StalePosition>,
  which: ReadonlyArray<{ readonly n: number; readonly entries: number; readonly due: boolean }>,
): ReadonlyArray<ComputedPosition> {
  return which.flatMap(({ n, entries, due }) => {
    const position = stale[n]
    return position === undefined ? [] : [{
      wallet: position.wallet,
      marketId: position.market.id,
      version: position.version,
      entries: all(entries, entryOf),
      boughtBoth: entries === 2,
      due,
    }]
  })
}

/** Saves scores of events, and new sums with the versions that were read. */
const count = (
  store: Store,
  events: ReadonlyArray<UncountedEvent>,
  stored: ReadonlyMap<string, StoredSums>,
  n: number,
) =>
  store.saveCounted(
    events.flatMap(({ wallet, positions }) =>
      // A position that is open or waits has no score.
      positions.filter(({ resolution, waits }) => resolution !== null && !waits).map((
        { marketId, version, entries },
      ) => ({
        wallet,
        marketId,
        version,
        score: entries.length === 0 ? null : scoreOf(n),
      }))
    ),
    [...new Set(events.map(({ wallet }) => wallet))].map((wallet) => ({
      wallet,
      version: stored.get(wallet)?.version ?? 0,
      sums: sumsOf(n),
      judgement: n % 2 === 0
        ? null
        : { evidence: { follow: 0.5, fade: -0.5 }, edge: 0, followRoi: 0, fadeRoi: 0 },
    })),
  )

const sorted = (events: ReadonlyArray<UncountedEvent>) =>
  events.map((event) => ({
    ...event,
    positions: [...event.positions].sort((a, b) => a.marketId < b.marketId ? -1 : 1),
  })).sort((a, b) => placeOf(a) < placeOf(b) ? -1 : 1)

const placeOf = ({ wallet, positions }: UncountedEvent) => `${wallet} ${positions[0]?.marketId}`

/** The whole readable state of the stores, without versions and without the order of ties. */
export const stateOf = Effect.fnUntraced(function* (store: Store) {
  const addresses = all(wallets, walletOf)
  return {
    tracked: yield* store.tracked,
    unknown: [...yield* store.unknownMarkets(manyMax, far)].sort(),
    notRecentlyRequested: [...yield* store.unknownMarkets(manyMax, start + 10_000)].sort(),
    stale: [...yield* store.stale(manyMax)].sort(byPlace).map((
      { version: _, activity, ...rest },
    ) => ({
      ...rest,
      activity: activity.map((event) => JSON.stringify(Object.entries(event).sort())).sort(),
    })),
    due: [...yield* store.due(manyMax)].sort(byPlace).map(({ version: _, ...rest }) => rest),
    unresolved: yield* Effect.forEach(
      queries,
      (query) => Effect.map(store.unresolved(query), (ids) => [...ids].sort()),
    ),
    ended: yield* Effect.forEach(endedQueries, endedIn(store)),
    uncounted: yield* Effect.forEach(
      [at(7), at(12), far],
      (instant) =>
        Effect.map(
          store.uncounted(manyMax, instant),
          (events) =>
            sorted(events).map(({ positions, ...event }) => ({
              ...event,
              positions: positions.map(({ version: _, ...rest }) => rest),
            })),
        ),
    ),
    sums: [...yield* store.sums(addresses)].sort(([a], [b]) => a < b ? -1 : 1),
    judged: yield* store.judged,
    totals: yield* store.totals,
    openEntries: [...yield* store.openEntries].sort(),
    entries: yield* Effect.forEach(
      all(markets, marketOf),
      (id) => store.entriesIn(id, manyMax),
    ),
    calibrated: (yield* store.calibrated).map((whale) => JSON.stringify(whale)).sort(),
    calibrations: [...yield* store.calibrations(addresses)].sort(([a], [b]) => a < b ? -1 : 1),
  }
})

/** Ended markets sorted by id, because the order of equal stakes is undefined. */
const endedIn = (store: Store) => (query: Parameters<Store["ended"]>[0]) =>
  Effect.map(store.ended(query), (markets) =>
    markets.map(({ market, stakeUsd, ...rest }) => ({
      ...{ ...rest, question: market.question, id: market.id },
      stakeUsd: Math.round(stakeUsd * 100),
    })).sort((a, b) => a.id < b.id ? -1 : 1))

const at = (seconds: number) => start + seconds * 1_000
const query = (checkedBefore: number, endingBefore: number, endedAfter: number, again: number) => ({
  limit: manyMax,
  checkedBefore: at(checkedBefore),
  ending: { from: at(1), to: at(12), checkedBefore: at(endingBefore) },
  endedAfter: at(endedAfter),
  recheckedBefore: at(again),
})
const queries = [query(0, 0, 99, 0), query(99, 0, 99, 0), query(5, 9, 2, 9), query(9, 5, -9, 99)]
const endedQueries = [[-9, 0, 99], [2, 0, 99], [-9, 7, 15], [-9, 20, 99]].map((
  [ended, from, to],
) => ({
  endedFrom: at(ended ?? 0),
  changed: { from: at(from ?? 0), to: at(to ?? 0) },
  limit: manyMax,
}))
