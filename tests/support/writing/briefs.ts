/**
 * Small briefs, drafts and a detection question, for tests in which their content does not matter.
 *
 * @module
 */
import type { DetectionQuestion } from "../../../src/predetermined/domain/detection.ts"
import type { DigestBrief, DigestFact } from "../../../src/digest/domain/digest.ts"
import type { ReportBrief } from "../../../src/research/domain/report.ts"
import { hour } from "../../../src/core/domain/time.ts"
import { market } from "../movers/market.ts"

export const coverageFact: DigestFact = {
  id: "F1",
  kind: "coverage",
  topic: "coverage",
  section: "repriced",
  statement: "The prices of 12 markets were watched.",
  short: "The prices of 12 markets were watched.",
  source: null,
  figures: ["12 markets"],
  names: [],
  links: [],
  certain: false,
}
export const digestBrief: DigestBrief = { from: 0, until: 4 * hour, facts: [coverageFact] }
export const reportBrief: ReportBrief = {
  facts: [{ ...coverageFact, part: "thesis" }],
  confidenceMax: "low",
}

const passage = { text: coverageFact.statement, facts: [coverageFact.id] }
export const digestDraft = {
  title: passage,
  summary: passage,
  sections: { repriced: [], whales: [], predetermined: [], context: [passage], watch: [] },
}
export const reportDraft = {
  thesis: passage,
  whaleView: passage,
  risks: [passage],
  confidence: "low",
  bottomLine: passage,
} as const

export const detectionQuestion: DetectionQuestion = {
  market: market(),
  siblings: [],
  rules: "Yes if it happens.",
  mid: 0.9,
  proposal: null,
  evidence: [{
    id: "E1",
    kind: "news",
    title: "It has happened",
    url: "https://news.example/1",
    source: "news.example",
    publishedAt: 0,
  }],
  now: hour,
}
export const detection = {
  determined: true,
  outcome: "Yes",
  statement: "It has happened.",
  confidence: "high",
  evidence: ["E1"],
  decisiveWords: "has happened",
} as const
