/**
 * The words of a page: sentences with numbers, times, names and links in them.
 *
 * @module
 */
import type { Child } from "hono/jsx"
import { excerpt, safeName } from "../../core/domain/untrusted.ts"
import type { CitedNumber } from "./cited.ts"

/** A sentence, or several. */
export type Inline = string | Array<Child>

const marks = /\*\*([^*]+)\*\*|\[([^\]]+)\]\(((?:\/|#|https:)[^()\s]*)\)/g

/** A text of a page's own, with `**strong**` words and `[links](/path)`. */
function marked(text: string): Array<Child> {
  const pieces: Array<Child> = []
  let end = 0
  for (
    const { 0: { length }, 1: loud, 2: words = "", 3: path = "", index } of text.matchAll(marks)
  ) {
    pieces.push(text.slice(end, index), loud === undefined ? link(path, words) : strong(loud))
    end = index + length
  }
  return [...pieces, text.slice(end)]
}

/** A sentence with marks, and values between them, which have none. */
export const say = (texts: TemplateStringsArray, ...values: ReadonlyArray<Child>): Inline =>
  texts.flatMap((text, at) => at < values.length ? [...marked(text), values[at]] : marked(text))

/** Sentences one after the other. */
export const join = (sentences: ReadonlyArray<Inline>, between = " "): Inline =>
  sentences.flatMap((sentence, at) => at === 0 ? [sentence] : [between, sentence])

export const link = (path: string, text: Child): Child => <a href={path}>{text}</a>
/** A link that looks like a button. */
export const action = (path: string, text: string): Child =>
  <a class="action" href={path}>{text}</a>
/** A link to another service's address. */
export const outside = (url: string, text: string): Child => (
  <a href={url} rel="noopener noreferrer nofollow">{text}</a>
)
export const code = (text: string): Child => <code>{text}</code>
export const strong = (text: Child): Child => <strong>{text}</strong>
export const quiet = (text: Child): Child => <span class="quiet">{text}</span>

/** A text of the catalog, with what is in backticks as code. */
export const prose = (text: string): Inline =>
  text.split("`").map((part, at) => at % 2 === 0 ? part : code(part))

/** The text of an unknown number: never 0, and never an empty cell. */
const unknown = "not known"

/** A number as text for people. */
export type Form = (value: number | null) => string

const form = (write: (value: number) => string): Form => (value) =>
  value === null ? unknown : write(value)
const signed = (write: (value: number) => string): Form =>
  form((value) => {
    const size = write(Math.abs(value))
    return size === write(0) ? size : (value > 0 ? "+" : "−") + size
  })
const hundredths = (digits: number, unit: string) => {
  const intl = new Intl.NumberFormat("en-US", {
    style: "percent",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  return (value: number) => intl.format(value).replace("%", ` ${unit}`)
}

/** A share from 0 to 1, as a percentage with one digit. */
export const percent = form(hundredths(1, "%"))
/** A return per USD, or a difference of shares. */
export const signedPercent = signed(hundredths(1, "%"))
/** A price per share from 0 to 1, in USD. */
export const price = form((value) => value.toFixed(3))
/** A change of a price per share, in USD. */
export const signedPrice = signed((value) => value.toFixed(3))
/** A difference of prices, in cents of a USD per share. */
export const cents = signed(hundredths(1, "¢"))
/** A whole number with thousands separated. */
export const count = form((value) => value.toLocaleString("en-US"))
/** An amount, in whole USD. */
export const wholeUsd = form((value) => `$${Math.round(value).toLocaleString("en-US")}`)
/** A Brier score, and a difference of two. */
export const score = form((value) => value.toFixed(4))
export const signedScore = signed((value) =>
  value.toLocaleString("en-US", { minimumFractionDigits: 4, maximumFractionDigits: 4 })
)
const oneDigit = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: 1 })
/** Hours, with one digit where they are no whole number. */
export const hours = form(oneDigit)
/** Seconds, or as minutes or hours. */
export const duration = form((seconds) => {
  const [size, unit] = seconds < 60
    ? [1, "second"]
    : seconds < 3_600
    ? [60, "minute"]
    : [3_600, "hour"]
  return `${oneDigit(seconds / size)} ${unit}${seconds === size ? "" : "s"}`
})

/**
 * A number as its body has it. Every number of an API on a page is one of these: `data-from` is its
 * place and `value` the number itself, so that a test can compare both.
 */
export const num = ({ value, from, less }: CitedNumber, as: Form = count): Child => (
  <data value={JSON.stringify(value)} data-from={from} data-less={less}>{as(value)}</data>
)

/** An interval of two numbers in the same form. */
export const range = (low: CitedNumber, high: CitedNumber, as: Form): Child =>
  low.value === null ? num(low, as) : <>{num(low, as)} to {num(high, as)}</>

/** A value with its 95 % interval; both ends are null where no interval is known. */
export interface Estimate {
  readonly value: CitedNumber
  readonly low: CitedNumber
  readonly high: CitedNumber
}

export const estimateOf = (value: CitedNumber, low: CitedNumber, high: CitedNumber): Estimate => ({
  value,
  low,
  high,
})

/** A value with its interval, as it ends a sentence. */
export const estimate = ({ value, low, high }: Estimate, as: Form): Child =>
  value.value === null
    ? num(value, as)
    : <>{num(value, as)} (95 % interval {range(low, high, as)})</>

/** An ISO time, to the minute, in UTC. */
export const time = (at: string | null): Child =>
  at === null ? unknown : <time datetime={at}>{`${at.slice(0, 10)} ${at.slice(11, 16)} UTC`}</time>

/** A text that may contain names which strangers chose: one line, cut, in its own direction. */
export const quoted = (text: string, max: number): Child => <bdi>{excerpt(text, max)}</bdi>

/** A name that strangers chose, such as a market's question: one line, cut, in its own direction. */
export const name = (text: string, max?: number): Child => <bdi>{safeName(text, max)}</bdi>
