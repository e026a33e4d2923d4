/**
 * Calibrates tracked wallets: adds their resolved entries to sums, judges all wallets together, and
 * publishes the calibration table.
 *
 * An unchanged wallet's history and bets are not read again, and its row not written.
 *
 * @module
 */
import { Array, Clock, Context, Duration, Effect, Layer } from "effect"
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
import { type Evidence, evidenceOf } from "./domain/evidence.ts"
import { eventsMin, isJudged, labels, mayBeLabelled, resolvedEntriesMin } from "./domain/label.ts"
import { ratesOf } from "./domain/rates.ts"
import { type MarketScore, marketScore, noSums, recount, type WalletSums } from "./domain/score.ts"
import {
  calibrationBefore,
  type CalibrationTable,
  calibrationTable,
  rowChanges,
  whaleFacts,
  type WhaleRow,
  whaleRow,
} from "./domain/whale.ts"
import { WalletStore } from "./WalletStore.ts"

/** Positions counted in one transaction, and in one run. */
const countedBatch = 500
const countedMax = 200_000
/** Batches of a run that may fail because a version changed. */
const conflictsMax = 10
/** Wallets whose bets are read in one query. */
const betsBatch = 200
/** Limits how often the table is read again while many resolutions are counted. */
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
   * Counts the uncounted positions that may count, the earliest due first. Returns true when none is left,
   * false when it stops earlier: at `until`, `countedMax` or too many conflicts. A batch in which a position changed
   * meanwhile is not saved but read again.
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
}>()("bellwether/whales/Calibration") {
  static readonly layer = Layer.effect(
    Calibration,
    Effect.gen(function* () {
      const stores: Stores = {
        wallets: yield* WalletStore,
        counting: yield* CountingStore,
        calibrations: yield* CalibrationStore,
        evidence: new Map(),
      }
      const { calibrations } = stores
      const current = yield* readOnChange({
        version: calibrations.calibrationVersion,
        read: Effect.map(calibrations.calibrated, calibrationTable),
        intervalMin: readIntervalMin,
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
  readonly evidence: EvidenceCache
}

/**
 * The evidence of wallets, by the version of the sums that it was computed at. Cash of an earlier
 * instant is as valid, so bets are read again only after a result was counted.
 */
type EvidenceCache = Map<
  string,
  { readonly version: number; readonly evidence: Evidence | null }
>

const count = Effect.fn("Calibration.count")(function* (
  store: CountingStore["Service"],
  until: EpochMs,
  tally: CountingTally,
) {
  let conflicts = 0
  while (tally.counted < countedMax) {
    const now = yield* Clock.currentTimeMillis
    if (now >= until) return false
    const events = yield* store.uncounted(countedBatch, now)
    if (events.length === 0) return true
    const stored = yield* store.sums([...new Set(events.map(({ wallet }) => wallet))])
    const { positions, sums } = recounted(events, stored)
    const wallets = [...sums].map(([wallet, updated]): CountedWallet => ({
      wallet,
      version: stored.get(wallet)?.version ?? 0,
      sums: updated,
    }))
    const saved = yield* store.saveCounted(positions, wallets)
    if (saved) tally.counted += positions.length
    else if (++conflicts >= conflictsMax) return false
  }
  return false
})

/** The new scores of these events' positions, and the new sums of their wallets. */
function recounted(
  events: ReadonlyArray<UncountedEvent>,
  stored: ReadonlyMap<string, StoredSums>,
) {
  const sums = new Map<string, WalletSums>()
  const positions: Array<CountedPosition> = []
  for (const event of events) {
    const { wallet } = event
    const before: Array<MarketScore> = []
    const after: Array<MarketScore> = []
    for (const position of event.positions) {
      const { marketId, version, counted, changed } = position
      const score = changed ? scoreOf(event, position) : counted
      if (counted !== null) before.push(counted)
      if (score !== null) after.push(score)
      if (changed) positions.push({ wallet, marketId, version, score })
    }
    const known = sums.get(wallet) ?? stored.get(wallet)?.sums ?? noSums
    sums.set(wallet, recount(known, before, after))
  }
  return { positions, sums }
}

/** The score of a position's counted entries; null without any, and while its market is open. */
function scoreOf(
  { countFrom }: UncountedEvent,
  { resolution, entries, feeRate }: UncountedEvent["positions"][number],
): MarketScore | null {
  const some = entries.filter(({ firstFillAt }) => countFrom === null || firstFillAt >= countFrom)
  if (resolution === null || some.length === 0) return null
  return marketScore(some, resolution.state === "paid" ? resolution.payouts : null, feeRate)
}

const judge = Effect.fn("Calibration.judge")(function* (
  { wallets, counting, calibrations, evidence }: Stores,
) {
  const judged = new Map(
    [...yield* counting.counted].flatMap(([wallet, { version, sums }]) => {
      const rates = ratesOf(sums)
      return rates !== null && isJudged(rates) ? [[wallet, { version, rates }] as const] : []
    }),
  )
  const candidates = new Map([...judged].filter(([, { rates }]) => mayBeLabelled(rates)))
  yield* updateEvidence(counting, evidence, candidates)
  const labelled = labels(
    new Map([...judged].map(([wallet, { rates }]) => {
      const known = candidates.has(wallet) ? evidence.get(wallet)?.evidence : null
      return [wallet, { ...rates, evidence: known ?? null }]
    })),
  )
  const open = yield* calibrations.openEntries
  const tracked = new Map((yield* wallets.tracked).map((one) => [one.wallet, one]))
  const rows = [...judged].flatMap(([wallet, { rates }]) => {
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

/** Reads the bets of these wallets whose sums have another version than their evidence. */
const updateEvidence = Effect.fnUntraced(function* (
  counting: CountingStore["Service"],
  evidence: EvidenceCache,
  candidates: ReadonlyMap<string, { readonly version: number }>,
) {
  const changed = [...candidates].filter(([wallet, { version }]) =>
    evidence.get(wallet)?.version !== version
  )
  for (const batch of Array.chunksOf(changed, betsBatch)) {
    const bets = yield* counting.bets(batch.map(([wallet]) => wallet))
    for (const [wallet, { version }] of batch) {
      const known = bets.get(wallet)
      evidence.set(wallet, {
        version,
        evidence: known === undefined ? null : evidenceOf(known.bets, known.selectedAt),
      })
    }
  }
})
