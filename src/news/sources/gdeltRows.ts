/**
 * Parses GDELT's answers. GDELT reports errors as plain text with status 200.
 *
 * @module
 */
import { Result } from "effect"
import type { EpochMs } from "../../core/domain/time.ts"
import type { RawHeadline } from "../domain/headline.ts"

/** Why a query has no result. */
type GdeltFault = "rate limited" | "query rejected" | "not a GDELT answer"

/** The articles of an answer, not validated. */
export function parseArticles(text: string): Result.Result<ReadonlyArray<unknown>, GdeltFault> {
  const trimmed = text.trim()
  if (!trimmed.startsWith("{")) {
    if (/limit requests|too many requests|rate limit/i.test(trimmed)) {
      return Result.fail("rate limited")
    }
    // GDELT describes an error in a short sentence: a phrase is too short, or a word too common.
    return Result.fail(/^[^<{[]{1,400}$/.test(trimmed) ? "query rejected" : "not a GDELT answer")
  }
  const parsed = parse(trimmed) ?? parse(repairedJson(trimmed))
  if (parsed === null) return Result.fail("not a GDELT answer")
  const { articles } = parsed
  return Array.isArray(articles)
    ? Result.succeed(articles)
    // Without a match GDELT returns an empty object.
    : articles === undefined
    ? Result.succeed([])
    : Result.fail("not a GDELT answer")
}

/** An article as a row; articles in other languages than English are rejected. */
export function rawHeadlineOf(article: unknown): RawHeadline | "no_row" | "other_language" {
  if (typeof article !== "object" || article === null) return "no_row"
  const { title, url, seendate, language } = { ...article } as Record<string, unknown>
  if (typeof language === "string" && language !== "English") return "other_language"
  const address = typeof url === "string" ? url : ""
  return {
    title: typeof title === "string" ? withoutTokenSpaces(title) : "",
    url: address,
    source: URL.parse(address)?.hostname.replace(/^www\./, "") ?? "",
    publishedAt: typeof seendate === "string" ? seenAt(seendate) : null,
  }
}

/** Parses `20261120T031500Z`. */
function seenAt(text: string): EpochMs | null {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? []
  if (parts.length !== 6) return null
  const [year, month, day, hours, minutes, seconds] = parts
  const at = Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`)
  return Number.isNaN(at) ? null : at
}

/** GDELT separates every token by spaces: `Fed 's Powell : rates , again`. */
function withoutTokenSpaces(title: string): string {
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

/** GDELT's JSON sometimes contains bare control characters, and backslashes that escape nothing. */
function repairedJson(text: string): string {
  return text.replace(/\p{Cc}/gu, " ").replace(/\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})/g, "")
}
