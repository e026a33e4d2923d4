/**
 * Generated detection questions, with evidence whose supported outcomes are known, and answers of every
 * kind.
 *
 * @module
 */
import { Arbitrary, Schema } from "effect"
import type { Detection, DetectionQuestion } from "../../../src/predetermined/domain/detection.ts"
import type { Proposal } from "../../../src/markets/domain/proposal.ts"
import { evidenceOf } from "../../../src/predetermined/domain/evidence.ts"
import type { Market } from "../../../src/markets/domain/market.ts"
import type { Headline } from "../../../src/news/domain/headline.ts"
import { hour, minute } from "../../../src/core/domain/time.ts"
import { market, now } from "../movers/market.ts"

const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Two markets, and headlines with the outcomes that they support. */
export const yesOrNo = market()
export const namedOutcomes: Market = market({
  question: "Who takes the harbour race: Osprey or Kestrel?",
  outcomes: ["Osprey", "Kestrel"],
})

interface LabelledHeadline {
  readonly title: string
  /** The outcomes of each market that it supports. */
  readonly yesOrNo: ReadonlyArray<0 | 1>
  readonly namedOutcomes: ReadonlyArray<0 | 1>
}
export const headlines: ReadonlyArray<LabelledHeadline> = [
  { title: "Lighthouse lit: minister opened the lamp", yesOrNo: [0], namedOutcomes: [] },
  { title: "Harbour lighthouse lit, mayor confirms", yesOrNo: [0], namedOutcomes: [] },
  { title: "Lighthouse lit by Friday, minister expects", yesOrNo: [], namedOutcomes: [] },
  { title: "Will the lighthouse be lit? Mayor confirmed nothing", yesOrNo: [], namedOutcomes: [] },
  { title: "Lighthouse in photographs", yesOrNo: [], namedOutcomes: [] },
  { title: "Bakery opened in the old town", yesOrNo: [], namedOutcomes: [] },
  { title: "Osprey wins harbour race", yesOrNo: [], namedOutcomes: [0] },
  { title: "Harbour race: Kestrel declared winner", yesOrNo: [], namedOutcomes: [1] },
  { title: "Osprey beat Kestrel in harbour race", yesOrNo: [], namedOutcomes: [0] },
  { title: "Harbour race closed to traffic", yesOrNo: [], namedOutcomes: [] },
  { title: "Osprey likely wins harbour race", yesOrNo: [], namedOutcomes: [] },
]

const hosts = ["one.example", "www.one.example", "two.example", "three.co.uk", "four.co.uk"]

export const anyHeadlines = Schema.Array(
  Schema.Struct({
    of: int(0, headlines.length - 1),
    host: int(0, hosts.length - 1),
    path: int(0, 3),
    ageMinutes: int(-120, 4_000),
  }),
).check(Schema.isMaxLength(12))

export const headlinesOf = (drawn: typeof anyHeadlines.Type): ReadonlyArray<Headline> =>
  drawn.map(({ of, host, path, ageMinutes }) => ({
    title: headlines[of]?.title ?? "",
    url: `https://${hosts[host]}/${path}`,
    source: hosts[host] ?? "",
    publishedAt: now - ageMinutes * minute,
  }))

export const anyProposal = Schema.NullOr(Schema.Struct({
  outcome: Schema.Literals([0, 1]),
  agoMinutes: int(-10, 200),
  windowMinutes: Schema.NullOr(int(-10, 240)),
  disputed: Schema.Literals([false, false, false, true]),
}))

export const proposalOf = (drawn: typeof anyProposal.Type, of: Market): Proposal | null =>
  drawn === null ? null : {
    marketId: of.id,
    outcome: drawn.outcome,
    proposedAt: now - drawn.agoMinutes * minute,
    settlesAt: drawn.windowMinutes === null
      ? null
      : now + (drawn.windowMinutes - drawn.agoMinutes) * minute,
    disputed: drawn.disputed,
  }

/** The rule of `isUnchallenged`, written independently. */
export const isUnchallenged = (drawn: typeof anyProposal.Type): boolean => {
  if (drawn === null || drawn.disputed) return false
  const { agoMinutes, windowMinutes } = drawn
  const window = windowMinutes !== null && windowMinutes > 0 ? windowMinutes : 120
  return agoMinutes * 2 >= window
}

const anyDetection = Schema.Struct({
  determined: Schema.Literals([true, true, true, false]),
  outcome: Schema.Literals(["first", "second", "first", "second", "other", "none"]),
  confidence: Schema.Literals(["high", "medium", "low"]),
  cited: Schema.Array(int(1, 9)).check(Schema.isMaxLength(6)),
  /** The decisive words: of the first cited headline, or others. */
  decisive: Schema.Literals(["copied", "copied", "copied", "invented", "empty"]),
  /** Whether the answer may cite unknown ids. */
  careless: Schema.Literals([false, false, false, true]),
})

export const detectionOf = (
  drawn: typeof anyDetection.Type,
  question: Pick<DetectionQuestion, "market" | "evidence">,
): Detection => {
  const { outcomes } = question.market
  const known = new Set(question.evidence.map(({ id }) => id))
  const ids = drawn.cited.map((n) => `E${n}`)
  const first = question.evidence.find(({ id, kind }) => kind === "news" && ids.includes(id))
  return {
    decisiveWords: {
      ...{ copied: first?.title ?? "", invented: "it has been certified", empty: "" },
    }[drawn.decisive],
    determined: drawn.determined,
    outcome: { first: outcomes[0], second: outcomes[1], other: "Perhaps", none: null }[
      drawn.outcome
    ],
    confidence: drawn.confidence,
    evidence: drawn.careless ? ids : ids.filter((id) => known.has(id)),
  }
}

export const anyAnswer = Arbitrary.schema(Schema.Struct({
  of: Schema.Literals(["yesOrNo", "namedOutcomes"]),
  proposal: anyProposal,
  headlines: anyHeadlines,
  detection: anyDetection,
}))
type Drawn = typeof anyAnswer extends Arbitrary.Arbitrary<infer A> ? A : never

/** The generated question, or null without evidence. */
export function questionOf(drawn: Omit<Drawn, "detection">): DetectionQuestion | null {
  const of = drawn.of === "namedOutcomes" ? namedOutcomes : yesOrNo
  const proposal = proposalOf(drawn.proposal, of)
  const [first, ...others] = evidenceOf({
    ...{ market: of, siblings: [], proposal, headlines: headlinesOf(drawn.headlines), now },
  })
  return first === undefined ? null : {
    ...{ market: of, siblings: [], rules: "Lit means lit.", mid: 0.6, proposal, now },
    evidence: [first, ...others],
  }
}

/** The outcomes that a piece of evidence supports, from its label. */
export function supportedBy(
  drawn: Omit<Drawn, "detection">,
  piece: DetectionQuestion["evidence"][number],
): ReadonlyArray<0 | 1> {
  if (piece.kind === "venue") {
    return drawn.proposal !== null && isUnchallenged(drawn.proposal) ? [drawn.proposal.outcome] : []
  }
  return headlines.find(({ title }) => title === piece.title)?.[drawn.of] ?? []
}

export const proposal = (fields: Partial<Proposal> = {}): Proposal => ({
  marketId: yesOrNo.id,
  outcome: 0,
  proposedAt: now - hour,
  settlesAt: now + hour,
  disputed: false,
  ...fields,
})

export const headline = (fields: Partial<Headline> = {}): Headline => ({
  title: headlines[0]?.title ?? "",
  url: "https://one.example/lit",
  source: "one.example",
  publishedAt: now - hour,
  ...fields,
})
