/**
 * Fixtures for the laws of the whale stores: wallets, markets and entries by number.
 *
 * @module
 */
import { Effect } from "effect"
import type { NumberedActivityEvent } from "../../src/markets/domain/activity.ts"
import type { StoredEntry } from "../../src/whales/domain/storedEntry.ts"
import { type MarketFacts, MarketId, Slug, TokenId } from "../../src/markets/domain/market.ts"
import type { Resolution } from "../../src/markets/domain/resolution.ts"
import type { CountedWallet, UncountedWallet } from "../../src/whales/CalibrationStore.ts"
import { noSums } from "../../src/whales/domain/score.ts"
import type { ComputedPosition } from "../../src/whales/EntryStore.ts"
import { hashOf } from "../support/whales/activityEvents.ts"
import type { WhaleStores } from "../support/whales/whaleStores.ts"

type Store = WhaleStores

export const start = Date.UTC(2026, 10, 20)

export const walletOf = (n: number) => `0x${`${n}`.padStart(40, "0")}`
export const marketOf = (n: number) => MarketId.make(`0x${`${n}`.padStart(64, "0")}`)
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
  endsAt: start + (n === 0 ? 0 : n * 5 + version) * 1_000,
  gameStartsAt: null,
  eventKey: `event-${n >> 1}`,
  exclusive: n === 1,
  createdAt: null,
  rulesDates: [],
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
  transaction: hashOf(n >> 2),
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
  farmed: false,
  due: true,
})

/** Counts uncounted wallets, with an empty record unless given; returns whether each was saved. */
export const countUncounted = Effect.fnUntraced(function* (
  store: Store,
  counted: Partial<CountedWallet> = {},
  limit = 9,
  found: ReadonlyArray<UncountedWallet> | null = null,
) {
  return yield* Effect.forEach(
    found ?? (yield* store.uncounted(limit, start)),
    ({ wallet, version }) =>
      store.saveCounted({
        ...{ wallet, version, newlyCounted: [], nextAt: null },
        record: { sums: noSums, evidence: { follow: 1, fade: 1 } },
        ...counted,
      }, start),
  )
})

const payouts = [[1, 0], [0, 1], [0.5, 0.5], [0.1 + 0.2, 0.7]] as const

export const resolutionOf = (n: number, how: number, seconds = 0): Resolution => {
  const base = {
    marketId: marketOf(n),
    resolvedAt: seconds === 0 ? null : start + seconds * 1_000,
  } as const
  const paid = payouts[how]
  return paid === undefined
    ? { ...base, state: "cancelled" }
    : { ...base, state: "paid", payouts: paid }
}

/** When every market was due so long ago that no open one delays others. */
export const far = start + 1e9
