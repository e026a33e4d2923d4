/**
 * Which headlines are about a market: laws over generated texts, and a set of labelled pairs.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import type { Headline } from "../../../src/news/domain/headline.ts"
import { newsIndex, related } from "../../support/news/unsliced.ts"
import { topicsOf } from "../../../src/news/domain/relation.ts"
import type { NewsSubject } from "../../../src/news/domain/subject.ts"
import { isInformative, wordsMax, wordsOf } from "../../../src/news/domain/words.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"
import { type NewsCase, newsCases, otherNews } from "../../support/news/newsPairs.ts"
import { freshCases, type PlantedCase, plantedCases } from "../../support/news/plantedPairs.ts"

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
    for (const title of before) {
      // Words in lower case can end a title case, so that its capitals mark names.
      const words = wordsOf(title)
      const isTitleCase = words.filter(({ capitalised }) => capitalised).length > words.length / 2
      ok(isTitleCase || after.has(`${title} ${more}`), title)
    }
  },
  { runs: sized({ short: 200, full: 1_000 }) },
)

law(
  "related() returns direct stories first, then the highest score, none before `since`, at most `limit`",
  anyWorld,
  (world) => {
    const index = indexOf(headlinesOf(world.titles), world.questions)
    const all = related(index, subjectOf(world.question), 0, 100)
    const strengths = ["direct", "sibling", "family"]
    const ranks = all.map(({ strength, score }) => [strengths.indexOf(strength), -score] as const)
    equal(ranks, ranks.toSorted(([a, b], [c, d]) => a - c || b - d))
    const some = related(index, subjectOf(world.question), 5, 2)
    equal(some, all.filter(({ firstAt }) => firstAt >= 5).slice(0, 2))
  },
  { runs: sized({ short: 200, full: 1_000 }) },
)

/** For each case and each headline its label, and what `related` says. */
function judged(cases: ReadonlyArray<PlantedCase>) {
  const labels = ({ direct, sibling = [], family = [], unrelated }: PlantedCase) => ({
    ...{ direct, sibling, family, unrelated },
  })
  const titles = [...new Set(cases.flatMap((planted) => Object.values(labels(planted)).flat()))]
  const subjects = cases.flatMap(({ question, outcomes, eventSlug, siblings = [] }) => [
    subjectOf(question, { eventSlug, ...outcomes === undefined ? {} : { outcomes } }),
    ...siblings.map((sibling) => subjectOf(sibling, { eventSlug })),
  ])
  const index = newsIndex(headlinesOf([...titles, ...otherNews]), subjects)
  return cases.flatMap((planted) => {
    const { question, outcomes, eventSlug } = planted
    const subject = subjectOf(question, {
      eventSlug,
      ...outcomes === undefined ? {} : { outcomes },
    })
    const found = new Map(
      related(index, subject, 0, titles.length).map(({ title, strength }) => [title, strength]),
    )
    const label = (title: string) =>
      Object.entries(labels(planted)).find(([, titles]) => titles.includes(title))?.[0] ??
        "unrelated"
    return [...titles, ...otherNews].map((title) => ({
      ...{ question, title, label: label(title), found: found.get(title) ?? "unrelated" },
    }))
  })
}

const plantedCase = ({ about, ...rest }: NewsCase): PlantedCase => ({ ...rest, direct: about })
const isClose = (strength: string) => strength === "direct" || strength === "sibling"

for (
  const [name, cases, labelled, recallMin] of [
    ["the pairs it was tuned on", plantedCases, 280, 0.95],
    ["fresh pairs", freshCases, 90, 0.9],
    ["the first pairs", newsCases.map(plantedCase), 60, 0.9],
  ] satisfies ReadonlyArray<readonly [string, ReadonlyArray<PlantedCase>, number, number]>
) {
  Deno.test(`related() has 95 % precision and ${100 * recallMin} % recall on ${name}`, () => {
    const pairs = judged(cases)
    const right = pairs.filter(({ label, found }) => isClose(label) && isClose(found)).length
    const wrong = pairs.filter(({ label, found }) => !isClose(label) && isClose(found))
    const missed = pairs.filter(({ label, found }) => isClose(label) && !isClose(found))
    const count = cases.flatMap(({ direct, sibling = [], family = [], unrelated }) => [
      ...[direct, sibling, family, unrelated].flat(),
    ]).length
    ok(count >= labelled, `${count} pairs`)
    ok(right / (right + wrong.length) >= 0.95, JSON.stringify(wrong, null, 1))
    ok(right / (right + missed.length) >= recallMin, JSON.stringify(missed, null, 1))
  })
}

Deno.test("related() distinguishes siblings and families from direct stories", () => {
  const pairs = judged([...plantedCases, ...freshCases]).filter(({ label }) =>
    label !== "unrelated"
  )
  for (const strength of ["direct", "sibling", "family"]) {
    const labelled = pairs.filter(({ label }) => label === strength)
    const wrong = labelled.filter(({ found }) => found !== strength)
    ok(labelled.length >= 20, strength)
    ok(wrong.length <= 0.15 * labelled.length, JSON.stringify(wrong, null, 1))
  }
})

Deno.test("related() relates one story to several markets, and none by a party or a place alone", () => {
  const titles = [
    "Civic Alliance gain in new poll of Portugal",
    "Inflation in Poland slows",
    "Portugal beat Norway in friendly",
  ]
  const about = (question: string) => titlesFor(headlinesOf(titles), [], subjectOf(question))
  const alliance = new Set([titles[0]])
  equal(about("Will the Civic Alliance win the most seats in Portugal by May 3?"), alliance)
  equal(about("Will the Civic Alliance win the most seats in the Portuguese election?"), alliance)
  equal(about("Will the Civic Alliance win the most seats in Japan by May 3?"), new Set())
  equal(about("Will annual inflation in Kenya be above 5% in May?"), new Set())
  equal(about("Will Portugal join the customs accord by June?"), new Set())
})

Deno.test("related() needs a name to be written as one", () => {
  const titles = ["Minister seeks clarity on a fishing act", "Clarity Act nears a vote"]
  const found = titlesFor(headlinesOf(titles), [], subjectOf("Clarity Act signed into law in May?"))
  equal(found, new Set([titles[1]]))
})

Deno.test("related() returns direct stories before siblings, and these before the family", () => {
  const order = ["direct", "sibling", "family"]
  for (const { question, eventSlug, siblings = [], ...titles } of plantedCases) {
    const all = [...titles.family ?? [], ...titles.sibling ?? [], ...titles.direct]
    const subjects = [question, ...siblings].map((text) => subjectOf(text, { eventSlug }))
    const index = newsIndex(headlinesOf(all), subjects)
    const found = related(index, subjectOf(question, { eventSlug }), 0, all.length)
      .map(({ strength }) => strength)
    equal(found, found.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)))
  }
})

Deno.test("related() puts another edition, agreement and period into the family", () => {
  const strengthOf = (question: string, title: string) =>
    related(indexOf(headlinesOf([title, "x"]), [question]), subjectOf(question), 0, 2)
      .map(({ strength }) => strength)[0]
  const examples: ReadonlyArray<readonly [question: string, direct: string, family: string]> = [
    [
      "Will OpenAI release GPT-6 by May?",
      "OpenAI to release GPT-6 soon",
      "OpenAI to release GPT-5 in schools",
    ],
    [
      "Will Chile and Peru sign a rail agreement by May 3?",
      "Chile and Peru near rail agreement",
      "Chile and Peru near grain deal",
    ],
    [
      "Will Bitcoin reach $90,000 in November?",
      "Bitcoin tumbles in early November",
      "Bitcoin tumbles in early December",
    ],
    [
      "Will Kast win the 2029 election in Chile?",
      "Chile election: Kast leads",
      "Kast won the 2025 election in Chile",
    ],
  ]
  for (const [question, direct, family] of examples) {
    equal(strengthOf(question, direct), "direct", direct)
    equal(strengthOf(question, family), "family", family)
  }
  // A deadline is no period.
  equal(
    strengthOf("Will Macron resign by November 30?", "Macron may resign in December"),
    "direct",
  )
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
