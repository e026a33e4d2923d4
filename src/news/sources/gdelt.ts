/**
 * GDELT's search of headlines, version 2.0: a few queries per read, with a pause between them. GDELT
 * reports errors as plain text with status 200.
 *
 * @module
 */
import { Clock, Effect, Result } from "effect"
import type { HttpClient } from "effect/http"
import type { EpochMs } from "../../core/domain/time.ts"
import { tally } from "../../core/stages.ts"
import { type NewsSource, NewsUnavailable } from "../NewsSources.ts"
import type { Limits } from "./limits.ts"
import { type HttpFault, permanentFault } from "../../core/httpReading.ts"
import { parseArticles, rawHeadlineOf } from "./gdeltRows.ts"
import { pageReader } from "./requests.ts"
import { headlinesOf } from "./rows.ts"

const name = "GDELT"
/** The pause after GDELT's rate limit message. */
const rateLimitRestMs = 60_000
/** Requests for one query: fewer than for a feed, since the next query is as useful as a retry. */
const attemptsMax = 2
/** After this many failed queries the read stops. */
const failuresMax = 2

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

export function gdeltSource(
  client: HttpClient.HttpClient,
  url: string,
  userAgent: string,
  limits: Limits,
): NewsSource {
  const readPage = pageReader(client, { ...limits, attemptsMax })
  let nextRequestAt: EpochMs = 0
  /** The topic with which the next read starts, so that every topic is queried in turn. */
  let nextTopic = 0

  /** Waits until the pause since the last request is over, also after a failed one. */
  const waitForTurn = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const at = Math.max(now, nextRequestAt)
    nextRequestAt = at + limits.gdeltEveryMs
    if (at > now) yield* Effect.sleep(at - now)
  })

  const search = Effect.fnUntraced(function* (query: string) {
    const text = yield* readPage({
      url: addressOf(url, query, limits.gdeltRows),
      headers: { accept: "application/json", "user-agent": userAgent },
      waitForTurn,
    })
    const articles = parseArticles(text)
    if (Result.isSuccess(articles)) {
      return articles.success.slice(0, limits.rowsMax + 1).map(rawHeadlineOf)
    }
    if (articles.failure === "rate limited") {
      nextRequestAt = (yield* Clock.currentTimeMillis) + rateLimitRestMs
    }
    return yield* permanentFault(articles.failure)
  })

  const read = Effect.fnUntraced(function* (topics: ReadonlyArray<ReadonlyArray<string>>) {
    const startedAt = yield* Clock.currentTimeMillis
    const { from, queries } = queriesOf(topics, nextTopic, limits.gdeltQueriesMax)
    const found: Array<ReturnType<typeof rawHeadlineOf>> = []
    const faults: Array<HttpFault> = []
    let asked = 0
    for (const query of queries) {
      const isLate = (yield* Clock.currentTimeMillis) - startedAt > limits.gdeltTimeMs
      if (isLate || faults.length === failuresMax) break
      const answer = yield* Effect.result(search(query))
      asked += 1
      nextTopic = from + asked
      if (Result.isFailure(answer)) faults.push(answer.failure)
      else found.push(...answer.success)
    }
    if (faults.length === asked) {
      const reason = faults.at(-1)?.reason ?? "no time for a query"
      return yield* new NewsUnavailable({ source: name, reason })
    }
    const rejected: Record<string, number> = {}
    if (faults.length > 0) tally(rejected, { no_answer: faults.length })
    for (const row of found) if (typeof row === "string") tally(rejected, { [row]: 1 })
    const rows = found.filter((row) => typeof row !== "string")
    const rowsMax = limits.gdeltRows * limits.gdeltQueriesMax
    const headlines = headlinesOf(rows, yield* Clock.currentTimeMillis, rowsMax)
    tally(rejected, headlines.rejected)
    return { rows: headlines.rows, rejected }
  })

  return { name, read }
}

/** The queries of one read, from the topic `start` on, wrapping around. */
function queriesOf(topics: ReadonlyArray<ReadonlyArray<string>>, start: number, max: number) {
  const all = [...new Set(topics.map(queryOf).filter((query) => query !== null))]
  if (all.length === 0) return { from: 0, queries: [defaultQuery] }
  const from = start % all.length
  return { from, queries: [...all.slice(from), ...all.slice(0, from)].slice(0, max) }
}

function addressOf(url: string, query: string, rows: number): string {
  const address = new URL(url)
  address.search = new URLSearchParams({
    query,
    mode: "artlist",
    format: "json",
    maxrecords: `${rows}`,
    timespan: "1d",
    sort: "datedesc",
  }).toString()
  return address.href
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
