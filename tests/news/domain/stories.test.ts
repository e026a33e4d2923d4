/**
 * Stories: which headlines are one text, its earliest publication, and its corrections.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import type { Headline } from "../../../src/news/domain/headline.ts"
import { newsIndex as newsIndexInParts, related } from "../../../src/news/domain/match.ts"
import { runParts } from "../../support/runParts.ts"
import { outletsMax, siteOf, storiesInParts } from "../../../src/news/domain/stories.ts"
import { day, minute } from "../../../src/core/domain/time.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"

const newsIndex = (...given: Parameters<typeof newsIndexInParts>) =>
  runParts(newsIndexInParts(...given))
const storiesOf = (headlines: ReadonlyArray<Headline>) => runParts(storiesInParts(headlines))
const now = Date.UTC(2026, 10, 20, 12)
const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const text = "Ministers in Peru sign a rail agreement with Chile after long talks"

/** Titles of one text, of its variants, and of others that are close. */
const titles = [
  text,
  text.toUpperCase(),
  `${text} - Meridian Wire`,
  `BREAKING: ${text}`,
  `Update: ${text}`,
  `Correction: ${text}`,
  text.replace("sign", "do not sign"),
  text.replace("Peru", "Kenya"),
  text.replace("Peru", "Chile").replace("with Chile", "with Peru"),
  "",
  "…",
  "Update:",
  "- - | -",
]
const anyHeadlines = Arbitrary.map(
  Arbitrary.array(
    Arbitrary.schema(Schema.Struct({
      title: int(0, titles.length - 1),
      source: int(0, 3),
      halfHours: int(0, 200),
    })),
    { maxLength: 16 },
  ),
  (rows) =>
    rows.map(({ title, source, halfHours }, n): Headline => ({
      title: titles[title] ?? "",
      url: `https://s${source}.example/${n}`,
      source: ["Meridian Wire", "s1.example", "North Bay", "The Ledger"][source] ?? "",
      publishedAt: now - halfHours * 30 * minute,
    })),
)

law("storiesOf() does not depend on the input order", anyHeadlines, (headlines) => {
  equal(storiesOf(headlines.toReversed()), storiesOf(headlines))
}, { runs: sized({ short: 300, full: 3_000 }) })

law(
  "a story starts with its earliest outlet, and no outlet is in it twice",
  anyHeadlines,
  (headlines) => {
    const stories = storiesOf(headlines)
    for (const { url, source, firstAt, outlets } of stories) {
      const [first] = outlets
      equal([first?.url, first?.source, first?.publishedAt], [url, source, firstAt])
      ok(
        outlets.every(({ publishedAt }, n) =>
          publishedAt >= (outlets[n - 1]?.publishedAt ?? firstAt)
        ),
      )
      ok(outlets.every(({ publishedAt }) => publishedAt - firstAt <= 2 * day))
      equal(new Set(outlets.map(({ url }) => siteOf(url))).size, outlets.length)
    }
    // No headline is lost, and none is invented.
    const urls = new Set(headlines.map(({ url }) => url))
    ok(stories.every(({ outlets }) => outlets.every(({ url }) => urls.has(url))))
    const earliest = headlines.map(({ publishedAt }) => publishedAt).sort((a, b) => a - b)[0]
    equal(stories[0]?.firstAt, earliest)
  },
  { runs: sized({ short: 300, full: 3_000 }) },
)

law(
  "any titles and questions are related without an error, in bounded lists",
  Arbitrary.all({
    titles: Arbitrary.array(Arbitrary.schema(Schema.String), { maxLength: 6 }),
    question: Arbitrary.schema(Schema.String),
    outcome: Arbitrary.schema(Schema.String),
  }),
  ({ titles, question, outcome }) => {
    const rows = [...titles, `${question} vs. ${outcome}`].map((title, n) =>
      headline(title, title, n, `https://a.example/${n}`)
    )
    const subject = { question, outcomes: [outcome, question], gameStartsAt: null } as const
    const index = newsIndex(rows)
    for (const story of related(index, subject, 0, 9)) ok(story.firstAt >= now)
    ok(related(index, { ...subject, question: `${question} vs. ${outcome}` }, 0, 1).length <= 1)
  },
  { runs: sized({ short: 100, full: 1_000 }) },
)

const headline = (title: string, source: string, minutes: number, url?: string): Headline => ({
  title,
  source,
  url: url ?? `https://${source.toLowerCase().replaceAll(" ", "")}.example/${minutes}`,
  publishedAt: now + minutes * minute,
})
/** How many stories the titles are, each of another publisher. */
const storyCount = (...all: ReadonlyArray<string>) =>
  storiesOf(all.map((title, n) => headline(title, `Publisher ${n}`, n))).length

Deno.test("storiesOf() merges copies of one text and keeps the first with the outlets since", () => {
  const [story, ...others] = storiesOf([
    headline(`${text} - Reuters`, "The Ledger", 43),
    headline(text, "North Bay", 0),
    headline(`Breaking: ${text}`, "Quillon Post", 10),
    headline(text, "North Bay", 5),
    headline(text, "news.quillonpost.example", 20, "https://news.quillonpost.example/x"),
  ])
  equal(others, [])
  equal([story?.title, story?.source, story?.firstAt], [text, "North Bay", now])
  equal(story?.outlets.map(({ source, publishedAt }) => [source, (publishedAt - now) / minute]), [
    ["North Bay", 0],
    ["Quillon Post", 10],
    ["The Ledger", 43],
  ])
})

Deno.test("storiesOf() keeps texts apart that differ in a word with a meaning", () => {
  for (
    const other of [
      text.replace("sign", "do not sign"),
      text.replace("sign", "may sign"),
      text.replace("Peru", "Kenya"),
      text.replace("Peru", "Chile").replace("with Chile", "with Peru"),
      text.replace("long talks", "21 talks"),
      text.replace("sign", "to sign"),
      text.replace("rail", "big rail"),
      `${text} (corrected)`,
      `${text} - talks go on`,
    ]
  ) equal(storyCount(text, other), 2, other)
  for (
    const other of [
      text.toUpperCase(),
      `“${text}”`,
      `${text} | BBC News`,
      `LIVE: ${text}`,
      `UPDATE 1-${text}`,
      text.replace("a rail", "the rail"),
    ]
  ) equal(storyCount(text, other), 1, other)
})

Deno.test("a text that is published again after two days is another story", () => {
  const again = (after: number) =>
    storiesOf([headline(text, "A", 0), headline(text, "B", after / minute)]).length
  equal([again(2 * day), again(2 * day + minute)], [1, 2])
})

Deno.test("a correction marks the earlier story that it is about", () => {
  const stories = storiesOf([
    headline("Low Tide wins the festival grand prize, jury says", "A", 0),
    headline("Low Tide wins the festival grand prize, jury says", "B", 9),
    headline("Correction: Low Tide does not win the festival grand prize, jury says", "A", 60),
    headline("Low Tide wins the festival grand prize, jury says again", "C", 90),
    headline("Festival opens in the rain", "B", 1),
  ])
  equal(stories.map(({ label, corrected }) => [label, corrected]), [
    ["none", true],
    ["none", false],
    ["correction", false],
    ["none", false],
  ])
})

Deno.test("the publishers of one story are limited", () => {
  const many = Array.from({ length: 3 * outletsMax }, (_, n) => headline(text, `Publisher ${n}`, n))
  const [story] = storiesOf(many)
  equal([story?.outlets.length, story?.firstAt], [outletsMax, now])
})
