/**
 * The public track record: the results of tracked wallets, and the scores of the service's own feed
 * items. Every counted entry of every tracked wallet is included, winning or losing, as if it was held
 * to resolution.
 *
 * @module
 */
import { Schema } from "effect"
import { eventsMin, resolvedEntriesMin, ruleVersion } from "../../whales/domain/label.ts"
import { overall } from "../../whales/domain/rates.ts"
import type { WalletTotals } from "../../whales/domain/score.ts"
import { MoverScore, PredeterminedScore, selfScore, type VerdictCounts } from "./selfScore.ts"
import { type EpochMs, IsoTime, isoTime } from "../../core/domain/time.ts"
import type { TrackedWallet } from "../../whales/domain/tracking.ts"
import {
  type CalibratedWhale,
  computedAtOf,
  publishable,
  roundUsd,
  type WhaleRow,
} from "../../whales/domain/whale.ts"
import { WhaleLabel } from "../../feed/domain/item.ts"
import { OddsBand, roundBand, roundRate } from "../../whales/domain/oddsBands.ts"

/** Wallets listed by name. */
export const topWalletsMax = 10

const Rate = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** The scorecard as it is on the wire. */
export const Scorecard = Schema.Struct({
  computedAt: IsoTime.annotate({
    description:
      "When its newest calibration was computed; without a calibration, the time of the request",
  }),
  coverage: Schema.Struct({
    trackedWallets: Count,
    resolvedEntries: Count.annotate({ description: "Counted entries in markets that paid out" }),
    labeledWallets: Count,
    cancelledEntries: Count.annotate({
      description: "Entries in cancelled markets, which are not counted elsewhere",
    }),
    leftOut: Schema.Struct({ unread: Count, truncated: Count, tooFew: Count }).annotate({
      description:
        "Tracked wallets without a label, by the first reason: history not read yet, history not " +
        "complete, or fewer resolved entries or events than the method requires",
    }),
  }),
  overall: Schema.Struct({
    holdToResolutionWinRate: Schema.NullOr(Rate).annotate({
      description: "Wins among the entries that were paid in full or not at all",
    }),
    meanEntryPrice: Schema.NullOr(Rate).annotate({
      description: "Close to the win rate if prices are fair",
    }),
    followRoiCostWeighted: Schema.NullOr(Schema.Finite).annotate({
      description: "Return per USD on copying all entries in proportion to their stakes",
    }),
    fadeRoiCostWeighted: Schema.NullOr(Schema.Finite).annotate({
      description: "The same for the other outcomes, each bought at 1 minus the entry's price",
    }),
  }).annotate({ description: "Over every counted resolved entry; null while there is none" }),
  labels: Schema.Struct({ follow: Count, fade: Count, neutral: Count }),
  oddsBands: Schema.Array(OddsBand).annotate({
    description: "By entry price; a band without entries is left out",
  }),
  topWallets: Schema.Array(Schema.Struct({
    pseudonym: Schema.String,
    wallet: Schema.String,
    resolvedEntries: Count,
    stakeUsd: Schema.Finite,
    meanEntryPrice: Rate,
    winRate: Rate,
    label: WhaleLabel,
  })).check(Schema.isMaxLength(topWalletsMax)).annotate({
    description: "By stake of counted resolved entries, winning or losing",
  }),
  predetermined: PredeterminedScore,
  movers: MoverScore,
  method: Schema.Struct({
    anchor: Schema.Literal("entry"),
    exitsTracked: Schema.Literal(false),
    minimumResolved: Schema.Literal(resolvedEntriesMin),
    minimumEvents: Schema.Literal(eventsMin),
    ruleVersion: Schema.String,
    reading: Schema.String,
  }),
  disclaimer: Schema.String,
})
export type Scorecard = typeof Scorecard.Type

interface ScorecardInput {
  readonly tracked: ReadonlyArray<TrackedWallet>
  /** Of every counted wallet. */
  readonly totals: ReadonlyArray<WalletTotals>
  readonly whales: ReadonlyArray<CalibratedWhale>
  /** On the feed's own items. */
  readonly verdicts: VerdictCounts
  readonly now: EpochMs
}

/** The order of the wallets has no effect. */
export function scorecard({ tracked, totals, whales, verdicts, now }: ScorecardInput): Scorecard {
  const rates = overall(totals)
  const { labelled, leftOut } = classify(tracked, whales.map(({ row }) => row))
  return {
    computedAt: isoTime(computedAtOf(whales) ?? now),
    coverage: {
      trackedWallets: tracked.length,
      resolvedEntries: rates.resolved,
      labeledWallets: labelled.length,
      cancelledEntries: rates.cancelled,
      leftOut,
    },
    overall: {
      holdToResolutionWinRate: roundedOrNull(rates.winRate),
      meanEntryPrice: roundedOrNull(meanPriceOver(rates.oddsBands)),
      followRoiCostWeighted: roundedOrNull(rates.followRoi),
      fadeRoiCostWeighted: roundedOrNull(rates.fadeRoi),
    },
    labels: {
      follow: countOf("follow", labelled),
      fade: countOf("fade", labelled),
      neutral: countOf("neutral", labelled),
    },
    oddsBands: rates.oddsBands.map(roundBand),
    topWallets: publishable(labelled).slice(0, topWalletsMax).map(topWallet),
    ...selfScore(verdicts),
    method,
    disclaimer,
  }
}

/** Every tracked wallet is either labelled, or left out for one reason. */
function classify(tracked: ReadonlyArray<TrackedWallet>, rows: ReadonlyArray<WhaleRow>) {
  const byWallet = new Map(rows.map((row) => [row.wallet, row]))
  const labelled: Array<WhaleRow> = []
  const leftOut = { unread: 0, truncated: 0, tooFew: 0 }
  for (const { wallet, history } of tracked) {
    const row = byWallet.get(wallet)
    if (history === "reading") leftOut.unread += 1
    else if (history === "truncated") leftOut.truncated += 1
    else if (row === undefined || !hasEnoughEntries(row)) leftOut.tooFew += 1
    else labelled.push(row)
  }
  return { labelled, leftOut }
}

const hasEnoughEntries = ({ resolved, events }: WhaleRow): boolean =>
  resolved >= resolvedEntriesMin && events >= eventsMin

const countOf = (label: WhaleRow["label"], rows: ReadonlyArray<WhaleRow>): number =>
  rows.filter((row) => row.label === label).length

const topWallet = (row: WhaleRow): Scorecard["topWallets"][number] => ({
  pseudonym: row.pseudonym,
  wallet: row.wallet,
  resolvedEntries: row.resolved,
  stakeUsd: roundUsd(row.stakeUsd),
  meanEntryPrice: roundRate(row.meanEntryPrice),
  winRate: roundRate(row.winRate),
  label: row.label,
})

const roundedOrNull = (rate: number | null): number | null => rate === null ? null : roundRate(rate)

/** Over all entries of these bands; null without any. */
function meanPriceOver(bands: ReadonlyArray<typeof OddsBand.Type>): number | null {
  const entries = bands.reduce((sum, band) => sum + band.entries, 0)
  const price = bands.reduce((sum, band) => sum + band.entries * band.meanEntryPrice, 0)
  return entries === 0 ? null : price / entries
}

const method = {
  anchor: "entry",
  exitsTracked: false,
  minimumResolved: resolvedEntriesMin,
  minimumEvents: eventsMin,
  ruleVersion,
  reading:
    "Most wallets are neutral, and that is expected: an outcome wins about as often as its price " +
    "says, public audits found no group of wallets that beats its own entry prices after a " +
    "correction for the number of wallets tested, and a label is given only when luck hardly " +
    "explains the record. Compare a win rate with the mean entry price: buying at 0.90 wins nine " +
    "times in ten without any skill. The intervals of bands treat entries as independent; many " +
    "entries share a market, so the intervals are too narrow.",
} as const

const disclaimer =
  "Results of entries held to resolution, not the profit or loss of a wallet: exits are not " +
  "tracked. For information only; this is not financial advice."
