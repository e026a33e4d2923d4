/**
 * The research report on one market, as it is sold: an analysis, and the evidence it rests on.
 *
 * Nothing in the analysis goes beyond the facts of the evidence: whoever wrote it, it has passed the
 * check of reportText.ts. It is plain text, without markup; strangers' words stand in it between “ and
 * ” (untrusted.ts).
 *
 * @module
 */
import { Schema } from "effect"
import { fromHalfSteps, halfSteps, isPrice, Microstructure } from "../../markets/domain/book.ts"
import type { SeriesPoint } from "../../markets/domain/market.ts"
import { confidences, type ReportBrief, type ReportDraft } from "./report.ts"
import type { ReportMaterial } from "./material.ts"
import { analysisOf, groundsOf } from "./text.ts"
import { day, hour, IsoTime, isoTime } from "../../core/domain/time.ts"
import { freeze, roundCalibration, roundUsd } from "../../whales/domain/whale.ts"
import { FrozenCalibration } from "../../feed/domain/item.ts"
import type { OpenEntry } from "../../whales/domain/storedEntry.ts"
import { resolvedEntriesMin } from "../../whales/domain/label.ts"

/** How far back a report looks. */
export const priceActionMs = 7 * day

const Price = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const FactIds = Schema.Array(Schema.String)

const Analysis = Schema.Struct({
  thesis: Schema.String,
  whaleView: Schema.String,
  risks: Schema.NonEmptyArray(Schema.String),
  confidence: Schema.Literals(confidences).annotate({
    description: "At most medium without related news; low under the gate of quality",
  }),
  bottomLine: Schema.String,
}).annotate({
  identifier: "Analysis",
  description: "Plain text; every figure and name in it stands in the facts of the evidence",
})
type Analysis = typeof Analysis.Type

const NewsItem = Schema.Struct({
  title: Schema.String,
  url: Schema.String,
  source: Schema.String,
  publishedAt: IsoTime,
})

/** What a tracked wallet has bought in the market, and its record. */
const ReportPosition = Schema.Struct({
  wallet: Schema.String,
  pseudonym: Schema.String,
  outcome: Schema.String,
  entryPrice: Price.annotate({ description: "Volume-weighted price of its buys of `outcome`" }),
  stakeUsd: Schema.Finite.annotate({ description: "Cost of its buys; sales are not followed" }),
  firstFillAt: IsoTime,
  marketMaker: Schema.Boolean.annotate({
    description: "Makes markets: its entries are its trade, not its view",
  }),
  calibration: Schema.NullOr(Schema.Struct({
    ...FrozenCalibration.fields,
    computedAt: IsoTime.annotate({
      description: "The newest calibration when the report was made",
    }),
  })).annotate({ description: `Null under ${resolvedEntriesMin} resolved entries` }),
}).annotate({ identifier: "ReportPosition" })
type ReportPosition = typeof ReportPosition.Type

/** What a report says of its market, and the evidence it rests on, as on the wire. */
export const Report = Schema.Struct({
  market: Schema.Struct({ question: Schema.String, slug: Schema.String }),
  analysis: Analysis,
  narrator: Schema.String.annotate({
    description: "Who wrote the analysis: a model's name, or `template` for rules",
  }),
  evidence: Schema.Struct({
    /** The last price of each hour with one, ascending. */
    priceAction: Schema.NonEmptyArray(Schema.Struct({ at: IsoTime, price: Price })),
    microstructure: Schema.NullOr(Microstructure),
    whales: Schema.Array(ReportPosition).annotate({
      description: "Open entries of tracked wallets in the market, the largest stake first",
    }),
    news: Schema.Array(NewsItem),
    facts: Schema.Array(Schema.Struct({ id: Schema.String, statement: Schema.String })).annotate({
      description: "All that the analysis could say, what was not looked at among it",
    }),
    grounds: Schema.Struct({
      thesis: FactIds,
      whaleView: FactIds,
      risks: Schema.Array(FactIds),
      bottomLine: FactIds,
    }).annotate({ description: "The facts that each part of the analysis rests on" }),
  }),
}).annotate({ identifier: "Report" })
export type Report = typeof Report.Type

/** The last point of each hour, ascending, as exact prices; what is no price is left out. */
export function resampleHourly(points: ReadonlyArray<SeriesPoint>): ReadonlyArray<SeriesPoint> {
  const ofHour = new Map<number, SeriesPoint>()
  for (const { at, mid } of points) {
    const held = ofHour.get(Math.floor(at / hour))
    if (isPrice(mid) && (held === undefined || at >= held.at)) {
      ofHour.set(Math.floor(at / hour), { at, mid: fromHalfSteps(halfSteps(mid)) })
    }
  }
  return [...ofHour.values()].sort((a, b) => a.at - b.at)
}

/** The report of a checked draft; `narrator` is whose draft it is. */
export function reportOf(
  material: ReportMaterial,
  brief: ReportBrief,
  { draft, narrator }: { readonly draft: ReportDraft; readonly narrator: string },
): Report {
  const { market, microstructure, priceAction: [first, ...rest], entries, news } = material
  const { risks: [risk = "", ...risks], ...analysis } = analysisOf(draft, brief)
  const point = ({ at, mid }: SeriesPoint) => ({ at: isoTime(at), price: mid })
  return {
    market: { question: market.question, slug: market.slug },
    analysis: { ...analysis, risks: [risk, ...risks] },
    narrator,
    evidence: {
      priceAction: [point(first), ...rest.map(point)],
      microstructure,
      whales: (entries ?? []).map((entry) => positionOf(entry, market.outcomes)),
      news: (news?.headlines ?? []).map(({ title, url, source, publishedAt }) => ({
        ...{ title, url, source, publishedAt: isoTime(publishedAt) },
      })),
      facts: brief.facts.map(({ id, statement }) => ({ id, statement })),
      grounds: groundsOf(draft),
    },
  }
}

function positionOf(entry: OpenEntry, outcomes: readonly [string, string]): ReportPosition {
  const { calibration } = entry
  const judged = calibration !== null && calibration.row.resolved >= resolvedEntriesMin
  return {
    wallet: entry.wallet,
    pseudonym: entry.name,
    outcome: outcomes[entry.outcome],
    entryPrice: fromHalfSteps(halfSteps(entry.price)),
    stakeUsd: roundUsd(entry.stakeUsd),
    firstFillAt: isoTime(entry.firstFillAt),
    marketMaker: entry.marketMaker,
    calibration: judged ? roundCalibration(freeze(calibration)) : null,
  }
}
