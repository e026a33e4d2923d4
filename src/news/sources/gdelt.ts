/**
 * GDELT's search of headlines, version 2.0: a few queries per read, with a pause between them. A read ends
 * with the first query that gets no answer; the next read begins with the topic after it.
 *
 * @module
 */
import { Clock, Effect, Result } from "effect"
import type { EpochMs } from "../../core/domain/time.ts"
import { permanentFault } from "../../core/httpReading.ts"
import type { RawHeadline } from "../domain/headline.ts"
import type { NewsSource } from "../NewsSources.ts"
import { gdeltUrl } from "./feeds.ts"
import type { ReadPage } from "./requests.ts"
import { headlinesOf } from "./rows.ts"

/** GDELT allows one request every 5 seconds; it blocks a whole network that sends more. */
const pauseMs = 5_500
export const queriesMax = 8
/** Rows of one query, whose maximum is 250. */
const queryRowsMax = 75
/** GDELT rejects the whole query for a shorter word. */
const wordLengthMin = 3

export function gdeltSource(readPage: ReadPage): NewsSource {
  /** The topic with which the next read starts, so that every topic is queried in turn. */
  let nextTopic = 0

  const search = Effect.fnUntraced(function* (query: string) {
    const articles = parseArticles(yield* readPage(addressOf(query), "application/json"))
    return Result.isFailure(articles) ? yield* permanentFault(articles.failure) : articles.success
  })

  const read = Effect.fnUntraced(function* (topics: ReadonlyArray<ReadonlyArray<string>>) {
    const queries = [...new Set(topics.flatMap((topic) => queryOf(topic) ?? []))]
    const from = nextTopic % Math.max(1, queries.length)
    const inTurn = [...queries.slice(from), ...queries.slice(0, from)].slice(0, queriesMax)
    const found: Array<ReadonlyArray<unknown>> = []
    let fault: string | null = null
    for (const [n, query] of inTurn.entries()) {
      if (n > 0) yield* Effect.sleep(pauseMs)
      nextTopic = from + n + 1
      const answer = yield* Effect.result(search(query))
      if (Result.isFailure(answer)) {
        fault = answer.failure.reason
        break
      }
      found.push(answer.success)
    }
    if (found.length === 0) return yield* permanentFault(fault ?? "no topics")
    const articles = found.flat().map(rawHeadlineOf)
    const now = yield* Clock.currentTimeMillis
    const { rows, rejected } = headlinesOf(articles, now, queryRowsMax * queriesMax)
    return { rows, rejected: fault === null ? rejected : { ...rejected, no_answer: 1 } }
  })

  return { name: "GDELT", read }
}

function addressOf(query: string): string {
  return `${gdeltUrl}?${new URLSearchParams({
    query,
    mode: "artlist",
    format: "json",
    maxrecords: `${queryRowsMax}`,
    timespan: "1d",
    sort: "datedesc",
  })}`
}

/** The query for words that belong together; null when one is too short for GDELT. */
export function queryOf(topic: ReadonlyArray<string>): string | null {
  return topic.some((word) => word.length < wordLengthMin)
    ? null
    : [...topic.map((word) => `"${word}"`), "sourcelang:english"].join(" ")
}

/** The articles of an answer, not validated. GDELT reports errors as plain text with status 200. */
export function parseArticles(text: string): Result.Result<ReadonlyArray<unknown>, string> {
  const trimmed = text.trim()
  if (/^[^<{[]{1,400}$/.test(trimmed)) return Result.fail("limit reached, or query rejected")
  const parsed = Result.orElse(jsonOf(trimmed), () => jsonOf(repairedJson(trimmed)))
  return Result.flatMap(parsed, ({ articles = [] }) =>
    // Without a match GDELT returns an empty object.
    Array.isArray(articles) ? Result.succeed(articles) : Result.fail(noAnswer))
}

const noAnswer = "not a GDELT answer"

const jsonOf = (text: string): Result.Result<{ readonly articles?: unknown }, string> =>
  Result.try({ try: () => Object(JSON.parse(text)), catch: () => noAnswer })

/** GDELT's JSON sometimes contains bare control characters, and backslashes that escape nothing. */
function repairedJson(text: string): string {
  return text.replace(/\p{Cc}/gu, " ").replace(/\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})/g, "")
}

/** An article as a row; what is no article has no title. */
export function rawHeadlineOf(article: unknown): RawHeadline {
  const { title, url, seendate }: Readonly<Record<string, unknown>> = Object(article)
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
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/
  const at = Date.parse(text.replace(parts, "$1-$2-$3T$4:$5:$6Z"))
  return parts.test(text) && !Number.isNaN(at) ? at : null
}

/** GDELT separates every token by spaces: `Fed 's Powell : rates , again`. */
function withoutTokenSpaces(title: string): string {
  return title.slice(0, 2_000).replace(/ ([,.;:!?%)\]])/g, "$1").replace(/([([$£€]) /g, "$1")
    .replace(/ ?(['’]) ?(?=(?:s|t|re|ve|ll|d|m)\b)/gi, "$1")
}
