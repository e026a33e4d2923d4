/**
 * Detection from news on planted questions: none of the wrong answers is accepted from a model that claims
 * everything, and most true ones are from a careful one.
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
  decidedOutcome,
  type ReadingClaim,
  type RelatedStory,
  verdictsOf,
} from "../../../src/news/domain/reading.ts"
import { type KnownOutcome, knownOutcome } from "../../../src/predetermined/domain/predetermined.ts"
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

type AnswerOf = (title: string) => Pick<ReadingClaim, "decides" | "quote">

/** The headlines as stories, as code leaves the answers of a model about each that is shown to it. */
function readStories(planted: Planted, answerOf: AnswerOf): ReadonlyArray<RelatedStory> {
  const { answer: outcome, headlines: titles, rivals = [], rules = "" } = planted
  const asked = marketOf(planted)
  const headlines = titles.map((title, n) => ({
    title: title.replaceAll(/[{}]/g, ""),
    url: `https://press${n}.example/${n}`,
    source: `Press ${n}`,
    publishedAt: now - hour - n * minute,
  }))
  const siblings = rivals.map((question) => ({ question, exclusive: true }))
  const matches = related(runParts(newsIndex(headlines, [asked])), asked, 0, 20)
  const [first, ...others] = matches
  if (first === undefined) return []
  const task = { market: asked, siblings, rules, stories: [first, ...others], now } as const
  const verdicts = verdictsOf(
    task,
    task.stories.map(({ url }, n) => ({
      ...{ story: `H${n + 1}`, about: true, outcome, bears: "for" },
      ...answerOf(titles[Number(url.split("/").at(-1))] ?? ""),
    })),
  )
  return matches.map((match, n): RelatedStory => {
    const verdict = verdicts[n] ?? "refused"
    return { ...match, reading: typeof verdict === "string" ? null : verdict }
  })
}

const decides = (planted: Planted, answerOf: AnswerOf): boolean =>
  readStories(planted, answerOf).some((story) => decidedOutcome(marketOf(planted), story) !== null)

/** What is known of a question, when a model answers so. */
function judge(planted: Planted, answerOf: AnswerOf): KnownOutcome | string {
  const stories = readStories(planted, answerOf)
  return Result.merge(knownOutcome({ market: marketOf(planted), proposal: null, stories, now }))
}

const claimsEverything = (title: string) => ({ decides: true, quote: title })
const careful = (title: string) => {
  const [, quote] = /\{(.+)\}/.exec(title) ?? []
  return { decides: quote !== undefined, quote: quote ?? title }
}

Deno.test("no wrong answer of a model that claims everything is accepted", () => {
  const accepted = Object.entries(wrongAnswers).flatMap(([kind, cases]) =>
    cases.filter((planted) => typeof judge(planted, claimsEverything) !== "string")
      .map(({ question }) => `${kind}: ${question}`)
  )
  equal(accepted, [])
  ok(Object.values(wrongAnswers).flat().length >= 180)
})

Deno.test("no wrong headline is accepted whatever words of it a model quotes", () => {
  // Those headlines say what is claimed: another one contradicts them, or they came too early.
  const accepted = Object.entries(wrongAnswers)
    .filter(([kind]) => kind !== "corrections, copies, too early")
    .flatMap(([, cases]) => cases).filter((planted) =>
      planted.headlines.every((title) => {
        const words = title.split(" ")
        return words.some((_, n) =>
          [words.slice(0, n + 1), words.slice(n)].some((some) => {
            const quote = some.join(" ").replace(/[,;:]$/, "")
            return decides({ ...planted, headlines: [title] }, () => ({ decides: true, quote }))
          })
        )
      })
    )
  equal(accepted.map(({ question }) => question), [])
})

Deno.test("most true answers of a careful model are accepted", () => {
  const refused = trueAnswers.flatMap((planted) => {
    const known = judge(planted, careful)
    if (typeof known === "string") return [`${planted.question}: ${known}`]
    equal(marketOf(planted).outcomes[known.outcome], planted.answer)
    return []
  })
  ok(trueAnswers.length >= 110)
  ok(trueAnswers.length - refused.length >= 0.83 * trueAnswers.length, refused.join("\n"))
})
