/**
 * Which headlines are about a market: laws over generated texts, and a set of labelled pairs.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import type { Headline } from "../../../src/news/domain/headline.ts"
import {
  newsIndex,
  type NewsSubject,
  related,
  topicsOf,
} from "../../../src/news/domain/relation.ts"
import { isInformative, wordsMax, wordsOf } from "../../../src/news/domain/words.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"
import { newsCases, otherNews } from "../../support/news/newsPairs.ts"

const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const headlinesOf = (titles: ReadonlyArray<string>): ReadonlyArray<Headline> =>
  titles.map((title, n) => ({
    title,
    url: `https://a.example/${n}`,
    source: "A",
    publishedAt: n,
  }))
const subjectOf = (question: string, more: Partial<NewsSubject> = {}): NewsSubject => ({
  question,
  category: null,
  outcomes: ["Yes", "No"],
  eventSlug: "",
  ...more,
})
const indexOf = (headlines: ReadonlyArray<Headline>, questions: ReadonlyArray<string>) =>
  newsIndex(headlines, questions.map((question) => subjectOf(question)))
const titlesFor = (
  headlines: ReadonlyArray<Headline>,
  questions: ReadonlyArray<string>,
  subject: NewsSubject,
) =>
  new Set(
    related(indexOf(headlines, questions), subject, 0, headlines.length)
      .map(({ title }) => title),
  )

const informative = [
  "Paris",
  "mayor",
  "Lagos",
  "strike",
  "oil",
  "Kenya",
  "verdict",
  "rocket",
  "Anna Bell",
]
const uninformative = [
  "will",
  "the",
  "by",
  "2026",
  "December",
  "win",
  "7",
  "of",
  "market",
  "Yes",
  "before",
]
const sentence = (words: ReadonlyArray<string>, maxLength: number, minLength = 0) =>
  Arbitrary.map(
    Arbitrary.array(Arbitrary.schema(int(0, words.length - 1)), { minLength, maxLength }),
    (chosen) => chosen.map((n) => words[n]).join(" "),
  )
const anyText = sentence([...informative, ...uninformative], 10)
const anyWorld = Arbitrary.all({
  titles: Arbitrary.array(anyText, { maxLength: 12 }),
  questions: Arbitrary.array(anyText, { maxLength: 6 }),
  question: sentence([...informative, ...uninformative], 10, 1),
})

law("related() does not depend on the input order", anyWorld, (world) => {
  const headlines = headlinesOf(world.titles)
  const subject = subjectOf(world.question)
  const forwards = related(indexOf(headlines, world.questions), subject, 0, 100)
  const index = indexOf(headlines.toReversed(), world.questions.toReversed())
  equal(related(index, subject, 0, 100), forwards)
}, { runs: sized({ short: 200, full: 1_000 }) })

law("related() finds a headline that contains the whole question", anyWorld, (world) => {
  const words = wordsOf(world.question)
  if (!words.some(({ term }) => isInformative(term))) return
  const whole = `Before it ${world.question} and after`
  const headlines = headlinesOf([...world.titles, whole])
  ok(titlesFor(headlines, world.questions, subjectOf(world.question)).has(whole))
}, { runs: sized({ short: 200, full: 1_000 }) })

law(
  "related() finds nothing for a question of uninformative words",
  Arbitrary.all([sentence(uninformative, 12, 1), Arbitrary.array(anyText, { maxLength: 10 })]),
  ([question, titles]) => {
    equal(titlesFor(headlinesOf([...titles, question]), [], subjectOf(question)), new Set())
  },
)

law(
  "related() finds no headline without a shared informative word",
  Arbitrary.all([
    sentence([...informative.slice(0, 4), ...uninformative], 10, 1),
    Arbitrary.array(sentence([...informative.slice(4), ...uninformative], 10), { maxLength: 10 }),
  ]),
  ([question, titles]) => {
    equal(titlesFor(headlinesOf(titles), [], subjectOf(question)), new Set())
  },
)

law(
  "a related headline stays related when words are added to it",
  Arbitrary.all({ world: anyWorld, more: sentence(["zebra", "quartz"], 5, 1) }),
  ({ world, more }) => {
    const before = titlesFor(headlinesOf(world.titles), world.questions, subjectOf(world.question))
    const longer = world.titles.map((title) => `${title} ${more}`)
    const after = titlesFor(headlinesOf(longer), world.questions, subjectOf(world.question))
    for (const title of before) ok(after.has(`${title} ${more}`), title)
  },
  { runs: sized({ short: 200, full: 1_000 }) },
)

law(
  "related() returns the highest score first, none before `since`, at most `limit`",
  anyWorld,
  (world) => {
    const index = indexOf(headlinesOf(world.titles), world.questions)
    const all = related(index, subjectOf(world.question), 0, 100)
    ok(all.every(({ score }, n) => n === 0 || score <= (all[n - 1]?.score ?? 0)))
    const some = related(index, subjectOf(world.question), 5, 2)
    equal(some, all.filter(({ firstAt }) => firstAt >= 5).slice(0, 2))
  },
  { runs: sized({ short: 200, full: 1_000 }) },
)

Deno.test("related() has 90 % precision and 90 % recall on the labelled pairs", () => {
  const titles = [
    ...newsCases.flatMap(({ about, unrelated }) => [...about, ...unrelated]),
    ...otherNews,
  ]
  const questions = newsCases.map(({ question }) => question)
  const counts = { right: 0, wrong: 0, missed: 0 }
  const bad: Array<string> = []
  for (const { question, eventSlug, outcomes, about } of newsCases) {
    const subject = subjectOf(question, {
      eventSlug,
      ...outcomes === undefined ? {} : { outcomes },
    })
    const found = titlesFor(headlinesOf(titles), questions, subject)
    for (const title of found) counts[about.includes(title) ? "right" : "wrong"] += 1
    bad.push(
      ...[...found].filter((t) => !about.includes(t)).map((t) => `WRONG ${question} | ${t}`),
      ...about.filter((t) => !found.has(t)).map((t) => `MISSED ${question} | ${t}`),
    )
    counts.missed += about.filter((title) => !found.has(title)).length
  }
  const { right, wrong, missed } = counts
  const labelled = newsCases.flatMap(({ about, unrelated }) => [...about, ...unrelated]).length
  ok(labelled >= 60, `${labelled} pairs`)
  ok(right / (right + wrong) >= 0.9, JSON.stringify(counts))
  ok(right / (right + missed) >= 0.9, JSON.stringify(counts))
})

Deno.test("related() needs more than a common name, but a rare full name is enough", () => {
  const titles = Array.from({ length: 300 }, (_, n) => `Trump speaks of thing${n} item${n}`)
  const headlines = headlinesOf([...titles, "Crowds greet Imre Nagybanya", "Donald Trump sleeps"])
  const about = (question: string) => titlesFor(headlines, [], subjectOf(question))
  equal(about("Will Donald Trump be king by June?"), new Set())
  equal(about("Will Imre Nagybanya be king?"), new Set(["Crowds greet Imre Nagybanya"]))
})

Deno.test("related() needs one of the question's names, whatever else is shared", () => {
  const headlines = headlinesOf(["Canal subsidy scheme revived", "Macron revives canal subsidy"])
  const subject = subjectOf("Will Macron revive the canal subsidy scheme?")
  equal(titlesFor(headlines, [], subject), new Set(["Macron revives canal subsidy"]))
})

Deno.test("wordsOf() normalizes accents, initials, plurals, thousands, possessives and aliases", () => {
  const terms = (text: string) => wordsOf(text).map(({ term }) => term)
  equal(terms("José’s U.S. cities"), ["jose", "usa", "city"])
  equal(terms("$150,000 in the United States"), ["150000", "in", "the", "usa"])
  equal(terms("Federal Reserve boss"), ["fed", "boss"])
  equal(terms("x ".repeat(10 * wordsMax)).length, wordsMax)
})

Deno.test("the words of a question and of a headline are limited, however long the texts are", () => {
  const long = Array.from({ length: 10_000 }, (_, n) => `Word${n}`).join(" ")
  const index = indexOf(headlinesOf([long, "other"]), [long])
  equal(index.facts[0]?.terms.size, wordsMax)
  ok(related(index, subjectOf(long, { eventSlug: long }), 0, 10).length <= 1)
})

Deno.test("topicsOf() returns the two heaviest units of each question, none twice", () => {
  const index = indexOf([], newsCases.map(({ question }) => question))
  const subjects = newsCases.map(({ question, eventSlug }) => subjectOf(question, { eventSlug }))
  const topics = topicsOf(index, [...subjects, ...subjects, subjectOf("Will it?")], 100)
  equal(topics.length, newsCases.length)
  ok(topics.every((topic) => topic.length === 2))
  equal(topicsOf(index, subjects, 3), topics.slice(0, 3))
  equal(topicsOf(index, [subjectOf("Will Emmanuel Macron resign?")], 3), [[
    "Emmanuel Macron",
    "resign",
  ]])
})
