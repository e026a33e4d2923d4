/**
 * What the resolved entries of tracked wallets say of each: counted into sums, judged all together, and
 * published as the calibration table.
 *
 * The cost follows what changed: a wallet of which nothing is new has neither its history nor its
 * sums read.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { BelowThreshold } from "../core/domain/belowThreshold.ts"
import type { EpochMs } from "../core/domain/time.ts"
import { readOnChange } from "../core/readOnChange.ts"
import type { FrozenCalibration } from "../feed/domain/item.ts"
import { CalibrationStore } from "./CalibrationStore.ts"
import {
  type CountedPosition,
  type CountedWallet,
  CountingStore,
  type StoredSums,
  type UncountedEvent,
} from "./CountingStore.ts"
import { eventsMin, judgementOf, labels, resolvedEntriesMin } from "./domain/label.ts"
import { type Rates, ratesOf } from "./domain/rates.ts"
import { type MarketScore, marketScore, noSums, recount, type WalletSums } from "./domain/score.ts"
import {
  calibrationBefore,
  type CalibrationTable,
  calibrationTable,
  hasSameFigures,
  rewritten,
  whaleFacts,
  type WhaleRow,
} from "./domain/whale.ts"
import { WalletStore } from "./WalletStore.ts"

/** Positions counted in one transaction, and in one run. */
const countedBatch = 500
const countedMax = 200_000
/** Batches of a run that may turn out to be of another version by now. */
const conflictsMax = 10
/** Wallets whose sums are read at once. */
const sumsBatch = 200
/** While a thousand resolutions are counted, batch after batch, the table is read this often. */
const readingsApart = Duration.seconds(5)

const tooFew = new BelowThreshold({
  message:
    `No tracked wallet has ${resolvedEntriesMin} resolved entries in ${eventsMin} events yet`,
})

/** What was counted so far; it grows in place, so that a run cut short says what it did. */
interface CountingTally {
  counted: number
}

/** How many wallets have each label. */
export type LabelCounts = Readonly<Record<WhaleRow["label"], number>>

export class Calibration extends Context.Service<Calibration, {
  /**
   * Counts the positions that are uncounted, oldest first, until none is left (true) or `until`. A batch
   * in which a position changed meanwhile is left as it was and read again.
   */
  readonly count: (until: EpochMs, tally: CountingTally) => Effect.Effect<boolean>
  /** Judges all wallets together and writes the rows that say something else by now. */
  readonly judge: Effect.Effect<LabelCounts>
  /**
   * What an entry of one of these wallets carries: the calibration as it stood before the entry's first
   * fill, never a later one, which may know how the entry's market ended.
   */
  readonly before: (
    wallets: ReadonlyArray<string>,
  ) => Effect.Effect<(wallet: string, firstFillAt: EpochMs) => FrozenCalibration | null>
  /**
   * The table that is sold. Fails while no wallet has enough resolved entries: an empty table is worth
   * nothing. The same object as long as no calibration changed, and at most a few seconds behind.
   */
  readonly table: Effect.Effect<CalibrationTable, BelowThreshold>
}>()("bellwether/whales/Calibration") {
  static readonly layer = Layer.effect(
    Calibration,
    Effect.gen(function* () {
      const stores: Stores = {
        wallets: yield* WalletStore,
        counting: yield* CountingStore,
        calibrations: yield* CalibrationStore,
      }
      const { calibrations } = stores
      const current = yield* readOnChange({
        version: calibrations.calibrationVersion,
        read: Effect.map(calibrations.calibrated, calibrationTable),
        apart: readingsApart,
        ageMax: Duration.infinity,
      })
      return Calibration.of({
        count: (until, tally) => count(stores.counting, until, tally),
        judge: judge(stores),
        before: (wallets) =>
          Effect.map(
            calibrations.calibrations(wallets),
            (found) => (wallet, instant) => calibrationBefore(found.get(wallet) ?? [], instant),
          ),
        table: Effect.flatMap(
          current,
          (table) => table === null ? Effect.fail(tooFew) : Effect.succeed(table),
        ),
      })
    }),
  )
}

interface Stores {
  readonly wallets: WalletStore["Service"]
  readonly counting: CountingStore["Service"]
  readonly calibrations: CalibrationStore["Service"]
}

const count = Effect.fn("Calibration.count")(function* (
  store: CountingStore["Service"],
  until: EpochMs,
  tally: CountingTally,
) {
  let conflicts = 0
  while (tally.counted < countedMax && (yield* Clock.currentTimeMillis) < until) {
    const events = yield* store.uncounted(countedBatch)
    if (events.length === 0) return true
    const held = yield* store.sums([...new Set(events.map(({ wallet }) => wallet))])
    const { positions, sums } = counted(events, held)
    const wallets = [...sums].map(([wallet, moved]): CountedWallet => ({
      wallet,
      version: held.get(wallet)?.version ?? 0,
      sums: moved,
      judgement: judgementOf(moved),
    }))
    const saved = yield* store.saveCounted(positions, wallets)
    if (saved) tally.counted += positions.length
    else if (++conflicts >= conflictsMax) return false
  }
  return false
})

/** What becomes of these events' positions, and of the sums of their wallets. */
function counted(
  events: ReadonlyArray<UncountedEvent>,
  held: ReadonlyMap<string, StoredSums>,
) {
  const sums = new Map<string, WalletSums>()
  const positions: Array<CountedPosition> = []
  for (const { wallet, countFrom, positions: ofEvent } of events) {
    const before: Array<MarketScore> = []
    const after: Array<MarketScore> = []
    for (const position of ofEvent) {
      const score = position.changed ? scoreOf(position, countFrom) : position.counted
      if (position.counted !== null) before.push(position.counted)
      if (score !== null) after.push(score)
      if (position.changed) {
        const { marketId, version } = position
        positions.push({ wallet, marketId, version, score })
      }
    }
    const moved = recount(sums.get(wallet) ?? held.get(wallet)?.sums ?? noSums, before, after)
    sums.set(wallet, moved)
  }
  return { positions, sums }
}

/** What a position counts for; null while its market has not ended, and without counted entries. */
function scoreOf(
  { resolution, entries, feeRate }: UncountedEvent["positions"][number],
  countFrom: EpochMs | null,
): MarketScore | null {
  const chosen = entries.filter(({ firstFillAt }) => countFrom === null || firstFillAt >= countFrom)
  if (resolution === null || chosen.length === 0) return null
  return marketScore(chosen, resolution.state === "paid" ? resolution.payouts : null, feeRate)
}

const judge = Effect.fn("Calibration.judge")(function* (
  { wallets, counting, calibrations }: Stores,
) {
  const judged = new Map(
    (yield* counting.judged).flatMap(({ wallet, judgement }) =>
      judgement === null ? [] : [[wallet, judgement] as const]
    ),
  )
  const held = new Map((yield* calibrations.calibrated).map((whale) => [whale.row.wallet, whale]))
  const moved = [...judged].flatMap(([wallet, judgement]) => {
    const row = held.get(wallet)?.row
    return row !== undefined && hasSameFigures(row, judgement) ? [] : [wallet]
  })
  const rates = yield* ratesOfAll(counting, moved)
  const open = yield* calibrations.openEntries
  const facts = new Map(
    (yield* wallets.tracked).map((wallet) =>
      [wallet.wallet, whaleFacts(wallet, open.get(wallet.wallet) ?? 0)] as const
    ),
  )
  const kinds = labels(judged)
  const now = yield* Clock.currentTimeMillis
  const { changed, gone } = rewritten(held, kinds, rates, facts, now)
  if (changed.length + gone.length > 0) yield* calibrations.saveCalibrated(changed, gone)
  const counts = { follow: 0, fade: 0, neutral: 0 }
  for (const label of kinds.values()) counts[label] += 1
  return counts satisfies LabelCounts
})

const ratesOfAll = Effect.fnUntraced(function* (
  store: CountingStore["Service"],
  wallets: ReadonlyArray<string>,
) {
  const found = new Map<string, Rates>()
  for (let from = 0; from < wallets.length; from += sumsBatch) {
    const sums = yield* store.sums(wallets.slice(from, from + sumsBatch))
    for (const [wallet, { sums: of }] of sums) {
      const rates = of === null ? null : ratesOf(of)
      if (rates !== null) found.set(wallet, rates)
    }
  }
  return found
})
