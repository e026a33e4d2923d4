/**
 * Parses feeds and GDELT's answers: every format has the same rows, hostile input does no harm, and an
 * invalid row does not affect the others.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Result, Schema } from "effect"
import { feedRows } from "../../../src/news/sources/feedRows.ts"
import { parseArticles, queryOf, rawHeadlineOf } from "../../../src/news/sources/gdelt.ts"
import { dateOf, decodeText, headlinesOf } from "../../../src/news/sources/rows.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"
import {
  formats,
  gdeltAnswer,
  news,
  newsNow as now,
  rss,
  rssItem,
} from "../../support/news/newsFeeds.ts"

const rowsMax = 500
const headlines = (text: string) =>
  Result.map(feedRows(text, "A", rowsMax), (rows) => headlinesOf(rows, now, rowsMax))
const failure = (text: string) =>
  Result.match(feedRows(text, "A", rowsMax), { onFailure: String, onSuccess: () => "a feed" })
const found = (text: string) =>
  Result.getOrThrow(headlines(text)).rows.map(({ title, url, publishedAt }) => ({
    title,
    url,
    publishedAt,
  }))

for (const [format, text] of Object.entries(formats)) {
  Deno.test(`feedRows() reads the same headlines from ${format}`, () => equal(found(text), news))
}

Deno.test("headlinesOf() counts each invalid row by reason, and keeps the others", () => {
  const [good] = news.map(rssItem)
  const bad = [
    "<item></item>",
    "<item><title>No address</title></item>",
    "<item><title>Timeless</title><link>https://news.example/t</link></item>",
    "<item><title>Odd</title><link>javascript:alert(1)</link></item>",
    "<item><title>Never</title><link>https://news.example/n</link><pubDate>soon</pubDate></item>",
    "<item><title>Far</title><link>https://news.example/f</link>" +
    "<pubDate>Fri, 20 Nov 2099 10:00:00 GMT</pubDate></item>",
    "<item><title>Past</title><link>https://news.example/p</link>" +
    "<pubDate>Fri, 20 Nov 2020 10:00:00 GMT</pubDate></item>",
  ]
  const { rows, rejected } = Result.getOrThrow(headlines(rss(bad.join("") + good)))
  equal(rows.length, 1)
  // The parser drops an empty item.
  equal(rejected, { no_address: 2, no_time: 2, in_the_future: 1, too_old: 1 })
})

Deno.test("an item without a link uses its guid, unless the guid is no permalink", () => {
  const items = [true, false].map((link, n) =>
    `<item><title>Title ${n}</title><pubDate>Fri, 20 Nov 2026 10:00:00 GMT</pubDate>` +
    `<guid isPermaLink="${link}">https://news.example/${n}</guid></item>`
  )
  const { rows, rejected } = Result.getOrThrow(headlines(rss(items.join(""))))
  equal([rows.map(({ url }) => url), rejected], [["https://news.example/0"], { no_address: 1 }])
})

Deno.test("feedRows() reads at most rowsMax + 1 of ten thousand items", () => {
  const items = Array.from(
    { length: 10_000 },
    (_, n) => rssItem({ title: `Title ${n}`, url: `https://news.example/${n}`, publishedAt: now }),
  )
  const { rows, rejected } = Result.getOrThrow(headlines(rss(items.join(""))))
  equal(rows.length, rowsMax)
  equal(rejected, { over_limit: 1 })
})

Deno.test("feedRows() expands no declared entity and opens no other document", () => {
  const laughs = "bcdefghij".split("").map((name, n) =>
    `<!ENTITY ${name} "${`&${"abcdefghij"[n]};`.repeat(10)}">`
  ).join("")
  const bomb = `<!DOCTYPE rss [<!ENTITY a "ha">${laughs}]>`
  const item = rssItem({ title: "X", url: "https://news.example/x", publishedAt: now })
  const expanded = feedRows(rss(item.replace("X", "&j; laughs"), bomb), "A", rowsMax)
  ok(Result.isFailure(expanded) || expanded.success.every(({ title }) => title.length < 100))
  const file = '<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
  const opened = feedRows(rss(item.replace("X", "&x; opened"), file), "A", rowsMax)
  ok(Result.isFailure(opened) || opened.success.every(({ title }) => !title.includes("root")))
})

const hugeInputs: Readonly<Record<string, string>> = {
  "elements in elements": rss("<item>" + "<a>".repeat(200_000) + "</a>".repeat(200_000)),
  "titles in titles": rss("<item>" + "<title>".repeat(200_000)),
  "open tags": rss("<".repeat(1_000_000)),
  "open CDATA": rss("<![CDATA[".repeat(100_000)),
  "open comments": rss("<!--".repeat(300_000)),
  "numeric entities": rss(`<item><title>${"&#65;".repeat(300_000)}</title></item>`),
  "ampersands": rss(`<item><title>${"&".repeat(1_000_000)}</title></item>`),
  "spaces": rss(`<item><title>${" ".repeat(1_000_000)}</title></item>`),
  "a prototype": rss("<item><__proto__>x</__proto__><constructor>y</constructor></item>"),
  "nested JSON": "[".repeat(500_000),
}
for (const [name, text] of Object.entries(hugeInputs)) {
  Deno.test(`feedRows() rejects or reads an input of ${name} without harm`, () => {
    const result = headlines(text)
    ok(Result.isFailure(result) || result.success.rows.length === 0)
    ok(!("x" in {}))
  })
}

Deno.test("feedRows() returns a reason for a text that is not a feed", () => {
  equal(failure("<!DOCTYPE html><html><body>Sorry</body></html>"), "an HTML page")
  for (const text of ["", " ", "null", "{}", "[]", "Sorry", "\0", "<rss", "<rss></rss>"]) {
    ok(["not a feed", "a feed"].includes(failure(text)), text)
  }
  equal(failure(rss("<item><title>cut").slice(0, -30)), "not a feed")
})

const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const scraps = [
  ...["<", ">", "&", ";", '"', "]]>", "<![CDATA[", "<!--", "<item>", "</item>", "<title>", "\0"],
  ...["</title>", "xmlns:a='b'", "&#x202e;", "&lt;", "\ud800", "{", "}", ",", "null", "2026", "é"],
  ...["<!DOCTYPE x [", "<?", "?>", "/", "=", "javascript:", "\u0007", "https://", "[", "__proto__"],
]
const mutated = Arbitrary.all({
  format: Arbitrary.schema(int(0, Object.keys(formats).length)),
  edits: Arbitrary.array(
    Arbitrary.schema(Schema.Struct({
      at: int(0, 1_200),
      drop: int(0, 40),
      scrap: int(0, scraps.length - 1),
      copy: int(0, 60),
    })),
    { minLength: 1, maxLength: 8 },
  ),
})

law(
  "a mutated feed is read or rejected, and every row is counted",
  mutated,
  ({
    format,
    edits,
  }) => {
    const texts = [...Object.values(formats), gdeltAnswer]
    let text = texts[format] ?? ""
    for (const { at, drop, scrap, copy } of edits) {
      const insert = `${scraps[scrap]}${text.slice(at, at + copy)}`
      text = text.slice(0, at) + insert + text.slice(at + drop)
    }
    for (const rows of [feedRows(text, "A", rowsMax), Result.map(parseArticles(text), rowsOf)]) {
      if (Result.isFailure(rows)) {
        ok(rows.failure.length < 40, "a fixed reason, without input text")
        continue
      }
      const { rows: kept, rejected } = headlinesOf(rows.success, now, rowsMax)
      equal(kept.length + Object.values(rejected).reduce((a, b) => a + b, 0), rows.success.length)
      for (const { title, url } of kept) {
        ok(
          !/[\p{Cc}\u202e]/u.test(title) && /^https?:\/\/[a-z0-9.-]+\//.test(url),
          `${title} ${url}`,
        )
      }
    }
  },
  { runs: sized({ short: 200, full: 4_000 }) },
)

const rowsOf = (articles: ReadonlyArray<unknown>) => articles.map(rawHeadlineOf)

Deno.test("rawHeadlineOf() removes the token spaces of GDELT's titles", () => {
  const rows = rowsOf(Result.getOrThrow(parseArticles(gdeltAnswer)))
  equal(
    headlinesOf(rows, now, 9).rows,
    news.map((row) => ({ ...row, source: "news.example" })),
  )
  const title = "Fed ' s Powell : rates ( again ) , he didn ' t say $ 5"
  const row = rawHeadlineOf({ title, url: "https://www.a.example/x", seendate: "20261120T031500Z" })
  equal(row.title, "Fed's Powell: rates (again), he didn't say $5")
  equal([row.source, row.publishedAt], ["a.example", Date.UTC(2026, 10, 20, 3, 15)])
})

Deno.test("parseArticles() detects errors with status 200, and repairs invalid JSON", () => {
  const fault = (text: string) =>
    Result.match(parseArticles(text), { onFailure: String, onSuccess: (rows) => rows.length })
  for (const why of ["Please limit requests to one every 5 seconds.", "A phrase is too short.\n"]) {
    equal(fault(why), "limit reached, or query rejected")
  }
  equal(fault("<html><body>502</body></html>"), "not a GDELT answer")
  equal(fault(""), "not a GDELT answer")
  equal(fault("{}"), 0)
  equal(fault('{"articles":null}'), "not a GDELT answer")
  equal(fault('{"articles":[{"title":"a \\d \n b"},7]}'), 2)
  equal(fault(gdeltAnswer.slice(0, -9)), "not a GDELT answer")
  equal(headlinesOf(rowsOf([7, null, {}]), now, 9), { rows: [], rejected: { no_title: 3 } })
})

Deno.test("queryOf() quotes words, and leaves out a topic with a word that is too short", () => {
  equal(queryOf(["Powell", "fired"]), '"Powell" "fired" sourcelang:english')
  equal(queryOf(["US", "government"]), null)
})

Deno.test("dateOf() parses the formats of feeds; without a zone it is UTC", () => {
  const noon = Date.UTC(2026, 10, 20, 12)
  for (
    const text of [
      ...["Fri, 20 Nov 2026 12:00:00 GMT", "20 Nov 2026 12:00 +0000", "2026-11-20T12:00:00Z"],
      ...["2026-11-20T13:00:00+01:00", "Fri, 20 Nov 2026 07:00:00 EST", "2026-11-20T12:00:00"],
      ...["Fri, 20 Nov 2026 13:00:00 CET", "2026-11-20 12:00:00", " 2026-11-20T12:00:00.000Z "],
    ]
  ) equal(dateOf(text), noon, text)
  equal(dateOf("2026-11-20"), Date.UTC(2026, 10, 20))
  for (const text of ["", "soon", "2026-13-45T00:00:00Z", "9".repeat(70)]) equal(dateOf(text), null)
})

Deno.test("decodeText() uses the header or the XML declaration", () => {
  const latin = Uint8Array.from(
    "<?xml version='1.0' encoding='iso-8859-1'?><a>\xe9</a>",
    (c) => c.charCodeAt(0),
  )
  ok(decodeText(latin, "text/xml").includes("é"))
  ok(decodeText(latin, 'text/xml; charset="windows-1252"').includes("é"))
  ok(decodeText(latin, "text/xml; charset=utf-8").includes("\ufffd"))
  const utf8 = new TextEncoder().encode("\ufeff<a>é</a>")
  equal(decodeText(utf8, "text/xml"), "<a>é</a>")
  equal(decodeText(new TextEncoder().encode("é"), "text/xml; charset=klingon"), "é")
})
