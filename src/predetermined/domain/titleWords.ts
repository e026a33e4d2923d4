/**
 * The words of a headline or a question with their place: the clause, the numbers with their unit, the
 * scores and the dates. English only.
 *
 * @module
 */
import { joinedPlaces, type Place, placeOf } from "../../news/domain/places.ts"

/** The unit of a number; empty for a plain count. */
export type Unit = "" | "$" | "%" | "°"

export interface Token {
  /** Lower case, without accents and without a possessive; of a place its name (`Chilean`: `chile`). */
  readonly word: string
  readonly place: Place | null
  readonly isCapital: boolean
  /** Counts from 0; a comma, a colon, a dash or a word such as `after` starts a new one. */
  readonly clause: number
  readonly number: { readonly value: number; readonly unit: Unit } | null
  /** The two figures of a score, the greater first. */
  readonly score: readonly [number, number] | null
}

export interface NamedDate {
  /** 1 to 12. */
  readonly month: number
  readonly day: number | null
  readonly year: number | null
  /** Whether `by`, `before` or a similar word makes it a last date. */
  readonly isDeadline: boolean
}

export interface TitleText {
  /** Without the words of dates. */
  readonly tokens: ReadonlyArray<Token>
  readonly dates: ReadonlyArray<NamedDate>
  readonly years: ReadonlyArray<number>
  /** 0 for Sunday. */
  readonly weekdays: ReadonlyArray<number>
  /** Whether nearly every word has a capital, so that capitals mark no names. */
  readonly isTitleCase: boolean
}

/** Words read of one text. */
const wordsMax = 120

const monthNames = [
  ...["january", "february", "march", "april", "may", "june", "july", "august", "september"],
  ...["october", "november", "december"],
]
const weekdayNames = [
  ...["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"],
]
const clauseWords: ReadonlySet<string> = new Set([
  ...["after", "as", "while", "but", "amid", "despite", "though", "although", "because", "since"],
])
/** A month that is also an ordinary word needs one of these before it, or a number next to it. */
const dateWords: ReadonlySet<string> = new Set([
  ...["in", "by", "on", "of", "for", "before", "until", "late", "early", "since", "through", "end"],
])
const deadlineWords: ReadonlySet<string> = new Set([
  ...["by", "before", "until", "through", "end"],
])
const multipliers: Readonly<Record<string, number>> = {
  ...{ k: 1e3, thousand: 1e3, m: 1e6, mn: 1e6, million: 1e6, b: 1e9, bn: 1e9, billion: 1e9 },
}

/** Several words that mean one verb of `eventVerbs.ts`. */
const phrases: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b(?:steps|stepped|step|stands|stand) down\b/gi, "resigns"],
  [/\bleaves office\b|\bleft office\b/gi, "resigns"],
  [/\b(?:voted|votes|vote) down\b/gi, "rejected"],
  [/\b(?:knocked|knock|knocks|dumped) out\b/gi, "eliminated"],
  [
    /\b(?:crash|crashes|crashed|bow|bows|bowed|miss|misses|missed|lose|loses|lost) out(?: on)?\b/gi,
    "loses",
  ],
  [/\b(?:finish|finishes|finished|come|comes|came|rank|ranks|ranked) first\b/gi, "tops"],
  [/\b(?:declared|named|confirmed|proclaimed)(?: the)?(?: as)? (?:the )?winner\b/gi, "wins"],
  [/\bbasis points?\b/gi, "bps"],
  [/\bquarter-? ?finals?\b/gi, "quarterfinal"],
  [/\btouch(?:es|ed)? down\b/gi, "lands"],
  [/\b(?:cruise|ease|breeze|get|sweep)s? past\b|\bsees? off\b/gi, "beat"],
  [/\b(?:votes?|voted|pushe[sd]) through\b/gi, "passes"],
  [
    /\b(?:leaves?|left) (rates|rate|policy|them|interest rates)(?= unchanged| steady| on hold)/gi,
    "keeps $1",
  ],
  [/\b(?:takes?|took) effect\b|\b(?:comes?|came|goes|went) into (?:effect|force)\b/gi, "concluded"],
  [/\bstr(?:ike|ikes|uck) down\b/gi, "overturned"],
  [/\b(?:falls?|fell|falling) short(?: of)?\b/gi, "did not reach"],
  [/\bfound guilty\b/gi, "convicted"],
  [/\bfinds? ((?:\p{L}+ ){1,3})guilty\b/giu, "convicts $1"],
  [/\bcomplet(?:e|es|ed) (?:the )?(?:purchase|acquisition|takeover) of\b/gi, "acquires"],
  [/\b(?:fall|falls|fell|go down|went down) to (?=\p{Lu})/gu, "lose to "],
]

const pattern =
  /(\d{4})-(\d{2})-(\d{2})|(?<![\p{L}\p{N}.])(\d{1,3})[-–](\d{1,3})(?![\p{L}\p{N}.-])|([$€£]?)(\d[\d,]*(?:\.\d+)?) ?(%|° ?[CF]?\b|°|percent\b|degrees\b)?(?:(k|m|mn|bn|b|thousand|million|billion)\b)?|\p{L}[\p{L}\p{N}]*/giu

/** The text with one verb of `eventVerbs.ts` in place of several words. */
export function withPlainVerbs(text: string): string {
  return phrases.reduce((found, [phrase, verb]) => found.replace(phrase, verb), text)
}

interface Raw extends Token {
  readonly iso: NamedDate | null
}

export function titleText(text: string): TitleText {
  const raw = rawTokens(text)
  const isDate = new Set<number>()
  const dates = raw.flatMap(({ iso }, n): ReadonlyArray<NamedDate> => {
    const found = iso ?? monthAt(raw, n, isDate)
    if (iso !== null) isDate.add(n)
    return found === null ? [] : [found]
  })
  const tokens: Array<Token> = []
  const years: Array<number> = []
  const weekdays: Array<number> = []
  for (const [n, token] of raw.entries()) {
    if (isDate.has(n)) continue
    const weekday = token.isCapital ? weekdayNames.indexOf(token.word) : -1
    if (isYear(token)) years.push(token.number?.value ?? 0)
    else if (weekday >= 0) weekdays.push(weekday)
    else tokens.push(token)
  }
  const words = tokens.filter(({ word, number }) => number === null && word.length > 3)
  const capitals = words.filter(({ isCapital }) => isCapital).length
  return {
    ...{ tokens, dates, weekdays },
    years: [...years, ...dates.flatMap(({ year }) => year === null ? [] : [year])],
    isTitleCase: words.length > 4 && capitals > 0.85 * words.length,
  }
}

function isYear({ number }: Token): boolean {
  return number !== null && number.unit === "" && Number.isInteger(number.value) &&
    number.value >= 1900 && number.value < 2100
}

function rawTokens(text: string): ReadonlyArray<Raw> {
  const plain = withPlainVerbs(
    joinedPlaces(
      text.normalize("NFKD").replace(/\b(?:\p{Lu}\.){2,}/gu, (of) => of.replaceAll(".", "")),
    ).replace(/\p{M}+/gu, "").replace(/n['’]t\b/gi, " not")
      .replace(/['’]s?(?!\p{L})/giu, ""),
  )
  const tokens: Array<Raw> = []
  let [clause, end] = [0, 0]
  for (const match of plain.matchAll(pattern)) {
    if (tokens.length === wordsMax) break
    const [written, year, month, day, more, less, sign, digits, unit, multiplier] = match
    const place = placeOf(written) ?? null
    const word = place?.term ?? written.trim().toLowerCase()
    const between = plain.slice(end, match.index)
    if (/[,;:|()–—]|\s-\s/.test(between) || clauseWords.has(word)) clause += 1
    end = match.index + written.length
    const value = Number(digits?.replaceAll(",", "")) *
      (multipliers[multiplier?.toLowerCase() ?? ""] ?? 1)
    const [a, b] = [Number(more), Number(less)]
    tokens.push({
      ...{ word, place, clause },
      isCapital: /^\p{Lu}/u.test(written),
      number: digits === undefined ? null : { value, unit: unitOf(sign ?? "", unit ?? "") },
      score: more === undefined ? null : [Math.max(a, b), Math.min(a, b)],
      iso: year === undefined ? null : {
        ...{ year: Number(year), month: Number(month), day: Number(day) },
        isDeadline: deadlineWords.has(tokens.at(-1)?.word ?? ""),
      },
    })
  }
  return tokens
}

function unitOf(sign: string, unit: string): Unit {
  if (sign !== "") return "$"
  const lower = unit.toLowerCase()
  return lower === "%" || lower === "percent" ? "%" : lower === "" ? "" : "°"
}

/** The date whose month is the n-th token; its tokens are added to `isDate`. */
function monthAt(raw: ReadonlyArray<Raw>, n: number, isDate: Set<number>): NamedDate | null {
  const token = raw[n]
  if (token === undefined || !token.isCapital || token.word.length < 3) return null
  const index = monthNames.findIndex((name) =>
    name === token.word || token.word === "sept" && name === "september" ||
    token.word === name.slice(0, 3)
  )
  if (index < 0) return null
  const dayOf = (at: number): number | null => {
    const value = raw[at]?.number
    return value?.unit === "" && Number.isInteger(value.value) && value.value >= 1 &&
        value.value <= 31
      ? value.value
      : null
  }
  const [before, after] = [dayOf(n - 1), dayOf(n + 1)]
  const dayAt = after !== null ? n + 1 : before !== null ? n - 1 : null
  const yearAt = [n + 1, n + 2].find((at) => raw[at] !== undefined && isYear(raw[at]))
  const first = dayAt === n - 1 ? n - 1 : n
  const word = (at: number) => raw[at]?.word ?? ""
  const isWord = ["march", "may", "mar", "dec", "jan"].includes(token.word)
  if (isWord && dayAt === null && yearAt === undefined && !dateWords.has(word(first - 1))) {
    return null
  }
  for (const at of [n, dayAt, yearAt]) if (typeof at === "number") isDate.add(at)
  const lead = word(first - 1) === "the" ? first - 2 : first - 1
  return {
    month: index + 1,
    day: after ?? before,
    year: yearAt === undefined ? null : raw[yearAt]?.number?.value ?? null,
    isDeadline: deadlineWords.has(word(lead)) ||
      word(lead) === "of" && deadlineWords.has(word(lead - 1)),
  }
}
