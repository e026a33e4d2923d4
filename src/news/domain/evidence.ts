/**
 * The evidence that an outcome is already known: the venue's proposal, and the stories that a model read
 * as decisive.
 *
 * @module
 */
import { challengeWindowMs, type Proposal } from "../../markets/domain/proposal.ts"
import type { Market } from "../../markets/domain/market.ts"
import type { Headline } from "./headline.ts"
import { decidedOutcome, type RelatedStory } from "./reading.ts"
import { disputes, wordsSettle } from "./scope.ts"
import { firstOfSites, plainWords, siteOf } from "./stories.ts"
import { isTimely } from "./times.ts"
import { day, type EpochMs, hour } from "../../core/domain/time.ts"
import { safeName } from "../../core/domain/untrusted.ts"

/** One piece of evidence of an item. */
export interface EvidencePiece {
  /** The venue's proposal, or a headline. */
  readonly kind: "venue" | "news"
  readonly title: string
  readonly url: string
  readonly source: string
  readonly publishedAt: EpochMs
}

/** Pieces of evidence in one item. */
const evidenceMax = 8
/** Older news is in the price already, or about something else. */
export const newsAgeMsMax = 2 * day
/** Characters of a headline. */
const titleLengthMax = 200
/** The source name of the venue's proposal. */
const venueSource = "the venue"

interface NewsInput<Story extends RelatedStory = RelatedStory> {
  readonly market: Pick<Market, "question" | "outcomes" | "gameStartsAt" | "endsAt">
  /** The stories that are related to the market, read or not. */
  readonly stories: ReadonlyArray<Story>
  readonly now: EpochMs
}

export interface EvidenceInput extends NewsInput {
  readonly market: Market
  readonly proposal: Proposal | null
}

/** The venue's proposal as evidence, once it is unchallenged. */
export function proposalPiece({ market, proposal, now }: EvidenceInput): EvidencePiece | null {
  if (proposal === null || !isUnchallenged(proposal, now)) return null
  return {
    kind: "venue",
    title: `Outcome proposed at the venue: ${safeName(market.outcomes[proposal.outcome])}`,
    url: market.url,
    source: venueSource,
    publishedAt: proposal.proposedAt,
  }
}

/**
 * Whether a proposal is not disputed and at least half of its challenge window has passed. A challenge
 * of a wrong proposal is rewarded, so it comes early.
 */
function isUnchallenged(
  { proposedAt, settlesAt, disputed }: Proposal,
  now: EpochMs,
): boolean {
  const windowMs = settlesAt !== null && settlesAt > proposedAt
    ? settlesAt - proposedAt
    : challengeWindowMs
  return !disputed && now >= proposedAt + windowMs / 2
}

/** What the news reports. */
interface NewsReports {
  readonly outcome: 0 | 1
  /** A publication for each publisher, the earliest first, at most `evidenceMax`. */
  readonly pieces: readonly [EvidencePiece, ...ReadonlyArray<EvidencePiece>]
  /** Publishers with a text of their own: copies of one text count once. */
  readonly publishers: number
}

/** A story that speaks against a decision is no forecast of before when it is at most so much older. */
const opposedMsMax = hour

/**
 * `contradictory`: reports of two outcomes, one that speaks against the reported outcome at the time or
 * later, or a report that another one corrects, denies or doubts.
 */
export function newsReports(input: NewsInput): NewsReports | "contradictory" | null {
  const { market, now } = input
  const decisive = input.stories.flatMap((story) => {
    const outcome = decidedOutcome(market, story)
    const outlets = story.outlets.filter(({ publishedAt: at }) =>
      at >= now - newsAgeMsMax && at <= now && isTimely(market, at)
    )
    return outcome === null || outlets.length === 0 ? [] : [{ story, outcome, outlets }]
  })
  const [first] = decisive
  if (first === undefined) return null
  const isDoubted = input.stories.some((story) =>
    story.label === "correction" || story.corrected || disputes(story.title, market.question)
  )
  const pieces = decisive.flatMap(({ outlets }) => outlets.map(pieceOf))
    .toSorted((a, b) => a.publishedAt - b.publishedAt)
  const since = (pieces[0]?.publishedAt ?? now) - opposedMsMax
  const isOpposed = input.stories.some(({ reading, outlets }) =>
    reading !== null && reading.bears !== null &&
    (reading.outcome === market.outcomes[first.outcome]) !== (reading.bears === "for") &&
    outlets.some(({ publishedAt: at }) => at >= since && at <= now)
  )
  if (isDoubted || isOpposed || decisive.some(({ outcome }) => outcome !== first.outcome)) {
    return "contradictory"
  }
  const [earliest, ...others] = firstOfSites(pieces).slice(0, evidenceMax)
  if (earliest === undefined) return null
  return {
    outcome: first.outcome,
    pieces: [earliest, ...others],
    publishers: independentTexts(decisive),
  }
}

/** The words of a headline are compared with the question alone. */
const noRules = { series: null, deadlineAt: null, operator: null, deciding: "" }

/** Texts of different publishers that decide an outcome alone. */
export const textsMin = 2

/**
 * The stories, of which those of the outcome that the news decides alone are decisive, and no others: one
 * text is not enough, and reports that contradict each other decide nothing. `isOfEnd`: its words are of
 * the end, decisive or not.
 */
export function settledStories<Story extends RelatedStory>(
  input: NewsInput<Story> & { readonly market: Market },
): ReadonlyArray<Story & { readonly isOfEnd: boolean }> {
  const { market, stories } = input
  const reports = newsReports(input)
  const isKnown = reports !== null && reports !== "contradictory" && reports.publishers >= textsMin
  return stories.map((story) => {
    const { firstAt, reading, title } = story
    if (reading === null) return { ...story, isOfEnd: false }
    const outcome = (reading.bears === "for") === (reading.outcome === market.outcomes[1]) ? 1 : 0
    const claim = { title, publishedAt: firstAt, outcome, rules: noRules } as const
    const isOfEnd = reading.bears !== null && wordsSettle(market, claim)
    const decides = reading.decides && isKnown &&
      decidedOutcome(market, story) === reports.outcome
    return { ...story, isOfEnd, reading: { ...reading, decides } }
  })
}

function pieceOf({ title, url, source, publishedAt }: Headline): EvidencePiece {
  return {
    kind: "news",
    title: safeName(title, titleLengthMax),
    url,
    source: safeName(source),
    publishedAt,
  }
}

/** Two texts that share this part of their pairs of neighbouring words are copies of one. */
const copiedShareMin = 0.6
/** A text with all pairs of another one, and as many of them, is a copy with an addition. */
const copiedPairsMin = 3

/** How many of the texts are of different publishers and no copies of one another. */
function independentTexts(
  texts: ReadonlyArray<
    { readonly story: Pick<RelatedStory, "title">; readonly outlets: ReadonlyArray<Headline> }
  >,
): number {
  const all = texts.map(({ story: { title }, outlets }) => {
    const words = plainWords(title)
    const pairs = new Set(words.slice(1).map((word, n) => `${words[n]} ${word}`))
    return { pairs, agency: agencyOf(title), sites: new Set(outlets.map(({ url }) => siteOf(url))) }
  })
  type Text = typeof all[number]
  const isCopy = (one: Text, other: Text): boolean => {
    const shared = one.pairs.intersection(other.pairs).size
    const isPart = shared === Math.min(one.pairs.size, other.pairs.size) && shared >= copiedPairsMin
    return isPart || shared >= copiedShareMin * one.pairs.union(other.pairs).size ||
      one.agency !== "" && one.agency === other.agency || one.sites.union(other.sites).size < 2
  }
  return all.reduce<ReadonlyArray<Text>>(
    (kept, one) => kept.some((other) => isCopy(one, other)) ? kept : [...kept, one],
    [],
  ).length
}

/** The agency that a headline names as its source: `…, One Wire reports`; empty for none. */
function agencyOf(title: string): string {
  const [, after = ""] = /, ([^,]{2,40}?) (?:reports|reported)\W*$/i.exec(title) ?? []
  const [, before = ""] = /^([^:]{2,30}) reports:/i.exec(title) ?? []
  return (after || before).toLowerCase()
}
