/**
 * Splits a headline or a question into normalized words, and marks those that carry no information
 * about its subject.
 *
 * @module
 */
import vocabulary from "./vocabulary.json" with { type: "json" }

export interface Word {
  /** The normalized form, for comparison. */
  readonly term: string
  readonly written: string
  readonly capitalised: boolean
  /** Only a space or a hyphen separates it from the previous word. */
  readonly follows: boolean
}

/** Words read of one text; the longest title cannot have more. */
export const wordsMax = 150

/** Patterns with their flags, and what replaces them. */
function replacementsOf(
  rows: ReadonlyArray<ReadonlyArray<string>>,
): ReadonlyArray<readonly [RegExp, string]> {
  return rows.map(([pattern = "", flags, text = ""]) => [new RegExp(pattern, flags), text])
}

/** Long and short names of one thing. */
const aliases = replacementsOf(vocabulary.aliases)
const anyAlias = new RegExp(aliases.map(([long]) => long.source).join("|"))

/** Words for what is of a country, each before its country. */
const ofCountries: ReadonlyMap<string, string> = new Map(
  vocabulary.countries
    .split(";").map((pair): [string, string] => {
      const [adjective = "", country = ""] = pair.trim().split(" ")
      return [adjective, country]
    }),
)

/** The words of a text, in order, at most `wordsMax`. */
export function wordsOf(text: string): ReadonlyArray<Word> {
  const words: Array<Word> = []
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "")
    // "U.S." is one word, and so is "100,000"; a possessive "'s" is dropped.
    .replace(/\b(?:\p{Lu}\.){2,}/gu, (initials) => `${initials.replaceAll(".", "")} `)
    .replace(/(\d),(?=\d{3})/g, "$1")
    .replace(/['’]s\b/gi, "")
  // Most texts have no alias, and one test of all is faster than each replacement.
  const shortened = anyAlias.test(plain)
    ? aliases.reduce((text, [long, short]) => text.replace(long, short), plain)
    : plain
  let end = -1
  for (const match of shortened.matchAll(/\p{N}+(?:\.\p{N}+)?|[\p{L}\p{N}]+/gu)) {
    if (words.length === wordsMax) break
    const [written] = match
    const between = end < 0 ? "" : shortened.slice(end, match.index)
    words.push({
      term: termOf(written),
      written,
      capitalised: /^\p{Lu}/u.test(written),
      follows: between === " " || between === "-",
    })
    end = match.index + written.length
  }
  return words
}

/** Lower case, without the ending of a plural or of a form of a verb. */
function termOf(written: string): string {
  const lower = written.toLowerCase()
  const country = ofCountries.get(lower) ?? ofCountries.get(singular(lower))
  if (country !== undefined) return country
  const single = singular(lower)
  if (uninformative.has(lower) || uninformative.has(single)) return single
  const stem = stemOf(single)
  return uninformative.has(stem) ? single : stem
}

function singular(lower: string): string {
  if (lower.length < 4 || !/[^siu]s$/.test(lower)) return lower
  return lower.length > 4 && lower.endsWith("ies") ? `${lower.slice(0, -3)}y` : lower.slice(0, -1)
}

/** "traded", "trading" and "trade" become "trad"; the result is for comparison only. */
function stemOf(word: string): string {
  const base = word.length >= 6 && (word.endsWith("ed") || word.endsWith("ing")) &&
      /^\p{L}*[aeiouy]\p{L}*(?:ed|ing)$/u.test(word)
    ? word.replace(/(?:ed|ing)$/, "").replace(/([b-df-hjkmnp-rtvwx])\1$/, "$1")
    : word
  return base.length >= 5 && base.endsWith("e") ? base.slice(0, -1) : base
}

/** Words without a subject of their own, and words of any market's question. */
const uninformative: ReadonlySet<string> = new Set(
  `${vocabulary.stopWords} ${vocabulary.marketWords}`.split(" ").flatMap((
    word,
  ) => [word, singular(word)]),
)

/** Whether a term identifies a subject. A single letter, a small number or a year does not. */
export function isInformative(term: string): boolean {
  return !uninformative.has(term) && !/^\p{L}$|^\p{N}{1,2}$|^20\p{N}{2}$/u.test(term)
}

/** One spelling of what two words or a sign say. */
const spellings = replacementsOf(vocabulary.spellings)
const ordinals = "zero first second third fourth fifth sixth seventh eighth".split(" ")
const cardinals = "zero one two three four five six seven".split(" ")

/** `wordsOf` with small numbers as digits and some verbs of two words as one: "first half" and "1st half" are one. */
export function tokensOf(text: string): ReadonlyArray<Word> {
  return wordsOf(withSpellings(text)).map((word) => {
    const counted = Math.max(ordinals.indexOf(word.term), cardinals.indexOf(word.term))
    return counted < 0 ? word : { ...word, term: `${counted}` }
  })
}

export function withSpellings(text: string): string {
  return spellings.reduce((left, [from, to]) => left.replace(from, to), text)
}

export function termsOf(text: string): ReadonlyArray<string> {
  return tokensOf(text).map(({ term }) => term)
}
