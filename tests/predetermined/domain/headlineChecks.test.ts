/**
 * Which headlines report completed events, and which are about a question.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import {
  isAbout,
  reportsCompletedEvent,
  siteOf,
} from "../../../src/predetermined/domain/headlineChecks.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"

const completed = [
  "Lakers beat Celtics 110-98 in season opener",
  "Senate passes shutdown bill",
  "Fed cuts rates by a quarter point",
  "Prime minister resigns after cabinet revolt",
  "Voyager lander touched down and landed safely",
  "Élysée: le budget approved by deputies",
  "Team fails to reach final, eliminated on penalties",
  "BREAKING: Jury has ACQUITTED the senator",
]
const notCompleted = [
  "Lakers to beat Celtics, says model",
  "Lakers could win tonight",
  "Senate expected to pass bill that House passed",
  "Fed set to cut rates; markets closed higher",
  "Did the senator win?",
  "Has the Senate passed the bill？",
  "Bill likely passed by Friday",
  "Lakers won't win the title",
  "Lakers haven’t won",
  "Minister denies she resigned",
  "Candidate claims he won",
  "Five years ago today: Lakers win title",
  "Odds: Lakers win at 2.10",
  "Senate debates shutdown bill",
  "Traders await rate cuts",
  "Ｃｏｕｌｄ Lakers win the title",
  "",
]

for (const title of completed) {
  Deno.test(`“${title}” reports a completed event`, () => ok(reportsCompletedEvent(title)))
}
for (const title of notCompleted) {
  Deno.test(`“${title}” reports no completed event`, () => ok(!reportsCompletedEvent(title)))
}

const hedges: ReadonlyArray<string> = [
  ...["may", "might", "could", "expected", "set to", "likely", "will", "Expects", "WOULD"],
  ...["if", "whether", "reportedly", "not", "never", "on track", "?", "odds"],
]
const hedge = Schema.Literals(hedges)
const hedged = Arbitrary.schema(Schema.Struct({
  title: Schema.Literals(completed),
  hedge,
  place: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 12 })),
}))

law(
  "a headline with a hedge at any place reports no completed event",
  hedged,
  ({ title, hedge, place }) => {
    const words = title.split(" ")
    return !reportsCompletedEvent(
      [...words.slice(0, place), hedge, ...words.slice(place)].join(" "),
    )
  },
  { runs: sized({ short: 200, full: 5_000 }) },
)

const anyText = Arbitrary.schema(Schema.String)
law("the checks never throw for any text", anyText, (title) => {
  reportsCompletedEvent(title)
  isAbout(title, title)
  siteOf(title)
}, { runs: sized({ short: 200, full: 5_000 }) })

Deno.test("isAbout() needs two shared informative words, one of them not a decisive verb", () => {
  const question = "Will the Lakers win the championship in 2026?"
  const aboutIt = (title: string) => isAbout(title, question)
  equal(
    [
      "Lakers win championship",
      "Lakers wins it",
      "The Laker who won the championship",
      "Celtics win everything in 2026",
      "Lakers sign a guard",
      "Will the year end?",
    ].map(aboutIt),
    [true, true, true, false, false, false],
  )
})

Deno.test("isAbout() needs the only informative word of a question, and rejects one without any", () => {
  equal(isAbout("Lighthouse opened", "Will it be the lighthouse?"), true)
  equal(isAbout("Museum opened", "Will it be the lighthouse?"), false)
  equal(isAbout("Anything won", "Will it?"), false)
  equal(isAbout("", ""), false)
})

Deno.test("siteOf() returns the registered domain, and null when it is no web address", () => {
  equal(
    [
      "https://www.news.example/a",
      "http://news.example",
      "https://a.b.bbc.co.uk/x",
      "https://sky.co.uk/",
      "https://example",
      "javascript:alert(1)",
      "ftp://news.example/a",
      "news.example",
    ].map(siteOf),
    ["news.example", "news.example", "bbc.co.uk", "sky.co.uk", "example", null, null, null],
  )
})
