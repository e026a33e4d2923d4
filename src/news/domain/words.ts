/**
 * Splits a headline or a question into normalized words, and marks those that carry no information
 * about its subject.
 *
 * @module
 */

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

/** Long and short names of one thing. */
const aliases: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bUnited States\b/g, "US"],
  [/\bUnited Kingdom\b/g, "UK"],
  [/\bEuropean Union\b/g, "EU"],
  [/\bFederal Reserve\b/g, "Fed"],
]

/** The words of a text, in order, at most `wordsMax`. */
export function wordsOf(text: string): ReadonlyArray<Word> {
  const words: Array<Word> = []
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "")
    // "U.S." is one word, and so is "100,000"; a possessive "'s" is dropped.
    .replace(/\b(?:\p{Lu}\.){2,}/gu, (initials) => `${initials.replaceAll(".", "")} `)
    .replace(/(\d),(?=\d{3})/g, "$1")
    .replace(/['’]s\b/gi, "")
  const shortened = aliases.reduce((text, [long, short]) => text.replace(long, short), plain)
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

/** Lower case, without the ending of a plural. */
function termOf(written: string): string {
  if (written === "US") return "usa"
  const lower = written.toLowerCase()
  if (lower.length < 4 || !/[^siu]s$/.test(lower)) return lower
  return lower.length > 4 && lower.endsWith("ies") ? `${lower.slice(0, -3)}y` : lower.slice(0, -1)
}

const stopWords = `
  a about above after again against all almost also although am amid among an and another any are
  around as at away back be became because become been before behind being below between both but by
  can cannot could day did do does doing done down during each either else even ever every few for
  from further get give go going had has have having he her here hers him his how however i if in
  into is it its itself just keep last least less let like made make many may me might mine more most
  much must my near never new next no nor not now of off often on once one only onto or other our out
  over own per put rather say saying said see set she should since so some still such take than that
  the their them then there these they thing this those though through to today together tomorrow
  tonight too toward two under until up upon us use very via vs versus was way we week well were what
  when where whether which while who whom whose why will with within without would year yesterday yet
  you your
  know live look need seem show tell think try want work come call ask turn find amount number part
  time thing man men people world news report latest update watch video photo
`

/** Words that occur in the questions of any market. */
const marketWords = `
  win winner won winning happen announce announced reach hit end ended ending start begin beginning
  high higher highest low lower lowest greater fewer exactly total market price close closed yes
  outcome other any occur official officially least most first second third top end big large
  january february march april june july august september october november december
  jan feb mar apr jun jul aug sep sept oct nov dec
  monday tuesday wednesday thursday friday saturday sunday am pm et utc est
`

const uninformative: ReadonlySet<string> = new Set(
  `${stopWords} ${marketWords}`.trim().split(/\s+/).flatMap((word) => [word, termOf(word)]),
)

/** Whether a term identifies a subject. A single letter, a small number or a year does not. */
export function isInformative(term: string): boolean {
  return !uninformative.has(term) && !/^\p{L}$|^\p{N}{1,2}$|^20\p{N}{2}$/u.test(term)
}
