/**
 * The typed values of facts, and their spelling in a text. Code fills them into sentences, so a figure
 * or a name in a text is never typed by a model.
 *
 * @module
 */
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import { countFigure, durationFigure, priceFigure, whenFigure } from "./figures.ts"
import { quoted } from "../../core/domain/untrusted.ts"

export type Value =
  /** A price or a probability, 0..1. Spelled `0.345`. */
  | { readonly type: "price"; readonly value: number }
  /** The size of a difference of two prices, 0..1. Spelled `14 cents`; the fact has the direction. */
  | { readonly type: "change"; readonly value: number }
  /** A signed share, 1 for all: a return, a win rate, an edge. Spelled `62.8%`, `-7.1%`. */
  | { readonly type: "rate"; readonly value: number }
  /** Spelled `$12,300`, `-$51`. */
  | { readonly type: "usd"; readonly value: number }
  /** Spelled `26 entries`. */
  | {
    readonly type: "count"
    readonly value: number
    readonly noun: string
    readonly nouns: string
  }
  /** Spelled `26 hours`. */
  | { readonly type: "duration"; readonly ms: number }
  /** Spelled `01:57 UTC`, with its date unless it is within 12 hours of `today`. */
  | { readonly type: "time"; readonly at: EpochMs; readonly today: EpochMs }
  /** Spelled `2026-12-31`: the day in UTC. */
  | { readonly type: "date"; readonly at: EpochMs }
  /** Untrusted text, sanitized by `safeName`; quoted unless it is a short plain name. */
  | { readonly type: "name"; readonly text: string }
  /** A word of our own with a fixed meaning: a label, a confidence, a status. */
  | { readonly type: "word"; readonly text: string }

/** The one spelling of a value in our own texts. */
export function spelled(value: Value): string {
  switch (value.type) {
    case "price":
      return priceFigure(value.value)
    case "change":
      return centsFigure(value.value)
    case "rate":
      return percentFigure(value.value)
    case "usd":
      return dollarFigure(value.value)
    case "count":
      return countFigure(value.value, value.noun, value.nouns)
    case "duration":
      return durationFigure(value.ms)
    case "time":
      return whenFigure(value.at, value.today)
    case "date":
      return isoTime(value.at).slice(0, 10)
    case "name":
      return isPlainName(value.text) ? value.text : quoted(value.text)
    case "word":
      return value.text
  }
}

/** A price difference: `14 cents`, `0.3 cents`, `1 cent`. */
function centsFigure(difference: number): string {
  const cents = trimmed(Math.abs(difference) * 100, 2)
  return `${cents} ${cents === "1" ? "cent" : "cents"}`
}

/** `62.8%`, `-7.1%`; below 1 % with a digit more: `0.06%`. */
function percentFigure(rate: number): string {
  return `${trimmed(rate * 100, Math.abs(rate) < 0.01 ? 2 : 1)}%`
}

/** To the dollar: `$12,300`, `-$51`. */
function dollarFigure(usd: number): string {
  const amount = countFigure(Math.abs(usd), "", "").trimEnd()
  return `${Math.round(usd) < 0 ? "-" : ""}$${amount}`
}

/** At most `decimals` decimals, without trailing zeros; no minus zero. */
function trimmed(value: number, decimals: number): string {
  return String(Number(value.toFixed(decimals)) + 0)
}

/** Words and characters of a name that is written without quotation marks. */
const plainNameWordsMax = 3
const plainNameLengthMax = 30

/**
 * Whether a name reads as a name without quotation marks: one to three words, each with a capital or a
 * digit in front, and no punctuation that could end a sentence.
 */
export function isPlainName(text: string): boolean {
  const words = text.split(" ")
  return text.length <= plainNameLengthMax && words.length <= plainNameWordsMax &&
    words.every((word) => /^[\p{Lu}\p{N}][\p{L}\p{N}'’&-]*$/u.test(word))
}
