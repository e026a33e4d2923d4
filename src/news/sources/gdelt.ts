/**
 * GDELT's search of headlines, version 2.0: a few questions a reading, far enough apart. Words go in,
 * articles come out, and errors come as plain text with status 200.
 *
 * @module
 */
import { Clock, Effect, Result } from "effect"
import type { HttpClient } from "effect/http"
import type { Told } from "../domain/headline.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { tally } from "../../core/stages.ts"
import { type NewsSource, NewsUnavailable } from "../NewsSources.ts"
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

const english = "sourcelang:english"
/** Asked for when nobody wants anything in particular. */
const anything = `("ceasefire" OR "election" OR "central bank" OR "tariffs") ${english}`

/** Words of one phrase, and phrases of one question. */
const phraseWordsMax = 4
const phrasesMax = 3
/** Shorter words are refused, with the whole question. */
const wordLengthMin = 3
/** A word alone must be this long to say anything. */
const loneLengthMin = 6

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
    const articles = parseArticles(decodeText(page.body, page.contentType))
    if (Result.isSuccess(articles)) return articles.success
    if (articles.failure === "asked too often") {
      nextTurn = (yield* Clock.currentTimeMillis) + tooOftenRestMs
    }
    return yield* lasting(articles.failure)
  })

  const read = Effect.fnUntraced(function* (topics: ReadonlyArray<ReadonlyArray<string>>) {
    const began = yield* Clock.currentTimeMillis
    const { from, questions } = questionsOf(topics, place, limits.gdeltQueriesMax)
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
      for (const told of answer.success.map(rawHeadlineOf)) {
        if (typeof told === "string") tally(rejected, { [told]: 1 })
        else rows.push(told)
      }
    }
    if (answered === 0) {
      const reason = last?.reason ?? "no time for a question"
      return yield* new NewsUnavailable({ source: name, reason })
    }
    const most = limits.gdeltRows * limits.gdeltQueriesMax
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
  return [...phrases.map((phrase) => `"${phrase}"`), english].join(" ")
}

/** Why a question has no answer, and whether another may. */
type GdeltFault = "asked too often" | "the question was refused" | "no answer of GDELT"

/** The articles of an answer; its rows are taken as they come, each may be anything. */
export function parseArticles(text: string): Result.Result<ReadonlyArray<unknown>, GdeltFault> {
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
export function rawHeadlineOf(article: unknown): Told | "no_row" | "other_language" {
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
