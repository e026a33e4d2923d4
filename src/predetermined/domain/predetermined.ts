/**
 * Which markets may already be decided while their price is still open, and which answers of a detector
 * are accepted.
 *
 * A market's own question, description or rules are no evidence. An item needs the venue's proposal,
 * past half of its challenge window, or a headline about the question that reports a completed event.
 * `judgeDetection` checks this again for every answer.
 *
 * These rules cannot detect whether a headline is true. Two independent headlines can be false together.
 *
 * @module
 */
import { Result } from "effect"
import {
  type BookFault,
  fromHalfSteps,
  halfSteps,
  isDecidedPrice,
  isPrice,
  type Microstructure,
} from "../../markets/domain/book.ts"
import type { Detection, DetectionQuestion, EvidencePiece, SiblingMarket } from "./detection.ts"
import { type Proposal, proposalWords } from "../../markets/domain/proposal.ts"
import {
  areIndependent,
  type EvidenceJudgement,
  evidenceOf,
  isUnchallenged,
  judgeEvidence,
} from "./evidence.ts"
import { marketRef, type NewFeedItem, type ProposalRecord } from "../../feed/domain/item.ts"
import { priceFigure } from "../../writing/domain/figures.ts"
import type { Market } from "../../markets/domain/market.ts"
import {
  type BookRejection,
  type MarketRejection,
  screenBook,
  screenMarket,
} from "../../markets/domain/quality.ts"
import type { Headline } from "../../news/domain/headline.ts"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import { quoted, safeName } from "../../core/domain/untrusted.ts"

/** Why a market is rejected; used as metric labels, so keep them stable. */
type CandidateRejection =
  | MarketRejection
  | BookRejection
  | "decided"
  | "no_evidence"
  | "disputed"
  | "proposal_unknown"
  | "hearsay"

/** The gates that need no current book. They choose the markets whose books are read. */
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

/** A price that does not state the outcome yet. */
export const isOpenPrice = (mid: number): boolean => isPrice(mid) && !isDecidedPrice(mid)

interface CandidateInput {
  readonly market: Market
  readonly siblings: ReadonlyArray<SiblingMarket>
  /** The first outcome's book as of `now`; null when the venue returned none. */
  readonly book: Result.Result<Microstructure, BookFault> | null
  readonly rules: string
  readonly proposal: Proposal | null
  /** In any order; those that are not about the market are ignored. */
  readonly headlines: ReadonlyArray<Headline>
  readonly now: EpochMs
}

/** A question for a detector, and the book of its price. */
export interface PricedQuestion {
  readonly question: DetectionQuestion
  readonly microstructure: Microstructure
}

/** The question about a live, liquid, ordinary market with an open price and supporting evidence. */
export function pricedQuestion(
  input: CandidateInput,
): Result.Result<PricedQuestion, CandidateRejection> {
  const { market, siblings, book, rules, proposal, now } = input
  const screened = screenMarket(market)
  if (Result.isFailure(screened)) return Result.fail(screened.failure)
  const screenedBook = screenBook(book)
  if (Result.isFailure(screenedBook)) return Result.fail(screenedBook.failure)
  const microstructure = screenedBook.success
  const { mid } = microstructure
  if (!isOpenPrice(mid)) return Result.fail("decided")
  return Result.map(screenEvidence(input), (evidence) => ({
    question: { market, siblings, rules, mid, proposal, evidence, now },
    microstructure,
  }))
}

/**
 * The evidence about a market, if it supports one of its outcomes; else every answer would be rejected,
 * so no question is asked. A past end date is no evidence, because events are postponed. A disputed
 * outcome is never certain.
 */
export function screenEvidence(
  input: Omit<CandidateInput, "book">,
): Result.Result<DetectionQuestion["evidence"], CandidateRejection> {
  const { market, proposal } = input
  if (proposal?.disputed) return Result.fail("disputed")
  // The unknown proposal may be a split payout or challenged, and no item may contradict the venue.
  if (proposal === null && market.status === "proposed") return Result.fail("proposal_unknown")
  const [first, ...others] = evidenceOf(input)
  if (first === undefined) return Result.fail("no_evidence")
  const { supports } = judgeEvidence({ ...input, evidence: [first, ...others] })
  const isSupported = [first, ...others].some((piece) => supports(piece, 0) || supports(piece, 1))
  return isSupported ? Result.succeed([first, ...others]) : Result.fail("hearsay")
}

/**
 * The answer without a model: the venue's proposal, once it is unchallenged. `judgeDetection` makes it a
 * contested proposal.
 */
export function rulesDetection(question: DetectionQuestion): Detection {
  const { market, proposal, evidence, now } = question
  const [venue] = evidence.filter(({ kind }) => kind === "venue")
  if (proposal === null || venue === undefined || !isUnchallenged(proposal, now)) {
    return {
      ...{ determined: false, outcome: null, confidence: "low" },
      ...{ evidence: [], decisiveWords: "" },
    }
  }
  return {
    determined: true,
    outcome: market.outcomes[proposal.outcome],
    confidence: "high",
    evidence: [venue.id],
    decisiveWords: venue.title,
  }
}

/** Why an answer is rejected, in the order of the checks. */
const detectionRejections = [
  "undetermined",
  "low_confidence",
  "no_citation",
  "unknown_evidence",
  "unknown_outcome",
  "disputed",
  "contradicted",
  "unsupported",
  "no_decisive_words",
  "one_text",
] as const
type DetectionRejection = (typeof detectionRejections)[number]

/** An accepted answer, reduced to what its evidence supports. */
export interface AcceptedDetection {
  readonly kind: "evidence" | "contested_proposal"
  readonly outcome: 0 | 1
  readonly confidence: "high" | "medium" | "low"
  readonly statement: string
  /** The cited evidence that supports the claim. */
  readonly evidence: readonly [EvidencePiece, ...ReadonlyArray<EvidencePiece>]
}

/**
 * Accepts an answer whose confidence is not low, and which cites existing evidence, names one of the
 * market's outcomes, does not contradict the venue's proposal, and cites evidence that supports it.
 *
 * - With a headline the answer must copy its decisive words from a cited title that supports it. The
 *   unchallenged proposal of the venue, or a headline independent of the first, must support it too.
 * - Headlines that contradict each other, cited or not, leave the outcome undetermined.
 * - Without a headline the item is a contested proposal: an outcome is proposed at the venue
 *   while the price is contested. Its confidence is `medium` at a price of at least 0.5, else `low`.
 * - With a headline the confidence is the detector's, `high` or `medium`.
 * - Cited evidence without support for the claim is dropped.
 * - The statement is ours: the detector writes no word of an item.
 */
export function judgeDetection(
  question: DetectionQuestion,
  detection: Detection,
): Result.Result<AcceptedDetection, DetectionRejection> {
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
  const judgement = judgeEvidence(question)
  const [first, ...others] = question.evidence.filter((piece) =>
    detection.evidence.includes(piece.id) && judgement.supports(piece, outcome)
  )
  if (first === undefined) return Result.fail("unsupported")
  const evidence = [first, ...others] as const
  if (evidence.every(({ kind }) => kind === "venue")) {
    return Result.succeed(contestedProposal(question, outcome, evidence))
  }
  if (judgement.isContradictory) return Result.fail("undetermined")
  if (!namesDecisiveWords(detection.decisiveWords, evidence)) {
    return Result.fail("no_decisive_words")
  }
  if (!isConfirmed(question, judgement, outcome, evidence)) return Result.fail("one_text")
  return Result.succeed({
    kind: "evidence",
    outcome,
    confidence: detection.confidence,
    statement: plainStatement(market, outcome, evidence, question.now),
    evidence,
  })
}

/** Whether the words are whole words of a supporting headline, and say more than “in” or “the”. */
function namesDecisiveWords(
  decisiveWords: string,
  evidence: AcceptedDetection["evidence"],
): boolean {
  const words = safeName(decisiveWords).toLowerCase()
  if (!/\p{L}{3}/u.test(words)) return false
  return evidence.some(({ kind, title }) => {
    const text = title.toLowerCase()
    const at = text.indexOf(words)
    const isWhole = !/[\p{L}\p{N}]/u.test(text[at - 1] ?? "") &&
      !/[\p{L}\p{N}]/u.test(text[at + words.length] ?? "")
    return kind === "news" && at >= 0 && isWhole
  })
}

/** Whether two independent pieces support the claim: the venue's proposal, or another headline. */
function isConfirmed(
  question: DetectionQuestion,
  { supports }: EvidenceJudgement,
  outcome: 0 | 1,
  evidence: AcceptedDetection["evidence"],
): boolean {
  const isProposed = question.evidence.some((piece) =>
    piece.kind === "venue" && supports(piece, outcome)
  )
  return isProposed ||
    evidence.some((one) => evidence.some((other) => areIndependent(one, other)))
}

/** The outcome with this sanitized name; null for none, or for both. */
function outcomeOf({ outcomes }: Market, answered: string | null): 0 | 1 | null {
  if (answered === null) return null
  const [first, second] = outcomes.map((outcome) => safeName(answered) === safeName(outcome))
  return first === second ? null : first ? 0 : 1
}

/** A proposal without a headline, at a contested price: traders doubt it, so confidence is never high. */
function contestedProposal(
  { market, mid, now }: DetectionQuestion,
  outcome: 0 | 1,
  evidence: AcceptedDetection["evidence"],
): AcceptedDetection {
  const price = priceOfOutcome(mid, outcome)
  return {
    kind: "contested_proposal",
    outcome,
    confidence: price >= 0.5 ? "medium" : "low",
    statement: plainStatement(market, outcome, evidence, now).replace(
      /\.$/,
      `, while its price is ${priceFigure(price)}, so the proposal is contested.`,
    ),
    evidence,
  }
}

/** Of an open market; the mid is that of the first outcome. */
function priceOfOutcome(mid: number, outcome: 0 | 1): number {
  return fromHalfSteps(outcome === 0 ? halfSteps(mid) : halfSteps(1) - halfSteps(mid))
}

/** A statement that names the outcome and the first piece of evidence. */
export function plainStatement(
  market: Market,
  outcome: 0 | 1,
  [{ kind, title, source, publishedAt }]: AcceptedDetection["evidence"],
  now: EpochMs,
): string {
  const name = quoted(safeName(market.outcomes[outcome]))
  const question = quoted(safeName(market.question))
  return kind === "venue"
    ? `At the venue the outcome ${name} of ${question} is ` +
      `${proposalWords({ proposedAt: publishedAt, disputed: false }, now)}.`
    : `By the headline ${quoted(safeName(title))} of ${quoted(safeName(source))}, the outcome of ` +
      `${question} is ${name}.`
}

/** An accepted answer and its origin. */
interface PublishedDetection extends PricedQuestion {
  readonly accepted: AcceptedDetection
  /** A model's name, or `rules`. */
  readonly detector: string
  /** How often earlier contested proposals were upheld. */
  readonly record: ProposalRecord | null
}

/** The feed item of an accepted answer; the dedupe key allows one per market. */
export function predeterminedItem(detection: PublishedDetection, createdAt: EpochMs): NewFeedItem {
  const { question: { market, mid }, accepted, detector, microstructure, record } = detection
  const { kind, outcome, statement, confidence, evidence: [first, ...others] } = accepted
  const marketPrice = priceOfOutcome(mid, outcome)
  const evidenceRow = ({ title, url, source, publishedAt }: EvidencePiece) => ({
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
      kind,
      outcome: market.outcomes[outcome],
      ...{ statement, confidence },
      ...(kind === "contested_proposal"
        ? { proposal: { proposedAt: isoTime(first.publishedAt), disputed: false, record } }
        : {}),
      evidence: [evidenceRow(first), ...others.map(evidenceRow)],
      marketPrice,
      impliedEdge: fromHalfSteps(halfSteps(1) - halfSteps(marketPrice)),
      detectedAt: isoTime(createdAt),
      detector,
      microstructure,
    },
  }
}
