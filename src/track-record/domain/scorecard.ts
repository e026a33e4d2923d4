/**
 * The public track record: the results of tracked wallets, and the scores of the service's own feed
 * items. Every counted entry of every tracked wallet is included, winning or losing, as if it was held
 * to resolution.
 *
 * @module
 */
import { Schema, Struct } from "effect"
import {
  described,
  disclaimer as disclaimerText,
  text,
  walletName,
} from "../../core/domain/fields.ts"
import { Count, Rate } from "../../core/domain/number.ts"
import { eventsMin, isJudged, resolvedEntriesMin, ruleVersion } from "../../whales/domain/label.ts"
import { overall } from "../../whales/domain/rates.ts"
import type { WalletSums } from "../../whales/domain/score.ts"
import {
  EstimateScore,
  estimateScore,
  type Forecast,
  type ForecastTotals,
  ResolutionScore,
  resolutionScore,
} from "./forecasts.ts"
import { copiedFields, EntryScores, type EntrySummary } from "./entryScore.ts"
import { MoverDrift, moverDrift, type MoveTotals } from "./moverDrift.ts"
import {
  MoverScore,
  moverScoreText,
  PredeterminedScore,
  selfScore,
  type VerdictCounts,
} from "./selfScore.ts"
import { type EpochMs, IsoTime, isoTime } from "../../core/domain/time.ts"
import { isFarm } from "../../whales/domain/entry.ts"
import type { TrackedWallet } from "../../whales/domain/tracking.ts"
import {
  type CalibratedWhale,
  computedAtOf,
  publishable,
  type WhaleRow,
} from "../../whales/domain/whale.ts"
import { FrozenCalibration } from "../../feed/domain/item.ts"
import { endOf, OddsBand, roundFigures, Sweeps } from "../../whales/domain/oddsBands.ts"

/** Wallets listed by name. */
export const topWalletsMax = 10

const ByLabel = Schema.Struct({
  follow: described(Count, "Wallets labelled follow"),
  fade: described(Count, "Wallets labelled fade"),
  neutral: described(Count, "Wallets labelled neutral"),
}).annotate({ identifier: "LabelCounts" })

/** The scorecard as it is on the wire. */
export const Scorecard = Schema.Struct({
  computedAt: Schema.NullOr(IsoTime).annotate({
    description: "When its newest calibration was computed; null without a calibration",
  }),
  asOf: Schema.Struct({
    wallets: Schema.NullOr(IsoTime).annotate({
      description: "When tracked wallets were last brought up to date; null if not known",
    }),
    scores: Schema.NullOr(IsoTime).annotate({
      description: "The same for the scores of its own items; null if not known",
    }),
  }).annotate({ description: "How recent the parts are" }),
  coverage: Schema.Struct({
    trackedWallets: described(Count, "Wallets tracked, farms included"),
    resolvedEntries: Count.annotate({ description: "Counted entries in markets that paid out" }),
    labeledWallets: described(Count, "Wallets with a label, neutral included"),
    cancelledEntries: Count.annotate({
      description: "Entries in cancelled markets, which are not counted elsewhere",
    }),
    leftOut: Schema.Struct({
      unread: described(Count, "History not read yet"),
      truncated: described(Count, "History not complete at the venue"),
      farms: described(
        Count,
        "No longer tracked: wallets that buy volume, with 20 equal prints at 0.99 or above in at least 5 markets",
      ),
      tooFew: described(Count, "Too few resolved entries or events"),
    }).annotate({
      description: "Tracked wallets without a label, by the first reason",
    }),
  }).annotate({ description: "How much the figures are computed from" }),
  overall: Schema.Struct({
    holdToResolutionWinRate: Schema.NullOr(Rate).annotate({
      description:
        "Share of wins, 0 to 1, among entries paid in full or not at all; null without any",
    }),
    meanEntryPrice: Schema.NullOr(Rate).annotate({
      description:
        "Mean price paid, USD per share; close to the win rate if prices are fair; null without entries",
    }),
    followRoiCostWeighted: Schema.NullOr(Schema.Finite).annotate({
      description:
        "The wallets' own return per USD, at the prices that they paid; a copier pays later prices (copiedRoi1m). Null without entries",
    }),
    fadeRoiCostWeighted: Schema.NullOr(Schema.Finite).annotate({
      description:
        "The same, per USD, on the other outcomes at 1 minus the price, where that is at least 0.05; null without such an entry",
    }),
    followRoiLow: endOf(
      "Lower",
      "followRoiCostWeighted, per USD, as if all wallets held the same positions. Null where that is",
    ),
    followRoiHigh: endOf("Upper", "followRoiCostWeighted, per USD; null where that is"),
    fadeRoiLow: endOf("Lower", "fadeRoiCostWeighted, per USD; null where that is"),
    fadeRoiHigh: endOf("Upper", "fadeRoiCostWeighted, per USD; null where that is"),
    effectiveEntries: Count.annotate({
      description:
        "Number of independent entries of equal stake that would be as certain, if all wallets held the same positions; low when a few large stakes decide",
    }),
    ...copiedFields,
  }).annotate({
    description:
      "Over every counted resolved entry except sweeps; the copier's figures over published entries only",
  }),
  sweeps: Sweeps,
  labels: ByLabel.annotateKey({
    description: "Wallets by `label`: follow and fade are proven",
  }),
  oddsBands: Schema.Array(OddsBand).annotate({
    description: "By entry price; a band without entries is left out",
  }),
  topWallets: Schema.Array(Schema.Struct({
    ...walletName,
    resolvedEntries: described(Count, "Its counted entries in markets that paid out"),
    stakeUsd: described(Schema.Finite, "Cost of these entries, USD, without fees"),
    meanEntryPrice: FrozenCalibration.fields.meanEntryPrice,
    winRate: FrozenCalibration.fields.winRate,
    label: FrozenCalibration.fields.label,
  })).check(Schema.isMaxLength(topWalletsMax)).annotate({
    description: "By stake of counted resolved entries, winning or losing",
  }),
  predetermined: PredeterminedScore,
  resolutions: ResolutionScore,
  estimates: EstimateScore,
  movers: Schema.Struct({ ...MoverScore.fields, drift: MoverDrift }).annotate({
    description: moverScoreText,
  }),
  whaleEntries: EntryScores,
  method: Schema.Struct({
    anchor: described(Schema.Literal("entry"), "A wallet is judged by the price of its entries"),
    exitsTracked: described(Schema.Literal(false), "Sales change no figure"),
    minimumResolved: described(
      Schema.Literal(resolvedEntriesMin),
      "Number of resolved entries that a label needs",
    ),
    minimumEvents: described(
      Schema.Literal(eventsMin),
      "Number of distinct events that a label needs",
    ),
    ruleVersion: FrozenCalibration.fields.ruleVersion,
    reading: text("How to read the figures"),
  }).annotate({ description: "How wallets are judged" }),
  disclaimer: disclaimerText,
})
export type Scorecard = typeof Scorecard.Type

interface ScorecardInput {
  readonly tracked: ReadonlyArray<TrackedWallet>
  /** Of each wallet with a whole history. */
  readonly sums: ReadonlyArray<WalletSums>
  readonly whales: ReadonlyArray<CalibratedWhale>
  /** On the feed's own items. */
  readonly verdicts: VerdictCounts
  readonly forecasts: Readonly<Record<Forecast["kind"], ForecastTotals>>
  /** Of published whale entries. */
  readonly entries: Pick<EntrySummary, "byLabel" | "copied">
  /** What its movers did next. */
  readonly moves: ReadonlyArray<MoveTotals>
  /** When each part was last brought up to date; null if that is not known. */
  readonly readAt: { readonly wallets: EpochMs | null; readonly scores: EpochMs | null }
}

/** The order of the wallets has no effect. */
export function scorecard(input: ScorecardInput): Scorecard {
  const { tracked, sums, whales, verdicts, forecasts, entries, moves, readAt } = input
  const score = selfScore(verdicts)
  const rates = overall(sums)
  const { labelled, leftOut } = classify(tracked, whales.map(({ row }) => row))
  return {
    computedAt: isoTimeOrNull(computedAtOf(whales)),
    asOf: { wallets: isoTimeOrNull(readAt.wallets), scores: isoTimeOrNull(readAt.scores) },
    coverage: {
      trackedWallets: tracked.length,
      resolvedEntries: rates.resolved,
      labeledWallets: labelled.length,
      cancelledEntries: rates.cancelled,
      leftOut,
    },
    overall: roundFigures({
      holdToResolutionWinRate: rates.winRate,
      meanEntryPrice: rates.meanEntryPrice,
      followRoiCostWeighted: rates.followRoi,
      fadeRoiCostWeighted: rates.fadeRoi,
      ...rates.intervals,
      ...entries.copied,
    }),
    sweeps: roundFigures(rates.sweeps),
    oddsBands: rates.oddsBands.map(roundFigures),
    labels: countsOf(labelled.map(({ label }) => label)),
    topWallets: publishable(labelled).slice(0, topWalletsMax).map(topWallet),
    resolutions: resolutionScore(forecasts.resolution),
    estimates: estimateScore(forecasts.price),
    predetermined: score.predetermined,
    movers: { ...score.movers, drift: moverDrift(moves) },
    whaleEntries: entries.byLabel,
    method,
    disclaimer,
  }
}

/** Every tracked wallet is either labelled, or left out for one reason. */
function classify(tracked: ReadonlyArray<TrackedWallet>, rows: ReadonlyArray<WhaleRow>) {
  const byWallet = new Map(rows.map((row) => [row.wallet, row]))
  const labelled: Array<WhaleRow> = []
  const leftOut = { unread: 0, truncated: 0, farms: 0, tooFew: 0 }
  for (const { wallet, history, farmed } of tracked) {
    const row = byWallet.get(wallet)
    if (isFarm({ farmed })) leftOut.farms += 1
    else if (history === "reading") leftOut.unread += 1
    else if (history === "truncated") leftOut.truncated += 1
    else if (row === undefined || !isJudged(row)) leftOut.tooFew += 1
    else labelled.push(row)
  }
  return { labelled, leftOut }
}

function countsOf(labels: ReadonlyArray<WhaleRow["label"]>): Scorecard["labels"] {
  const countOf = (wanted: WhaleRow["label"]) => labels.filter((label) => label === wanted).length
  return { follow: countOf("follow"), fade: countOf("fade"), neutral: countOf("neutral") }
}

const topWallet = (row: WhaleRow): Scorecard["topWallets"][number] =>
  roundFigures({
    ...Struct.pick(row, ["pseudonym", "wallet"]),
    resolvedEntries: row.resolved,
    ...Struct.pick(row, ["stakeUsd", "meanEntryPrice", "winRate", "label"]),
  })

const isoTimeOrNull = (at: EpochMs | null): string | null => at === null ? null : isoTime(at)

const method = {
  anchor: "entry",
  exitsTracked: false,
  minimumResolved: resolvedEntriesMin,
  minimumEvents: eventsMin,
  ruleVersion,
  reading: "Expect a wallet to be neutral: an outcome wins about as often as its price " +
    "says, public audits found no group of wallets that beats its own entry prices after a " +
    "correction for the number of wallets tested, and follow or fade is given only when the record " +
    "is very unlikely by luck, however often it is checked. Yes is often paid before its deadline and No " +
    "after it, so results count in the order of the markets' schedules: a paid entry can wait, and is " +
    "then neither resolved nor open here. A market without a schedule counts when it is paid, so " +
    "the figures of a wallet that buys mostly Yes in such markets are too good for a while, not its label. Wallets come from leaderboards, and boards of volume are no random choice: three quarters of their top " +
    "rows had profits. So what a wallet did before it was found counts a twelfth as evidence, and nothing " +
    "if it was found on a board of profit. Entries opened at 0.95 or above are sweeps, shown apart. " +
    "Compare a win rate with the mean entry price: buying at 0.90 wins nine " +
    "times in ten without any skill. Intervals count entries of one event as one, and those over all " +
    "wallets are as wide as if all held the same positions.",
} as const

const disclaimer =
  "Results of entries held to resolution, not the profit or loss of a wallet: exits are not " +
  "tracked. For information only; this is not financial advice."
