/**
 * The research report on one market, as it is sold: an analysis and its evidence.
 *
 * Each sentence of the analysis is one of the template, which states a fact, or a grounded claim. It is
 * plain text; untrusted text in it has no character with a meaning in markup (untrusted.ts).
 *
 * @module
 */
import { Schema } from "effect"
import {
  described,
  EvidenceRow,
  FactRow,
  marketName,
  text,
  walletName,
} from "../../core/domain/fields.ts"
import { Price } from "../../core/domain/number.ts"
import { fromHalfSteps, halfSteps, isPrice, Microstructure } from "../../markets/domain/book.ts"
import type { SeriesPoint } from "../../markets/domain/market.ts"
import { Decision, decisionOf } from "./decision.ts"
import type { ReportMaterial } from "./material.ts"
import type { ReportPage } from "./page.ts"
import { hour, IsoTime, isoTime } from "../../core/domain/time.ts"
import { roundFigures, roundUsd } from "../../whales/domain/oddsBands.ts"
import { freeze } from "../../whales/domain/whale.ts"
import { FrozenCalibration } from "../../feed/domain/item.ts"
import type { OpenEntry } from "../../whales/domain/storedEntry.ts"
import { resolvedEntriesMin } from "../../whales/domain/label.ts"
import { confidences } from "../../writing/facts/confidence.ts"
import { linesOf } from "../../writing/facts/lines.ts"
import { factRow } from "../../writing/domain/facts.ts"
import type { FilledSlot, Slot } from "../../writing/domain/page.ts"

const FactIds = Schema.Array(Schema.String).annotate({ description: "Ids of facts" })

const Analysis = Schema.Struct({
  thesis: text(
    "First line: what can be bought at a gain, or that nothing can. Then why, what is proposed or reported, what the price did, what was printed",
  ),
  whaleView: text("What tracked wallets bought, and their records"),
  risks: described(
    Schema.NonEmptyArray(Schema.String),
    "What speaks against it, the proposal, what pays, the book; one text each",
  ),
  confidence: Schema.Literals(confidences).annotate({
    description:
      "By rule. low: under the quality gate of movers, 1,000 USD not offered near an ask, no more traded, disputed, or contradicted by a proposal, a report or another price of the event. high: resolved, or a proposal or reports agree with a price of 0.90 or more. medium: else",
  }),
  bottomLine: text("What a trade costs, when it pays, and how long this is valid"),
}).annotate({
  identifier: "Analysis",
  description: "Plain text; every figure and name in it is in the facts of the evidence",
})
type Analysis = typeof Analysis.Type

/** A tracked wallet's entry in the market, and its record. */
const ReportPosition = Schema.Struct({
  ...walletName,
  outcome: text("Name of the outcome that the wallet bought"),
  entryPrice: Price.annotate({ description: "Mean price of its buys, USD per share of `outcome`" }),
  stakeUsd: Schema.Finite.annotate({ description: "Cost of its buys, USD; sales are not tracked" }),
  firstFillAt: described(IsoTime, "Time of its first buy"),
  marketMaker: Schema.Boolean.annotate({
    description: "A market maker: its entries are no view on the outcome",
  }),
  calibration: Schema.NullOr(FrozenCalibration).annotate({
    description: "The newest calibration when the report was written; null under " +
      `${resolvedEntriesMin} resolved entries, or too few events`,
  }),
}).annotate({ identifier: "ReportPosition" })
type ReportPosition = typeof ReportPosition.Type

/** A report is at most 30 kB, so a buyer's model can read it whole. */
const headlinesMax = 10
const positionsMax = 10

/** The report on the wire. */
export const Report = Schema.Struct({
  market: Schema.Struct(marketName).annotate({ description: "What the report is about" }),
  analysis: Analysis,
  decision: Decision,
  narrator: Schema.String.annotate({
    description: "Who wrote the analysis: a model's name, or `template` for rules",
  }),
  evidence: Schema.Struct({
    outcome: text(
      "Name of the outcome that priceAction and microstructure are of: the market's first",
    ),
    priceAction: Schema.NonEmptyArray(Schema.Struct({
      at: described(IsoTime, "Time of the price"),
      price: described(Price, "Last price of its hour, USD per share of `outcome`"),
    })).annotate({ description: "Prices of the last 7 days, one for each hour that has one" }),
    microstructure: described(
      Schema.NullOr(Microstructure),
      "The order book when the report was written; null without a valid one",
    ),
    whales: Schema.Array(ReportPosition).annotate({
      description:
        `Open entries of tracked wallets in the market, the largest stake first, at most ${positionsMax}`,
    }),
    news: described(
      Schema.Array(EvidenceRow),
      `Related headlines, those of the best story first, at most ${headlinesMax}`,
    ),
    facts: Schema.Array(FactRow).annotate({
      description: "Everything that the analysis may state, including what could not be read",
    }),
    grounds: Schema.Struct({
      thesis: described(FactIds, "Facts behind thesis"),
      whaleView: described(FactIds, "Facts behind whaleView"),
      risks: described(Schema.Array(FactIds), "Facts behind each risk, in their order"),
      bottomLine: described(FactIds, "Facts behind bottomLine"),
    }).annotate({ description: "The facts that each part of the analysis cites" }),
  }).annotate({ description: "What the analysis was written from" }),
}).annotate({ identifier: "Report", description: "An analysis of one market, with its evidence" })
export type Report = typeof Report.Type

/** The last point of each hour, ascending, as exact prices; invalid prices are left out. */
export function resampleHourly(points: ReadonlyArray<SeriesPoint>): ReadonlyArray<SeriesPoint> {
  const ofHour = new Map<number, SeriesPoint>()
  for (const { at, mid } of points) {
    const last = ofHour.get(Math.floor(at / hour))
    if (isPrice(mid) && (last === undefined || at >= last.at)) {
      ofHour.set(Math.floor(at / hour), { at, mid: fromHalfSteps(halfSteps(mid)) })
    }
  }
  return [...ofHour.values()].sort((a, b) => a.at - b.at)
}

/** The report of a written page: its slots, filled. `narrator` is the author of the claims. */
export function reportOf(
  material: ReportMaterial,
  page: ReportPage,
  { slots, narrator }: { readonly slots: ReadonlyArray<FilledSlot>; readonly narrator: string },
): Report {
  const { market, book, priceAction: [first, ...rest], entries } = material
  const microstructure = book?.microstructure ?? null
  const filled = new Map(slots.map((slot) => [slot.id, slot]))
  const textOf = ({ id, sentences }: Slot) =>
    linesOf(filled.get(id)?.sentences ?? sentences, page.facts).map(({ text }) => text).join("\n")
  const citedBy = ({ id, sentences }: Slot) => [
    ...new Set((filled.get(id)?.sentences ?? sentences).flatMap(({ facts }) => facts)),
  ]
  const [outcome] = market.outcomes
  const { bottomLine, confidence, risks: [risk, ...risks], thesis, whaleView } = page
  const point = ({ at, mid }: SeriesPoint) => ({ at: isoTime(at), price: mid })
  return {
    market: { question: market.question, slug: market.slug },
    analysis: {
      thesis: textOf(thesis),
      whaleView: textOf(whaleView),
      risks: [textOf(risk), ...risks.map(textOf)],
      confidence,
      bottomLine: textOf(bottomLine),
    },
    decision: decisionOf(material, page),
    narrator,
    evidence: {
      outcome,
      priceAction: [point(first), ...rest.map(point)],
      microstructure: microstructure === null ? null : { outcome, ...microstructure },
      whales: entries.slice(0, positionsMax).map((entry) => positionOf(entry, market.outcomes)),
      news: headlinesOf(material),
      facts: page.facts.map(factRow),
      grounds: {
        thesis: citedBy(thesis),
        whaleView: citedBy(whaleView),
        risks: page.risks.map(citedBy),
        bottomLine: citedBy(bottomLine),
      },
    },
  }
}

/** Each publication of the stories, the best story first, at most `headlinesMax`. */
function headlinesOf({ news }: ReportMaterial) {
  return (news?.stories ?? []).flatMap(({ outlets }) => outlets).slice(0, headlinesMax)
    .map(({ title, url, source, publishedAt }) => ({
      title,
      url,
      source,
      publishedAt: isoTime(publishedAt),
    }))
}

function positionOf(entry: OpenEntry, outcomes: readonly [string, string]): ReportPosition {
  const { calibration } = entry
  const hasRecord = calibration !== null && calibration.row.resolved >= resolvedEntriesMin
  return {
    wallet: entry.wallet,
    pseudonym: entry.name,
    outcome: outcomes[entry.outcome],
    entryPrice: fromHalfSteps(halfSteps(entry.price)),
    stakeUsd: roundUsd(entry.stakeUsd),
    firstFillAt: isoTime(entry.firstFillAt),
    marketMaker: entry.marketMaker,
    calibration: hasRecord ? roundFigures(freeze(calibration)) : null,
  }
}
