/**
 * The expected positions, sums and calibrations at an instant, computed from scratch: from all activity
 * and all resolutions read by then, without any stored state.
 *
 * @module
 */
import { type NumberedActivityEvent } from "../../../src/markets/domain/activity.ts"
import { evidenceOf } from "../../../src/whales/domain/evidence.ts"
import { isJudged, type Judgement, labels } from "../../../src/whales/domain/label.ts"
import { ratesOf } from "../../../src/whales/domain/rates.ts"
import { entriesOf, type Entry } from "../../../src/whales/domain/entry.ts"
import type { MarketFacts, MarketId } from "../../../src/markets/domain/market.ts"
import type { Resolution } from "../../../src/markets/domain/resolution.ts"
import {
  noSums,
  type ResolvedPosition,
  sumsOf,
  type WalletSums,
} from "../../../src/whales/domain/score.ts"
import type { EpochMs } from "../../../src/core/domain/time.ts"
import type { TrackedWallet } from "../../../src/whales/domain/tracking.ts"
import { dueAt } from "../../../src/whales/domain/due.ts"
import { themeOf } from "../../../src/whales/domain/theme.ts"
import { dueBefore } from "./dueOrder.ts"

/** Everything that the venue returned. */
export interface Happened {
  readonly activity: ReadonlyArray<NumberedActivityEvent>
  /** When activity of an instant was first read: later when the venue was down. */
  readonly readAt: (at: EpochMs) => EpochMs
  readonly facts: ReadonlyMap<MarketId, MarketFacts>
  readonly wallets: ReadonlyArray<TrackedWallet>
  /** When results were counted: the instants of the ticks, ascending. */
  readonly slots: ReadonlyArray<EpochMs>
  /** The resolutions read, and when; a later one of a market replaces an earlier one. */
  readonly observed: ReadonlyArray<{ readonly at: EpochMs; readonly resolution: Resolution }>
}

export interface ScratchPosition {
  readonly wallet: string
  readonly market: MarketFacts
  readonly entries: ReadonlyArray<Entry>
  readonly boughtBoth: boolean
  /** When the last of its activity events was read. */
  readonly changedAt: EpochMs
}

export interface ScratchOracle {
  readonly positionsAt: (at: EpochMs) => ReadonlyArray<ScratchPosition>
  readonly resolutionsAt: (at: EpochMs) => ReadonlyMap<MarketId, Resolution>
  readonly sumsAt: (at: EpochMs) => ReadonlyMap<string, WalletSums>
  readonly calibrationsAt: (at: EpochMs) => ReadonlyMap<string, ScratchCalibration>
}

export interface ScratchCalibration {
  readonly label: string
  readonly resolved: number
  readonly winRate: number
  readonly meanEntryPrice: number
  readonly edge: number
  readonly edgeLow: number
  readonly edgeHigh: number
  readonly followRoi: number
  readonly fadeRoi: number | null
  readonly effectiveEntries?: number
}

export function makeOracle(
  { activity, readAt, facts, wallets, slots, observed }: Happened,
): ScratchOracle {
  const byPosition = Map.groupBy(activity, (event) => `${event.wallet} ${event.marketId}`)
  const sources = new Map(wallets.map((wallet) => [wallet.wallet, wallet]))

  const positionsAt = cached((at) =>
    [...byPosition.values()].flatMap((all): ReadonlyArray<ScratchPosition> => {
      const known = all.filter((event) => readAt(event.at) <= at)
      const [first] = known
      const market = first === undefined ? undefined : facts.get(first.marketId)
      if (first === undefined || market === undefined) return []
      const { entries, boughtBoth } = entriesOf(known, market.tokenIds)
      const changedAt = readAt(Math.max(...known.map((event) => event.at)))
      return [{ wallet: first.wallet, market, entries, boughtBoth, changedAt }]
    })
  )

  const resolutionsAt = (at: EpochMs) =>
    new Map(
      observed.filter((word) => word.at <= at).map((
        { resolution },
      ) => [resolution.marketId, resolution]),
    )

  /** The entries of a position that count. */
  const chosenOf = ({ wallet, entries }: ScratchPosition) => {
    const tracked = sources.get(wallet)
    if (tracked === undefined) return []
    const from = tracked.source === "profit" ? tracked.trackedAt : -Infinity
    return entries.filter((entry) => entry.firstFillAt >= from)
  }

  /** Positions whose results may count at one of the ticks until `at`: what counted stays counted. */
  const countedAt = cached((at): ReadonlySet<string> => {
    const slot = slots.findLast((slot) => slot <= at)
    if (slot === undefined) return new Set()
    const resolutions = resolutionsAt(slot)
    const counted = new Set(countedAt(slot - 1))
    for (const positions of Map.groupBy(positionsAt(slot), ({ wallet }) => wallet).values()) {
      const entered = positions.filter(({ entries }) => entries.length > 0).map((position) => ({
        ...{ position, dueAt: dueAt(position.market) ?? -Infinity },
        isOpen: !resolutions.has(position.market.id),
      }))
      const before = dueBefore(entered, slot)
      for (const { position, dueAt, isOpen } of entered) {
        const counts = !isOpen && dueAt < before && chosenOf(position).length > 0
        if (counts) counted.add(nameOf(position))
      }
    }
    return counted
  })

  const sumsAt = (at: EpochMs) => {
    const resolutions = resolutionsAt(at)
    const counted = countedAt(at)
    const played = new Map<string, Map<string, Array<ResolvedPosition>>>()
    for (const position of positionsAt(at)) {
      const { wallet, market } = position
      const resolution = resolutions.get(market.id)
      const chosen = chosenOf(position)
      if (resolution === undefined || !counted.has(nameOf(position))) continue
      const events = played.getOrInsertComputed(wallet, () => new Map())
      const ofEvent = events.getOrInsertComputed(themeOf(market), () => [])
      const payouts = resolution.state === "paid" ? resolution.payouts : null
      ofEvent.push({ entries: chosen, payouts, feeRate: market.takerFeeRate ?? 0 })
    }
    return new Map([...played].map(([wallet, events]) => [wallet, sumsOf(events.values())]))
  }

  /** The first entry of each market that is no sweep, of one wallet. */
  const betsAt = (at: EpochMs, wallet: string) => {
    const resolutions = resolutionsAt(at)
    return positionsAt(at).filter((position) => position.wallet === wallet).flatMap((position) => {
      const [first] = chosenOf(position).filter(({ openingPrice }) => openingPrice < 0.95)
        .sort((a, b) => a.firstFillAt - b.firstFillAt || a.openingPrice - b.openingPrice)
      if (first === undefined) return []
      const resolution = resolutions.get(position.market.id)
      return [{
        price: first.openingPrice,
        openedAt: first.firstFillAt,
        endedAt: resolution === undefined ? null : resolution.resolvedAt ?? at,
        paid: resolution?.state === "paid" ? resolution.payouts[first.outcome] : null,
      }]
    })
  }

  const calibrationsAt = cached((at) => {
    const sums = sumsAt(at)
    const judged = new Map<string, Judgement>()
    for (const [wallet, of] of sums) {
      const rates = ratesOf(of)
      if (rates === null || !isJudged(rates)) continue
      const selectedAt = sources.get(wallet)?.trackedAt ?? 0
      const evidence = evidenceOf(betsAt(at, wallet), selectedAt)
      judged.set(wallet, { ...rates, evidence })
    }
    return new Map([...labels(judged)].flatMap(([wallet, label]) => {
      const rates = ratesOf(sums.get(wallet) ?? noSums)
      if (rates === null) return []
      const { resolved, winRate, meanEntryPrice, edge, edgeLow, edgeHigh } = rates
      const { followRoi, fadeRoi, intervals: { effectiveEntries } } = rates
      const figures = { resolved, winRate, meanEntryPrice, edge, edgeLow, edgeHigh }
      return [[wallet, { label, ...figures, followRoi, fadeRoi, effectiveEntries }] as const]
    }))
  })

  return { positionsAt, resolutionsAt, sumsAt, calibrationsAt }
}

const nameOf = ({ wallet, market }: ScratchPosition) => `${wallet} ${market.id}`

/** Computes each result once. */
function cached<A>(compute: (at: EpochMs) => A): (at: EpochMs) => A {
  const results = new Map<EpochMs, A>()
  return (at) => results.getOrInsertComputed(at, compute)
}
