/**
 * /track-record: how the published numbers did. It opens with what a buyer should know first, each with
 * its plot: whether copying pays, whether prices were fair, and whether moves went on. One table has the
 * other figures.
 *
 * @module
 */
import type { Child } from "hono/jsx"
import type { freeRows } from "../../catalog/domain/freeRow.ts"
import { eventsMin } from "../../track-record/domain/moverDrift.ts"
import { fadePriceMin } from "../../whales/domain/oddsBands.ts"
import { intervalChart } from "./charts.tsx"
import type { Block, Page, Section } from "./sections.tsx"
import {
  cents,
  count,
  type Estimate,
  estimate,
  type Form,
  num,
  percent,
  price,
  range,
  say,
  score,
  signedPercent,
  strong,
  time,
} from "./text.tsx"

type TrackRecord = typeof freeRows["track_record"]["body"]["Type"]

export function trackRecordPage(record: TrackRecord): Page {
  const { asOf, computedAt, coverage, method, disclaimer } = record
  return {
    name: "Track record",
    description:
      "How the published entries, labels, moves and outcomes did afterwards, with intervals and methods.",
    lead:
      "How the entries of tracked wallets and the published items did afterwards. Nothing is left " +
      "out because it lost.",
    blocks: [
      say`${num(coverage.resolvedEntries)} resolved entries; ${
        num(coverage.cancelledEntries)
      } more in cancelled markets count nowhere. ${num(coverage.labeledWallets)} of ${
        num(coverage.trackedWallets)
      } tracked wallets have enough results for a label. Wallets read: ${
        time(asOf.wallets)
      }. Items scored: ${time(asOf.scores)}. Wallets judged: ${time(computedAt)}.`,
    ],
    sections: [copying(record), calibration(record), moves(record), {
      id: "more",
      title: "Everything else",
      blocks: [
        { folded: "Other figures", blocks: [otherFigures(record)] },
        { folded: "How to read all of this", blocks: [method.reading] },
        disclaimer,
      ],
    }],
  }
}

const notKnown: Estimate = { value: null, low: null, high: null }

/** Which side of zero an interval is on. */
const reading = (
  { low, high }: Estimate,
  words: { readonly above: string; readonly below: string; readonly neither: string },
): string =>
  low === null || high === null
    ? "Not known yet."
    : low > 0
    ? words.above
    : high < 0
    ? words.below
    : words.neither

/** A question, its answer with a plot, and how it was computed. */
const figure = ({ id, title, verdict, chart, caption, empty, method }: {
  readonly id: string
  readonly title: string
  readonly verdict: Block
  readonly chart: Parameters<typeof intervalChart>[0]
  readonly caption: string
  readonly empty: string
  readonly method: ReadonlyArray<string>
}): Section => ({
  id,
  title,
  blocks: [
    verdict,
    { plot: intervalChart(chart), caption, empty },
    { folded: "Method", blocks: method },
  ],
})

function copying({ overall, coverage }: TrackRecord): Section {
  const following = {
    value: overall.followRoiCostWeighted,
    low: overall.followRoiLow,
    high: overall.followRoiHigh,
  }
  const fading = {
    value: overall.fadeRoiCostWeighted,
    low: overall.fadeRoiLow,
    high: overall.fadeRoiHigh,
  }
  const verdict = following.value === null
    ? [strong("Not known yet: no counted entry has resolved.")]
    : say`${
      strong(reading(following, {
        above: "It gained, on paper.",
        below: "No, it lost.",
        neither: "No gain and no loss is shown.",
      }))
    } Return per USD: ${estimate(following, signedPercent)}, from ${
      num(coverage.resolvedEntries)
    } resolved entries, as certain as ${
      num(overall.effectiveEntries)
    } independent ones of equal stake. This assumes the prices that the wallets paid; a follower pays more.`
  return figure({
    id: "returns",
    title: "Does copying every tracked wallet pay?",
    chart: {
      title: "Return per USD, after fees",
      form: signedPercent,
      zero: "no gain, no loss",
      rows: [
        { label: "Following all, at their own prices", ...following },
        { label: "Published entries, a minute later", ...overall.copiedRoi1m ?? notKnown },
        { label: "Published entries, an hour later", ...overall.copiedRoi60m ?? notKnown },
        { label: "Fading all, against these prices", ...fading },
      ],
    },
    verdict,
    caption:
      "The return per USD, with its 95 % interval, on buying the same outcome as every tracked wallet (following) or the other outcome (fading).",
    empty: "No tracked entry has resolved yet, so no return is known.",
    method: [
      "Every entry is copied at the wallet's own price, in proportion to its stake, and held to the payout. A real copier buys later and pays more: the two rows of published entries, at the ask, which have no result for few events. The intervals are clustered by event, never narrower than at fair prices, and as wide as if all wallets held the same positions: more wallets do not narrow them.",
      `Fading buys the other outcome at 1 minus the price, without a spread, and leaves out prices below ${fadePriceMin}; real fading costs more.`,
    ],
  })
}

/** `value` and its ends, less a price. */
const less = (value: number | null, paid: number | null): number | null =>
  value === null || paid === null ? null : value - paid

function calibration({ oddsBands }: TrackRecord): Section {
  const rows = oddsBands.map(({ from, to, meanEntryPrice: paid, ...won }) => ({
    label: `Paid ${price(from)} to ${price(to)}`,
    value: less(won.winRate, paid),
    low: less(won.winRateLow, paid),
    high: less(won.winRateHigh, paid),
  }))
  const named = (words: string, differs: (of: Estimate) => boolean) => {
    const found = rows.filter(differs).map(({ label }) => label.toLowerCase())
    return found.length === 0 ? [] : [`${words}: ${found.join("; ")}.`]
  }
  const found = [
    ...named("More often", ({ low }) => (low ?? 0) > 0),
    ...named("Less often", ({ high }) => (high ?? 0) < 0),
  ]
  const verdict = rows.every(({ value }) => value === null)
    ? "Not known yet: no counted entry has resolved."
    : found.length === 0
    ? "No difference is shown."
    : found.join(" ")
  return figure({
    id: "calibration",
    title: "Do outcomes win as often as their prices say?",
    chart: {
      title: "Share that won, less the mean price paid",
      form: signedPercent,
      zero: "fair price",
      rows,
    },
    verdict: [strong(verdict)],
    caption:
      "Entries of tracked wallets by the price paid: the share that won, less the mean price, with its 95 % interval. At zero a buyer got what the price said.",
    empty: "No tracked entry has resolved yet.",
    method: [
      "An entry is a run of buys of one outcome by one wallet, judged as if held to the payout. All counted entries of all tracked wallets are here, winning or losing. The interval is Wilson's at the 95 % level: entries of one event count as one, and it is as wide as if all wallets held the same positions. Entries paid in part count for the mean price, not for the win rate.",
    ],
  })
}

const horizons = {
  after1h: "An hour later",
  after6h: "Six hours later",
  after24h: "A day later",
} as const

function moves({ movers }: TrackRecord): Section {
  const driftOf = (horizon: keyof typeof horizons, phase: "running" | "settled"): Estimate => {
    const { meanDrift: value, driftLow: low, driftHigh: high } = movers.drift[horizon][phase]
    return { value, low, high }
  }
  const [hourly, daily] = [driftOf("after1h", "settled"), driftOf("after24h", "settled")]
  const [when, last] = daily.value === null ? ["an hour", hourly] : ["a day", daily]
  const verdict = last.value === null
    ? say`**Not known yet: too few independent events have been judged.** Movers judged after an hour: ${
      num(movers.judgedAfter1h)
    }.`
    : say`${
      strong(reading(last, {
        above: `Prices went on, after ${when}.`,
        below: `No, prices went back, after ${when}.`,
        neither: `No drift is shown after ${when}.`,
      }))
    } Drift of settled moves per share, in the direction of the move: ${
      estimate(hourly, cents)
    } after an hour, ${estimate(daily, cents)} after a day.`
  return figure({
    id: "movers",
    title: "Do published moves continue?",
    chart: {
      title: "Mean drift, cents per share",
      form: cents,
      zero: "fair price",
      rows: (["after1h", "after6h", "after24h"] as const).flatMap((horizon) =>
        (["running", "settled"] as const).map((phase) => ({
          label: `${horizons[horizon]}, ${phase}`,
          ...driftOf(horizon, phase),
        }))
      ),
    },
    verdict,
    caption:
      "The mean change of the price after a mover was published, in the direction of the move, with its 95 % interval; zero is what a fair price does.",
    empty: `No drift is known yet: it needs ${eventsMin} independent events.`,
    method: [
      "Running: published while the price still moved; settled: after 40 minutes near one price. One move can be both.",
      "The intervals are clustered by event and by UTC day with Student's quantile; two events of 50 cents, one in each direction, are added to the variance, so that an interval without a jump so far does not exclude jumps. They assume that moves of different events and days are independent.",
    ],
  })
}

const labels = ["follow", "fade", "neutral", "none"] as const
const labelTexts = { follow: "follow", fade: "fade", neutral: "neutral", none: "no label" } as const

/** Each figure with its interval, and the number of cases that it was computed from. */
function otherFigures(record: TrackRecord): Block {
  const { estimates, resolutions, coverage, whaleEntries } = record
  const { evidence, proposal } = record.predetermined.byKind
  const row = (title: string, of: Estimate, form: Form, cases: number): ReadonlyArray<Child> => [
    title,
    num(of.value, form),
    range(of, form),
    num(cases),
  ]
  const alone = (title: string, value: number | null, form: Form, cases: number) => [
    title,
    num(value, form),
    "not computed",
    num(cases),
  ]
  const upheld = proposal.record === null ? notKnown : {
    value: proposal.record.upheldRate,
    low: proposal.record.upheldRateLow,
    high: proposal.record.upheldRateHigh,
  }
  const difference = {
    value: estimates.difference,
    low: estimates.differenceLow,
    high: estimates.differenceHigh,
  }
  const proposals = proposal.record?.proposals ?? proposal.resolved
  const { labeledWallets } = coverage
  const { brier, baseRateBrier, endDateBrier, judged } = resolutions
  return {
    table: {
      caption: "Figures of published items, of reports and of wallets",
      columns: ["What", "Figure", "95 % interval", "Of cases"],
      rows: [
        alone("Outcomes with evidence that were paid", evidence.correct, count, evidence.resolved),
        row("Outcomes with a proposal alone that were upheld", upheld, percent, proposals),
        alone("Their share, had prices been fair", proposal.meanPrice, percent, proposals),
        row(
          "Squared error of reports' probabilities less the price's: below zero is better",
          difference,
          score,
          estimates.judged,
        ),
        alone(
          "Forecasts that a market resolves in a day: Brier score, lower is better",
          brier,
          score,
          judged,
        ),
        alone("The same, stating always the share that did", baseRateBrier, score, judged),
        alone("The same, from the end date alone", endDateBrier, score, judged),
        alone(
          "Wallets better than their prices (follow)",
          record.labels.follow,
          count,
          labeledWallets,
        ),
        alone("Wallets worse than their prices (fade)", record.labels.fade, count, labeledWallets),
        ...labels.map((label) =>
          row(
            `Return per USD of published entries at the ask: ${labelTexts[label]}`,
            whaleEntries[label].roiAtAsk ?? notKnown,
            signedPercent,
            whaleEntries[label].resolved,
          )
        ),
      ],
    },
  }
}
