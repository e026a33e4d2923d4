/**
 * Which markets may already be decided while their price says otherwise, and which of a detector's
 * answers is believed.
 *
 * Nothing rests on a market's own question, description or rules: an item needs the venue's own
 * proposal, past half of its challenge window, or a headline that tells of a done thing and is about
 * the question. Whatever a detector says, `judgeDetection` asks for that again.
 *
 * What no rule of words can see: whether a headline is true, and which way it decides a question of
 * yes and no.
 *
 * @module
 */
import { Result } from "effect"
import {
  type BookFault,
  fromHalfSteps,
  halfSteps,
  isPrice,
  type Microstructure,
} from "../../markets/domain/book.ts"
import type { Detection, DetectionQuestion, Evidence } from "./detection.ts"
import type { Proposal } from "../../markets/domain/proposal.ts"
import { areTwoSources, bears, evidenceOf, isUnchallenged } from "./evidence.ts"
import { factsById, faultsOf } from "../../writing/domain/factCheck.ts"
import type { Fact } from "../../writing/domain/facts.ts"
import { marketRef, type NewFeedItem } from "../../feed/domain/item.ts"
import type { Market } from "../../markets/domain/market.ts"
import {
  type BookRejection,
  type MarketRejection,
  screenBook,
  screenMarket,
} from "../../markets/domain/quality.ts"
import type { Headline } from "../../news/domain/headline.ts"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import { named, quoted } from "../../core/domain/untrusted.ts"

/** Why no question is asked about a market; short and stable, for metrics. */
type CandidateRejection =
  | MarketRejection
  | BookRejection
  | "decided"
  | "no_evidence"
  | "disputed"
  | "proposal_unknown"
  | "hearsay"

/** At these prices, and beyond, the market itself says how it ended: nothing is left to tell. */
const decidedAt = { low: 0.03, high: 0.97 }

/** The gates that need no book of now, for choosing the few markets worth looking at. */
export function screenCandidate(
  market: Market,
  mid: number,
): Result.Result<Market, CandidateRejection> {
  return Result.flatMap(
    screenMarket(market),
    (market): Result.Result<Market, CandidateRejection> =>
      isOpenPrice(mid) ? Result.succeed(market) : Result.fail("decided"),
  )
}

/** Compared in half price steps: no float error opens or shuts the gate. */
function isOpenPrice(mid: number): boolean {
  const steps = halfSteps(mid)
  return isPrice(mid) && halfSteps(decidedAt.low) < steps && steps < halfSteps(decidedAt.high)
}

/** What is known of a market whose outcome may exist. */
interface CandidateFacts {
  readonly market: Market
  /** Of the first outcome's book as of `now`; null when the venue gave none. */
  readonly book: Result.Result<Microstructure, BookFault> | null
  readonly rules: string
  readonly proposal: Proposal | null
  /** In any order; those that are not about the market are left out here. */
  readonly headlines: ReadonlyArray<Headline>
  readonly now: EpochMs
}

/** A question worth putting to a detector, and the book that its price was read from. */
export interface PricedQuestion {
  readonly question: DetectionQuestion
  readonly microstructure: Microstructure
}

/** A live, liquid, ordinary market whose price is open, and for which there is reason to ask. */
export function pricedQuestion(
  facts: CandidateFacts,
): Result.Result<PricedQuestion, CandidateRejection> {
  const { market, book, rules, proposal, headlines, now } = facts
  const screened = screenMarket(market)
  if (Result.isFailure(screened)) return Result.fail(screened.failure)
  const shown = screenBook(book)
  if (Result.isFailure(shown)) return Result.fail(shown.failure)
  const microstructure = shown.success
  const { mid } = microstructure
  if (!isOpenPrice(mid)) return Result.fail("decided")
  return Result.map(screenEvidence(market, proposal, headlines, now), (evidence) => ({
    question: { market, rules, mid, proposal, evidence, now },
    microstructure,
  }))
}

/**
 * The evidence about a market, when an answer could rest on it: a question whose every answer would be
 * refused is not asked. Being past its event's end is no evidence, for events are put off. An outcome
 * in dispute is nobody's certainty.
 */
export function screenEvidence(
  market: Market,
  proposal: Proposal | null,
  headlines: ReadonlyArray<Headline>,
  now: EpochMs,
): Result.Result<DetectionQuestion["evidence"], CandidateRejection> {
  if (proposal?.disputed) return Result.fail("disputed")
  // What is proposed may be a half each, or be challenged: nobody may contradict the venue unheard.
  if (proposal === null && market.status === "proposed") return Result.fail("proposal_unknown")
  const [first, ...others] = evidenceOf(market, proposal, headlines, now)
  if (first === undefined) return Result.fail("no_evidence")
  const bearing = [first, ...others].some((piece) =>
    bears({ market, proposal, now }, piece, 0) || bears({ market, proposal, now }, piece, 1)
  )
  return bearing ? Result.succeed([first, ...others]) : Result.fail("hearsay")
}

/** What can be said without a model: what the venue says, once it has stood. */
export function rulesDetection(question: DetectionQuestion): Detection {
  const { market, proposal, evidence, now } = question
  const [venue] = evidence.filter(({ kind }) => kind === "venue")
  if (proposal === null || venue === undefined || !isUnchallenged(proposal, now)) {
    return { determined: false, outcome: null, statement: "", confidence: "low", evidence: [] }
  }
  return {
    determined: true,
    outcome: market.outcomes[proposal.outcome],
    statement: plainStatement(market, proposal.outcome, [venue]),
    confidence: "high",
    evidence: [venue.id],
  }
}

/** Why an answer is not believed, in the order in which it is looked at. */
const detectionRejections = [
  "undetermined",
  "low_confidence",
  "no_citation",
  "unknown_evidence",
  "unknown_outcome",
  "disputed",
  "contradicted",
  "unsupported",
] as const
type DetectionRejection = (typeof detectionRejections)[number]

/** An answer that is believed, and no more of it than its evidence bears. */
export interface Accepted {
  readonly outcome: 0 | 1
  readonly confidence: "high" | "medium"
  readonly statement: string
  /** Of what was cited, all that bears the claim. */
  readonly evidence: readonly [Evidence, ...ReadonlyArray<Evidence>]
}

/**
 * The rules of acceptance: the answer is sure, cites evidence that exists, names one of the market's
 * outcomes, and is not against what the venue has proposed; and of what it cites, something bears it.
 *
 * - `high` only with the venue's proposal or two sources; else `medium`, whatever the detector says.
 * - Cited evidence that bears nothing is not shown.
 * - The statement is the detector's own if it names the outcome told, says no more than the question and
 *   that evidence, and denies nothing; else a plain one.
 */
export function judgeDetection(
  question: DetectionQuestion,
  detection: Detection,
): Result.Result<Accepted, DetectionRejection> {
  const { market, proposal } = question
  if (!detection.determined) return Result.fail("undetermined")
  if (detection.confidence === "low") return Result.fail("low_confidence")
  if (detection.evidence.length === 0) return Result.fail("no_citation")
  const known = new Set(question.evidence.map(({ id }) => id))
  if (!detection.evidence.every((id) => known.has(id))) return Result.fail("unknown_evidence")
  const outcome = outcomeOf(market, detection.outcome)
  if (outcome === null) return Result.fail("unknown_outcome")
  if (proposal?.disputed) return Result.fail("disputed")
  if (proposal !== null && proposal.outcome !== outcome) return Result.fail("contradicted")
  const [first, ...others] = question.evidence.filter((piece) =>
    detection.evidence.includes(piece.id) && bears(question, piece, outcome)
  )
  if (first === undefined) return Result.fail("unsupported")
  const evidence = [first, ...others] as const
  return Result.succeed({
    outcome,
    confidence: detection.confidence === "high" && isStrong(evidence) ? "high" : "medium",
    statement: soundStatement(market, outcome, evidence, detection.statement),
    evidence,
  })
}

/** Which outcome a detector means, as the market spells it or as it was shown; null for none, or both. */
function outcomeOf({ outcomes }: Market, said: string | null): 0 | 1 | null {
  if (said === null) return null
  const [first, second] = outcomes.map((outcome) => named(said) === named(outcome))
  return first === second ? null : first ? 0 : 1
}

const isStrong = (evidence: Accepted["evidence"]): boolean =>
  evidence.some(({ kind }) => kind === "venue") ||
  evidence.some((one) => evidence.some((other) => areTwoSources(one, other)))

/** Characters of a statement: a sentence. */
const statementLengthMax = 280

/** The detector's statement, if it names the outcome, denies nothing and passes the fact check. */
function soundStatement(
  market: Market,
  outcome: 0 | 1,
  evidence: Accepted["evidence"],
  said: string,
): string {
  const facts = statementFacts(market, outcome, evidence)
  const text = said.trim()
  const names = text.includes(quoted(named(market.outcomes[outcome])))
  const sound = text.length <= statementLengthMax && names && !denies(text) &&
    faultsOf({ text, facts: facts.map(({ id }) => id) }, factsById(facts)).length === 0
  return sound ? text : plainStatement(market, outcome, evidence)
}

/** Whether a statement's own words deny something: it could deny the outcome that it is told with. */
function denies(text: string): boolean {
  return /\b(?:not?|n[eo]ver|nor|n?either|none|nobody|nothing|cannot|without|except|instead|unlike|against|opposite|contrary|wrong|false|incorrect)(?:ly)?\b|n['’]t\b/i
    .test(text.replace(/“[^“”]*”/g, ""))
}

/** What a statement may say: what is asked, the outcome that is told, and what was cited. */
export function statementFacts(
  market: Market,
  outcome: 0 | 1,
  evidence: Accepted["evidence"],
): readonly [Fact, ...ReadonlyArray<Fact>] {
  const question = named(market.question)
  const names = [question, named(market.outcomes[outcome])]
  const shared = { figures: [], links: [], certain: true }
  const asked = `The market asks ${quoted(question)}.`
  return [
    { ...shared, id: "F1", kind: "market", statement: asked, names },
    ...evidence.map(({ kind, title, source }, n): Fact => ({
      ...shared,
      id: `F${n + 2}`,
      kind: kind === "venue" ? "predetermined" : "news",
      statement: kind === "venue"
        ? "The venue says which outcome was proposed."
        : `${quoted(named(source))} wrote ${quoted(named(title))}.`,
      names: [named(title), named(source)],
    })),
  ]
}

/** A statement that says who says so, and no more. */
export function plainStatement(
  market: Market,
  outcome: 0 | 1,
  [{ kind, title, source }]: Accepted["evidence"],
): string {
  const decided = `the outcome of ${quoted(named(market.question))} is ` +
    `${quoted(named(market.outcomes[outcome]))}`
  return kind === "venue"
    ? `By what was proposed at the venue and has not been challenged, ${decided}.`
    : `By ${quoted(named(title))} of ${quoted(named(source))}, ${decided}.`
}

/** An answer that was believed, and all that its item says of where it came from. */
interface ToldDetection extends PricedQuestion {
  readonly accepted: Accepted
  /** Who answered: a model's name, or `rules`. */
  readonly detector: string
}

/** The feed item of an accepted answer; one a market, for ever. */
export function predeterminedItem(told: ToldDetection, createdAt: EpochMs): NewFeedItem {
  const { question: { market, mid }, accepted, detector, microstructure } = told
  const { outcome, statement, confidence, evidence: [first, ...others] } = accepted
  const steps = outcome === 0 ? halfSteps(mid) : halfSteps(1) - halfSteps(mid)
  const shown = ({ title, url, source, publishedAt }: Evidence) => ({
    ...{ title, url, source },
    publishedAt: isoTime(publishedAt),
  })
  return {
    dedupeKey: `predetermined:${market.id}`,
    type: "predetermined",
    title: market.question,
    createdAt: isoTime(createdAt),
    data: {
      market: marketRef(market),
      outcome: market.outcomes[outcome],
      ...{ statement, confidence },
      evidence: [shown(first), ...others.map(shown)],
      marketPrice: fromHalfSteps(steps),
      impliedEdge: fromHalfSteps(halfSteps(1) - steps),
      detectedAt: isoTime(createdAt),
      detector,
      microstructure,
    },
  }
}
