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

/** A name, a place, a topic or a kind of event: it counts once, however many of its terms are shared. */
export interface Unit {
  /** The words of a name in order, or one word. */
  readonly terms: ReadonlyArray<string>
  /** The words of a name with their endings. */
  readonly plain: ReadonlyArray<string>
  readonly written: string
  readonly kind: "name" | "place" | "topic" | "concept"
  /** Whether it is of what the question asks about, not the event or an institution. */
  readonly subject: boolean
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
export const generic: ReadonlySet<string> = new Set(
  wordsOf(
    `president presidential presidency pm minister prime government parliament parliamentary senate
    senator house congress party election elections governor mayor secretary chancellor king state
    republican democrat democratic labour conservative liberal league cup championship open final
    season primary national international general annual inflation rate gdp bank central nominee leader
    leadership head chief ceo company conference western eastern division group series qualifier act bill meeting
    congressional federal attorney speaker commissioner special vice chairman chair candidate prize
    award grand best lab team club court supreme cup high new justice world mission foreign defence
    defense finance`,
  ).map(({ term }) => term),
)

/** Parties: too common for a name, but they distinguish two markets of one race. */
export const parties: ReadonlySet<string> = new Set(
  wordsOf("republican democrat labour conservative liberal").map(({ term }) => term),
)

/** Words of events and institutions: a name with one of them is not what a question asks about. */
const eventWords: ReadonlySet<string> = new Set(
  wordsOf(
    `fifa uefa nba nfl mlb nhl mls wnba ncaa ufc cup league championship champions championships playoffs
    election elections primary oscars oscar emmy grammys grammy eurovision olympics ballon nobel prize
    award awards mvp bowl finals final series conference wimbledon bundesliga nomination ipo congress
    senate house midterms midterm grand prix atp wta masters open tournament`,
  ).map(({ term }) => term),
)
/** Words that make a name of the place before them. */
const compoundWords: ReadonlySet<string> = new Set(
  wordsOf("league open cup championship series conference masters bank bowl prix").map(({ term }) =>
    term
  ),
)

/** Words that occur in the news of every country: they add to a score and are no reason by themselves. */
export const weak: ReadonlySet<string> = new Set(
  wordsOf(
    `party national international general federal state senator government president presidential
    presidency prime minister pm house leader leadership chief company world new high group season
    club team king united foreign republican democrat labour conservative liberal governor mayor`,
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
    const fresh = words.filter(({ term, place }) => {
      if ((place === undefined && !isInformative(term)) || seen.has(term)) return false
      seen.add(term)
      return true
    })
    if (fresh.length === 0 || units.length >= unitsMax) return
    units.push({
      terms: fresh.map(({ term }) => term),
      plain: fresh.map(({ plain }) => plain),
      written: fresh.map(({ written }) => written).join(" "),
      kind,
      subject: kind === "name" ? !words.some(({ term }) => eventWords.has(term)) : kind === "place",
    })
  }
  for (const { words: run, name } of runsOf(words)) {
    const [only] = run
    if (run.length === 1 && only?.place !== undefined) add(run, "place")
    else if (!name || run.every(({ term }) => generic.has(term))) {
      add(run, "topic")
    } else add(run.filter(({ term }) => run.length > 2 || !generic.has(term)), "name")
  }
  for (const outcome of outcomes) add(wordsOf(outcome.slice(0, charactersMax)), "name")
  for (const word of wordsOf(eventSlug.slice(0, charactersMax))) add([word], "topic")
  return [...units, ...conceptUnits(words, units)]
}

/** The kinds of events that the question's words are words for, each as a unit. */
function conceptUnits(words: ReadonlyArray<Word>, units: ReadonlyArray<Unit>): ReadonlyArray<Unit> {
  // "Green Accord" is a party.
  const inNames = new Set(
    units.flatMap(({ kind, terms }) => kind === "name" ? terms.slice(1) : []),
  )
  const concepts = new Set(
    words.flatMap(({ term, concepts }) => inNames.has(term) ? [] : concepts),
  )
  // "Gain the most seats" is no price, and a "final" of a cup no match with two sides.
  const isLevel = concepts.has("~price") && words.some(({ written }) => /^\d{1,3}$/.test(written))
  if (!isLevel) concepts.delete("~price")
  concepts.delete("~match")
  if (words.some(({ amount }) => amount)) concepts.add("~price")
  if (words.some(({ term }) => term === "out")) concepts.add("~leave")
  return [...concepts].map((concept): Unit => ({
    ...{ terms: [concept], plain: [], written: "", kind: "concept", subject: false },
  }))
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
    const isPlaces = name.some(({ place }) => place !== undefined) &&
      name.every(({ term, place }) => place !== undefined || generic.has(term)) &&
      !(name.length > 1 && name.some(({ term }) => compoundWords.has(term)))
    if (isPlaces) name.forEach((word) => runs.push({ words: [word], name: true }))
    else if (name.length > 0) runs.push({ words: name, name: true })
    name = []
  }
  for (const [place, word] of words.entries()) {
    const isName = !isTitle && word.capitalised && isInformative(word.term)
    // "Strait of Hormuz" is one name.
    const isInside = word.plain === "of" && word.follows && name.length > 0 &&
      words[place + 1]?.capitalised === true && words[place + 1]?.follows === true
    if (isInside) continue
    if (!isName || !word.follows) close()
    if (isName) name.push(word)
    else runs.push({ words: [word], name: false })
  }
  close()
  return runs
}

export function isTitleCase(words: ReadonlyArray<Word>): boolean {
  const capitals = words.filter(({ capitalised }) => capitalised).length
  return words.length > 3 && capitals > titleCaseShare * words.length
}

/** Places that are names of people as well. */
const personPlaces: ReadonlySet<string> = new Set([
  ...["jordan", "georgia", "chad", "paris", "sydney", "austin", "sofia", "dallas", "houston"],
])

/**
 * The places that a text is about. One before another name is part of it ("Atlanta Braves"); in title case
 * it cannot be known and counts.
 */
export function placesIn(words: ReadonlyArray<Word>): ReadonlySet<string> {
  const isTitle = isTitleCase(words)
  const isName = (word: Word | undefined): word is Word =>
    word !== undefined && word.capitalised && word.place === undefined &&
    isInformative(word.term) && (!generic.has(word.term) || compoundWords.has(word.term))
  const found = new Set<string>()
  words.forEach((word, number) => {
    const { place } = word
    const [before, next] = [words[number - 1], words[number + 1]]
    if (place === undefined) return
    const isPart = isName(next) && next.follows ||
      personPlaces.has(place.term) && word.follows && isName(before)
    if (isTitle || !isPart) found.add(place.term)
  })
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
    return [...new Set((kept.length > 0 ? kept : words).map(({ plain }) => plain))]
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

/** A number that distinguishes two things of one name. */
const edition = /^\d{1,3}$/

/**
 * What distinguishes things of one name: for each kind of agreement, law or prize the word before it
 * (`border` of "border accord"), and for each name the number after it (`6` of "GPT-6").
 */
export function qualifiersOf(words: ReadonlyArray<Word>): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  words.forEach(({ term, follows, written }, number) => {
    const head = qualified.get(term)
    const before = words[number - 1]
    if (before === undefined || !follows) return
    if (edition.test(written) && before.capitalised && isInformative(before.term)) {
      found.set(before.plain, (found.get(before.plain) ?? new Set()).add(term))
    }
    if (head === undefined) return
    if (before.place !== undefined) return
    if (!isInformative(before.term) && before.term !== "world") return
    if (noQualifier.has(before.term)) return
    found.set(head, (found.get(head) ?? new Set()).add(before.term))
  })
  return found
}
