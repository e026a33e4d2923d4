/**
 * What a title says, prepared for comparison: its terms, its names and their neighbours, its places and
 * periods.
 *
 * @module
 */
import { type Periods, periodsOf } from "./periods.ts"
import { generic, isTitleCase, placesIn, qualifiersOf } from "./subject.ts"
import { isInformative, type Word } from "./words.ts"

export interface TitleFacts {
  readonly terms: ReadonlySet<string>
  /** The words that are written with a capital, with their endings. */
  readonly names: ReadonlySet<string>
  /** All words with their endings. */
  readonly plain: ReadonlySet<string>
  /** The capitalised words next to each name, in a title that is not in title case. */
  readonly neighbours: ReadonlyMap<string, ReadonlyArray<string>>
  /** For each concept the terms that are words for it. */
  readonly concepts: ReadonlyMap<string, ReadonlySet<string>>
  readonly places: ReadonlySet<string>
  readonly periods: Periods
  readonly qualifiers: ReadonlyMap<string, ReadonlySet<string>>
}

/**
 * The terms of a text, with the places that its places are part of, and its concepts. The United States
 * are left out: a story from one of their states is seldom about the country.
 */
export function termsOf(words: ReadonlyArray<Word>): ReadonlySet<string> {
  return new Set(
    words.flatMap(({ term, place, concepts }) => [
      term,
      ...place?.within.filter((outer) => outer !== "usa") ?? [],
      ...concepts,
    ]),
  )
}

export function factsOf(title: string, words: ReadonlyArray<Word>): TitleFacts {
  const names = words.filter(({ capitalised, written }) => capitalised || /^\p{N}/u.test(written))
  const concepts = new Map<string, Set<string>>()
  for (const word of words) {
    for (const concept of word.concepts) {
      concepts.set(concept, (concepts.get(concept) ?? new Set()).add(word.term))
    }
  }
  return {
    terms: termsOf(words),
    names: new Set(names.map(({ plain }) => plain)),
    plain: new Set(words.map(({ plain }) => plain)),
    neighbours: neighboursOf(words),
    concepts,
    places: placesIn(words),
    periods: periodsOf(title, "with"),
    qualifiers: qualifiersOf(words),
  }
}

/** The capitalised words directly before and after each capitalised word, offices left out. */
function neighboursOf(words: ReadonlyArray<Word>): ReadonlyMap<string, ReadonlyArray<string>> {
  const found = new Map<string, ReadonlyArray<string>>()
  if (isTitleCase(words)) return found
  const isName = (word: Word | undefined): word is Word =>
    word !== undefined && word.capitalised && word.place === undefined && !generic.has(word.term) &&
    isInformative(word.term)
  words.forEach((word, place) => {
    const next = words[place + 1]
    if (!isName(word) || !isName(next) || !next.follows) return
    found.set(word.plain, [...found.get(word.plain) ?? [], next.plain])
    found.set(next.plain, [...found.get(next.plain) ?? [], word.plain])
  })
  return found
}
