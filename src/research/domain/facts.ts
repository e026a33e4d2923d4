/**
 * From what is known of a market to the numbered facts that its report may state.
 *
 * @module
 */
import { type Confidence, fact, type NewReportFact, type ReportBrief } from "./report.ts"
import { entryFacts } from "./entries.ts"
import { outcomeName, passesGate, type ReportMaterial } from "./material.ts"
import { bookFacts, priceFacts, stepFacts } from "./prices.ts"
import { riskFacts } from "./risks.ts"
import { countFigure, timeFigure, usdFigure } from "../../writing/domain/figures.ts"
import type { Headline } from "../../news/domain/headline.ts"
import { figure, joined, name, phrase } from "../../writing/domain/statement.ts"

/** Headlines that are facts; all that were found are evidence. */
const headlinesToldMax = 5

/** What a narrator is given of a market. The same material makes the same facts. */
export function reportBrief(material: ReportMaterial): ReportBrief {
  const rest = [
    ...statusFacts(material),
    ...priceFacts(material),
    ...bookFacts(material),
    ...newsFacts(material),
    ...stepFacts(material),
    ...entryFacts(material),
    ...riskFacts(material),
  ]
  const numbered = rest.map((unnumbered, n) => ({ id: `F${n + 2}`, ...unnumbered }))
  return {
    facts: [{ id: "F1", ...marketFact(material) }, ...numbered],
    confidenceMax: confidenceMaxOf(material),
  }
}

/** The most that the evidence carries, whoever writes. */
function confidenceMaxOf(material: ReportMaterial): Confidence {
  if (!passesGate(material)) return "low"
  return (material.news?.headlines ?? []).length === 0 ? "medium" : "high"
}

function marketFact(material: ReportMaterial): NewReportFact {
  const { market } = material
  const question = name(market.question)
  const [yes, no] = [outcomeName(material, 0), outcomeName(material, 1)]
  return fact(
    "thesis",
    "market",
    joined([
      phrase`The market asks ${question}, and its outcomes are ${yes} and ${no}.`,
      phrase`So far ${figure(usdFigure(market.volumeUsd))} were traded in it.`,
    ]),
    { links: [market.url] },
  )
}

function statusFacts(material: ReportMaterial): ReadonlyArray<NewReportFact> {
  const { market: { status }, proposal } = material
  if (status === "resolved") {
    return [fact("thesis", "resolution", phrase`The venue has resolved this market.`, {
      certain: true,
    })]
  }
  if (status === "closed") {
    return [fact("thesis", "market", phrase`The venue no longer takes orders in this market.`)]
  }
  if (proposal === null) {
    return status === "proposed"
      ? [fact(
        "thesis",
        "market",
        phrase`An outcome was proposed at the venue, and it may still be challenged.`,
      )]
      : []
  }
  const outcome = outcomeName(material, proposal.outcome)
  const at = figure(timeFigure(proposal.proposedAt))
  return [fact(
    "thesis",
    "market",
    joined([
      phrase`The outcome ${outcome} was proposed at the venue at ${at}.`,
      proposal.disputed
        ? phrase`The proposal is disputed.`
        : phrase`The proposal may still be challenged.`,
    ]),
  )]
}

function newsFacts({ news }: ReportMaterial): ReadonlyArray<NewReportFact> {
  if (news === null) {
    return [fact(
      "thesis",
      "coverage",
      phrase`The news could not be read for this report, so no reason for the price is given.`,
    )]
  }
  if (news.sources === 0) {
    return [fact(
      "thesis",
      "coverage",
      phrase`No news was looked at for this report, so no reason for the price is given.`,
    )]
  }
  const sources = figure(countFigure(news.sources, "news source"))
  const heard = phrase`Of ${sources} that are followed, ${
    figure(countFigure(news.answered, "source"))
  } answered lately.`
  if (news.headlines.length === 0) {
    return [fact(
      "thesis",
      "coverage",
      joined([
        heard,
        phrase`No headline of the last week was found that belongs to this question.`,
      ]),
    )]
  }
  const told = distinct(news.headlines).slice(0, headlinesToldMax).map((
    { title, url, source, publishedAt },
  ) =>
    fact(
      "thesis",
      "news",
      phrase`At ${figure(timeFigure(publishedAt))} ${
        name(source)
      } published a headline that may belong to the question: ${name(title)}.`,
      { links: [url] },
    )
  )
  const whether = phrase`Whether any headline moved the price is not known.`
  return [fact("thesis", "coverage", joined([heard, whether])), ...told]
}

/** What many publishers printed in the same words is told once, of the first of them here. */
function distinct(headlines: ReadonlyArray<Headline>): ReadonlyArray<Headline> {
  const titles = headlines.map(({ title }) => title)
  return headlines.filter(({ title }, n) => titles.indexOf(title) === n)
}
