/**
 * The evidence that an outcome exists already: which there is, which of it is new, and which bears a
 * claim.
 *
 * @module
 */
import type { DetectionQuestion, Evidence } from "./detection.ts"
import type { Proposal } from "../../markets/domain/proposal.ts"
import { isAbout, namesOutcome, reportsCompletedEvent, siteOf } from "./doneNews.ts"
import type { Market } from "../../markets/domain/market.ts"
import type { Headline } from "../../news/domain/headline.ts"
import { day, type EpochMs, hour } from "../../core/domain/time.ts"
import { named } from "../../core/domain/untrusted.ts"

/** Pieces of evidence in one question: what a reader, or a model, takes in at once. */
export const evidenceMax = 8
/** What was known for longer is in the price, or was about something else. */
export const newsAgeMax = 2 * day
/** Characters of a headline, and of an address. */
const titleLengthMax = 200
const urlLengthMax = 400
/** Who stands behind the venue's own evidence. */
const venueSource = "the venue"

/**
 * The evidence about a market, numbered from E1: the venue's own word first, then headlines that are
 * about the question, those of done things before the others, newest first. Their words are strangers',
 * made harmless.
 */
export function evidenceOf(
  market: Market,
  proposal: Proposal | null,
  headlines: ReadonlyArray<Headline>,
  now: EpochMs,
): ReadonlyArray<Evidence> {
  const venue = proposal === null || proposal.proposedAt > now ? [] : [{
    kind: "venue" as const,
    title: `Outcome proposed at the venue${proposal.disputed ? ", and disputed" : ""}: ` +
      named(market.outcomes[proposal.outcome]),
    url: market.url,
    source: venueSource,
    publishedAt: proposal.proposedAt,
  }]
  const fresh = headlines
    .filter(({ publishedAt }) => now - newsAgeMax <= publishedAt && publishedAt <= now)
    .filter(({ url }) => url.length <= urlLengthMax && siteOf(url) !== null)
    .map(({ title, url, source, publishedAt }) => ({
      kind: "news" as const,
      title: named(title, titleLengthMax),
      url,
      source: named(source),
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

/** Ties fall by address and words, so that the order of arrival decides nothing. */
function byWeight(a: Omit<Evidence, "id">, b: Omit<Evidence, "id">): number {
  const done = [a, b].map(({ title }) => reportsCompletedEvent(title))
  if (done[0] !== done[1]) return done[0] ? -1 : 1
  if (a.publishedAt !== b.publishedAt) return b.publishedAt - a.publishedAt
  const [one, other] = [a, b].map(({ url, title, source }) => JSON.stringify([url, title, source]))
  return (one ?? "") < (other ?? "") ? -1 : 1
}

/** What of a question its evidence is judged by. */
type Circumstances = Pick<DetectionQuestion, "market" | "proposal" | "now">

/**
 * Whether a piece of evidence bears the claim that a market has this outcome: the venue's proposal of
 * it, once it has stood, or a headline of a done thing that is about the question and names the
 * outcome, where the outcome has a name.
 */
export function bears(
  { market, proposal, now }: Circumstances,
  { kind, title }: Evidence,
  outcome: 0 | 1,
): boolean {
  if (kind === "venue") return proposal?.outcome === outcome && isUnchallenged(proposal, now)
  return reportsCompletedEvent(title) && isAbout(title, market.question) &&
    namesOutcome(title, market.outcomes[outcome])
}

/** How long an outcome may be challenged where the venue does not say. */
const usualChallenge = 2 * hour

/**
 * Whether an outcome has been open to challenge for half of its window at least, and nobody has
 * challenged it: who sees a wrong one is paid to say so, and says so early.
 */
export function isUnchallenged(
  { proposedAt, settlesAt, disputed }: Proposal,
  now: EpochMs,
): boolean {
  const window = settlesAt !== null && settlesAt > proposedAt
    ? settlesAt - proposedAt
    : usualChallenge
  return !disputed && now >= proposedAt + window / 2
}

/** Whether two headlines are two sources: of two publishers, and not one text printed twice. */
export function areTwoSources(a: Evidence, b: Evidence): boolean {
  const words = ({ title }: Evidence) => title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim()
  return siteOf(a.url) !== siteOf(b.url) && a.source !== b.source && words(a) !== words(b)
}

/** What a verdict was made of: as long as it is the same, asking again would tell nothing new. */
export function evidenceKey(
  { evidence, proposal, now }: Pick<DetectionQuestion, "evidence" | "proposal" | "now">,
  detector: string,
): string {
  const venue = proposal === null ? null : [proposal.outcome, isUnchallenged(proposal, now)]
  const news = evidence.filter(({ kind }) => kind === "news").map(({ url }) => url).toSorted()
  return JSON.stringify([detector, venue, ...news])
}
