/**
 * The public proof behind the whale table: how every counted entry of every tracked wallet fared when
 * held to resolution, the losing and the neutral ones too, and how many there are of each; and beside
 * it how the service's own items fared.
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

/** Wallets that are named. */
export const topWalletsMax = 10

const Rate = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** The scorecard as it is on the wire. */
export const Scorecard = Schema.Struct({
  computedAt: IsoTime.annotate({
    description:
      "When the newest calibration in it was computed; before any, when it was looked for",
  }),
  coverage: Schema.Struct({
    trackedWallets: Count,
    resolvedEntries: Count.annotate({ description: "Counted entries in markets that paid out" }),
    labeledWallets: Count,
    cancelledEntries: Count.annotate({
      description: "Entries in markets that were cancelled: they count nowhere",
    }),
    leftOut: Schema.Struct({ unread: Count, truncated: Count, tooFew: Count }).annotate({
      description:
        "Tracked wallets without a label, by the first reason: history not read yet, not " +
        "to be had whole, or fewer resolved entries or events than the method asks for",
    }),
  }),
  overall: Schema.Struct({
    holdToResolutionWinRate: Schema.NullOr(Rate).annotate({
      description: "Wins among the entries that were paid in full or not at all",
    }),
    meanEntryPrice: Schema.NullOr(Rate).annotate({
      description: "About what the win rate would be if prices were fair",
    }),
    followRoiCostWeighted: Schema.NullOr(Schema.Finite).annotate({
      description: "What a USD staked in proportion to all their stakes came to, less that USD",
    }),
    fadeRoiCostWeighted: Schema.NullOr(Schema.Finite).annotate({
      description: "The same for the other outcomes, each bought at 1 less the entry's price",
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
    description: "By stake of counted resolved entries, whatever came of them",
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

/** What a scorecard is made of. */
interface ScorecardFacts {
  readonly tracked: ReadonlyArray<TrackedWallet>
  /** Of every wallet that counts. */
  readonly totals: ReadonlyArray<WalletTotals>
  readonly whales: ReadonlyArray<CalibratedWhale>
  /** How the feed's own items fared. */
  readonly verdicts: VerdictCounts
  readonly now: EpochMs
}

/** The scorecard, from whatever order of wallets. */
export function scorecard({ tracked, totals, whales, verdicts, now }: ScorecardFacts): Scorecard {
  const rates = overall(totals)
  const places = placesOf(tracked, whales.map(({ row }) => row))
  return {
    computedAt: isoTime(computedAtOf(whales) ?? now),
    coverage: {
      trackedWallets: tracked.length,
      resolvedEntries: rates.resolved,
      labeledWallets: places.labelled.length,
      cancelledEntries: rates.cancelled,
      leftOut: places.leftOut,
    },
    overall: {
      holdToResolutionWinRate: shownOrNull(rates.winRate),
      meanEntryPrice: shownOrNull(meanPriceOver(rates.oddsBands)),
      followRoiCostWeighted: shownOrNull(rates.followRoi),
      fadeRoiCostWeighted: shownOrNull(rates.fadeRoi),
    },
    labels: {
      follow: countOf("follow", places.labelled),
      fade: countOf("fade", places.labelled),
      neutral: countOf("neutral", places.labelled),
    },
    oddsBands: rates.oddsBands.map(roundBand),
    topWallets: publishable(places.labelled).slice(0, topWalletsMax).map(shownWallet),
    ...selfScore(verdicts),
    method,
    disclaimer,
  }
}

/** Every tracked wallet has one place: it is labelled, or it is left out for one reason. */
function placesOf(tracked: ReadonlyArray<TrackedWallet>, rows: ReadonlyArray<WhaleRow>) {
  const byWallet = new Map(rows.map((row) => [row.wallet, row]))
  const labelled: Array<WhaleRow> = []
  const leftOut = { unread: 0, truncated: 0, tooFew: 0 }
  for (const { wallet, history } of tracked) {
    const row = byWallet.get(wallet)
    if (history === "reading") leftOut.unread += 1
    else if (history === "truncated") leftOut.truncated += 1
    else if (row === undefined || !isJudged(row)) leftOut.tooFew += 1
    else labelled.push(row)
  }
  return { labelled, leftOut }
}

const isJudged = ({ resolved, events }: WhaleRow): boolean =>
  resolved >= resolvedEntriesMin && events >= eventsMin

const countOf = (label: WhaleRow["label"], rows: ReadonlyArray<WhaleRow>): number =>
  rows.filter((row) => row.label === label).length

const shownWallet = (row: WhaleRow): Scorecard["topWallets"][number] => ({
  pseudonym: row.pseudonym,
  wallet: row.wallet,
  resolvedEntries: row.resolved,
  stakeUsd: roundUsd(row.stakeUsd),
  meanEntryPrice: roundRate(row.meanEntryPrice),
  winRate: roundRate(row.winRate),
  label: row.label,
})

const shownOrNull = (rate: number | null): number | null => rate === null ? null : roundRate(rate)

/** The mean price over all entries of these bands; null without any. */
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
    "Most wallets are neutral, and that is expected: a price mostly tells how often it wins, public " +
    "audits found no group of wallets that beats its own entry prices once all that were tried are " +
    "corrected for, and a label is given only to what luck would hardly do. Read a win rate beside " +
    "the mean entry price: buying at 0.90 wins nine times in ten without any skill. The intervals of " +
    "bands take every entry for a chance of its own; many share a market, so they are too narrow.",
} as const

const disclaimer =
  "Entries held to resolution, not the profit or loss of anybody: exits are not tracked. " +
  "Informational only; it is not financial advice."
