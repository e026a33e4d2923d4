/**
 * From resolutions to calibrations: what changed is counted into its wallet's sums, all wallets are
 * judged together, and the rows that say something else by now are written.
 *
 * The cost follows what changed: a wallet of which nothing is new has neither its history nor its
 * sums read.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { judgementOf, labels, type Rates, ratesOf } from "./domain/calibration.ts"
import { type MarketScore, marketScore, noSums, recount, type WalletSums } from "./domain/score.ts"
import type { EpochMs } from "../core/domain/time.ts"
import type { WhaleRow } from "./domain/whale.ts"
import { rewritten, saysStill, whaleFacts } from "./domain/whaleRow.ts"
import type {
  CountedPosition,
  CountedWallet,
  HeldSums,
  UncountedEvent,
  WhaleStore,
} from "./WhaleStore.ts"

/** Positions counted in one transaction, and in one tick. */
const countedBatch = 500
const countedMax = 200_000
/** Batches of a tick that may turn out to be of another version by now. */
const conflictsMax = 10

/** What was counted so far; it grows in place, so that a stage cut short tells what it did. */
interface CountingTally {
  counted: number
}

/**
 * Counts what is uncounted, oldest first, until none is left or `until`. A batch in which a position
 * changed meanwhile is left as it was and read again.
 */
export const count = Effect.fnUntraced(function* (
  whales: WhaleStore["Service"],
  until: EpochMs,
  tally: CountingTally,
) {
  let conflicts = 0
  while (tally.counted < countedMax && (yield* Clock.currentTimeMillis) < until) {
    const events = yield* whales.uncounted(countedBatch)
    if (events.length === 0) return true
    const held = yield* whales.sums([...new Set(events.map(({ wallet }) => wallet))])
    const { positions, sums } = counted(events, held)
    const wallets = [...sums].map(([wallet, moved]): CountedWallet => ({
      wallet,
      version: held.get(wallet)?.version ?? 0,
      sums: moved,
      judgement: judgementOf(moved),
    }))
    const saved = yield* whales.saveCounted(positions, wallets)
    if (saved) tally.counted += positions.length
    else if (++conflicts >= conflictsMax) return false
  }
  return false
})

/** What becomes of these events' positions, and of the sums of their wallets. */
function counted(
  events: ReadonlyArray<UncountedEvent>,
  held: ReadonlyMap<string, HeldSums>,
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

/** How many wallets have each label. */
export type LabelCounts = Readonly<Record<WhaleRow["label"], number>>

/** Wallets whose sums are read at once. */
const sumsBatch = 200

/** Judges all wallets together and writes the rows that say something else by now. */
export const calibrate = Effect.fnUntraced(function* (whales: WhaleStore["Service"]) {
  const judged = new Map(
    (yield* whales.judged).flatMap(({ wallet, judgement }) =>
      judgement === null ? [] : [[wallet, judgement] as const]
    ),
  )
  const held = new Map((yield* whales.calibrated).map((whale) => [whale.row.wallet, whale]))
  const moved = [...judged].flatMap(([wallet, judgement]) => {
    const row = held.get(wallet)?.row
    return row !== undefined && saysStill(row, judgement) ? [] : [wallet]
  })
  const rates = yield* ratesOfAll(whales, moved)
  const open = yield* whales.openEntries
  const facts = new Map(
    (yield* whales.tracked).map((wallet) =>
      [wallet.wallet, whaleFacts(wallet, open.get(wallet.wallet) ?? 0)] as const
    ),
  )
  const kinds = labels(judged)
  const now = yield* Clock.currentTimeMillis
  const { changed, gone } = rewritten(held, kinds, rates, facts, now)
  if (changed.length + gone.length > 0) yield* whales.saveCalibrated(changed, gone)
  const counts = { follow: 0, fade: 0, neutral: 0 }
  for (const label of kinds.values()) counts[label] += 1
  return counts satisfies LabelCounts
})

const ratesOfAll = Effect.fnUntraced(function* (
  whales: WhaleStore["Service"],
  wallets: ReadonlyArray<string>,
) {
  const found = new Map<string, Rates>()
  for (let from = 0; from < wallets.length; from += sumsBatch) {
    const sums = yield* whales.sums(wallets.slice(from, from + sumsBatch))
    for (const [wallet, { sums: of }] of sums) {
      const rates = of === null ? null : ratesOf(of)
      if (rates !== null) found.set(wallet, rates)
    }
  }
  return found
})
