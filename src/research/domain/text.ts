/**
 * Checks a draft, and turns it into the analysis that is sold.
 *
 * @module
 */
import { complaintOf, factsById, faultsOf, wordCount } from "../../writing/domain/factCheck.ts"
import type { Passage } from "../../writing/domain/facts.ts"
import { type Confidence, confidences, type ReportBrief, type ReportDraft } from "./report.ts"

/** Risks of one report. */
export const risksMax = 8
/** Words of a passage. The maximum length is in factCheck.ts. */
const passageWordsMin = 4

/** The complaints about a draft; empty when it may be published. */
export function reportComplaints(draft: ReportDraft, brief: ReportBrief): ReadonlyArray<string> {
  const facts = factsById(brief.facts)
  const count = draft.risks.length
  return [
    ...count >= 1 && count <= risksMax
      ? []
      : [`risks: there are ${count}; write from 1 to ${risksMax} of them`],
    // A draft may have any number of risks: only the first ones are checked.
    ...passagesOf({ ...draft, risks: draft.risks.slice(0, risksMax) }).flatMap(
      ([where, passage]) => [
        ...faultsOf(passage, facts).map((fault) => complaintOf(fault, where)),
        ...wordCount(passage.text) < passageWordsMin
          ? [`${where}: it is too short; write ${passageWordsMin} words or more`]
          : [],
      ],
    ),
  ]
}

/** The parts of a checked draft; its confidence is capped by the brief. */
export function analysisOf(draft: ReportDraft, { confidenceMax }: ReportBrief) {
  return {
    thesis: draft.thesis.text,
    whaleView: draft.whaleView.text,
    risks: draft.risks.map(({ text }) => text),
    confidence: lower(draft.confidence, confidenceMax),
    bottomLine: draft.bottomLine.text,
  }
}

/** The ids of the facts that each part of a checked draft cites. */
export function factIdsByPart({ thesis, whaleView, risks, bottomLine }: ReportDraft) {
  return {
    thesis: thesis.facts,
    whaleView: whaleView.facts,
    risks: risks.map(({ facts }) => facts),
    bottomLine: bottomLine.facts,
  }
}

function passagesOf(draft: ReportDraft): ReadonlyArray<readonly [where: string, Passage]> {
  return [
    ["thesis", draft.thesis],
    ["whaleView", draft.whaleView],
    ...draft.risks.map((risk, n) => [`risk ${n + 1}`, risk] as const),
    ["bottomLine", draft.bottomLine],
  ]
}

function lower(a: Confidence, b: Confidence): Confidence {
  return confidences.indexOf(a) < confidences.indexOf(b) ? a : b
}
