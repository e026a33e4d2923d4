/**
 * Which stories share names and numbers with a market's question: the pairs that a model is asked about,
 * and what is listed as a headline where none was.
 *
 * A word of the question counts where it is not too common among the recent headlines, and a name where it
 * is written as one. A story is related when it shares a rare name, or two words or more, a name among them
 * if the question has one. That is a match of words, not of meaning.
 *
 * @module
 */
import type { Market } from "../../markets/domain/market.ts"
import type { Parts } from "../../core/domain/parts.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { compare, type Headline } from "./headline.ts"
import { sidesOf } from "./scope.ts"
import { storiesInParts, type Story } from "./stories.ts"
import { namesAnotherDay } from "./times.ts"
import vocabulary from "./vocabulary.json" with { type: "json" }
import { isInformative, type Word, wordsOf } from "./words.ts"

/** A word in a larger share of the stories matches none, and a name alone must be rarer. */
const commonShareMax = 0.04
const rareShareMax = 0.016
/** The shares are of at least this many stories: in a few, every word would be common. */
const storiesMin = 1_000
/** Words that a story must share unless one is a rare name. */
const sharedMin = 2

/** The fields of a market that are compared with headlines. */
export type NewsSubject = Pick<Market, "question" | "outcomes" | "gameStartsAt">

/** An inverted index of stories. */
interface NewsIndex {
  readonly stories: ReadonlyArray<Story>
  /** For each term the numbers of the stories that contain it, ascending. */
  readonly postings: ReadonlyMap<string, ReadonlyArray<number>>
}

/** Built once for any number of markets. */
export function* newsIndex(headlines: ReadonlyArray<Headline>): Parts<NewsIndex> {
  const stories = yield* storiesInParts(headlines)
  const postings = new Map<string, Array<number>>()
  for (const [number, { title }] of stories.entries()) {
    const keys = wordsOf(title).flatMap(({ term, capitalised }) =>
      capitalised ? [term, nameKey(term)] : [term]
    )
    for (const key of new Set(keys)) {
      const numbers = postings.get(key)
      if (numbers === undefined) postings.set(key, [number])
      else numbers.push(number)
    }
    yield
  }
  return { stories, postings }
}

/** Where a term is written as a name: with a capital. */
const nameKey = (term: string): string => /^\p{N}/u.test(term) ? term : `^${term}`

/** A story that is related to a question. */
export interface Match extends Story {
  /**
   * Whether it is worth a line before a model has read it: more than one word is shared, of a match one of
   * each side, and no day is named but that of the match.
   */
  readonly isListed: boolean
}

/** The stories related to a market with a publication since `since`: most shared words, then the newest. */
export function related(
  index: NewsIndex,
  subject: NewsSubject,
  since: EpochMs,
  limit: number,
): ReadonlyArray<Match> {
  const units = unitsOf(subject)
  const hasName = units.some(({ isName }) => isName)
  const shares = new Map<number, ReadonlyArray<Unit>>()
  for (const unit of units.filter((it) => shareOf(index, it) <= commonShareMax)) {
    for (const number of index.postings.get(unit.isName ? nameKey(unit.term) : unit.term) ?? []) {
      shares.set(number, [...shares.get(number) ?? [], unit])
    }
  }
  return [...shares].flatMap(([number, shared]) => {
    const story = index.stories[number]
    const names = shared.filter(({ isName }) => isName)
    const isNamed = names.some((unit) =>
      !/\d/.test(unit.term) && shareOf(index, unit) <= rareShareMax
    )
    if (story === undefined || hasName && names.length === 0) return []
    if (!isNamed && shared.length < sharedMin) return []
    return story.outlets.some(({ publishedAt }) => publishedAt >= since) ? [{ story, shared }] : []
  }).toSorted(({ story: a, shared }, { story: b, shared: others }) =>
    others.length - shared.length || b.firstAt - a.firstAt || compare(a.url, b.url) ||
    compare(a.label, b.label)
  ).slice(0, limit).map(({ story, shared }) => ({
    ...story,
    isListed: isListed(subject, story, shared),
  }))
}

function shareOf({ stories, postings }: NewsIndex, { term }: Unit): number {
  return (postings.get(term)?.length ?? 0) / Math.max(stories.length, storiesMin)
}

function isListed(
  subject: NewsSubject,
  { title, firstAt }: Story,
  shared: ReadonlyArray<Unit>,
): boolean {
  const isMatch = subject.gameStartsAt !== null || /\bvs?\b/i.test(subject.question)
  const [own, other] = isMatch ? sidesOf(subject).map((side) => termsOf(wordsOf(side))) : []
  const terms = new Set(shared.map(({ term }) => term))
  const hasSides = own === undefined || other === undefined ||
    [own.difference(other), other.difference(own)]
      .every((side) => side.size === 0 || !side.isDisjointFrom(terms))
  return shared.length >= sharedMin && hasSides &&
    !namesAnotherDay(title, firstAt, subject.gameStartsAt)
}

/** A word of a question that is compared. */
interface Unit {
  readonly term: string
  readonly written: string
  /** A name, or a number that is no day and no year. */
  readonly isName: boolean
}

/** The words of the question, then those of its outcomes; each term once. */
function unitsOf({ question, outcomes }: NewsSubject): ReadonlyArray<Unit> {
  const units = new Map<string, Unit>()
  const texts = [question, ...outcomes.filter((outcome) => !/^(?:yes|no)$/i.test(outcome))]
  for (const text of texts) {
    for (const { term, written, capitalised } of wordsOf(text)) {
      if (!isInformative(term) || units.has(term)) continue
      const isName = capitalised && !offices.has(term) || /\d/.test(term)
      units.set(term, { term, written, isName })
    }
  }
  return [...units.values()]
}

/** Words of offices, institutions and contests: written with a capital, and no name of one thing. */
const offices: ReadonlySet<string> = new Set(
  wordsOf(vocabulary.offices).map(({ term }) => term),
)

function termsOf(words: ReadonlyArray<Word>): ReadonlySet<string> {
  return new Set(words.map(({ term }) => term).filter(isInformative))
}

/**
 * Search words for the sources: two words of each subject, names first and then the rarest, in the order of
 * the subjects. A subject with only one word is too vague and is skipped.
 */
export function topicsOf(
  index: NewsIndex,
  subjects: ReadonlyArray<NewsSubject>,
  limit: number,
): ReadonlyArray<ReadonlyArray<string>> {
  const topics = subjects.map((subject) =>
    unitsOf(subject).toSorted((a, b) =>
      Number(b.isName) - Number(a.isName) || shareOf(index, a) - shareOf(index, b)
    ).slice(0, sharedMin).map(({ written }) => written)
  ).filter((topic) => topic.length === sharedMin)
  return [...Map.groupBy(topics, (topic) => topic.toSorted().join(" ").toLowerCase()).values()]
    .slice(0, limit).flatMap((same) => same.slice(0, 1))
}
