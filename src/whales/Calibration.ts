/**
 * Calibrates tracked wallets: computes the records of those whose results changed, judges all wallets
 * together, and publishes the calibration table.
 *
 * An unchanged wallet's positions are not read again, and its row not written.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { BelowThreshold } from "../core/domain/belowThreshold.ts"
import type { EpochMs } from "../core/domain/time.ts"
import { readOnChange } from "../core/readOnChange.ts"
import { inSlices } from "../core/slices.ts"
import type { FrozenCalibration } from "../feed/domain/item.ts"
import { CalibrationStore } from "./CalibrationStore.ts"
import { eventsMin, isJudged, labels, resolvedEntriesMin } from "./domain/label.ts"
import { ratesOf } from "./domain/rates.ts"
import { recordOf } from "./domain/record.ts"
import {
  calibrationBefore,
  type CalibrationTable,
  calibrationTable,
  rowChanges,
  whaleFacts,
  type WhaleRow,
  whaleRow,
  whyNotJudged,
} from "./domain/whale.ts"
import { WalletStore } from "./WalletStore.ts"

/** Uncounted wallets that are listed in one query. */
const countedBatch = 100
/**
 * Positions that one tick counts, about a second of CPU time; the wallet that exceeds it is the last. A
 * wallet takes as long as `positionsOfWallet` more.
 */
const positionsMax = 50_000
const positionsOfWallet = 250
/** Limits how often the table is read again while many records are computed. */
const readIntervalMin = Duration.seconds(5)

const tooFew = new BelowThreshold({
  message:
    `No tracked wallet has ${resolvedEntriesMin} resolved entries in ${eventsMin} events yet`,
})

/** Mutable, so that an interrupted run reports what it counted. */
interface CountingTally {
  counted: number
}

/** How many wallets have each label. */
export type LabelCounts = Readonly<Record<WhaleRow["label"], number>>

export class Calibration extends Context.Service<Calibration, {
  /**
   * Computes the record of each uncounted wallet. Returns true when none is left, false when it stops
   * earlier, at `until` or after `positionsMax`. A wallet that changes meanwhile stays uncounted.
   */
  readonly count: (until: EpochMs, tally: CountingTally) => Effect.Effect<boolean>
  /** Judges all wallets together and writes the rows that changed. */
  readonly judge: Effect.Effect<LabelCounts>
  /**
   * The calibration for an entry of one of these wallets: the newest before the entry's first fill. A
   * later one may contain the result of the entry's market.
   */
  readonly before: (
    wallets: ReadonlyArray<string>,
  ) => Effect.Effect<(wallet: string, firstFillAt: EpochMs) => FrozenCalibration | null>
  /**
   * The table that is sold. Fails while no wallet has enough resolved entries, because an empty table
   * has no value. Returns the same object until a calibration changes; at most a few seconds old.
   */
  readonly table: Effect.Effect<CalibrationTable, BelowThreshold>
  /** Why a wallet has no row, for its buyer; null unless it is tracked. In any case. */
  readonly whyNoRow: (wallet: string) => Effect.Effect<string | null>
}>()("bellwether/whales/Calibration") {
  static readonly layer = Layer.effect(
    Calibration,
    Effect.gen(function* () {
      const wallets = yield* WalletStore
      const calibrations = yield* CalibrationStore
      const current = yield* readOnChange({
        version: calibrations.calibrationVersion,
        read: Effect.map(calibrations.calibrated, calibrationTable),
        intervalMin: readIntervalMin,
        ageMax: Duration.infinity,
      })
      return Calibration.of({
        count: (until, tally) => count(calibrations, until, tally),
        judge: judge(wallets, calibrations),
        before: (wallets) =>
          Effect.map(
            calibrations.calibrations(wallets),
            (found) => (wallet, instant) => calibrationBefore(found.get(wallet) ?? [], instant),
          ),
        table: Effect.flatMap(
          current,
          (table) => table === null ? Effect.fail(tooFew) : Effect.succeed(table),
        ),
        whyNoRow: (wallet) =>
          Effect.map(wallets.tracked, (all) => {
            const tracked = all.find((one) => one.wallet === wallet.toLowerCase())
            return tracked === undefined ? null : whyNotJudged(tracked)
          }),
      })
    }),
  )
}

const count = Effect.fn("Calibration.count")(function* (
  store: CalibrationStore["Service"],
  until: EpochMs,
  tally: CountingTally,
) {
  let counted = 0
  for (;;) {
    const uncounted = yield* store.uncounted(countedBatch, yield* Clock.currentTimeMillis)
    if (uncounted.length === 0) return true
    for (const { wallet, version, ...tracked } of uncounted) {
      const now = yield* Clock.currentTimeMillis
      if (now >= until || counted >= positionsMax) return false
      const positions = yield* store.positions(wallet)
      counted += positionsOfWallet + positions.length
      const computed = yield* inSlices(() => recordOf(tracked, positions, now))
      if (yield* store.saveCounted({ wallet, version, ...computed }, now)) tally.counted += 1
    }
  }
})

const judge = Effect.fn("Calibration.judge")(function* (
  wallets: WalletStore["Service"],
  calibrations: CalibrationStore["Service"],
) {
  const judged = new Map(
    [...yield* calibrations.counted].flatMap(([wallet, { sums, evidence }]) => {
      const rates = ratesOf(sums)
      return rates !== null && isJudged(rates) ? [[wallet, { ...rates, evidence }] as const] : []
    }),
  )
  const labelled = labels(judged)
  const open = yield* calibrations.openEntries
  const tracked = new Map((yield* wallets.tracked).map((one) => [one.wallet, one]))
  const rows = [...judged].flatMap(([wallet, { evidence: _, ...rates }]) => {
    const known = tracked.get(wallet)
    if (known === undefined) return []
    const label = labelled.get(wallet) ?? "neutral"
    return [whaleRow(wallet, rates, label, whaleFacts(known, open.get(wallet) ?? 0))]
  })
  const now = yield* Clock.currentTimeMillis
  const { changed, removed } = rowChanges(yield* calibrations.calibrated, rows, now)
  if (changed.length + removed.length > 0) yield* calibrations.saveCalibrated(changed, removed)
  const counts = { follow: 0, fade: 0, neutral: 0 }
  for (const label of labelled.values()) counts[label] += 1
  return counts satisfies LabelCounts
})
