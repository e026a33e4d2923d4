/**
 * Which stories are about a market, and how closely.
 *
 * A question is split into units (`subject.ts`): names, places, topic words and the kinds of events they
 * are words for. The weight of a unit is the rarity of its rarest shared word among recent stories and
 * questions; names weigh more. A story is about the market if one of these is true:
 *
 * - It shares a name of what the question asks about, or its place, and a topic or a kind of event, and
 *   the weights of all shared units add up to `scoreMin` or more.
 * - It is about an election in the question's place, or about both of its countries.
 * - It contains every word of the question.
 * - It names both sides of a match.
 *
 * It is not, whatever it shares, if it is about other places. A story is of the market's family if it
 * names another period, threshold, edition or kind of agreement, only one side of a match, or only a rare
 * name. It is a sibling's if it names another candidate or side of the event, known from other markets.
 *
 * The rule is a heuristic and makes errors. Names are known by their capitals: a title in title case
 * hides where one ends, and two people with one surname are not distinguished.
 *
 * @module
 */
import { mapParts, type Parts } from "../../core/domain/parts.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { compare, type Headline } from "./headline.ts"
import { periodsDiffer, periodsOf } from "./periods.ts"
import { isPlace, withinOf } from "./places.ts"
import type { RelatedStory, Strength } from "./reading.ts"
import { storiesInParts, type Story } from "./stories.ts"
import {
  generic,
  type NewsSubject,
  parties,
  type Reading,
  readingOf,
  type Unit,
  weak,
} from "./subject.ts"
import { factsOf, termsOf, type TitleFacts } from "./titles.ts"
import { isInformative, rememberedWords, wordsOf } from "./words.ts"

/**
 * The minimum sum of the weights of the shared units. A word in 5 of 2,500 texts weighs 6, and one in
 * 100 of them 3; a name weighs 1.5 times as much. So a rare name is enough with any other informative
 * word, and a common name needs a rare one.
 */
const scoreMin = 8
/** The same for the sides of a match: both are needed, or one for the family. */
const sideScoreMin = 5
const oneSideScoreMin = 7
/** The same where the only name or place is one that is in the news every hour. */
const everywhereScoreMin = 11
/** A name in more than one of 40 texts is not enough of a subject, if the question has another one. */
const subjectWeightMin = 5.5
/** Units a story must share. */
const unitsMin = 2
const factors: Readonly<Record<Unit["kind"], number>> = {
  ...{ name: 1.5, place: 1.5, topic: 1, concept: 1 },
}
/** Rarity assumes at least this many texts; with few texts all words would weigh the same. */
const textsMin = 1_000
/** Other questions of one event that a story is compared with. */
const siblingsMax = 40
/** Subjects whose finds an index keeps: more than the markets that are asked about while it lives. */
const foundMax = 5_000

/** An inverted index of stories. */
interface NewsIndex {
  readonly stories: ReadonlyArray<Story>
  readonly facts: ReadonlyArray<TitleFacts>
  /** For each term the numbers of the stories that contain it, ascending. */
  readonly postings: ReadonlyMap<string, ReadonlyArray<number>>
  /** For each term the number of texts (stories and questions) that contain it. */
  readonly texts: ReadonlyMap<string, number>
  readonly textCount: number
  /** The known subjects of each event. */
  readonly events: ReadonlyMap<string, ReadonlyArray<NewsSubject>>
  /** What was found so far, by subject: the markets of an event are all compared with one another. */
  readonly found: Map<string, Found>
}

/** What a subject has in an index, whichever other subject it is compared with. */
interface Found {
  /** The stories about the question itself, direct or of its family. */
  readonly matches: ReadonlyMap<number, Match>
  readonly numbers: ReadonlySet<string>
  /** The terms of the question. */
  readonly terms: ReadonlySet<string>
  /** Its names and places, and the parties that it names. */
  readonly names: ReadonlyArray<Unit>
}

/** Built once for any number of markets. */
export function* newsIndex(
  headlines: ReadonlyArray<Headline>,
  subjects: ReadonlyArray<NewsSubject>,
): Parts<NewsIndex> {
  const read = rememberedWords()
  const stories = yield* storiesInParts(headlines, read)
  const facts = yield* mapParts(stories, ({ title }) => factsOf(title, read(title)))
  const texts = new Map<string, number>()
  const count = (terms: ReadonlySet<string>): void => {
    for (const term of terms) texts.set(term, (texts.get(term) ?? 0) + 1)
  }
  const postings = new Map<string, Array<number>>()
  for (const [number, { terms }] of facts.entries()) {
    count(terms)
    for (const term of terms) {
      const numbers = postings.get(term)
      if (numbers === undefined) postings.set(term, [number])
      else numbers.push(number)
    }
    yield
  }
  const events = new Map<string, Array<NewsSubject>>()
  for (const subject of subjects) {
    count(termsOf(wordsOf(subject.question)))
    const siblings = events.get(subject.eventSlug) ?? []
    events.set(subject.eventSlug, siblings)
    siblings.push(subject)
    yield
  }
  return {
    stories,
    facts,
    postings,
    texts,
    textCount: stories.length + subjects.length,
    events,
    found: new Map(),
  }
}

/**
 * The stories about the market with a publication since `since`: direct ones first, then by score, then
 * the earliest.
 */
export function* related(
  index: NewsIndex,
  subject: NewsSubject,
  since: EpochMs,
  limit: number,
): Parts<ReadonlyArray<RelatedStory>> {
  const own = findOf(index, subject)
  const siblings = yield* mapParts(
    siblingsOf(index, subject),
    (sibling) => findOf(index, sibling),
  )
  const others = siblings.map((sibling) => ({
    names: distinguishing(index, sibling, [own]),
    numbers: sibling.numbers.difference(own.numbers),
    matches: sibling.matches,
  }))
  const ownNames = siblings.length === 0 ? [] : distinguishing(index, own, siblings)
  const found = new Map<number, Match>()
  for (const [number, match] of own.matches) {
    const namesOwn = ownNames.some((unit) => sharesUnit(index, number, unit))
    const namesOther = others.some(({ names }) =>
      names.some((unit) => sharesUnit(index, number, unit))
    )
    const isThreshold = others.some(({ numbers }) => !sharesNone(index, number, numbers)) &&
      sharesNone(index, number, own.numbers)
    const strength = match.strength === "family" || isThreshold
      ? "family"
      : namesOther && !namesOwn
      ? "sibling"
      : match.strength
    found.set(number, { ...match, strength })
  }
  for (const { names, matches } of others) {
    for (const [number, match] of matches) {
      if (found.has(number) || !names.some((unit) => sharesUnit(index, number, unit))) continue
      const strength = match.strength === "direct" ? "sibling" : "family"
      found.set(number, { ...match, strength })
    }
  }
  const { units } = readingOf(subject)
  return [...found].flatMap(([number, match]) => {
    const story = index.stories[number]
    const isRecent = story?.outlets.some(({ publishedAt }) => publishedAt >= since)
    if (story === undefined || isRecent !== true) return []
    const shared = units.filter((unit) => unit.written !== "" && sharesUnit(index, number, unit))
      .map(({ written }) => written)
    return [{ ...story, ...match, shared, reading: null }]
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

function findOf(index: NewsIndex, subject: NewsSubject): Found {
  const { question, category, outcomes, eventSlug } = subject
  const key = JSON.stringify([question, category, outcomes, eventSlug])
  const known = index.found.get(key)
  if (known !== undefined) return known
  const found: Found = {
    matches: ownStories(index, subject),
    numbers: periodsOf(question, "with").numbers,
    terms: termsOf(wordsOf(question)),
    names: readingOf({ ...subject, outcomes: ["Yes", "No"], eventSlug: "" }).units.filter((unit) =>
      unit.kind === "name" || unit.kind === "place" || unit.terms.some((term) => parties.has(term))
    ),
  }
  if (index.found.size < foundMax) index.found.set(key, found)
  return found
}

/** Names and places of the subject that none of the others has. */
const distinguishing = (
  index: NewsIndex,
  { names }: Found,
  others: ReadonlyArray<Found>,
): ReadonlyArray<Unit> =>
  names.map((unit) => ({
    ...unit,
    terms: unit.terms.filter((term) => !others.some(({ terms }) => terms.has(term))),
  })).filter((unit) => unit.terms.length > 0 && heaviest(index, unit) > 0)

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
  /** Units that identify, or are about what happens; generic words only add to the score. */
  units: number
  names: number
  places: number
  /** Names of what the question asks about. */
  subjects: number
  /** Words and kinds of events. */
  topics: number
  /** Whether it is about an election, as the question is. */
  isVote: boolean
  /** Places that are not in the news of every conflict. */
  localPlaces: number
  score: number
}

function isEventWord({ facts }: NewsIndex, number: number, term: string): boolean {
  return [...facts[number]?.concepts.values() ?? []].some((terms) => terms.has(term))
}

function noShare(): Share {
  return {
    ...{ units: 0, names: 0, places: 0, localPlaces: 0, subjects: 0, topics: 0, score: 0 },
    isVote: false,
  }
}

function ownStories(index: NewsIndex, subject: NewsSubject): ReadonlyMap<number, Match> {
  const reading = readingOf(subject)
  const whole = containingAllWords(index, subject.question)
  const found = new Map<number, Match>()
  for (const [number, share] of sharesOf(index, reading)) {
    const facts = index.facts[number]
    if (facts === undefined) continue
    const strength = whole.has(number)
      ? "direct"
      : reading.sides.length > 0
      ? sidesStrength(reading, facts, share.score)
      : unitsStrength(reading, share)
    if (strength === null || hasOtherPlaces(reading.places, facts.places)) continue
    const isFamily = strength === "family" || periodsDiffer(reading.periods, facts.periods) ||
      qualifiersDiffer(reading, facts)
    found.set(number, { strength: isFamily ? "family" : "direct", score: share.score })
  }
  return found
}

/** The rule for a question that is about no match. */
function unitsStrength(reading: Reading, share: Share): Strength | null {
  const { units, topics, names, places, subjects, score } = share
  if (score < scoreMin) return null
  const has = (kind: Unit["kind"]) => reading.units.some((unit) => unit.kind === kind)
  if (!has("name") && !has("place")) return units > unitsMin ? "direct" : null
  if (names + places === 0) return null
  // Of two countries a story about one of them shares little with the question.
  const isOneOfTwo = places === 1 && reading.places.size > 1 && names === 0
  if (units < (isOneOfTwo ? unitsMin + 1 : unitsMin) || units <= places) return null
  const isEverywhere = names + share.localPlaces === 0
  if (isEverywhere && units === unitsMin && score < everywhereScoreMin) return null
  const hasSubject = reading.units.some((unit) => unit.subject && unit.kind === "name")
  if (!hasSubject && places === 0 && reading.units.some(({ kind }) => kind === "place")) return null
  if (hasSubject && subjects === 0) {
    // An election is news of each of its candidates, and an event between two countries of both.
    const isEvent = places > 1 || places === 1 && share.isVote
    return isEvent && topics > 0 ? "direct" : null
  }
  return topics > 0 || names > 1 || share.localPlaces > 0 ? "direct" : "family"
}

function sharesOf(
  index: NewsIndex,
  { units, sides }: Reading,
): ReadonlyMap<number, Share> {
  const isMatch = sides.length > 0
  const subjectCount = units.filter(({ kind, subject }) => subject && kind === "name").length
  const votes = units.some(({ terms }) => terms.includes("~vote"))
  const own = new Set(units.flatMap(({ terms }) => terms))
  const shares = new Map<number, Share>()
  for (const unit of units) {
    for (const [number, { weight, least, terms }] of weightsOf(index, unit, own)) {
      const isName = unit.kind === "name"
      const isWeak = unit.kind === "topic" && unit.terms.every((term) => weak.has(term))
      const isIdentified = isName && identifies(index, number, unit, terms)
      // A first name is another person's as well.
      if (isName && !isIdentified && weight < scoreMin && !isMatch) continue
      const share = shares.get(number) ?? noShare()
      // Two words of one name count as two units when the more common one is rare enough: "Trump" is in
      // the news every hour, "Donald" is not.
      const isWhole = isIdentified && terms.length > 1 && least >= scoreMin
      share.units += isWhole ? unitsMin : isWeak ? 0 : 1
      // "Typhoon Kalmaegi" names what happens as well.
      const isTopic = isName
        ? terms.length > 1 && terms.some((term) => isEventWord(index, number, term))
        : !isWeak && unit.kind !== "place"
      share.topics += isTopic ? 1 : 0
      share.isVote ||= votes && index.facts[number]?.terms.has("~vote") === true
      share.names += isIdentified ? 1 : 0
      const isOfPlace = unit.kind === "place"
      share.places += isOfPlace ? 1 : 0
      share.localPlaces += isOfPlace && !unit.terms.some((term) => mediators.has(term)) ? 1 : 0
      const isSubject = weight >= subjectWeightMin || subjectCount === 1
      share.subjects += unit.subject && isIdentified && isSubject ? 1 : 0
      share.score += weight
      shares.set(number, share)
    }
  }
  return shares
}

/**
 * A name is identified by its last word that is not generic, or by two of its words. Between other names
 * the last word is another person's: "Kim" of "Andy Kim" is not Kim Kardashian.
 */
function identifies(
  index: NewsIndex,
  number: number,
  { terms, plain }: Unit,
  shared: ReadonlyArray<string>,
): boolean {
  if (terms.length === 1) return true
  const own = shared.filter((term) => !isShared(term))
  if (own.length > 1) return true
  if (own.length === 0 || own.every((term) => commonNames.has(term))) return false
  const last = terms.findLastIndex((term) => !isShared(term))
  const place = last < 0 ? terms.length - 1 : last
  const neighbours = index.facts[number]?.neighbours.get(plain[place] ?? "") ?? []
  return shared.includes(terms[place] ?? "") && neighbours.every((word) => plain.includes(word))
}

/** Whether many names have this word: an office, an institution or a place. */
function isShared(term: string): boolean {
  return generic.has(term) || isPlace(term)
}

/** Names of many people. */
const commonNames: ReadonlySet<string> = new Set(
  wordsOf(`
    adam adams alexander allen anderson andrew anthony baker brown carter charles clark cook cooper cruz
    daniel david davis edwards evans fernandez frank garcia george gonzalez grant gray green hall harris
    henry hill howard hughes jackson james jane jean john johnson jones jordan joseph kelly kim king lee
    lewis lopez luis marco maria mark marshall martin martinez michael miller mitchell moore morgan morris
    murphy nelson paul perez peter phillips ramos reed richard roberts robinson rock rodriguez roger ross
    ryan sanchez scott silva simon smith stewart taylor thomas thompson torres turner walker ward
    washington watson white williams wilson wood wright young`).map(({ term }) => term),
)

/** Words that end the names of many clubs. */
const clubWord =
  /^(?:united|city|fc|town|rovers|athletic|real|club|county|esports|team|gaming|union|afc|sc|fotboll|fk|sk|bk|if|cf|ac|jk)$/i

/** Both sides of a match make it this match; one side makes it another match of the same team. */
function sidesStrength(
  { sides }: Reading,
  { terms, names }: TitleFacts,
  score: number,
): Strength | null {
  const named = sides.filter((side) => namesSide(side, names))
  if (named.length === sides.length && sides.length > 1) return "direct"
  if (named.length === 0 || score < sideScoreMin) return null
  if (sides.length === 1 && terms.has("~match")) return "direct"
  // One word of a name is often another name: "King", "Fire".
  const isWhole = named.some((side) => side.length > 1 && side.every((word) => names.has(word)))
  return isWhole || (terms.has("~match") && score >= oneSideScoreMin) ? "family" : null
}

function namesSide(side: ReadonlyArray<string>, names: ReadonlySet<string>): boolean {
  const last = side.at(-1) ?? ""
  if (side.every((word) => names.has(word))) return true
  return clubWord.test(last)
    ? side.length > 1 && side.slice(0, -1).every((word) => names.has(word))
    : names.has(last)
}

/** Whether a title is about other places than the question. */
function hasOtherPlaces(own: ReadonlySet<string>, title: ReadonlySet<string>): boolean {
  if (own.size === 0 || title.size === 0) return false
  const missing = [...own].filter((place) => !covers(title, place))
  if (missing.length === own.size) return true
  if (
    own.size > 1 && missing.length > 0 &&
    [...own].every((place) => missing.includes(place) || mediators.has(place))
  ) return true
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

/** Whether both name a kind of agreement, law or prize, or a numbered thing, and another one. */
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
  readonly terms: ReadonlyArray<string>
}

/**
 * For each story that shares a word of the unit, the shared weight. A name is shared only where it is
 * written as one; a concept only where another word than those of the question (`own`) stands for it.
 */
function weightsOf(
  index: NewsIndex,
  unit: Unit,
  own: ReadonlySet<string>,
): ReadonlyMap<number, Shared> {
  const weights = new Map<number, Shared>()
  const names = new Set(unit.plain)
  for (const term of unit.terms) {
    const weight = weightOf(index, term, unit)
    for (const number of index.postings.get(term) ?? []) {
      const facts = index.facts[number]
      const isName = unit.kind === "name"
      if (isName && facts?.names.isDisjointFrom(names) !== false) continue
      if (isName && unit.subject && !facts?.plain.has(unit.plain[unit.terms.indexOf(term)] ?? "")) {
        continue
      }
      if (unit.kind === "concept" && facts?.concepts.get(term)?.isSubsetOf(own) !== false) continue
      const known = weights.get(number)
      weights.set(number, {
        weight: Math.max(known?.weight ?? weight, weight),
        least: Math.min(known?.least ?? weight, weight),
        terms: [...known?.terms ?? [], term],
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
  return Math.log((count + 1) / ((texts.get(term) ?? 0) + 1)) * factors[kind]
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
