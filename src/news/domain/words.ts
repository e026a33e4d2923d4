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
  [/\bUnited States(?: of America)?\b/g, "US"],
  [/\bUnited Nations\b/g, "UN"],
  [/\bUnited Kingdom\b/g, "UK"],
  [/\bEuropean Union\b/g, "EU"],
  [/\b(?:US )?Federal Reserve\b|\bFOMC\b/g, "Fed"],
  [/\bEuropean Central Bank\b/g, "ECB"],
  [/\bBank of England\b/g, "BoE"],
  [/\bBank of Japan\b/g, "BoJ"],
  [/\bBTC\b/g, "Bitcoin"],
  [/\bETH\b|\b[Ee]ther\b/g, "Ethereum"],
  [/\bGOP\b/g, "Republicans"],
  [/\bDemocratic\b/g, "Democrat"],
  [/(?<!\d ?)\bPM\b/g, "Prime Minister"],
  [/\b[Cc]onsumer [Pp]rices?\b|\bCPI\b/g, "inflation"],
  [/\b[Cc]ease-fire\b/g, "ceasefire"],
  [/\b[Hh]alf[ -][Tt]ime\b/g, "halftime"],
  [/\b([Ss]emi|[Qq]uarter)[ -][Ff]inals?\b/g, "$1final"],
]
const anyAlias = new RegExp(aliases.map(([long]) => long.source).join("|"))

/** Words for what is of a country, each before its country. */
const ofCountries: ReadonlyMap<string, string> = new Map(
  `american us; british uk; french france; german germany; spanish spain; dutch netherlands; greek greece;
  italian italy; portuguese portugal; polish poland; czech czechia; hungarian hungary; danish denmark;
  swedish sweden; norwegian norway; finnish finland; swiss switzerland; turkish turkey; russian russia;
  ukrainian ukraine; israeli israel; iranian iran; iraqi iraq; indian india; chinese china; japanese japan;
  korean korea; brazilian brazil; argentine argentina; chilean chile; mexican mexico; canadian canada;
  colombian colombia; peruvian peru; venezuelan venezuela; kenyan kenya; egyptian egypt; nigerian nigeria;
  australian australia; irish ireland; scottish scotland; welsh wales; romanian romania; serbian serbia`
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

/** Texts that `rememberedWords` remembers: twice the headlines of an index. */
const rememberedMax = 8_000

/** `wordsOf` that remembers: the words of one title are needed several times while an index is built. */
export function rememberedWords(): typeof wordsOf {
  const known = new Map<string, ReadonlyArray<Word>>()
  return (text) => {
    const words = known.get(text) ?? wordsOf(text)
    if (known.size < rememberedMax) known.set(text, words)
    return words
  }
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
  you your jr sr
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
  `${stopWords} ${marketWords}`.trim().split(/\s+/).flatMap((word) => [word, singular(word)]),
)

/** Whether a term identifies a subject. A single letter, a small number or a year does not. */
export function isInformative(term: string): boolean {
  return !uninformative.has(term) && !/^\p{L}$|^\p{N}{1,2}$|^20\p{N}{2}$/u.test(term)
}
