/**
 * Which headlines share names and numbers with a question: laws over generated texts, and labelled pairs.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { runParts } from "../../support/runParts.ts"
import { newsIndex, type NewsSubject, related, topicsOf } from "../../../src/news/domain/match.ts"
import { isInformative, wordsMax, wordsOf } from "../../../src/news/domain/words.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"
import { newsCases, otherNews } from "../../support/news/newsPairs.ts"

const subjectOf = (
  question: string,
  outcomes: NewsSubject["outcomes"] = ["Yes", "No"],
  gameStartsAt: number | null = null,
) => ({ question, outcomes, gameStartsAt })
const indexOf = (titles: ReadonlyArray<string>) =>
  runParts(newsIndex(
    titles.map((title, n) => ({
      title,
      url: `https://a.example/${n}`,
      source: "A",
      publishedAt: n,
    })),
  ))

Deno.test("the labelled pairs are candidates, and most of the others are not listed", () => {
  const titles = new Set(newsCases.flatMap(({ about, unrelated }) => [...about, ...unrelated]))
  const index = indexOf([...titles, ...otherNews])
  const count = { about: 0, found: 0, unrelated: 0, listed: 0 }
  for (const { question, outcomes, about, unrelated } of newsCases) {
    const subject = subjectOf(question, outcomes)
    const matches = related(index, subject, 0, titles.size)
    const found = new Set(matches.map(({ title }) => title))
    const listed = new Set(matches.filter(({ isListed }) => isListed).map(({ title }) => title))
    count.about += about.length
    count.found += about.filter((title) => found.has(title)).length
    count.unrelated += unrelated.length
    count.listed += unrelated.filter((title) => listed.has(title)).length
  }
  ok(count.found >= 0.9 * count.about, JSON.stringify(count))
  ok(count.listed <= 0.1 * count.unrelated, JSON.stringify(count))
})

const words = [
  "Paris",
  "Lagos",
  "Kenya",
  "Anna Bell",
  "strike",
  "oil",
  "verdict",
  "will",
  "the",
  "win",
]
const anyTexts = Arbitrary.schema(
  Schema.Array(
    Schema.Array(Schema.Literals(words)).check(Schema.isMinLength(1), Schema.isMaxLength(5)),
  ).check(Schema.isMinLength(1), Schema.isMaxLength(12)),
)

law(
  "a related story shares a name, and the order of the headlines does not matter",
  anyTexts,
  (drawn) => {
    const [question = "", ...titles] = drawn.map((text) => text.join(" "))
    const subject = subjectOf(`Will ${question}?`)
    const found = related(indexOf(titles), subject, 0, 99)
    const names = wordsOf(question).filter(({ capitalised }) => capitalised)
    for (const { title } of found) {
      ok(names.length === 0 || names.some(({ written }) => title.includes(written)))
    }
    // Copies with another article are one story, with the title of the earliest.
    equal(related(indexOf(titles.toReversed()), subject, 0, 99).length, found.length)
  },
  { runs: sized({ short: 200, full: 2_000 }) },
)

Deno.test("a name is shared where it is written as one, also as an adjective of a country", () => {
  const subject = subjectOf("Will the Salt Road Party win in Japan?")
  const titles = ["Salt Road Party gains", "Prices of road salt climb", "Japanese voters wait"]
  const found = related(indexOf(titles), subject, 0, 9)
  equal(found.map(({ title }) => title), ["Salt Road Party gains", "Japanese voters wait"])
})

Deno.test("another match of one of the sides is not listed", () => {
  const kickOff = Date.UTC(2026, 10, 28, 18)
  const listed = (subject: ReturnType<typeof subjectOf>, ...titles: ReadonlyArray<string>) =>
    related(indexOf(titles), subject, 0, 9)
      .filter(({ isListed }) => isListed).map(({ title }) => title)
  const clash = subjectOf("Port Lorne vs. Drava Valley", ["Port Lorne", "Drava Valley"], kickOff)
  const own = [
    "Port Lorne host Drava Valley",
    "Port Lorne ready for Drava Valley on November 28, 2026",
  ]
  equal(
    listed(
      clash,
      ...own,
      "Port Lorne beat Halvern Town",
      "Port Lorne vs Drava Valley: tickets for February 14, 2027",
    ).toSorted(),
    own.toSorted(),
  )
  const sails = subjectOf("Will the Skerry Ferry sail?", ["Sails", "Stays"])
  equal(listed(sails, "Skerry Ferry delayed"), ["Skerry Ferry delayed"])
})

Deno.test("topicsOf() gives two words of each subject, once", () => {
  const subjects = ["Will Odile Farkas resign?", "Odile Farkas out?", "Will it rain?", "Who wins?"]
    .map((question) => subjectOf(question))
  equal(topicsOf(indexOf([]), subjects, 9), [["Odile", "Farkas"]])
})

law(
  "wordsOf() never throws, and its informative terms are words",
  Arbitrary.schema(Schema.String),
  (text) => {
    const all = wordsOf(text)
    ok(all.length <= wordsMax)
    ok(all.every(({ term }) => !isInformative(term) || /[\p{L}\p{N}]/u.test(term)))
  },
  { runs: sized({ short: 200, full: 2_000 }) },
)
