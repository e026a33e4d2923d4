/**
 * Collects the evidence that an outcome is already known, compares it with earlier evidence, and checks
 * whether it supports a claim.
 *
 * @module
 */
import type { DetectionQuestion, EvidencePiece } from "./detection.ts"
import { challengeWindowMs, type Proposal } from "../../markets/domain/proposal.ts"
import { isAbout, namesOutcome, reportsCompletedEvent, siteOf } from "./headlineChecks.ts"
import type { Market } from "../../markets/domain/market.ts"
import type { Headline } from "../../news/domain/headline.ts"
import { day, type EpochMs } from "../../core/domain/time.ts"
import { safeName } from "../../core/domain/untrusted.ts"

/** Pieces of evidence in one question. */
export const evidenceMax = 8
/** Older news is in the price already, or about something else. */
export const newsAgeMsMax = 2 * day
/** Characters of a headline, and of an address. */
const titleLengthMax = 200
const urlLengthMax = 400
/** The source name of the venue's proposal. */
const venueSource = "the venue"

/**
 * The evidence about a market, numbered from E1: the venue's proposal, then the headlines about the
 * question. Headlines that report a completed event come before the others; within each group, the
 * newest first. Untrusted text is sanitized.
 */
export function evidenceOf(
  market: Market,
  proposal: Proposal | null,
  headlines: ReadonlyArray<Headline>,
  now: EpochMs,
): ReadonlyArray<EvidencePiece> {
  const venue = proposal === null || proposal.proposedAt > now ? [] : [{
    kind: "venue" as const,
    title: `Outcome proposed at the venue${proposal.disputed ? ", and disputed" : ""}: ` +
      safeName(market.outcomes[proposal.outcome]),
    url: market.url,
    source: venueSource,
    publishedAt: proposal.proposedAt,
  }]
  const fresh = headlines
    .filter(({ publishedAt }) => now - newsAgeMsMax <= publishedAt && publishedAt <= now)
    .filter(({ url }) => url.length <= urlLengthMax && siteOf(url) !== null)
    .map(({ title, url, source, publishedAt }) => ({
      kind: "news" as const,
      title: safeName(title, titleLengthMax),
      url,
      source: safeName(source),
      publishedAt,
    }))
    .filter(({ title }) => isAbout(title, market.question))
    .toSorted(byWeight)
  const urls = new Set<string>()
  const news = fresh.filter(({ url }) => !urls.has(url) && urls.add(url))
  return [...venue, ...news].slice(0, evidenceMax).map((piece, n) => ({
    id: `E${n + 1}`,
    ...piece,
  }))
}

/** Ties are ordered by address and words, so that the input order has no effect. */
function byWeight(a: Omit<EvidencePiece, "id">, b: Omit<EvidencePiece, "id">): number {
  const completed = [a, b].map(({ title }) => reportsCompletedEvent(title))
  if (completed[0] !== completed[1]) return completed[0] ? -1 : 1
  if (a.publishedAt !== b.publishedAt) return b.publishedAt - a.publishedAt
  const [one, other] = [a, b].map(({ url, title, source }) => JSON.stringify([url, title, source]))
  return (one ?? "") < (other ?? "") ? -1 : 1
}

/** The parts of a question that decide whether evidence counts. */
type EvidenceContext = Pick<DetectionQuestion, "market" | "proposal" | "now">

/**
 * Whether a piece of evidence supports the claim that a market has this outcome. It is either the
 * venue's unchallenged proposal of the outcome, or a headline about the question that reports a
 * completed event and names the outcome (if the outcome has a name).
 */
export function supports(
  { market, proposal, now }: EvidenceContext,
  { kind, title }: EvidencePiece,
  outcome: 0 | 1,
): boolean {
  if (kind === "venue") return proposal?.outcome === outcome && isUnchallenged(proposal, now)
  return reportsCompletedEvent(title) && isAbout(title, market.question) &&
    namesOutcome(title, market.outcomes[outcome])
}

/**
 * Whether a proposal is not disputed and at least half of its challenge window has passed. A challenge
 * of a wrong proposal is rewarded, so it comes early.
 */
export function isUnchallenged(
  { proposedAt, settlesAt, disputed }: Proposal,
  now: EpochMs,
): boolean {
  const windowMs = settlesAt !== null && settlesAt > proposedAt
    ? settlesAt - proposedAt
    : challengeWindowMs
  return !disputed && now >= proposedAt + windowMs / 2
}

/** Whether two headlines have different publishers and different texts. */
export function areTwoSources(a: EvidencePiece, b: EvidencePiece): boolean {
  const words = ({ title }: EvidencePiece) =>
    title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim()
  return siteOf(a.url) !== siteOf(b.url) && a.source !== b.source && words(a) !== words(b)
}

/** Identifies the input of a detection: with the same key the detector is not asked again. */
export function evidenceKey(
  { evidence, proposal, now }: Pick<DetectionQuestion, "evidence" | "proposal" | "now">,
  detector: string,
): string {
  const venue = proposal === null ? null : [proposal.outcome, isUnchallenged(proposal, now)]
  const news = evidence.filter(({ kind }) => kind === "news").map(({ url }) => url).toSorted()
  return JSON.stringify([detector, venue, ...news])
}
