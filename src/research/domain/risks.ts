/**
 * The facts of a report about what speaks against relying on it.
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

/** What weighs most first; never empty, and at most `risksMax` of `reportText`. */
export function riskFacts(material: ReportMaterial): ReadonlyArray<NewReportFact> {
  return [
    ...statusRisks(material).map((said) => fact("risks", "market", said)),
    ...gateRisks(material).map((said) => fact("risks", "book", said)),
    ...newsRisks(material).map((said) => fact("risks", "coverage", said)),
    fact("risks", "market", endRisk(material)),
    fact(
      "risks",
      "method",
      phrase`The rules of the question stand on the page of the market, and this report does not judge them.`,
    ),
    fact("bottom", "method", gateStated(material)),
  ]
}

function statusRisks({ market }: ReportMaterial): ReadonlyArray<Statement> {
  return [
    ...market.status === "proposed"
      ? [phrase`An outcome is proposed at the venue, and a challenge may still change it.`]
      : [],
    ...market.status === "resolved" || market.status === "closed"
      ? [phrase`Nobody can trade in this market now: what is said of prices is past.`]
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
    ? [phrase`There is no sound order book now, so the price may not be a price to trade at.`]
    : [
      ...gate.spread ? [] : [
        phrase`The spread is ${
          figure(priceFigure(microstructure.spread))
        }: to cross it costs much of any edge.`,
      ],
      ...gate.depth ? [] : [
        phrase`The book holds ${
          figure(usdFigure(microstructure.depthUsdWithin5c.total))
        } near the middle, so little money moves the price.`,
      ],
    ]
  return [
    ...thin,
    ...gate.volume ? [] : [
      phrase`Only ${
        figure(usdFigure(market.volumeUsd))
      } were ever traded here: the price is what few people think.`,
    ],
  ]
}

function newsRisks({ news }: ReportMaterial): ReadonlyArray<Statement> {
  if (news === null || news.sources === 0) {
    return [phrase`No news was looked at: why the price stands where it does is not known.`]
  }
  if (news.answered < news.sources) {
    const missing = figure(countFigure(news.sources - news.answered, "news source"))
    return [phrase`The report is without ${missing} that did not answer lately.`]
  }
  return news.headlines.length > 0
    ? []
    : [phrase`No related headline was found: why the price stands where it does is not known.`]
}

function endRisk({ market: { endsAt }, now }: ReportMaterial): Statement {
  if (endsAt === null) return phrase`The venue names no scheduled end for this market.`
  const at = figure(timeFigure(endsAt))
  if (endsAt <= now) {
    return phrase`The scheduled end, ${at}, lies in the past: the outcome may be known at any time.`
  }
  return phrase`The scheduled end is ${at}, ${
    figure(durationFigure(endsAt - now))
  } after this report; the outcome may be known earlier or later.`
}

/** Whether the price can be relied on at all, by the rule that movers pass. */
function gateStated(material: ReportMaterial): Statement {
  const [volume, depth, spread] = [
    figure(usdFigure(volumeUsdMin)),
    figure(usdFigure(depthUsdMin)),
    figure(priceFigure(spreadMax)),
  ]
  const rule =
    phrase`at least ${volume} traded, at least ${depth} of orders near the middle, and a spread of at most ${spread}`
  return joined([
    passesGate(material)
      ? phrase`The market meets the standard that this service asks of a price: ${rule}.`
      : phrase`The market misses the standard that this service asks of a price, so its price says little; the standard is ${rule}.`,
  ])
}
