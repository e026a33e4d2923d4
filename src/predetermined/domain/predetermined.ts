/**
 * Which markets are already decided while their price is still open.
 *
 * A market's own question, description or rules are no evidence. An item needs the venue's proposal,
 * past half of its challenge window, or two publishers' own reports that a model read as decisive and
 * whose words fit the question. One report is enough with such a proposal of the same outcome.
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
import { proposalWords } from "../../markets/domain/proposal.ts"
import {
  type EvidenceInput,
  type EvidencePiece,
  newsReports,
  proposalPiece,
  textsMin,
} from "../../news/domain/evidence.ts"
import { marketRef, type NewFeedItem, type ProposalRecord } from "../../feed/domain/item.ts"
import type { Market } from "../../markets/domain/market.ts"
import { convergenceOf } from "../../markets/domain/resolving.ts"
import {
  type BookRejection,
  type MarketRejection,
  screenBook,
  screenMarket,
} from "../../markets/domain/quality.ts"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import { quoted, safeName } from "../../core/domain/untrusted.ts"

/** Why a market is rejected; used as metric labels, so keep them stable. */
type CandidateRejection = MarketRejection | BookRejection | "decided"

/** The gates that need no current book. They choose the markets whose books are read. */
export function screenCandidate(
  market: Market,
  mid: number,
): Result.Result<Market, CandidateRejection> {
  return Result.filterOrFail(screenMarket(market), () => isOpenPrice(mid), isDecided)
}

const isDecided = () => "decided" as const

/** A price that does not state the outcome yet. */
export const isOpenPrice = (mid: number): boolean => isPrice(mid) && !isDecidedPrice(mid)

/** Whether traders doubt an outcome that rests on its proposal alone: its price has not converged. */
export function isDoubted({ kind, outcome }: KnownOutcome, mid: number): boolean {
  const price = priceOfOutcome(mid, outcome)
  return kind === "proposal" && (price < 0.5 || convergenceOf(price) === "contested")
}

/** The liquid book of a screened market, with an open price; null when the venue returned none. */
export function openBook(
  book: Result.Result<Microstructure, BookFault> | null,
): Result.Result<Microstructure, CandidateRejection> {
  return Result.filterOrFail(screenBook(book), ({ mid }) => isOpenPrice(mid), isDecided)
}

/** Why nothing is known yet, in the order of the checks; metric labels too. */
type DetectionRejection =
  | "disputed"
  | "proposal_unknown"
  | "no_evidence"
  | "contradicted"
  | "one_text"

/** An outcome that is known, and what says so. */
export interface KnownOutcome {
  readonly kind: "evidence" | "proposal"
  readonly outcome: 0 | 1
  readonly confidence: "high" | "medium"
  readonly evidence: readonly [EvidencePiece, ...ReadonlyArray<EvidencePiece>]
}

/** Texts of different publishers that make an outcome sure. */
const sureTextsMin = 3

/**
 * The outcome of a market that is already known.
 *
 * - A disputed outcome is never certain, and no item contradicts the venue's proposal. A past end date is
 *   no evidence, because events are postponed.
 * - Reports that contradict each other, or that another one corrects or denies, leave the outcome unknown.
 * - Without reports the venue's record remains: an unchallenged proposal, at a price that agrees.
 */
export function knownOutcome(
  input: EvidenceInput,
): Result.Result<KnownOutcome, DetectionRejection> {
  const { market, proposal } = input
  if (proposal?.disputed) return Result.fail("disputed")
  // The unknown proposal may be a split payout or challenged.
  if (proposal === null && market.status === "proposed") return Result.fail("proposal_unknown")
  const venue = proposalPiece(input)
  const proposed = (reason: DetectionRejection): Result.Result<KnownOutcome, DetectionRejection> =>
    venue === null || proposal === null ? Result.fail(reason) : Result.succeed({
      kind: "proposal",
      outcome: proposal.outcome,
      confidence: "medium",
      evidence: [venue],
    })
  const news = newsReports(input)
  if (news === null) return proposed("no_evidence")
  if (news === "contradictory" || proposal !== null && proposal.outcome !== news.outcome) {
    return proposed("contradicted")
  }
  if (venue === null && news.publishers < textsMin) return proposed("one_text")
  const isSure = news.publishers >= (venue === null ? sureTextsMin : textsMin)
  return Result.succeed({
    kind: "evidence",
    outcome: news.outcome,
    confidence: isSure ? "high" : "medium",
    evidence: venue === null ? news.pieces : [...news.pieces, venue],
  })
}

/** Of an open market; the mid is that of the first outcome. */
function priceOfOutcome(mid: number, outcome: 0 | 1): number {
  return fromHalfSteps(outcome === 0 ? halfSteps(mid) : halfSteps(1) - halfSteps(mid))
}

/** A statement that names the outcome and the first piece of evidence. */
function plainStatement(
  market: Market,
  outcome: 0 | 1,
  { kind, title, source, publishedAt }: EvidencePiece,
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

/** What is published of a known outcome. */
interface PublishedOutcome {
  readonly market: Market
  readonly known: KnownOutcome
  readonly microstructure: Microstructure
  /** The model that read the news, or `rules`. */
  readonly detector: string
  /** How often earlier proposals were upheld. */
  readonly record: ProposalRecord | null
}

/** The feed item of a known outcome; the dedupe key allows one per market. */
export function predeterminedItem(published: PublishedOutcome, createdAt: EpochMs): NewFeedItem {
  const { market, known, detector, microstructure, record } = published
  const { kind, outcome, evidence: [first, ...others] } = known
  const marketPrice = priceOfOutcome(microstructure.mid, outcome)
  const evidenceRow = ({ title, url, source, publishedAt }: EvidencePiece) => ({
    title,
    url,
    source,
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
      statement: plainStatement(market, outcome, first, createdAt),
      confidence: known.confidence,
      ...(kind === "proposal"
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
