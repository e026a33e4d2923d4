/**
 * The figures of a claim, in digits and in words: `0.345`, `34.5 cents`, `an hour`, `three outlets`,
 * `Nov 22`.
 *
 * @module
 */
import { day, hour, minute } from "../../../core/domain/time.ts"
import type { Token } from "./tokens.ts"

export type Unit =
  | "bare"
  | "cents"
  | "percent"
  | "points"
  | "usd"
  | "clock"
  | "date"
  | "duration"
  | "deviations"
  | "times"
  | "ordinal"
  | "degrees"

export interface Figure {
  /** The positions of its first and last token. */
  readonly first: number
  readonly last: number
  readonly unit: Unit
  /** In its unit; a date is month * 100 + day, a clock is minutes of the day, a duration is in ms. */
  readonly value: number
  /** The smallest step of the digits as written: 0.01 for `0.35`, 1000 for `12,000`. */
  readonly step: number
  readonly sign: -1 | 0 | 1
  /** Whether a word marks it as rounded: `about`, `nearly`. */
  readonly approximate: boolean
  /** Whether it is written as a word: `three`, `an hour`. */
  readonly inWords: boolean
  readonly text: string
}

const small = wordNumbers(
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
  (n) => n,
)
const tens = wordNumbers(
  "twenty thirty forty fifty sixty seventy eighty ninety",
  (n) => 20 + 10 * n,
)
const scales: ReadonlyMap<string, number> = new Map([
  ["hundred", 100],
  ["thousand", 1_000],
  ["million", 1_000_000],
  ["billion", 1_000_000_000],
  ["k", 1_000],
  ["m", 1_000_000],
  ["dozen", 12],
])
const months = wordNumbers("jan feb mar apr may jun jul aug sep oct nov dec", (n) => n + 1)

const durationUnits: ReadonlyMap<string, number> = new Map([
  ...["second", "seconds", "sec"].map((unit) => [unit, 1_000] as const),
  ...["minute", "minutes", "min", "mins"].map((unit) => [unit, minute] as const),
  ...["hour", "hours", "h", "hr", "hrs"].map((unit) => [unit, hour] as const),
  ...["day", "days", "d"].map((unit) => [unit, day] as const),
  ...["week", "weeks"].map((unit) => [unit, 7 * day] as const),
  ...["month", "months"].map((unit) => [unit, 30 * day] as const),
  ...["year", "years"].map((unit) => [unit, 365 * day] as const),
])

const units: ReadonlyMap<string, Unit> = new Map<string, Unit>([
  ...["cent", "cents", "¢", "c"].map((unit) => [unit, "cents"] as const),
  ...["percent", "%"].map((unit) => [unit, "percent"] as const),
  ...["point", "points", "pts", "pp"].map((unit) => [unit, "points"] as const),
  ...["usd", "dollar", "dollars", "usdc"].map((unit) => [unit, "usd"] as const),
  ...["sigma", "sigmas", "σ"].map((unit) => [unit, "deviations"] as const),
  ...["times", "x", "fold"].map((unit) => [unit, "times"] as const),
])

const approximations: ReadonlySet<string> = new Set([
  ...["about", "roughly", "around", "approximately", "nearly", "almost", "some", "circa", "close"],
  ...["over", "under", "above", "below", "more", "less", "~", "≈", "approx", "just"],
])

function wordNumbers(words: string, value: (n: number) => number): ReadonlyMap<string, number> {
  return new Map(words.split(" ").map((word, n) => [word, value(n)]))
}

/** The month of a word, 1..12: `Nov`, `November`. */
export function monthOf(lower: string): number | undefined {
  const month = months.get(lower.slice(0, 3))
  const full =
    /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/
  return full.test(lower) ? month : undefined
}

/** All figures of a claim, in order. Names are not read. */
export function figuresOf(tokens: ReadonlyArray<Token>): ReadonlyArray<Figure> {
  const figures: Array<Figure> = []
  let at = 0
  while (at < tokens.length) {
    const figure = figureAt(tokens, at)
    if (figure !== null) figures.push(figure)
    at = figure === null ? at + 1 : figure.last + 1
  }
  return figures.map((figure, n) => withUnitOf(figure, figures[n + 1], tokens))
}

/** `from 34.5 to 48.5 cents`: the first of two numbers has the unit of the second. */
function withUnitOf(
  figure: Figure,
  next: Figure | undefined,
  tokens: ReadonlyArray<Token>,
): Figure {
  const isPair = next !== undefined && figure.unit === "bare" && figure.value > 1 &&
    /^(?:cents|percent|points)$/.test(next.unit) && next.first === figure.last + 2 &&
    /^(?:to|and|or|-|–)$/u.test(tokens[figure.last + 1]?.lower ?? "")
  return isPair ? { ...figure, unit: next.unit } : figure
}

function figureAt(tokens: ReadonlyArray<Token>, at: number): Figure | null {
  const token = tokens[at]
  if (token === undefined || token.kind === "name" || token.kind === "mark") return null
  return dateAt(tokens, at) ??
    (token.kind === "number" ? numeralAt(tokens, at) : wordNumberAt(tokens, at))
}

const plain = { sign: 0, approximate: false, inWords: false } as const

/** `Nov 22`, `22 November`, `2026-11-22`. */
function dateAt(tokens: ReadonlyArray<Token>, at: number): Figure | null {
  const [first = "", second = ""] = [tokens[at]?.lower, tokens[at + 1]?.lower]
  const iso = /^\d{4}-(\d{2})-(\d{2})$/.exec(first)
  const date = (month: number, ofMonth: number, last: number): Figure => ({
    ...{ ...plain, first: at, last, unit: "date", step: 1 },
    value: month * 100 + ofMonth,
    text: textBetween(tokens, at, last),
  })
  if (iso !== null) return date(Number(iso[1]), Number(iso[2]), at)
  const ofMonth = (text: string) => /^(?:[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?$/.test(text)
  const [monthFirst, monthSecond] = [monthOf(first), monthOf(second)]
  if (monthFirst !== undefined && ofMonth(second)) return date(monthFirst, parseInt(second), at + 1)
  if (ofMonth(first) && monthSecond !== undefined && /^\p{Lu}/u.test(tokens[at + 1]?.text ?? "")) {
    return date(monthSecond, parseInt(first), at + 1)
  }
  return null
}

function numeralAt(tokens: ReadonlyArray<Token>, at: number): Figure | null {
  const text = tokens[at]?.text ?? ""
  const clock = /^(\d{1,2}):(\d{2})/.exec(text)
  if (clock !== null) {
    const last = tokens[at + 1]?.text === "UTC" ? at + 1 : at
    const value = Number(clock[1]) * 60 + Number(clock[2])
    return {
      ...{ ...plain, first: at, last, unit: "clock", value, step: 1 },
      text: textBetween(tokens, at, last),
    }
  }
  const parts = /^(\$?)([\d,]+(?:\.(\d+))?)(.*)$/u.exec(text)
  if (parts === null) return null
  const [, dollar = "", digits = "", decimals = "", suffix = ""] = parts
  const scale = scales.get(suffix.toLowerCase()) ?? 1
  const value = Number(digits.replaceAll(",", "")) * scale
  const step = decimals === ""
    ? scale * 10 ** (/0*$/.exec(digits.replaceAll(",", ""))?.[0].length ?? 0)
    : scale * 10 ** -decimals.length
  const unit: Unit = dollar === "$" ? "usd" : unitOfSuffix(suffix)
  return withUnit(tokens, { ...plain, first: at, last: at, unit, value, step, text })
}

function unitOfSuffix(suffix: string): Unit {
  if (suffix === "%") return "percent"
  if (suffix === "¢") return "cents"
  if (suffix.startsWith("°")) return "degrees"
  if (suffix === "x") return "times"
  return /^(?:st|nd|rd|th)$/.test(suffix) ? "ordinal" : "bare"
}

/** `three`, `twenty-six`, `a hundred`, `an hour`. */
function wordNumberAt(tokens: ReadonlyArray<Token>, at: number): Figure | null {
  const word = tokens[at]?.lower ?? ""
  const next = tokens[at + 1]?.lower ?? ""
  const inWords = { ...plain, inWords: true, first: at, step: 1 }
  // `a second report` is no duration.
  const isOne = (word === "a" || word === "an") && next !== "second"
  if (
    isOne && (durationUnits.has(next) && next.length > 1 && !next.endsWith("s") || next === "cent")
  ) {
    return withUnit(tokens, { ...inWords, last: at, unit: "bare", value: 1, text: word })
  }
  if (isOne && scales.has(next) && next.length > 1) {
    return withUnit(tokens, {
      ...{ ...inWords, last: at + 1, unit: "bare", text: `${word} ${next}` },
      value: scales.get(next) ?? 1,
    })
  }
  const ten = tens.get(word)
  const unit = small.get(word)
  if (ten === undefined && unit === undefined) return null
  let [value, last] = [ten ?? unit ?? 0, at]
  const hyphen = next === "-" && tokens[at + 1]?.joined === true
  const rest = small.get(tokens[at + (hyphen ? 2 : 1)]?.lower ?? "")
  if (ten !== undefined && rest !== undefined && rest > 0 && rest < 10) {
    value += rest
    last = at + (hyphen ? 2 : 1)
  }
  const scale = scales.get(tokens[last + 1]?.lower ?? "")
  if (scale !== undefined && (tokens[last + 1]?.text.length ?? 0) > 1) {
    value *= scale
    last++
  }
  const text = textBetween(tokens, at, last)
  return withUnit(tokens, { ...inWords, last, unit: "bare", value, text })
}

/** Reads the unit after a number and the sign and the approximation before it. */
function withUnit(tokens: ReadonlyArray<Token>, figure: Figure): Figure {
  const signed = { ...figure, ...before(tokens, figure.first) }
  const hyphen = tokens[figure.last + 1]?.text === "-" && tokens[figure.last + 1]?.joined === true
  const at = figure.last + (hyphen ? 2 : 1)
  const [word = "", next = ""] = [tokens[at]?.lower, tokens[at + 1]?.lower]
  const to = (unit: Unit, last: number, factor: number = 1): Figure => ({
    ...{ ...signed, unit, last, value: figure.value * factor, step: figure.step * factor },
    text: textBetween(tokens, figure.first, last),
  })
  // `(+27.5 cents) and (-22.6)`: a signed number over 1 can only be cents.
  if (
    signed.sign !== 0 && signed.unit === "bare" && signed.value > 1 && units.get(word) === undefined
  ) {
    return to("cents", figure.last)
  }
  if (signed.unit !== "bare" && signed.unit !== "percent" && signed.unit !== "usd") return signed
  if (scales.has(word) && signed.unit !== "percent") {
    return withUnit(tokens, to(signed.unit, at, scales.get(word)))
  }
  if (signed.unit === "usd") return signed
  if ((word === "percentage" || signed.unit === "percent") && /^points?$/.test(next)) {
    return to("points", at + 1)
  }
  if (signed.unit === "percent") return signed
  if (word === "per" && next === "cent") return to("percent", at + 1)
  if (word === "standard" && next.startsWith("deviation")) return to("deviations", at + 1)
  const duration = durationUnits.get(word)
  if (duration !== undefined && (word.length > 1 || tokens[at]?.joined === true)) {
    return to("duration", at, duration)
  }
  const unit = units.get(word)
  return unit === undefined ? signed : to(unit, at)
}

function before(
  tokens: ReadonlyArray<Token>,
  at: number,
): Pick<Figure, "sign" | "approximate"> {
  const [mark, word] = [tokens[at - 1], tokens[at - 2]]
  const isSign = mark?.kind === "mark" && tokens[at]?.joined === true &&
    (mark.joined === false || word?.kind === "mark")
  const sign = !isSign ? 0 : mark.text === "+" ? 1 : /^[-−–]$/u.test(mark.text) ? -1 : 0
  const approximate = approximations.has(mark?.lower ?? "") ||
    (mark?.lower === "a" || mark?.lower === "than" || mark?.lower === "to") &&
      approximations.has(word?.lower ?? "")
  return { sign, approximate }
}

function textBetween(tokens: ReadonlyArray<Token>, first: number, last: number): string {
  return tokens.slice(first, last + 1)
    .map(({ text, joined }, n) => n === 0 || joined ? text : ` ${text}`).join("")
}
