/**
 * The words of a headline or a question, in one spelling each, and which of them say nothing of what
 * it is about.
 *
 * @module
 */

/** A word in the spelling it is compared in, and whether it was written like a name. */
export interface Word {
  readonly term: string
  readonly written: string
  readonly capitalised: boolean
  /** Stands right after the word before it, with a space or a hyphen between. */
  readonly follows: boolean
}

/** Words of one text that are looked at: all that a title of the greatest length can hold. */
export const wordsMax = 150

/** One thing under two names that headlines use by turns. */
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
    // U.S. is one word, and so is 100,000; what belongs to somebody is told by his name.
    .replace(/\b(?:\p{Lu}\.){2,}/gu, (initials) => `${initials.replaceAll(".", "")} `)
    .replace(/(\d),(?=\d{3})/g, "$1")
    .replace(/['’]s\b/gi, "")
  const named = aliases.reduce((text, [long, short]) => text.replace(long, short), plain)
  let end = -1
  for (const match of named.matchAll(/\p{N}+(?:\.\p{N}+)?|[\p{L}\p{N}]+/gu)) {
    if (words.length === wordsMax) break
    const [written] = match
    const between = end < 0 ? "" : named.slice(end, match.index)
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

const said = `
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

/** Words that every market has, whatever it is about. */
const asked = `
  win winner won winning happen announce announced reach hit end ended ending start begin beginning
  high higher highest low lower lowest greater fewer exactly total market price close closed yes
  outcome other any occur official officially least most first second third top end big large
  january february march april june july august september october november december
  jan feb mar apr jun jul aug sep sept oct nov dec
  monday tuesday wednesday thursday friday saturday sunday am pm et utc est
`

/** In the spelling they are compared in. */
const empty: ReadonlySet<string> = new Set(
  `${said} ${asked}`.trim().split(/\s+/).flatMap((word) => [word, termOf(word)]),
)

/** Whether a term says what a text is about. A single letter does not, nor a small number, nor a year. */
export function isInformative(term: string): boolean {
  return !empty.has(term) && !/^\p{L}$|^\p{N}{1,2}$|^20\p{N}{2}$/u.test(term)
}
