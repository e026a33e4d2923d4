/**
 * Which headlines are about a market.
 *
 * A question is split into units: a name (consecutive capitalised words) is one, and every other
 * informative word is one. The weight of a unit is the rarity of its rarest shared word among recent
 * headlines and questions; names weigh more. A headline is about the market if one of these is true:
 *
 * - It shares at least two units, whose weights add up to `scoreMin` or more; one of them is a name if
 *   the market has any.
 * - It shares two words of one name, each of them rare enough.
 * - It contains every word of the question.
 *
 * The rule is a heuristic and makes errors.
 *
 * @module
 */
import type { Market } from "../../markets/domain/market.ts"
import type { Headline } from "./headline.ts"
import { isInformative, type Word, wordsOf } from "./words.ts"
import type { EpochMs } from "../../core/domain/time.ts"

/** The fields of a market that are compared with headlines. */
export type NewsSubject = Pick<Market, "question" | "category" | "outcomes" | "eventSlug">

/**
 * The minimum sum of the weights of the shared units. A word in 5 of 2,500 texts weighs 6, and one in
 * 100 of them 3; a name weighs 1.5 times as much. So a rare name is enough with any other informative
 * word, and a common name needs a rare one.
 */
const scoreMin = 8
/** Units a headline must share. */
const unitsMin = 2
const nameFactor = 1.5
/** Rarity assumes at least this many texts; with few texts all words would weigh the same. */
const textsMin = 1_000
/** Above this share of capitalised words a text is in title case, and its capitals mark no names. */
const titleCaseShare = 0.75
/** Units of one question; the words of its event slug come last. */
const unitsMax = 24

/** An inverted index of headlines. */
interface NewsIndex {
  readonly headlines: ReadonlyArray<Headline>
  /** The terms of each headline. */
  readonly words: ReadonlyArray<ReadonlySet<string>>
  /** For each term the numbers of the headlines that contain it, ascending. */
  readonly postings: ReadonlyMap<string, ReadonlyArray<number>>
  /** For each term the number of texts (headlines and questions) that contain it. */
  readonly texts: ReadonlyMap<string, number>
  readonly textCount: number
}

interface Related {
  readonly headline: Headline
  readonly score: number
}

/** Built once for any number of markets. */
export function newsIndex(
  headlines: ReadonlyArray<Headline>,
  questions: ReadonlyArray<string>,
): NewsIndex {
  const postings = new Map<string, Array<number>>()
  const texts = new Map<string, number>()
  const count = (text: string): ReadonlySet<string> => {
    const terms = new Set(wordsOf(text).map(({ term }) => term))
    for (const term of terms) texts.set(term, (texts.get(term) ?? 0) + 1)
    return terms
  }
  const words = headlines.map(({ title }) => count(title))
  words.forEach((terms, number) => {
    for (const term of terms) {
      const numbers = postings.get(term)
      if (numbers === undefined) postings.set(term, [number])
      else numbers.push(number)
    }
  })
  questions.forEach(count)
  return { headlines, words, postings, texts, textCount: headlines.length + questions.length }
}

/** The headlines since `since` that are about the market, highest score first, then newest. */
export function related(
  index: NewsIndex,
  subject: NewsSubject,
  since: EpochMs,
  limit: number,
): ReadonlyArray<Related> {
  const units = unitsOf(subject)
  const hasName = units.some(({ name }) => name)
  const shares = new Map<number, Share>()
  for (const unit of units) {
    for (const [number, { weight, least, terms }] of weightsOf(index, unit)) {
      const share = shares.get(number) ?? { units: 0, names: 0, score: 0 }
      // Two words of one name count as two units when the more common one is rare enough: "Trump" is in
      // the news every hour, "Donald" is not.
      share.units += unit.name && terms > 1 && least >= scoreMin ? unitsMin : 1
      share.names += unit.name ? 1 : 0
      share.score += weight
      shares.set(number, share)
    }
  }
  const whole = containingAllWords(index, subject.question)
  const found: Array<Related> = []
  for (const [number, { units, names, score }] of shares) {
    const headline = index.headlines[number]
    if (headline === undefined || headline.publishedAt < since) continue
    const isRelated = units >= unitsMin && score >= scoreMin && (names > 0 || !hasName)
    if (isRelated || whole.has(number)) found.push({ headline, score })
  }
  return found.sort(byScore).slice(0, limit)
}

/**
 * Search words for the sources: the two heaviest units of each subject, in the order of the subjects. A
 * subject with only one unit is too vague and is skipped.
 */
export function topicsOf(
  index: NewsIndex,
  subjects: ReadonlyArray<NewsSubject>,
  limit: number,
): ReadonlyArray<ReadonlyArray<string>> {
  const topics = new Map<string, ReadonlyArray<string>>()
  for (const subject of subjects) {
    if (topics.size >= limit) break
    const units = unitsOf({ ...subject, eventSlug: "" })
      .map((unit) => ({ unit, weight: heaviest(index, unit) }))
      .sort((a, b) => b.weight - a.weight)
      .map(({ unit }) => unit.written)
    const topic = units.slice(0, unitsMin)
    const key = topic.toSorted().join(" ").toLowerCase()
    if (topic.length === unitsMin && !topics.has(key)) topics.set(key, topic)
  }
  return [...topics.values()]
}

/** What a headline and a question share so far. */
interface Share {
  units: number
  names: number
  score: number
}

/** A name, or a single word. */
interface Unit {
  readonly terms: ReadonlyArray<string>
  readonly written: string
  readonly name: boolean
}

/** The units of a market, those of its question first. A term belongs to its first unit only. */
function unitsOf({ question, outcomes, eventSlug }: NewsSubject): ReadonlyArray<Unit> {
  const seen = new Set<string>()
  const units: Array<Unit> = []
  const addUnit = (words: ReadonlyArray<Word>, name: boolean): void => {
    const fresh = words.filter(({ term }) => isInformative(term) && !seen.has(term))
    if (fresh.length === 0 || units.length === unitsMax) return
    fresh.forEach(({ term }) => seen.add(term))
    const written = fresh.map(({ written }) => written).join(" ")
    units.push({ terms: [...new Set(fresh.map(({ term }) => term))], written, name })
  }
  for (const run of runsOf(wordsOf(question))) addUnit(run.words, run.name)
  for (const outcome of outcomes) addUnit(wordsOf(outcome), true)
  for (const word of wordsOf(eventSlug)) addUnit([word], false)
  return units
}

interface Run {
  readonly words: ReadonlyArray<Word>
  readonly name: boolean
}

/** Consecutive capitalised words are one name, any other word is one run. In title case none is a name. */
function runsOf(words: ReadonlyArray<Word>): ReadonlyArray<Run> {
  const capitals = words.filter(({ capitalised }) => capitalised).length
  const capitalsMarkNames = words.length <= 3 || capitals <= titleCaseShare * words.length
  const runs: Array<Run> = []
  let name: Array<Word> = []
  for (const word of words) {
    const isName = capitalsMarkNames && word.capitalised && isInformative(word.term)
    if (isName && (word.follows || name.length === 0)) {
      name.push(word)
      continue
    }
    if (name.length > 0) runs.push({ words: name, name: true })
    name = isName ? [word] : []
    if (!isName) runs.push({ words: [word], name: false })
  }
  if (name.length > 0) runs.push({ words: name, name: true })
  return runs
}

interface Shared {
  /** Weight of the rarest shared word: what the unit adds to the score. */
  readonly weight: number
  /** Weight of the most common shared word. */
  readonly least: number
  readonly terms: number
}

/** For each headline that shares a word of the unit, the shared weight. */
function weightsOf(index: NewsIndex, unit: Unit): ReadonlyMap<number, Shared> {
  const weights = new Map<number, Shared>()
  for (const term of unit.terms) {
    const own = weightOf(index, term, unit.name)
    for (const number of index.postings.get(term) ?? []) {
      const { weight, least, terms } = weights.get(number) ?? { weight: own, least: own, terms: 0 }
      weights.set(number, {
        weight: Math.max(weight, own),
        least: Math.min(least, own),
        terms: terms + 1,
      })
    }
  }
  return weights
}

function heaviest(index: NewsIndex, unit: Unit): number {
  return Math.max(...unit.terms.map((term) => weightOf(index, term, unit.name)))
}

/** The logarithm of the rarity; a word in every text weighs 0. */
function weightOf({ texts, textCount }: NewsIndex, term: string, name: boolean): number {
  const count = Math.max(textCount, textsMin)
  return Math.log((count + 1) / ((texts.get(term) ?? 0) + 1)) * (name ? nameFactor : 1)
}

/** The headlines that contain every word of the question, whatever its weight. */
function containingAllWords(
  { postings, words }: NewsIndex,
  question: string,
): ReadonlySet<number> {
  const terms = [...new Set(wordsOf(question).map(({ term }) => term))]
  if (!terms.some(isInformative)) return new Set()
  const [rarest = []] = terms.map((term) => postings.get(term) ?? [])
    .sort((a, b) => a.length - b.length)
  return new Set(rarest.filter((number) => terms.every((term) => words[number]?.has(term))))
}

function byScore(a: Related, b: Related): number {
  return b.score - a.score || b.headline.publishedAt - a.headline.publishedAt ||
    (a.headline.url < b.headline.url ? -1 : 1)
}
