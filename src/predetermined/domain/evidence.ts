/**
 * Collects the evidence that an outcome is already known, compares it with earlier evidence, and checks
 * whether it supports a claim.
 *
 * @module
 */
import type { DetectionQuestion, EvidencePiece, SiblingMarket } from "./detection.ts"
import { challengeWindowMs, type Proposal } from "../../markets/domain/proposal.ts"
import { disputesReport, isAbout, reportsCompletedEvent, siteOf } from "./headlineChecks.ts"
import { type HeadlineReader, headlineReader, type HeadlineReading } from "./headlineReading.ts"
import type { Market } from "../../markets/domain/market.ts"
import { storiesOf } from "../../news/domain/stories.ts"
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

interface EvidenceInput {
  readonly market: Market
  readonly siblings: ReadonlyArray<SiblingMarket>
  readonly proposal: Proposal | null
  /** In any order; those that are about neither the market nor a sibling are ignored. */
  readonly headlines: ReadonlyArray<Headline>
  readonly now: EpochMs
}

/**
 * The evidence about a market, numbered from E1: the venue's proposal, then the headlines about the
 * question or a sibling's. Headlines that report an outcome of the market, or dispute a report, come
 * first, then those that report a completed event; within each group, the newest first. Untrusted text
 * is sanitized.
 */
export function evidenceOf(
  { market, siblings, proposal, headlines, now }: EvidenceInput,
): ReadonlyArray<EvidencePiece> {
  const questions = [market.question, ...siblings.map(({ question }) => question)]
  const { read, namesSubject } = headlineReader({ market, siblings, rules: "", now })
  const disputes = (title: string) => disputesReport(title, market.question)
  const weightOf = (piece: Omit<EvidencePiece, "id">): number =>
    read(piece) !== null || disputes(piece.title) ? 2 : Number(reportsCompletedEvent(piece.title))
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
    .filter(({ title }) =>
      questions.some((question) => isAbout(title, question)) ||
      (reportsCompletedEvent(title) || disputes(title)) && namesSubject(title)
    )
    .map((piece) => ({ piece, weight: weightOf(piece) }))
    .toSorted((a, b) => b.weight - a.weight || byTime(a.piece, b.piece))
    .map(({ piece }) => piece)
  const urls = new Set<string>()
  const news = fresh.filter(({ url }) => !urls.has(url) && urls.add(url))
  return [...venue, ...news].slice(0, evidenceMax).map((piece, n) => ({
    id: `E${n + 1}`,
    ...piece,
  }))
}

/** The newest first; ties by address and words, so that the input order has no effect. */
function byTime(a: Omit<EvidencePiece, "id">, b: Omit<EvidencePiece, "id">): number {
  if (a.publishedAt !== b.publishedAt) return b.publishedAt - a.publishedAt
  const [one, other] = [a, b].map(({ url, title, source }) => JSON.stringify([url, title, source]))
  return (one ?? "") < (other ?? "") ? -1 : 1
}

/** The parts of a question that decide whether evidence counts. */
type EvidenceContext = Omit<DetectionQuestion, "mid" | "evidence"> & {
  readonly evidence: ReadonlyArray<EvidencePiece>
}

/** What the evidence of a question says. */
export interface EvidenceJudgement {
  /**
   * Whether a piece supports the claim that the market has this outcome. It is either the venue's
   * unchallenged proposal of the outcome, or a headline that reports the outcome and corrects no other
   * report.
   */
  readonly supports: (piece: EvidencePiece, outcome: 0 | 1) => boolean
  /**
   * Whether the headlines contradict each other: they report both outcomes, two winners, or figures
   * that differ, or one of them corrects or denies a report of the event.
   */
  readonly isContradictory: boolean
}

export function judgeEvidence(question: EvidenceContext): EvidenceJudgement {
  const { market, proposal, now, evidence } = question
  const reader = headlineReader(question)
  const news = evidence.filter(({ kind }) => kind === "news")
  const disputing = news.filter(({ title }) => disputesReport(title, market.question))
  const reports = new Map(news.flatMap((piece): ReadonlyArray<readonly [string, Report]> => {
    const report = disputing.includes(piece) ? null : reader.read(piece)
    return report === null ? [] : [[piece.id, { ...report, publishedAt: piece.publishedAt }]]
  }))
  return {
    supports: ({ id, kind }, outcome) => {
      if (kind === "venue") return proposal?.outcome === outcome && isUnchallenged(proposal, now)
      const report = reports.get(id)
      return report?.outcome === outcome && report.isDecided
    },
    isContradictory: areContradictory([...reports.values()], disputing, reader) ||
      // Two winners of what only one can win.
      [...reports.values()].some(({ outcome }) => outcome === 0) &&
        news.some((piece) => reader.namesOtherWinner(piece)),
  }
}

interface Report extends HeadlineReading {
  readonly publishedAt: EpochMs
}

function areContradictory(
  all: ReadonlyArray<Report>,
  disputing: ReadonlyArray<EvidencePiece>,
  reader: HeadlineReader,
): boolean {
  const reports = all.filter(({ isDecided }) => isDecided)
  const [first] = reports
  if (first === undefined) return false
  const decidedAt = Math.min(...reports.map(({ publishedAt }) => publishedAt))
  // What had not happened before may have happened since.
  const later = all.filter(({ isDecided, publishedAt }) => isDecided || publishedAt >= decidedAt)
  if (later.some(({ outcome }) => outcome !== first.outcome)) return true
  const figures = reports.map(({ figures }) => figures).filter((own) => own.length > 0)
  const differ = figures.some((own) =>
    figures.some((other) => !own.some((figure) => other.includes(figure)))
  )
  return differ ||
    disputing.some((piece) => reader.isInScope(piece) && reader.namesSubject(piece.title))
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

/** Two texts that share this part of their words are copies of one. */
const copiedShareMin = 0.75
/** A text with all words of another one of this length is a copy with an addition. */
const copiedWordsMin = 4

/**
 * Whether two headlines are independent: they have different publishers, and neither is a copy of the
 * other's text, nor do both name the same agency as their source.
 */
export function areIndependent(a: EvidencePiece, b: EvidencePiece): boolean {
  if (siteOf(a.url) === siteOf(b.url) || a.source === b.source) return false
  if (storiesOf([a, b]).length < 2) return false
  const [one, other] = [wordSet(a.title), wordSet(b.title)]
  const shared = one.intersection(other).size
  const isPart = shared === Math.min(one.size, other.size) && shared >= copiedWordsMin
  const agencies = [a, b].map(({ title }) => agencyOf(title))
  return !isPart && shared < copiedShareMin * one.union(other).size &&
    (agencies[0] === "" || agencies[0] !== agencies[1])
}

/** The words without a label (`UPDATE 1:`) and a publisher's name at the end (` - Post`). */
function wordSet(title: string): ReadonlySet<string> {
  const text = title.replace(/^\p{L}+ ?\d*:/u, "").replace(/ [-–—|] .{1,40}$/u, "").toLowerCase()
  return new Set(text.match(/[\p{L}\p{N}]+/gu))
}

/** The agency that a headline names as its source: `…, One Wire reports`; empty for none. */
function agencyOf(title: string): string {
  const [, after = ""] = /, ([^,]{2,40}?) (?:reports|reported)\W*$/i.exec(title) ?? []
  const [, before = ""] = /^([^:]{2,30}) reports:/i.exec(title) ?? []
  return (after || before).toLowerCase()
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
