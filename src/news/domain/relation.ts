/**
 * Which headlines are about a market.
 *
 * A question is cut into units: a name (capitalised words in a row) is one, any other telling word is
 * one. A unit weighs what its rarest shared word is worth among recent headlines and questions, names
 * more. A headline is about the market when it shares two units, one of them a name where the question
 * has any, and they weigh enough together; or when it has two words of one name, both of them
 * rare enough alone. `scoreMin` is the whole judgement, and it errs.
 *
 * @module
 */
import type { Market } from "../../markets/domain/market.ts"
import type { Headline } from "./headline.ts"
import { isInformative, type Word, wordsOf } from "./words.ts"
import type { EpochMs } from "../../core/domain/time.ts"

/** What of a market says which headlines are about it. */
export type NewsSubject = Pick<Market, "question" | "category" | "outcomes" | "eventSlug">

/**
 * What shared units must weigh together. A word in 5 of 2,500 texts weighs 6, in 100 of them 3; a
 * name half as much again. So a rare name goes with any telling word, a common one with a rare word.
 */
const scoreMin = 8
/** Units a headline must share. */
const unitsMin = 2
const nameFactor = 1.5
/** Rarity is told among so many texts at least, so that the first ten headlines do not count alike. */
const textsMin = 1_000
/** Above this share of capitalised words the capitals of a text are its style and name nobody. */
const titleCaseShare = 0.75
/** Units of one question; the words of its event come last. */
const unitsMax = 24

/** Headlines by the words in them. */
interface NewsIndex {
  readonly headlines: ReadonlyArray<Headline>
  /** Of each headline its terms. */
  readonly words: ReadonlyArray<ReadonlySet<string>>
  /** Of each term the headlines it stands in, by number, ascending. */
  readonly places: ReadonlyMap<string, ReadonlyArray<number>>
  /** In how many texts, headlines and questions, a term stands. */
  readonly texts: ReadonlyMap<string, number>
  readonly textCount: number
}

interface Related {
  readonly headline: Headline
  readonly score: number
}

/** Built once, asked for any number of markets. */
export function newsIndex(
  headlines: ReadonlyArray<Headline>,
  questions: ReadonlyArray<string>,
): NewsIndex {
  const places = new Map<string, Array<number>>()
  const texts = new Map<string, number>()
  const count = (text: string): ReadonlySet<string> => {
    const terms = new Set(wordsOf(text).map(({ term }) => term))
    for (const term of terms) texts.set(term, (texts.get(term) ?? 0) + 1)
    return terms
  }
  const words = headlines.map(({ title }) => count(title))
  words.forEach((terms, number) => {
    for (const term of terms) {
      const held = places.get(term)
      if (held === undefined) places.set(term, [number])
      else held.push(number)
    }
  })
  questions.forEach(count)
  return { headlines, words, places, texts, textCount: headlines.length + questions.length }
}

/** The headlines since `since` that are about the market, the closest first, then the newest. */
export function related(
  index: NewsIndex,
  subject: NewsSubject,
  since: EpochMs,
  limit: number,
): ReadonlyArray<Related> {
  const units = unitsOf(subject)
  const named = units.some(({ name }) => name)
  const shares = new Map<number, Share>()
  for (const unit of units) {
    for (const [number, { weight, least, terms }] of weightsOf(index, unit)) {
      const share = shares.get(number) ?? { units: 0, names: 0, score: 0 }
      // Two words of one name are as much as two units when the commoner one is rare enough: Trump
      // is in the news every hour, Donald is not.
      share.units += unit.name && terms > 1 && least >= scoreMin ? unitsMin : 1
      share.names += unit.name ? 1 : 0
      share.score += weight
      shares.set(number, share)
    }
  }
  const whole = wholeIn(index, subject.question)
  const found: Array<Related> = []
  for (const [number, { units, names, score }] of shares) {
    const headline = index.headlines[number]
    if (headline === undefined || headline.publishedAt < since) continue
    const close = units >= unitsMin && score >= scoreMin && (names > 0 || !named)
    if (close || whole.has(number)) found.push({ headline, score })
  }
  return found.sort(closest).slice(0, limit)
}

/**
 * Words to ask a source for, of each subject its two weightiest units, in the order of the subjects;
 * a subject with one unit only is too vague to ask for.
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

/** What a headline and a question have in common so far. */
interface Share {
  units: number
  names: number
  score: number
}

/** A name, or a word that is none. */
interface Unit {
  readonly terms: ReadonlyArray<string>
  readonly written: string
  readonly name: boolean
}

/** The units of a market, its question's first. A term belongs to the first unit it stands in. */
function unitsOf({ question, outcomes, eventSlug }: NewsSubject): ReadonlyArray<Unit> {
  const seen = new Set<string>()
  const units: Array<Unit> = []
  const take = (words: ReadonlyArray<Word>, name: boolean): void => {
    const fresh = words.filter(({ term }) => isInformative(term) && !seen.has(term))
    if (fresh.length === 0 || units.length === unitsMax) return
    fresh.forEach(({ term }) => seen.add(term))
    const written = fresh.map(({ written }) => written).join(" ")
    units.push({ terms: [...new Set(fresh.map(({ term }) => term))], written, name })
  }
  for (const run of runsOf(wordsOf(question))) take(run.words, run.name)
  for (const outcome of outcomes) take(wordsOf(outcome), true)
  for (const word of wordsOf(eventSlug)) take([word], false)
  return units
}

interface Run {
  readonly words: ReadonlyArray<Word>
  readonly name: boolean
}

/** Capitalised words in a row are one name; others stand alone. Capitals that are style name nobody. */
function runsOf(words: ReadonlyArray<Word>): ReadonlyArray<Run> {
  const capitals = words.filter(({ capitalised }) => capitalised).length
  const named = words.length <= 3 || capitals <= titleCaseShare * words.length
  const runs: Array<Run> = []
  let name: Array<Word> = []
  for (const word of words) {
    const isName = named && word.capitalised && isInformative(word.term)
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
  /** Of the rarest word that is shared: what the unit adds. */
  readonly weight: number
  /** Of the commonest. */
  readonly least: number
  readonly terms: number
}

/** What of the unit each headline shares, of those that share any. */
function weightsOf(index: NewsIndex, unit: Unit): ReadonlyMap<number, Shared> {
  const weights = new Map<number, Shared>()
  for (const term of unit.terms) {
    const own = weightOf(index, term, unit.name)
    for (const number of index.places.get(term) ?? []) {
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

/** Rarity, as a logarithm; a word in every text weighs nothing. */
function weightOf({ texts, textCount }: NewsIndex, term: string, name: boolean): number {
  const count = Math.max(textCount, textsMin)
  return Math.log((count + 1) / ((texts.get(term) ?? 0) + 1)) * (name ? nameFactor : 1)
}

/** The headlines that hold every word of the question, whatever they weigh. */
function wholeIn({ places, words }: NewsIndex, question: string): ReadonlySet<number> {
  const terms = [...new Set(wordsOf(question).map(({ term }) => term))]
  if (!terms.some(isInformative)) return new Set()
  const [rarest = []] = terms.map((term) => places.get(term) ?? [])
    .sort((a, b) => a.length - b.length)
  return new Set(rarest.filter((number) => terms.every((term) => words[number]?.has(term))))
}

function closest(a: Related, b: Related): number {
  return b.score - a.score || b.headline.publishedAt - a.headline.publishedAt ||
    (a.headline.url < b.headline.url ? -1 : 1)
}
