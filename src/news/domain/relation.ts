/**
 * Which stories are about a market, and how closely.
 *
 * A question is split into units (`subject.ts`): names, places, topic words and the kinds of events they
 * are words for. The weight of a unit is the rarity of its rarest shared word among recent stories and
 * questions; names weigh more. A story is about the market if one of these is true:
 *
 * - It shares at least two units, whose weights add up to `scoreMin` or more; one of them is a name or a
 *   place if the market has any.
 * - It shares two words of one name, each of them rare enough.
 * - It contains every word of the question.
 * - It names both sides of a match.
 *
 * It is not, whatever it shares, if it is about other places. It is about another subject of the same
 * family if it names another period, threshold or kind of agreement, or only one side of a match.
 *
 * The rule is a heuristic and makes errors.
 *
 * @module
 */
import type { EpochMs } from "../../core/domain/time.ts"
import { compare, type Headline } from "./headline.ts"
import { type Periods, periodsDiffer, periodsOf } from "./periods.ts"
import { withinOf } from "./places.ts"
import { storiesOf, type Story } from "./stories.ts"
import {
  type NewsSubject,
  placesIn,
  qualifiersOf,
  type Reading,
  readingOf,
  type Unit,
} from "./subject.ts"
import { isInformative, wordsOf } from "./words.ts"

export type { NewsSubject } from "./subject.ts"

/**
 * How closely a story is about a market: about its own subject, side and period; about another candidate,
 * outcome or side of its event; or about another period, threshold or match of its subject.
 */
export type Strength = "direct" | "sibling" | "family"

export interface RelatedStory extends Story {
  readonly strength: Strength
  readonly score: number
}

/**
 * The minimum sum of the weights of the shared units. A word in 5 of 2,500 texts weighs 6, and one in
 * 100 of them 3; a name weighs 1.5 times as much. So a rare name is enough with any other informative
 * word, and a common name needs a rare one.
 */
const scoreMin = 8
/** Units a story must share. */
const unitsMin = 2
const nameFactor = 1.5
/** Rarity assumes at least this many texts; with few texts all words would weigh the same. */
const textsMin = 1_000
/** Other questions of one event that a story is compared with. */
const siblingsMax = 40

/** An inverted index of stories. */
export interface NewsIndex {
  readonly stories: ReadonlyArray<Story>
  readonly facts: ReadonlyArray<TitleFacts>
  /** For each term the numbers of the stories that contain it, ascending. */
  readonly postings: ReadonlyMap<string, ReadonlyArray<number>>
  /** For each term the number of texts (stories and questions) that contain it. */
  readonly texts: ReadonlyMap<string, number>
  readonly textCount: number
  /** The known subjects of each event. */
  readonly events: ReadonlyMap<string, ReadonlyArray<NewsSubject>>
}

interface TitleFacts {
  readonly terms: ReadonlySet<string>
  readonly places: ReadonlySet<string>
  readonly periods: Periods
  readonly qualifiers: ReadonlyMap<string, ReadonlySet<string>>
}

/** Built once for any number of markets. */
export function newsIndex(
  headlines: ReadonlyArray<Headline>,
  subjects: ReadonlyArray<NewsSubject>,
): NewsIndex {
  const stories = storiesOf(headlines)
  const facts = stories.map(({ title }) => factsOf(title))
  const texts = new Map<string, number>()
  const count = (terms: ReadonlySet<string>): void => {
    for (const term of terms) texts.set(term, (texts.get(term) ?? 0) + 1)
  }
  const postings = new Map<string, Array<number>>()
  facts.forEach(({ terms }, number) => {
    count(terms)
    for (const term of terms) {
      const numbers = postings.get(term)
      if (numbers === undefined) postings.set(term, [number])
      else numbers.push(number)
    }
  })
  const events = new Map<string, Array<NewsSubject>>()
  for (const subject of subjects) {
    count(termsOf(subject.question))
    const siblings = events.get(subject.eventSlug) ?? []
    events.set(subject.eventSlug, siblings)
    siblings.push(subject)
  }
  return {
    stories,
    facts,
    postings,
    texts,
    textCount: stories.length + subjects.length,
    events,
  }
}

/** The terms of a text, with the places that its places are part of, and its concepts. */
function termsOf(text: string): ReadonlySet<string> {
  return new Set(
    wordsOf(text).flatMap(({ term, place, concepts }) => [
      term,
      ...place?.within ?? [],
      ...concepts,
    ]),
  )
}

function factsOf(title: string): TitleFacts {
  const words = wordsOf(title)
  return {
    terms: termsOf(title),
    places: placesIn(words),
    periods: periodsOf(title, "with"),
    qualifiers: qualifiersOf(words),
  }
}

/**
 * The stories about the market with a publication since `since`: direct ones first, then by score, then
 * the earliest.
 */
export function related(
  index: NewsIndex,
  subject: NewsSubject,
  since: EpochMs,
  limit: number,
): ReadonlyArray<RelatedStory> {
  const own = ownStories(index, subject)
  const siblings = siblingsOf(index, subject)
  const others = siblings.map((sibling) => ({
    names: distinguishing(index, sibling, subject),
    numbers: numbersOf(sibling).difference(numbersOf(subject)),
    found: ownStories(index, sibling),
  }))
  const ownNames = siblings.length === 0 ? [] : distinguishing(index, subject, ...siblings)
  const found = new Map<number, Match>()
  for (const [number, match] of own) {
    const namesOwn = ownNames.some((unit) => sharesUnit(index, number, unit))
    const namesOther = others.some(({ names }) =>
      names.some((unit) => sharesUnit(index, number, unit))
    )
    const isThreshold = others.some(({ numbers }) => !sharesNone(index, number, numbers)) &&
      sharesNone(index, number, numbersOf(subject))
    const strength = match.strength === "family" || isThreshold
      ? "family"
      : namesOther && !namesOwn
      ? "sibling"
      : match.strength
    found.set(number, { ...match, strength })
  }
  for (const { names, found: theirs } of others) {
    for (const [number, match] of theirs) {
      if (found.has(number) || !names.some((unit) => sharesUnit(index, number, unit))) continue
      const strength = match.strength === "direct" ? "sibling" : "family"
      found.set(number, { ...match, strength })
    }
  }
  return [...found].flatMap(([number, match]) => {
    const story = index.stories[number]
    const isRecent = story?.outlets.some(({ publishedAt }) => publishedAt >= since)
    return story === undefined || isRecent !== true ? [] : [{ ...story, ...match }]
  }).sort(byStrength).slice(0, limit)
}

interface Match {
  readonly strength: Strength
  readonly score: number
}

/** The other known questions of the market's event. */
function siblingsOf(index: NewsIndex, { question, eventSlug }: NewsSubject) {
  if (eventSlug === "") return []
  const all = index.events.get(eventSlug) ?? []
  return all.filter((other) => other.question !== question)
    .toSorted((a, b) => compare(a.question, b.question)).slice(0, siblingsMax)
}

/** Names and places of the subject that none of the others has. */
function distinguishing(
  index: NewsIndex,
  subject: NewsSubject,
  ...others: ReadonlyArray<NewsSubject>
): ReadonlyArray<Unit> {
  const terms = new Set(others.flatMap(({ question }) => [...termsOf(question)]))
  return readingOf({ ...subject, outcomes: ["Yes", "No"], eventSlug: "" }).units
    .filter(({ kind }) => kind !== "topic")
    .map((unit) => ({ ...unit, terms: unit.terms.filter((term) => !terms.has(term)) }))
    .filter((unit) => unit.terms.length > 0 && heaviest(index, unit) > 0)
}

function numbersOf({ question }: NewsSubject): ReadonlySet<string> {
  return periodsOf(question, "with").numbers
}

function sharesUnit({ facts }: NewsIndex, number: number, { terms }: Unit): boolean {
  return terms.some((term) => facts[number]?.terms.has(term))
}

function sharesNone(
  { facts }: NewsIndex,
  number: number,
  numbers: ReadonlySet<string>,
): boolean {
  return facts[number]?.periods.numbers.isDisjointFrom(numbers) ?? true
}

/** What a story and a question share so far. */
interface Share {
  units: number
  names: number
  score: number
}

/** The stories about the question itself, direct or of its family. */
function ownStories(index: NewsIndex, subject: NewsSubject): ReadonlyMap<number, Match> {
  const reading = readingOf(subject)
  const hasName = reading.units.some(({ kind }) => kind !== "topic")
  const whole = containingAllWords(index, subject.question)
  const found = new Map<number, Match>()
  for (const [number, { units, names, score }] of sharesOf(index, reading.units)) {
    const facts = index.facts[number]
    if (facts === undefined) continue
    const isRelated = units >= unitsMin && score >= scoreMin && (names > 0 || !hasName)
    const strength = whole.has(number)
      ? "direct"
      : reading.sides.length > 0
      ? sidesStrength(reading, facts, isRelated || score >= scoreMin)
      : isRelated
      ? "direct"
      : null
    if (strength === null || hasOtherPlaces(reading.places, facts.places)) continue
    const isFamily = strength === "family" || periodsDiffer(reading.periods, facts.periods) ||
      qualifiersDiffer(reading, facts)
    found.set(number, { strength: isFamily ? "family" : "direct", score })
  }
  return found
}

function sharesOf(index: NewsIndex, units: ReadonlyArray<Unit>): ReadonlyMap<number, Share> {
  const shares = new Map<number, Share>()
  for (const unit of units) {
    for (const [number, { weight, least, terms }] of weightsOf(index, unit)) {
      const share = shares.get(number) ?? { units: 0, names: 0, score: 0 }
      // Two words of one name count as two units when the more common one is rare enough: "Trump" is in
      // the news every hour, "Donald" is not.
      share.units += unit.kind === "name" && terms > 1 && least >= scoreMin ? unitsMin : 1
      share.names += unit.kind === "topic" ? 0 : 1
      share.score += weight
      shares.set(number, share)
    }
  }
  return shares
}

/** Words that end the names of many clubs. */
const clubWord =
  /^(?:unit|united|city|fc|town|rover|athletic|real|club|county|esport|team|gaming|union|afc|sc)$/

/** Both sides of a match make it this match; one side makes it another match of the same team. */
function sidesStrength(
  { sides }: Reading,
  { terms }: TitleFacts,
  isEnough: boolean,
): Strength | null {
  const named = sides.filter((side) => namesSide(side, terms)).length
  if (named === sides.length && sides.length > 1) return "direct"
  if (named === 0 || !isEnough) return null
  return sides.length === 1 && terms.has("~match") ? "direct" : "family"
}

function namesSide(side: ReadonlyArray<string>, terms: ReadonlySet<string>): boolean {
  const last = side.at(-1) ?? ""
  if (side.every((term) => terms.has(term))) return true
  return clubWord.test(last)
    ? side.length > 1 && side.slice(0, -1).every((term) => terms.has(term))
    : terms.has(last)
}

/** Whether a title is about other places than the question. */
function hasOtherPlaces(own: ReadonlySet<string>, title: ReadonlySet<string>): boolean {
  if (own.size === 0 || title.size === 0) return false
  const missing = [...own].filter((place) => !covers(title, place))
  if (missing.length === own.size) return true
  const foreign = [...title].filter((place) =>
    !covers(own, place) && !mediators.has(place) && withinOf(place).length === 0
  )
  return missing.length > 0 && foreign.length > 0
}

/** Places in the news of almost every conflict of others. */
const mediators: ReadonlySet<string> = new Set(["usa", "eu", "qatar"])

/** Whether one of the places is this one, a part of it, or contains it. */
function covers(places: ReadonlySet<string>, place: string): boolean {
  return places.has(place) || withinOf(place).some((outer) => places.has(outer)) ||
    [...places].some((other) => withinOf(other).includes(place))
}

/** Whether both name a kind of agreement, law or prize, and another one. */
function qualifiersDiffer({ qualifiers }: Reading, title: TitleFacts): boolean {
  return [...qualifiers].some(([head, words]) => {
    const others = title.qualifiers.get(head)
    return others !== undefined && words.isDisjointFrom(others) && words.isDisjointFrom(title.terms)
  })
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
    const units = readingOf({ ...subject, eventSlug: "" }).units
      .filter(({ written }) => written !== "")
      .map((unit) => ({ unit, weight: heaviest(index, unit) }))
      .sort((a, b) => b.weight - a.weight)
      .map(({ unit }) => unit.written)
    const topic = units.slice(0, unitsMin)
    const key = topic.toSorted().join(" ").toLowerCase()
    if (topic.length === unitsMin && !topics.has(key)) topics.set(key, topic)
  }
  return [...topics.values()]
}

interface Shared {
  /** Weight of the rarest shared word: what the unit adds to the score. */
  readonly weight: number
  /** Weight of the most common shared word. */
  readonly least: number
  readonly terms: number
}

/** For each story that shares a word of the unit, the shared weight. */
function weightsOf(index: NewsIndex, unit: Unit): ReadonlyMap<number, Shared> {
  const weights = new Map<number, Shared>()
  for (const term of unit.terms) {
    const own = weightOf(index, term, unit)
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
  return Math.max(...unit.terms.map((term) => weightOf(index, term, unit)))
}

/** The logarithm of the rarity; a word in every text weighs 0. */
function weightOf({ texts, textCount }: NewsIndex, term: string, { kind }: Unit): number {
  const count = Math.max(textCount, textsMin)
  return Math.log((count + 1) / ((texts.get(term) ?? 0) + 1)) * (kind === "topic" ? 1 : nameFactor)
}

/** The stories that contain every word of the question, whatever its weight. */
function containingAllWords(
  { postings, facts }: NewsIndex,
  question: string,
): ReadonlySet<number> {
  const terms = [...new Set(wordsOf(question).map(({ term }) => term))]
  if (!terms.some(isInformative)) return new Set()
  const [rarest = []] = terms.map((term) => postings.get(term) ?? [])
    .sort((a, b) => a.length - b.length)
  return new Set(rarest.filter((number) => terms.every((term) => facts[number]?.terms.has(term))))
}

const order: Readonly<Record<Strength, number>> = { direct: 0, sibling: 1, family: 2 }

function byStrength(a: RelatedStory, b: RelatedStory): number {
  return order[a.strength] - order[b.strength] || b.score - a.score || a.firstAt - b.firstAt ||
    compare(a.url, b.url) || compare(a.label, b.label)
}
