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
import { type NewsSource, NewsUnavailable } from "../NewsSources.ts"
import { gdeltUrl } from "./feeds.ts"
import type { ReadPage } from "./requests.ts"
import { headlinesOf } from "./rows.ts"

const name = "GDELT"
/** GDELT allows one request every 5 seconds; it blocks a whole network that sends more. */
const pauseMs = 5_500
export const queriesMax = 8
/** Rows of one query, whose maximum is 250. */
const queryRowsMax = 75

const english = "sourcelang:english"
/** Used when there are no topics. */
const defaultQuery = `("ceasefire" OR "election" OR "central bank" OR "tariffs") ${english}`

/** Words of one phrase, and phrases of one query. */
const phraseWordsMax = 4
const phrasesMax = 3
/** GDELT rejects the whole query for a shorter word. */
const wordLengthMin = 3
/** A query of one phrase must be this long to be specific enough. */
const singlePhraseLengthMin = 6

export function gdeltSource(readPage: ReadPage): NewsSource {
  /** The topic with which the next read starts, so that every topic is queried in turn. */
  let nextTopic = 0

  const search = Effect.fnUntraced(function* (query: string) {
    const articles = parseArticles(yield* readPage(addressOf(query), "application/json"))
    return Result.isFailure(articles) ? yield* permanentFault(articles.failure) : articles.success
  })

  const read = Effect.fnUntraced(function* (topics: ReadonlyArray<ReadonlyArray<string>>) {
    const { from, queries } = queriesOf(topics, nextTopic)
    const found: Array<ReadonlyArray<unknown>> = []
    const faults: Array<string> = []
    for (const [n, query] of queries.entries()) {
      if (n > 0) yield* Effect.sleep(pauseMs)
      nextTopic = from + n + 1
      const answer = yield* Effect.result(search(query))
      if (Result.isSuccess(answer)) {
        found.push(answer.success)
        continue
      }
      const { reason } = answer.failure
      faults.push(reason)
      // A rejected query says nothing about the others.
      if (reason !== rejected) break
    }
    const [reason] = faults
    if (found.length === 0 && reason !== undefined) {
      return yield* new NewsUnavailable({ source: name, reason })
    }
    const articles = found.flat().map(rawHeadlineOf)
    const now = yield* Clock.currentTimeMillis
    const headlines = headlinesOf(articles, now, queryRowsMax * queriesMax)
    const refused = faults.filter((reason) => reason === rejected).length
    const silent = faults.length - refused
    return {
      ...headlines,
      rejected: {
        ...silent === 0 ? {} : { no_answer: silent },
        ...refused === 0 ? {} : { query_rejected: refused },
        ...headlines.rejected,
      },
    }
  })

  return { name, read }
}

/** The queries of one read, from the topic `start` on, wrapping around. */
function queriesOf(topics: ReadonlyArray<ReadonlyArray<string>>, start: number) {
  const all = [...new Set(topics.map(queryOf).filter((query) => query !== null))]
  if (all.length === 0) return { from: 0, queries: [defaultQuery] }
  const from = start % all.length
  return { from, queries: [...all.slice(from), ...all.slice(0, from)].slice(0, queriesMax) }
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

/** The query for words that belong together; null when they are not specific enough. */
export function queryOf(topic: ReadonlyArray<string>): string | null {
  const phrases = topic.flatMap((phrase) => {
    const words = phrase.match(/[A-Za-z0-9]+/g)?.filter((word) => word.length >= wordLengthMin)
    return words === undefined || words.length === 0
      ? []
      : [words.slice(0, phraseWordsMax).join(" ").slice(0, 80)]
  }).slice(0, phrasesMax)
  const [first, second] = phrases
  if (first === undefined || (second === undefined && first.length < singlePhraseLengthMin)) {
    return null
  }
  return [...phrases.map((phrase) => `"${phrase}"`), english].join(" ")
}

const rejected = "query rejected"

/** The articles of an answer, not validated. GDELT reports errors as plain text with status 200. */
export function parseArticles(text: string): Result.Result<ReadonlyArray<unknown>, string> {
  const trimmed = text.trim()
  if (!trimmed.startsWith("{")) {
    if (/limit requests|too many requests|rate limit/i.test(trimmed)) {
      return Result.fail("rate limited")
    }
    // GDELT describes an error in a short sentence: a phrase is too short, or a word too common.
    return Result.fail(/^[^<{[]{1,400}$/.test(trimmed) ? rejected : noAnswer)
  }
  const parsed = Result.orElse(jsonOf(trimmed), () => jsonOf(repairedJson(trimmed)))
  return Result.flatMap(parsed, ({ articles = [] }) =>
    // Without a match GDELT returns an empty object.
    Array.isArray(articles) ? Result.succeed(articles) : Result.fail(noAnswer))
}

const noAnswer = "not a GDELT answer"

const jsonOf = (text: string): Result.Result<{ readonly articles?: unknown }, string> =>
  Result.try({ try: () => JSON.parse(text), catch: () => noAnswer })

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
