/**
 * The words of a page: sentences with numbers, times, names and links in them.
 *
 * @module
 */
import type { Child } from "hono/jsx"
import { excerpt, safeName } from "../../core/domain/untrusted.ts"

/** Sentences. A string is a text of the service's own, with marks; what strangers wrote is never one. */
export type Inline = string | Array<Child>

export const words = (text: Inline): Array<Child> => typeof text === "string" ? marked(text) : text

const marks = /\*\*([^*]+)\*\*|`([^`]+)`|\[([^\]]+)\]\(((?:\/|#|https:)[^()\s]*)\)/g

/** Marks: `**strong**` words, code in backticks, and `[links](/path)`. */
function marked(text: string): Array<Child> {
  const pieces: Array<Child> = []
  let end = 0
  for (
    const { 0: whole, 1: loud, 2: typed, 3: shown = "", 4: path = "", index } of text.matchAll(
      marks,
    )
  ) {
    pieces.push(
      text.slice(end, index),
      loud !== undefined ? strong(loud) : typed !== undefined ? code(typed) : link(path, shown),
    )
    end = index + whole.length
  }
  return [...pieces, text.slice(end)]
}

/** A sentence with marks, and values between them, which have none. */
export const say = (texts: TemplateStringsArray, ...values: ReadonlyArray<Child>): Array<Child> =>
  texts.flatMap((text, at) => at < values.length ? [...marked(text), values[at]] : marked(text))

export const link = (path: string, text: Child): Child => <a href={path}>{text}</a>
/** A link to another service's address. */
export const outside = (url: string, text: string): Child => (
  <a href={url} rel="noopener noreferrer nofollow">{text}</a>
)
export const code = (text: string): Child => <code>{text}</code>
export const strong = (text: Child): Child => <strong>{text}</strong>

/** The text of an unknown number: never 0, and never an empty cell. */
const unknown = "not known"

/** A number as text for people. */
export type Form = (value: number | null) => string

/** `unit` stands for the sign of a percentage. */
function form(options: Intl.NumberFormatOptions, unit = " %"): Form {
  const intl = new Intl.NumberFormat("en-US", { signDisplay: "negative", ...options })
  return (value) =>
    value === null ? unknown : intl.format(value).replace("-", "−").replace("%", unit)
}
const digits = (count: number): Intl.NumberFormatOptions => ({
  minimumFractionDigits: count,
  maximumFractionDigits: count,
})
const signed = { signDisplay: "exceptZero" } as const
const hundredths: Intl.NumberFormatOptions = { style: "percent", ...digits(1) }

/** A share from 0 to 1, as a percentage with one digit. */
export const percent = form(hundredths)
/** A return per USD, or a difference of shares. */
export const signedPercent = form({ ...hundredths, ...signed })
/** A difference of prices, in cents of a USD per share. */
export const cents = form({ ...hundredths, ...signed }, " ¢")
/** A price per share from 0 to 1, in USD. */
export const price = form(digits(3))
/** A whole number with thousands separated. */
export const count = form({})
/** An amount, in whole USD. */
export const wholeUsd = form({ style: "currency", currency: "USD", ...digits(0) })
/** A Brier score, or a difference of two. */
export const score = form(digits(4))
/** Hours, with one digit where they are no whole number. */
export const hours = form({ maximumFractionDigits: 1 })
/** Seconds, or as minutes or hours. */
export const duration: Form = (seconds) => {
  if (seconds === null) return unknown
  const [size, unit] = seconds < 60
    ? [1, "second"]
    : seconds < 3_600
    ? [60, "minute"]
    : [3_600, "hour"]
  return `${hours(seconds / size)} ${unit}${seconds === size ? "" : "s"}`
}

/**
 * A number of a body of the API. Every such number on a page is one of these: `value` is the number as
 * the body has it, so that a test can find it there, and compare it with the text.
 */
export const num = (value: number | null, as: Form = count): Child => (
  <data value={JSON.stringify(value)}>{as(value)}</data>
)

/** A value with its 95 % interval; both ends are null where no interval is known. */
export interface Estimate {
  readonly value: number | null
  readonly low: number | null
  readonly high: number | null
}

export const range = ({ low, high }: Omit<Estimate, "value">, as: Form): Child =>
  low === null ? num(low, as) : <>{num(low, as)} to {num(high, as)}</>

/** A value with its interval, as it ends a sentence. */
export const estimate = (of: Estimate, as: Form): Child =>
  of.value === null ? num(of.value, as) : <>{num(of.value, as)} (95 % interval {range(of, as)})</>

/** An ISO time, to the minute, in UTC. */
export const time = (at: string | null): Child =>
  at === null ? unknown : <time datetime={at}>{`${at.slice(0, 10)} ${at.slice(11, 16)} UTC`}</time>

/** A text that may contain names which strangers chose: one line, cut, in its own direction. */
export const quoted = (text: string, max: number): Child => <bdi>{excerpt(text, max)}</bdi>

/** A name that strangers chose, such as a market's question: one line, cut, in its own direction. */
export const name = (text: string, max?: number): Child => <bdi>{safeName(text, max)}</bdi>
