/**
 * Which stories share names and numbers with a market's question: the pairs that a model is asked about,
 * and what is listed as a headline where none was.
 *
 * The weight of a shared word is its rarity among recent stories and questions; a name or a number weighs
 * more. A story is related when it shares a name that is rare, or two words or more whose weights add up to
 * `scoreMin`, a name among them if the question has one. That is a match of words, not of meaning.
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

/**
 * The minimum sum of the weights. A word in 5 of 2,500 texts weighs 6, and one in 100 of them 3; a name
 * weighs 1.5 times as much. So a rare name is enough with any other word, and a common one needs a rare one.
 */
const scoreMin = 8
const nameFactor = 1.5
/** The same for a single name: one in fewer than 40 of 2,500 texts. */
const oneNameScoreMin = 6
/** Words that a story must share otherwise. */
const sharedMin = 2
/** Rarity assumes at least this many texts; with few texts all words would weigh the same. */
const textsMin = 1_000
/** A word in a larger share of the texts selects no story; it only adds to a score. */
const commonShareMax = 0.05
/** Characters read of a question or an outcome, and words compared of them together. */
const charactersMax = 600
const wordsMax = 32

/** The fields of a market that are compared with headlines. */
export type NewsSubject = Pick<Market, "question" | "outcomes">

/** An inverted index of stories. */
export interface NewsIndex {
  readonly stories: ReadonlyArray<Story>
  /** For each term the numbers of the stories that contain it, ascending. */
  readonly postings: ReadonlyMap<string, ReadonlyArray<number>>
  /** For each term the number of texts (stories and questions) that contain it. */
  readonly texts: ReadonlyMap<string, number>
  readonly textCount: number
}

/** Built once for any number of markets. */
export function* newsIndex(
  headlines: ReadonlyArray<Headline>,
  subjects: ReadonlyArray<NewsSubject>,
): Parts<NewsIndex> {
  const stories = yield* storiesInParts(headlines)
  const texts = new Map<string, number>()
  const postings = new Map<string, Array<number>>()
  const count = (terms: Iterable<string>): void => {
    for (const term of terms) texts.set(term, (texts.get(term) ?? 0) + 1)
  }
  for (const [number, { title }] of stories.entries()) {
    const words = wordsOf(title)
    count(termsOf(words))
    const keys = words.flatMap(({ term, capitalised }) =>
      capitalised ? [term, nameKey(term)] : [term]
    )
    for (const key of new Set(keys)) {
      const numbers = postings.get(key)
      if (numbers === undefined) postings.set(key, [number])
      else numbers.push(number)
    }
    yield
  }
  for (const { question } of subjects) {
    count(termsOf(wordsOf(question.slice(0, charactersMax))))
    yield
  }
  return { stories, postings, texts, textCount: stories.length + subjects.length }
}

/** Where a term is written as a name: with a capital. */
const nameKey = (term: string): string => /^\p{N}/u.test(term) ? term : `^${term}`

/** A story, and the words that it shares with a question. */
export interface Match extends Story {
  readonly score: number
  /** As the question spells them. */
  readonly shared: ReadonlyArray<string>
}

/** The stories related to a market with a publication since `since`: by score, then the earliest. */
export function related(
  index: NewsIndex,
  subject: NewsSubject,
  since: EpochMs,
  limit: number,
): ReadonlyArray<Match> {
  const units = unitsOf(subject).map((unit) => ({ ...unit, weight: weightOf(index, unit) }))
  const hasName = units.some(({ isName }) => isName)
  const shares = new Map<number, Array<typeof units[number]>>()
  const selecting = units.filter(({ term }) =>
    (index.texts.get(term) ?? 0) <= commonShareMax * Math.max(index.textCount, textsMin)
  )
  for (const unit of selecting) {
    const key = unit.isName ? nameKey(unit.term) : unit.term
    for (const number of index.postings.get(key) ?? []) {
      const share = shares.get(number)
      if (share === undefined) shares.set(number, [unit])
      else share.push(unit)
    }
  }
  return [...shares].flatMap(([number, share]) => {
    const story = index.stories[number]
    const score = share.reduce((sum, { weight }) => sum + weight, 0)
    const names = share.filter(({ isName }) => isName)
    const isNamed = names.some(({ weight, term }) => weight >= oneNameScoreMin && !/\d/.test(term))
    if (story === undefined || hasName && names.length === 0) return []
    if (!isNamed && (share.length < sharedMin || score < scoreMin)) return []
    if (!story.outlets.some(({ publishedAt }) => publishedAt >= since)) return []
    return [{ ...story, score, shared: share.map(({ written }) => written) }]
  }).toSorted((a, b) =>
    b.score - a.score || a.firstAt - b.firstAt || compare(a.url, b.url) || compare(a.label, b.label)
  ).slice(0, limit)
}

/**
 * Whether a match that no model has read is worth a line: more than one word is shared, of a match one of
 * each side, and no day is named but that of the match.
 */
export function isListed(
  { title, firstAt, shared, score }: Match,
  market: Pick<Market, "question" | "outcomes" | "gameStartsAt">,
): boolean {
  const isMatch = market.gameStartsAt !== null || /\bvs?\b/i.test(market.question)
  const sides = isMatch ? sidesOf(market) : []
  const [own, other] = sides.map((side) => termsOf(wordsOf(side)))
  const words = termsOf(shared.flatMap(wordsOf))
  const hasSides = own === undefined || other === undefined ||
    [own.difference(other), other.difference(own)]
      .every((side) => side.size === 0 || !side.isDisjointFrom(words))
  return shared.length >= sharedMin && score >= scoreMin && hasSides &&
    !namesAnotherDay(title, firstAt, market.gameStartsAt)
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
    for (const { term, written, capitalised } of wordsOf(text.slice(0, charactersMax))) {
      if (!isInformative(term) || units.has(term) || units.size === wordsMax) continue
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

/** The logarithm of the rarity; a word in every text weighs 0. */
function weightOf({ texts, textCount }: NewsIndex, { term, isName }: Unit): number {
  const count = Math.max(textCount, textsMin)
  return Math.log((count + 1) / ((texts.get(term) ?? 0) + 1)) * (isName ? nameFactor : 1)
}

/**
 * Search words for the sources: the two heaviest words of each subject, in the order of the subjects. A
 * subject with only one word is too vague and is skipped.
 */
export function topicsOf(
  index: NewsIndex,
  subjects: ReadonlyArray<NewsSubject>,
  limit: number,
): ReadonlyArray<ReadonlyArray<string>> {
  const topics = new Map<string, ReadonlyArray<string>>()
  for (const subject of subjects) {
    if (topics.size >= limit) break
    const topic = unitsOf(subject).map((unit) => ({ unit, weight: weightOf(index, unit) }))
      .sort((a, b) => b.weight - a.weight).slice(0, sharedMin).map(({ unit }) => unit.written)
    const key = topic.toSorted().join(" ").toLowerCase()
    if (topic.length === sharedMin && !topics.has(key)) topics.set(key, topic)
  }
  return [...topics.values()]
}
