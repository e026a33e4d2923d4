/**
 * Detection from news on planted questions: no answer is accepted from a model that claims everything, few
 * wrong ones from a credulous one, and most true ones from a careful one.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Result } from "effect"
import { runParts } from "../../support/runParts.ts"
import { hour, minute } from "../../../src/core/domain/time.ts"
import type { Market } from "../../../src/markets/domain/market.ts"
import { newsIndex, related } from "../../../src/news/domain/match.ts"
import {
  type ReadingClaim,
  readingPrompt,
  type RelatedStory,
  verdictsOf,
} from "../../../src/news/domain/reading.ts"
import { type KnownOutcome, knownOutcome } from "../../../src/predetermined/domain/predetermined.ts"
import { safeName } from "../../../src/core/domain/untrusted.ts"
import { market } from "../../support/movers/market.ts"
import {
  type Planted,
  plantedNow as now,
  trueAnswers,
  wrongAnswers,
} from "../../support/predetermined/planted.ts"

function marketOf(planted: Planted): Market {
  const { question, outcomes = ["Yes", "No"], game, endsAt, rivals = [] } = planted
  return market({
    ...{ question, outcomes, eventSlug: "event", exclusive: rivals.length > 0 },
    endsAt: endsAt === undefined ? null : Date.parse(endsAt),
    gameStartsAt: game === undefined ? null : game === true ? now - 4 * hour : Date.parse(game),
  })
}

/** A headline without the braces of its quotation. */
const plain = (title: string) => title.replaceAll(/[{}]/g, "")

/** What a model says of a headline; the title is null for one that is no headline of the case. */
type AnswerOf = (title: string | null) => Pick<ReadingClaim, "decides" | "quote">

/** The headlines as stories, as code leaves the answers of a model about each line that is shown to it. */
function readStories(planted: Planted, answerOf: AnswerOf): ReadonlyArray<RelatedStory> {
  const { answer: outcome, headlines: titles, rivals = [], rules = "" } = planted
  const asked = marketOf(planted)
  const headlines = titles.map((title, n) => ({
    title: plain(title),
    url: `https://press${n}.example/${n}`,
    source: `Press ${n}`,
    publishedAt: now - hour - n * minute,
  }))
  const siblings = rivals.map((question) => ({ question, exclusive: true }))
  const matches = related(runParts(newsIndex(headlines)), asked, 0, 20)
  const [first, ...others] = matches
  if (first === undefined) return []
  const task = { market: asked, siblings, rules, stories: [first, ...others], now } as const
  const lines = readingPrompt(task, "B").user.split("\n").filter((line) => line.startsWith("{"))
  const verdicts = verdictsOf(
    task,
    lines.slice(1).map((line) => JSON.parse(line)).map(({ headline, title }) => ({
      ...{ story: headline, about: true, outcome, bears: "for" },
      ...answerOf(titles.find((it) => safeName(plain(it), 300) === title) ?? null),
    })),
  )
  return matches.map((match, n): RelatedStory => {
    const verdict = verdicts[n] ?? "refused"
    return { ...match, reading: typeof verdict === "string" ? null : verdict }
  })
}

/** What is known of a question, when a model answers so. */
function judge(planted: Planted, answerOf: AnswerOf): KnownOutcome | string {
  const stories = readStories(planted, answerOf)
  return Result.merge(knownOutcome({ market: marketOf(planted), proposal: null, stories, now }))
}

const wrong = Object.entries(wrongAnswers)
  .flatMap(([kind, cases]) => cases.map((planted) => ({ kind, planted })))
const acceptedOf = (answerOf: AnswerOf) =>
  wrong.filter(({ planted }) => typeof judge(planted, answerOf) !== "string")
    .map(({ kind, planted: { question } }) => `${kind}: ${question}`)

const claimsEverything: AnswerOf = (title) => ({ decides: true, quote: plain(title ?? "") })
/** Only about headlines that are not of the case it claims nothing. */
const credulous: AnswerOf = (title) => ({ decides: title !== null, quote: plain(title ?? "") })
const careful: AnswerOf = (title) => {
  const [, quote] = /\{(.+)\}/.exec(title ?? "") ?? []
  return { decides: quote !== undefined, quote: quote ?? plain(title ?? "") }
}

Deno.test("no wrong answer of a model that claims everything is accepted", () => {
  ok(wrong.length >= 290)
  equal(acceptedOf(claimsEverything), [])
  equal(trueAnswers.filter((planted) => typeof judge(planted, claimsEverything) !== "string"), [])
})

Deno.test("names, numbers, parts, dates and doubts stop most of a credulous model's answers", () => {
  const accepted = acceptedOf(credulous)
  ok(accepted.length <= 0.16 * wrong.length, `${accepted.length}: ${accepted.join("\n")}`)
})

Deno.test("most true answers of a careful model are accepted", () => {
  const refused = trueAnswers.flatMap((planted) => {
    const known = judge(planted, careful)
    if (typeof known === "string") return [`${planted.question}: ${known}`]
    equal(marketOf(planted).outcomes[known.outcome], planted.answer)
    return []
  })
  ok(trueAnswers.length >= 185)
  ok(trueAnswers.length - refused.length >= 0.9 * trueAnswers.length, refused.join("\n"))
})
