/**
 * The report by rules: what is written without a model, and whenever a model's draft will not do.
 *
 * It says what the facts phrase, in their words and their order, as much of it as a passage holds. What
 * it never does is judge: its confidence is at most `medium`.
 *
 * @module
 */
import { factsById, faultsOf } from "../../writing/domain/factCheck.ts"
import type { Passage } from "../../writing/domain/facts.ts"
import type { ReportBrief, ReportDraft, ReportFact, ReportPart } from "./report.ts"
import { risksMax } from "./text.ts"

/** A draft that passes the check whatever the facts are. */
export function templateReport({ facts, confidenceMax }: ReportBrief): ReportDraft {
  const of = (part: ReportPart) => facts.filter((fact) => fact.part === part)
  const passage = (part: ReportPart) => joinedPassage(of(part), facts[0])
  const risks = of("risks").slice(0, risksMax).map(passageOf)
  return {
    thesis: passage("thesis"),
    whaleView: passage("whales"),
    risks: risks.length > 0 ? risks : [passageOf(facts[0])],
    confidence: confidenceMax === "high" ? "medium" : confidenceMax,
    bottomLine: passage("bottom"),
  }
}

/** The first of these facts in one passage, as many as pass together; `otherwise` where there is none. */
function joinedPassage(facts: ReadonlyArray<ReportFact>, otherwise: ReportFact): Passage {
  const [first = otherwise, ...rest] = facts
  const known = factsById(facts)
  return rest.reduce<Passage>((said, fact) => {
    const more = { text: `${said.text} ${fact.statement}`, facts: [...said.facts, fact.id] }
    return faultsOf(more, known).length === 0 ? more : said
  }, passageOf(first))
}

function passageOf({ id, statement }: ReportFact): Passage {
  return { text: statement, facts: [id] }
}
