/**
 * A small detection question and an answer to it, for tests in which their content does not matter.
 *
 * @module
 */
import type { DetectionQuestion } from "../../../src/predetermined/domain/detection.ts"
import { hour } from "../../../src/core/domain/time.ts"
import { market } from "../movers/market.ts"

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
  confidence: "high",
  evidence: ["E1"],
  decisiveWords: "has happened",
} as const
