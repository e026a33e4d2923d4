/**
 * The report without a model, used when no model is configured or no draft of a model passes the check.
 *
 * It repeats the statements of the facts in order, as many as fit into a passage. It makes no judgement,
 * so its confidence is at most `medium`.
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

/** Joins as many of the facts as pass the check together; uses `otherwise` when there are none. */
function joinedPassage(facts: ReadonlyArray<ReportFact>, otherwise: ReportFact): Passage {
  const [first = otherwise, ...rest] = facts
  const known = factsById(facts)
  return rest.reduce<Passage>((passage, fact) => {
    const longer = { text: `${passage.text} ${fact.statement}`, facts: [...passage.facts, fact.id] }
    return faultsOf(longer, known).length === 0 ? longer : passage
  }, passageOf(first))
}

function passageOf({ id, statement }: ReportFact): Passage {
  return { text: statement, facts: [id] }
}
