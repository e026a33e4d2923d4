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

/** What is known of a question, when a model answers so about each headline that is shown to it. */
function judge(
  planted: Planted,
  answerOf: (title: string) => Pick<ReadingClaim, "decides" | "quote">,
): KnownOutcome | string {
  const { answer: outcome, headlines: titles, rivals = [] } = planted
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
  if (first === undefined) return "no match"
  const task = { market: asked, siblings, rules: "", stories: [first, ...others], now } as const
  const verdicts = verdictsOf(
    task,
    task.stories.map(({ url }, n) => ({
      ...{ story: `H${n + 1}`, about: true, outcome, bears: "for" },
      ...answerOf(titles[Number(url.split("/").at(-1))] ?? ""),
    })),
  )
  const stories = matches.map((match, n): RelatedStory => {
    const verdict = verdicts[n] ?? "refused"
    return { ...match, reading: typeof verdict === "string" ? null : verdict }
  })
  return Result.merge(knownOutcome({ market: asked, proposal: null, stories, now }))
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
  ok(Object.values(wrongAnswers).flat().length >= 80)
})

Deno.test("most true answers of a careful model are accepted", () => {
  const refused = trueAnswers.flatMap((planted) => {
    const known = judge(planted, careful)
    if (typeof known === "string") return [`${planted.question}: ${known}`]
    equal(marketOf(planted).outcomes[known.outcome], planted.answer)
    return []
  })
  ok(trueAnswers.length >= 47)
  ok(trueAnswers.length - refused.length >= 40, refused.join("\n"))
})
