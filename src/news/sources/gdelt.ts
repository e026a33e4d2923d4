/**
 * GDELT's search of headlines, version 2.0: a few questions a reading, far enough apart.
 *
 * @module
 */
import { Clock, Effect, Result } from "effect"
import type { HttpClient } from "effect/http"
import type { Told } from "../domain/headline.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { tally } from "../../core/stages.ts"
import { type NewsSource, NewsUnavailable } from "../NewsSources.ts"
import { anything, articlesOf, questionOf, toldBy } from "./gdeltRows.ts"
import type { Limits } from "./limits.ts"
import { lasting, type PageFault, pages } from "./requests.ts"
import { decodeText, headlinesOf } from "./rows.ts"

const name = "GDELT"
/** How long it is left alone when it says, with status 200, that it was asked too often. */
const tooOftenRestMs = 60_000
/** Requests for one question: another question is as good, and time is short. */
const attemptsMax = 2
/** Questions without an answer, after which no more are asked in this reading. */
const failuresMax = 2

export function gdeltSource(
  client: HttpClient.HttpClient,
  url: string,
  userAgent: string,
  limits: Limits,
): NewsSource {
  const readPage = pages(client, { ...limits, attemptsMax })
  let nextTurn: EpochMs = 0
  /** Where the next reading goes on, so that every topic has its turn. */
  let place = 0

  /** Whatever became of the request before, the next one comes no sooner. */
  const turn = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const at = Math.max(now, nextTurn)
    nextTurn = at + limits.gdeltEveryMs
    if (at > now) yield* Effect.sleep(at - now)
  })

  const ask = Effect.fnUntraced(function* (question: string) {
    const page = yield* readPage({
      url: addressOf(url, question, limits.gdeltRows),
      headers: { accept: "application/json", "user-agent": userAgent },
      turn,
    })
    const articles = articlesOf(decodeText(page.body, page.contentType))
    if (Result.isSuccess(articles)) return articles.success
    if (articles.failure === "asked too often") {
      nextTurn = (yield* Clock.currentTimeMillis) + tooOftenRestMs
    }
    return yield* lasting(articles.failure)
  })

  const read = Effect.fnUntraced(function* (topics: ReadonlyArray<ReadonlyArray<string>>) {
    const began = yield* Clock.currentTimeMillis
    const { from, questions } = questionsOf(topics, place, limits.gdeltQuestionsMax)
    const rows: Array<Told> = []
    const rejected: Record<string, number> = {}
    let answered = 0
    let failures = 0
    let last: PageFault | null = null
    for (const question of questions) {
      if ((yield* Clock.currentTimeMillis) - began > limits.gdeltTimeMs) break
      const answer = yield* Effect.result(ask(question))
      place = from + questions.indexOf(question) + 1
      if (Result.isFailure(answer)) {
        last = answer.failure
        failures += 1
        tally(rejected, { no_answer: 1 })
        if (failures === failuresMax) break
        continue
      }
      answered += 1
      for (const told of answer.success.map(toldBy)) {
        if (typeof told === "string") tally(rejected, { [told]: 1 })
        else rows.push(told)
      }
    }
    if (answered === 0) {
      const reason = last?.reason ?? "no time for a question"
      return yield* new NewsUnavailable({ source: name, reason })
    }
    const most = limits.gdeltRows * limits.gdeltQuestionsMax
    const found = headlinesOf(rows, yield* Clock.currentTimeMillis, most)
    tally(rejected, found.rejected)
    return { rows: found.rows, rejected }
  })

  return { name, read }
}

/** The questions of one reading, on from where the one before stopped. */
function questionsOf(topics: ReadonlyArray<ReadonlyArray<string>>, place: number, most: number) {
  const all = [...new Set(topics.map(questionOf).filter((question) => question !== null))]
  if (all.length === 0) return { from: 0, questions: [anything] }
  const from = place % all.length
  return { from, questions: [...all.slice(from), ...all.slice(0, from)].slice(0, most) }
}

function addressOf(url: string, question: string, rows: number): string {
  const address = new URL(url)
  address.search = new URLSearchParams({
    query: question,
    mode: "artlist",
    format: "json",
    maxrecords: `${rows}`,
    timespan: "1d",
    sort: "datedesc",
  }).toString()
  return address.href
}
