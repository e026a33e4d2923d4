/**
 * What a market is about: its names, places and topic words, the sides of a match, and its period.
 *
 * @module
 */
import type { Market } from "../../markets/domain/market.ts"
import { type Periods, periodsOf } from "./periods.ts"
import { isInformative, type Word, wordsOf } from "./words.ts"

/** The fields of a market that are compared with headlines. */
export type NewsSubject = Pick<Market, "question" | "category" | "outcomes" | "eventSlug">

/** A name, a place, or a topic: words that count once, however many of them are shared. */
export interface Unit {
  readonly terms: ReadonlyArray<string>
  readonly written: string
  readonly kind: "name" | "place" | "topic"
}

/** A subject prepared for comparison. */
export interface Reading {
  readonly units: ReadonlyArray<Unit>
  /** The places that it is about; those inside a name ("Atlanta Braves") are not. */
  readonly places: ReadonlySet<string>
  /** The sides of a match, none for another subject. */
  readonly sides: ReadonlyArray<ReadonlyArray<string>>
  readonly periods: Periods
  readonly qualifiers: ReadonlyMap<string, ReadonlySet<string>>
}

/** Characters read of a question, an outcome or an event's slug. */
const charactersMax = 600
/** Above this share of capitalised words a text is in title case, and its capitals mark no names. */
const titleCaseShare = 0.75
/** Units of one question; the words of its event slug come last. */
const unitsMax = 24

export function readingOf(subject: NewsSubject): Reading {
  const question = subject.question.slice(0, charactersMax)
  const words = wordsOf(question)
  const sides = sidesOf(question, subject.outcomes)
  const ownPeriods = periodsOf(question, "without")
  const isDated = ownPeriods.months.size + ownPeriods.years.size > 0
  return {
    units: unitsOf(subject, words),
    places: placesIn(words),
    sides,
    periods: isDated || sides.length === 0 ? ownPeriods : periodsOf(subject.eventSlug, "with"),
    qualifiers: qualifiersOf(words),
  }
}

/** Words of offices and institutions: too common to be a name. */
const generic: ReadonlySet<string> = new Set(
  wordsOf(
    `president presidential presidency pm minister prime government parliament parliamentary senate
    senator house congress party election elections governor mayor secretary chancellor king state
    republican democrat labour conservative liberal league cup championship open final season primary
    national international general annual inflation rate gdp bank central nominee leader leadership head
    chief ceo company conference western eastern division group series qualifier act bill meeting
    congressional federal attorney speaker commissioner special vice chairman chair candidate prize
    award grand best lab team club`,
  ).map(({ term }) => term),
)

/** The units of a market, those of its question first. A term belongs to its first unit only. */
function unitsOf(
  { outcomes, eventSlug }: NewsSubject,
  words: ReadonlyArray<Word>,
): ReadonlyArray<Unit> {
  const seen = new Set<string>()
  const units: Array<Unit> = []
  const add = (words: ReadonlyArray<Word>, kind: Unit["kind"]): void => {
    const fresh = words.filter(({ term, place }) =>
      (place !== undefined || isInformative(term)) && !seen.has(term)
    )
    if (fresh.length === 0 || units.length >= unitsMax) return
    fresh.forEach(({ term }) => seen.add(term))
    units.push({
      terms: [...new Set(fresh.map(({ term }) => term))],
      written: fresh.map(({ written }) => written).join(" "),
      kind,
    })
  }
  for (const { words: run, name } of runsOf(words)) {
    const [only] = run
    if (run.length === 1 && only?.place !== undefined) add(run, "place")
    else if (!name || run.every(({ term }) => generic.has(term))) {
      run.forEach((word) => add([word], "topic"))
    } else add(run.filter(({ term }) => run.length > 2 || !generic.has(term)), "name")
  }
  for (const outcome of outcomes) add(wordsOf(outcome.slice(0, charactersMax)), "name")
  for (const word of wordsOf(eventSlug.slice(0, charactersMax))) add([word], "topic")
  return [...units, ...conceptUnits(words, units)]
}

/**
 * The concepts of the question's words, each group of connected ones as one unit with its words: "sign a
 * treaty" counts once, whether a headline shares "sign", "treaty" or "accord".
 */
function conceptUnits(words: ReadonlyArray<Word>, units: Array<Unit>): ReadonlyArray<Unit> {
  const concepts = new Set(words.flatMap(({ concepts }) => concepts))
  const isPrice = words.some(({ term }) => /^(?:price|reach|hit|dip|above|below|close)$/.test(term))
  if (isPrice && words.some(({ written }) => /^\d{2,}k?$/.test(written))) concepts.add("~price")
  if (words.some(({ term }) => term === "out")) concepts.add("~leave")
  return [...concepts].map((concept): Unit => ({ terms: [concept], written: "", kind: "topic" }))
    .slice(0, Math.max(0, 2 * unitsMax - units.length))
}

interface Run {
  readonly words: ReadonlyArray<Word>
  readonly name: boolean
}

/**
 * Consecutive capitalised words are one name, any other word is one run. A place is a run of its own,
 * unless it is part of a longer name ("Atlanta Braves"). In title case there are no names.
 */
function runsOf(words: ReadonlyArray<Word>): ReadonlyArray<Run> {
  const isTitle = isTitleCase(words)
  const runs: Array<Run> = []
  let name: Array<Word> = []
  const close = (): void => {
    const isPlaces = name.every(({ term, place }) => place !== undefined || generic.has(term))
    if (isPlaces) name.forEach((word) => runs.push({ words: [word], name: true }))
    else if (name.length > 0) runs.push({ words: name, name: true })
    name = []
  }
  for (const word of words) {
    const isName = !isTitle && word.capitalised && isInformative(word.term)
    if (!isName || !word.follows) close()
    if (isName) name.push(word)
    else runs.push({ words: [word], name: false })
  }
  close()
  return runs
}

function isTitleCase(words: ReadonlyArray<Word>): boolean {
  const capitals = words.filter(({ capitalised }) => capitalised).length
  return words.length > 3 && capitals > titleCaseShare * words.length
}

/** The places that a text is about. In title case a place inside a name is one as well. */
export function placesIn(words: ReadonlyArray<Word>): ReadonlySet<string> {
  const found = new Set<string>()
  if (isTitleCase(words)) {
    for (const { place } of words) if (place !== undefined) found.add(place.term)
    return found
  }
  for (const { words: run } of runsOf(words)) {
    const [only] = run
    if (run.length === 1 && only?.place !== undefined) found.add(only.place.term)
  }
  return found
}

/** Words that name a side of no match. */
const noSide = /^(?:yes|no|over|under|up|down|draw|tie|other)\b/i
const sidesPattern = /^(?:[^:]{1,60}: )?(.{2,60}?) (?:vs?\.?|@) (.{2,60}?)(?: ?[:(–—]| - |\?|$)/i
const singleSide = /^will (.{2,60}?) (?:win|lose|draw|beat .{2,60}?) on 20\d{2}-\d{2}-\d{2}\?/i

/** The informative terms of each side of a match. */
function sidesOf(
  question: string,
  outcomes: readonly [string, string],
): ReadonlyArray<ReadonlyArray<string>> {
  const named = outcomes.every((outcome) => !noSide.test(outcome.trim()))
  const found = sidesPattern.exec(question) ?? singleSide.exec(question)
  const names = found !== null ? found.slice(1) : named ? outcomes : []
  const sides = names.map((name) => {
    const words = wordsOf((name ?? "").slice(0, charactersMax))
    const kept = words.filter(({ term, place }) => place !== undefined || isInformative(term))
    return [...new Set((kept.length > 0 ? kept : words).map(({ term }) => term))]
  })
  return sides.every((side) => side.length > 0) ? sides : []
}

/** Names for a kind of agreement or law, which the word before it distinguishes. */
const qualified: ReadonlyMap<string, string> = new Map(
  [
    ...["treaty", "accord", "pact", "agreement", "deal"].map((word) => [word, "deal"] as const),
    ...["act", "bill", "law"].map((word) => [word, "law"] as const),
    ...["cup", "trophy", "prize", "award", "medal"].map((word) => [word, "award"] as const),
    ...["exports", "imports", "inflation", "gdp", "unemployment"].map((word) =>
      [word, word] as const
    ),
  ].flatMap(([word, head]) => wordsOf(word).map(({ term }) => [term, head] as const)),
)
/** Words before such a name that do not distinguish it. */
const noQualifier: ReadonlySet<string> = new Set(
  wordsOf(
    `sign signs signed new draft possible landmark historic final interim long proposed major peace
    ceasefire truce annual monthly core headline reach close big controversial sweeping key bilateral
    grand top`,
  ).map(({ term }) => term),
)

/** For each kind of agreement, law or prize the words that distinguish it: `border` of "border accord". */
export function qualifiersOf(words: ReadonlyArray<Word>): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  words.forEach(({ term, follows }, number) => {
    const head = qualified.get(term)
    const before = words[number - 1]
    if (head === undefined || before === undefined || !follows) return
    if (before.place !== undefined || !isInformative(before.term)) return
    if (noQualifier.has(before.term)) return
    found.set(head, (found.get(head) ?? new Set()).add(before.term))
  })
  return found
}
