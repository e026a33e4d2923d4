/**
 * Builds the numbered facts of a report from its material.
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

/** Headlines with a fact of their own; all headlines that were found are evidence. */
const headlineFactsMax = 5

/** Deterministic: the same material gives the same facts. */
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
  const numbered = rest.map((fact, n) => ({ id: `F${n + 2}`, ...fact }))
  return {
    facts: [{ id: "F1", ...marketFact(material) }, ...numbered],
    confidenceMax: confidenceMaxOf(material),
  }
}

/** The highest confidence that the evidence allows, for any narrator. */
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
      phrase`Its volume so far is ${figure(usdFigure(market.volumeUsd))}.`,
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
      phrase`The news could not be read for this report, so it gives no reason for the price.`,
    )]
  }
  if (news.sources === 0) {
    return [fact(
      "thesis",
      "coverage",
      phrase`No news was read for this report, so it gives no reason for the price.`,
    )]
  }
  const sources = figure(countFigure(news.sources, "news source"))
  const answered = phrase`Of ${sources}, ${
    figure(countFigure(news.answered, "source"))
  } answered recently.`
  if (news.headlines.length === 0) {
    return [fact(
      "thesis",
      "coverage",
      joined([
        answered,
        phrase`No headline about this question was found in the last week.`,
      ]),
    )]
  }
  const headlines = distinct(news.headlines).slice(0, headlineFactsMax).map((
    { title, url, source, publishedAt },
  ) =>
    fact(
      "thesis",
      "news",
      phrase`At ${figure(timeFigure(publishedAt))}, ${
        name(source)
      } published a headline that may be about this question: ${name(title)}.`,
      { links: [url] },
    )
  )
  const unknown = phrase`It is not known whether any headline moved the price.`
  return [fact("thesis", "coverage", joined([answered, unknown])), ...headlines]
}

/** Keeps only the first of several headlines with the same title. */
function distinct(headlines: ReadonlyArray<Headline>): ReadonlyArray<Headline> {
  const titles = headlines.map(({ title }) => title)
  return headlines.filter(({ title }, n) => titles.indexOf(title) === n)
}
