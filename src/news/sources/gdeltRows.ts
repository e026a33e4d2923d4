/**
 * What GDELT is asked and how it answers: words in, articles out, errors as plain text with status
 * 200.
 *
 * @module
 */
import { Result } from "effect"
import type { Told } from "../domain/headline.ts"
import type { EpochMs } from "../../core/domain/time.ts"

/** Asked for when nobody wants anything in particular. */
export const anything = `("ceasefire" OR "election" OR "central bank" OR "tariffs") ${english()}`

/** Words of one phrase, and phrases of one question. */
const phraseWordsMax = 4
const phrasesMax = 3
/** Shorter words are refused, with the whole question. */
const wordLengthMin = 3
/** A word alone must be this long to say anything. */
const loneLengthMin = 6

function english(): string {
  return "sourcelang:english"
}

/** The question for words that belong together; null when nothing of them can be asked. */
export function questionOf(topic: ReadonlyArray<string>): string | null {
  const phrases = topic.flatMap((phrase) => {
    const words = phrase.match(/[A-Za-z0-9]+/g)?.filter((word) => word.length >= wordLengthMin)
    return words === undefined || words.length === 0
      ? []
      : [words.slice(0, phraseWordsMax).join(" ").slice(0, 80)]
  }).slice(0, phrasesMax)
  const [first, second] = phrases
  if (first === undefined || (second === undefined && first.length < loneLengthMin)) return null
  return [...phrases.map((phrase) => `"${phrase}"`), english()].join(" ")
}

/** Why a question has no answer, and whether another may. */
type GdeltFault = "asked too often" | "the question was refused" | "no answer of GDELT"

/** The articles of an answer; its rows are taken as they come, each may be anything. */
export function articlesOf(text: string): Result.Result<ReadonlyArray<unknown>, GdeltFault> {
  const trimmed = text.trim()
  if (!trimmed.startsWith("{")) {
    if (/limit requests|too many requests|rate limit/i.test(trimmed)) {
      return Result.fail("asked too often")
    }
    // It says in a sentence what it does not like: a phrase too short, a word too common.
    return Result.fail(
      /^[^<{[]{1,400}$/.test(trimmed) ? "the question was refused" : "no answer of GDELT",
    )
  }
  const parsed = parse(trimmed) ?? parse(mended(trimmed))
  if (parsed === null) return Result.fail("no answer of GDELT")
  const { articles } = parsed
  return Array.isArray(articles)
    ? Result.succeed(articles)
    // Nothing found is an empty object.
    : articles === undefined
    ? Result.succeed([])
    : Result.fail("no answer of GDELT")
}

/** An article as a row; another language than English is none. */
export function toldBy(article: unknown): Told | "no_row" | "other_language" {
  if (typeof article !== "object" || article === null) return "no_row"
  const { title, url, seendate, language } = { ...article } as Record<string, unknown>
  if (typeof language === "string" && language !== "English") return "other_language"
  const address = typeof url === "string" ? url : ""
  return {
    title: typeof title === "string" ? joinedUp(title) : "",
    url: address,
    source: URL.parse(address)?.hostname.replace(/^www\./, "") ?? "",
    publishedAt: typeof seendate === "string" ? seenAt(seendate) : null,
  }
}

/** `20261120T031500Z`. */
function seenAt(text: string): EpochMs | null {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? []
  if (parts.length !== 6) return null
  const [year, month, day, hours, minutes, seconds] = parts
  const at = Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`)
  return Number.isNaN(at) ? null : at
}

/** Titles come with spaces around every mark: `Fed 's Powell : rates , again`. */
function joinedUp(title: string): string {
  return title.slice(0, 2_000).replace(/ ([,.;:!?%)\]])/g, "$1").replace(/([([$£€]) /g, "$1")
    .replace(/ ?(['’]) ?(?=(?:s|t|re|ve|ll|d|m)\b)/gi, "$1")
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? { ...value } : null
  } catch {
    return null
  }
}

/** Its JSON now and then holds bare control characters, and backslashes that escape nothing. */
function mended(text: string): string {
  return text.replace(/\p{Cc}/gu, " ").replace(/\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})/g, "")
}
