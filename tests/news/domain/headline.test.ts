/**
 * Headlines: canonical addresses, plain titles and accepted times.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Result, Schema } from "effect"
import {
  addressLengthMax,
  canonicalAddress,
  cleanTitle,
  headlineOf,
  newsRetentionMs,
  titleLengthMax,
} from "../../../src/news/domain/headline.ts"
import { hour } from "../../../src/core/domain/time.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"

const now = Date.UTC(2026, 10, 20, 12)
const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const text = Arbitrary.schema(Schema.String)
/** Parts of valid and invalid addresses. */
const pieces = [
  ...["https://", "HTTP://", "javascript:", "//", "user:pw@", "WWW.Example.com", "127.0.0.1", "a"],
  ...[":8080", ":443", "/news", "/a(b)", "/[x]", "/%41", "?", "&", "utm_source=x", "id=1", "at_x"],
  ...[
    "#0",
    " ",
    "\u202e",
    "\\",
    "é.example",
    ".",
    "..",
    "`",
    "<b>",
    '"',
    "'",
    "|",
    "=",
    "://",
    "@",
  ],
]
const address = Arbitrary.map(
  Arbitrary.array(Arbitrary.schema(int(0, pieces.length - 1)), { maxLength: 12 }),
  (chosen) => chosen.map((n) => pieces[n]).join(""),
)

for (const [name, any] of [["made of parts", address], ["of any characters", text]] as const) {
  law(
    `canonicalAddress() is idempotent and without dangerous characters, for text ${name}`,
    any,
    (value) => {
      for (const url of [value, `https://www.example.com/${value}`].map(canonicalAddress)) {
        if (url === null) continue
        equal(canonicalAddress(url), url)
        ok(
          /^https?:\/\/[a-z0-9.-]+\/[^\s\p{C}()[\]{}<>"'`|\\^*#@]*(?:@[^\s#<>"]*)*$/u.test(url),
          url,
        )
        ok(url.length <= addressLengthMax)
      }
    },
    { runs: sized({ short: 200, full: 2_000 }) },
  )
}

Deno.test("canonicalAddress() drops fragments and tracking parameters, and keeps the rest", () => {
  const examples: ReadonlyArray<readonly [string, string | null]> = [
    [
      "https://www.BBC.co.uk/news/articles/c1?at_medium=RSS&at_campaign=rss#0",
      "https://www.bbc.co.uk/news/articles/c1",
    ],
    ["https://a.example/x?id=7&utm_source=f&b=1,2", "https://a.example/x?id=7&b=1,2"],
    ["https://p.dw.com/en/a-1?maca=en-rss-en-all-1573-rdf", "https://p.dw.com/en/a-1"],
    ["https://www.aljazeera.com/n/1?traffic_source=rss", "https://www.aljazeera.com/n/1"],
    [" http://a.example:80/x ", "http://a.example/x"],
    ["https://a.example/a(b)[c]", "https://a.example/a%28b%29%5Bc%5D"],
    ["https://user:secret@a.example/x", null],
    ["https://a.example:8443/x", null],
    ["ftp://a.example/x", null],
    ["javascript:alert(1)", null],
    ["data:text/html,hello", null],
    ["//a.example/x", null],
    ["/x", null],
    ["https://localhost/x", null],
    ["https://127.0.0.1/x", null],
    ["https://2130706433/x", null],
    ["https://[::1]/x", null],
    ["https://a.example/x y", null],
    [`https://a.example/${"x".repeat(addressLengthMax)}`, null],
    [`https://a.example/${"é".repeat(addressLengthMax / 4)}`, null],
  ]
  for (const [input, expected] of examples) equal(canonicalAddress(input), expected, input)
})

law("cleanTitle() is one line of bounded text without tags", text, (value) => {
  const title = cleanTitle(`${value}<b class="x">${value}</b>&#x202E;&#10;&lt;i&gt;`)
  ok([...title].length <= titleLengthMax)
  ok(!/[\p{C}\p{Zl}\p{Zp}]|<\/?[bi][ >]/u.test(title), title)
  equal(title, title.trim())
}, { runs: sized({ short: 100, full: 500 }) })

Deno.test("cleanTitle() decodes entities that feeds encode twice, and keeps other ampersands", () => {
  equal(cleanTitle("Q&amp;A: &#8216;x&#8217; &lt;b&gt;now&lt;/b&gt; &hellip;"), "Q&A: ‘x’ now …")
  equal(cleanTitle("<b<i>>now</b <b 'then"), "b >now /b b 'then")
  equal(cleanTitle("AT&T &unknown; &#9999999; 1 < 2 > 0"), "AT&T &unknown; 1 < 2 > 0")
  equal(cleanTitle(`${"&amp;".repeat(5_000)}`).length, (4 * titleLengthMax) / 5)
})

const validRow = {
  title: "A title",
  url: "https://a.example/1",
  source: "A",
  publishedAt: now - hour,
}
const faultOf = (row: Partial<typeof validRow> | { readonly publishedAt: number | null }) =>
  Result.match(headlineOf({ ...validRow, ...row }, now), {
    onFailure: (fault): string => fault,
    onSuccess: ({ publishedAt }) => (publishedAt - now) / hour,
  })

Deno.test("headlineOf() accepts times near now, and rejects each missing field by name", () => {
  equal(faultOf({}), -1)
  equal(faultOf({ publishedAt: now + hour }), 0)
  equal(faultOf({ publishedAt: now + hour + 1 }), "in_the_future")
  equal(faultOf({ publishedAt: now - newsRetentionMs }), -newsRetentionMs / hour)
  equal(faultOf({ publishedAt: now - newsRetentionMs - 1 }), "too_old")
  for (const publishedAt of [null, NaN, Infinity]) equal(faultOf({ publishedAt }), "no_time")
  for (const title of ["", "   ", "2026", "<b></b>", "\u200b"]) {
    equal(faultOf({ title }), "no_title")
  }
  for (const url of ["", "x", "https://u@a.example"]) equal(faultOf({ url }), "no_address")
  const nameless = headlineOf({ ...validRow, source: "\u202e" }, now)
  equal(Result.isSuccess(nameless) && nameless.success.source, "a.example")
})
