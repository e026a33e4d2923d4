/**
 * The facts of a report about its risks: the reasons not to rely on it.
 *
 * @module
 */
import { depthUsdMin, spreadMax, volumeUsdMin } from "../../markets/domain/quality.ts"
import {
  countFigure,
  durationFigure,
  priceFigure,
  timeFigure,
  usdFigure,
} from "../../writing/domain/figures.ts"
import { fact, type NewReportFact } from "./report.ts"
import { gateOf, passesGate, type ReportMaterial } from "./material.ts"
import { figure, joined, phrase, type Statement } from "../../writing/domain/statement.ts"

/** The most important first; never empty, and at most `risksMax` of text.ts. */
export function riskFacts(material: ReportMaterial): ReadonlyArray<NewReportFact> {
  return [
    ...statusRisks(material).map((risk) => fact("risks", "market", risk)),
    ...gateRisks(material).map((risk) => fact("risks", "book", risk)),
    ...newsRisks(material).map((risk) => fact("risks", "coverage", risk)),
    fact("risks", "market", endRisk(material)),
    fact(
      "risks",
      "method",
      phrase`The rules of the question are on the page of the market; this report does not judge them.`,
    ),
    fact("bottom", "method", qualityStatement(material)),
  ]
}

function statusRisks({ market }: ReportMaterial): ReadonlyArray<Statement> {
  return [
    ...market.status === "proposed"
      ? [phrase`An outcome is proposed at the venue, and a challenge may still change it.`]
      : [],
    ...market.status === "resolved" || market.status === "closed"
      ? [phrase`This market is closed to trading: the prices in this report are from the past.`]
      : [],
    ...market.mechanical === null
      ? []
      : [phrase`This is a mechanical market over a short time: its price moves by design.`],
  ]
}

function gateRisks(material: ReportMaterial): ReadonlyArray<Statement> {
  const { market, microstructure } = material
  const gate = gateOf(material)
  const thin = microstructure === null
    ? [phrase`There is no valid order book now, so it may not be possible to trade at this price.`]
    : [
      ...gate.spread ? [] : [
        phrase`The spread is ${
          figure(priceFigure(microstructure.spread))
        }: crossing it costs much of any edge.`,
      ],
      ...gate.depth ? [] : [
        phrase`The book has ${
          figure(usdFigure(microstructure.depthUsdWithin5c.total))
        } near the midpoint, so little money moves the price.`,
      ],
    ]
  return [
    ...thin,
    ...gate.volume ? [] : [
      phrase`Only ${
        figure(usdFigure(market.volumeUsd))
      } was traded here so far: the price reflects few opinions.`,
    ],
  ]
}

function newsRisks({ news }: ReportMaterial): ReadonlyArray<Statement> {
  if (news === null || news.sources === 0) {
    return [phrase`No news was read: the reason for the price is not known.`]
  }
  if (news.answered < news.sources) {
    const missing = figure(countFigure(news.sources - news.answered, "news source"))
    return [phrase`This report was written without ${missing} that did not answer recently.`]
  }
  return news.headlines.length > 0
    ? []
    : [phrase`No related headline was found: the reason for the price is not known.`]
}

function endRisk({ market: { endsAt }, now }: ReportMaterial): Statement {
  if (endsAt === null) return phrase`The venue names no scheduled end for this market.`
  const at = figure(timeFigure(endsAt))
  if (endsAt <= now) {
    return phrase`The scheduled end, ${at}, is in the past: the outcome may be known at any time.`
  }
  return phrase`The scheduled end is ${at}, ${
    figure(durationFigure(endsAt - now))
  } after this report; the outcome may be known earlier or later.`
}

/** Whether the market passes the quality gate of movers. */
function qualityStatement(material: ReportMaterial): Statement {
  const [volume, depth, spread] = [
    figure(usdFigure(volumeUsdMin)),
    figure(usdFigure(depthUsdMin)),
    figure(priceFigure(spreadMax)),
  ]
  const rule =
    phrase`at least ${volume} traded, at least ${depth} of orders near the midpoint, and a spread of at most ${spread}`
  return joined([
    passesGate(material)
      ? phrase`The market meets the quality standard of this service: ${rule}.`
      : phrase`The market misses the quality standard of this service, so its price says little; the standard is ${rule}.`,
  ])
}
