/**
 * Sanitized text contains nothing invisible and nothing that ends a quotation, and two Markdown parsers
 * render its escaped form as the plain text.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary } from "effect"
import { micromark } from "micromark"
import { gfm, gfmHtml } from "micromark-extension-gfm"
import {
  excerpt,
  nameLengthMax,
  readableName,
  safeName,
} from "../../../src/core/domain/untrusted.ts"
import { law } from "../../support/effect.ts"
import { anyInt, hostilePieces, hostileText } from "../../support/http/hostile.ts"

const runs = 3_000

law(
  "safeName() returns one visible line without quotation marks",
  hostileText,
  (text) => {
    const name = safeName(text)
    ok(name.length > 0 && [...name].length <= nameLengthMax)
    ok(!/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(name), JSON.stringify(name))
    ok(!/[“”„‟"«»‹›❝❞〝〞〟＂″ʺ״]|''/u.test(name), name)
    ok(!/^\s|\s$|\s\s|[^\S ]/u.test(name), JSON.stringify(name))
    ok(!/(?:^|\s)\p{M}|\p{M}{5}/u.test(name), JSON.stringify(name))
    ok(/[^\s\p{M}]/u.test(name))
    strictEqual(name, name.normalize("NFC"))
  },
  { runs },
)

law("safeName() and excerpt() are idempotent", hostileText, (text) => {
  strictEqual(safeName(safeName(text)), safeName(text))
  strictEqual(excerpt(excerpt(text, 50), 50), excerpt(text, 50))
}, { runs })

law(
  "safeName() returns at most `max` characters, and splits none",
  Arbitrary.all({ text: hostileText, max: anyInt(8, 30) }),
  ({ text, max }) => {
    const name = safeName(text, max)
    ok([...name].length <= max)
    ok(name.isWellFormed())
  },
  { runs },
)

Deno.test("safeName() keeps the characters of ordinary names", () => {
  const names = [
    "Will the Fed cut rates by 25 bps in March?",
    "Bitcoin > $100,000 on 31 Dec. (UTC)?",
    "Trump’s 2nd term – 50% tariff & more",
    "Zürich, Łódź, São Paulo, Đà Nẵng",
    "Владимир, 習近平, القاهرة, हिन्दी, ไทย",
  ]
  equal(names.map((name) => safeName(name)), names.map((name) => name.normalize("NFC")))
  strictEqual(safeName("\u202e\u200b \u0301"), "unnamed")
  strictEqual(safeName("Yes” and “No"), "Yes' and 'No")
  strictEqual(safeName("❤\ufe0f!"), "❤!")
  strictEqual(safeName(`a${"\u0344".repeat(9)}`).length, 1 + 4)
  strictEqual(safeName("x".repeat(500)), `${"x".repeat(nameLengthMax - 1)}…`)
})

/** The text of an HTML page that is one paragraph; any other markup stays in the result. */
function renderedText(html: string): string {
  const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' }
  return html.replace(/^<p>([^<>]*)<\/p>$/, "$1")
    .replace(/&(lt|gt|amp|quot);/g, (_, entity: string) => entities[entity] ?? "")
}

/** As the bold lead of a paragraph, and in quotation marks within it. */
function assertRendersAsText(text: string): void {
  const name = readableName(text)
  const markdown = `**${name}** Yes in “${name}” rose. (F1, F2)`
  const github = { extensions: [gfm()], htmlExtensions: [gfmHtml()] }
  for (const html of [micromark(markdown), micromark(markdown, github)]) {
    const [, lead = "", rest = ""] = /^<p><strong>(.*)<\/strong> (.*)<\/p>$/.exec(html) ?? []
    strictEqual(renderedText(`<p>${lead}</p>`), name, html)
    strictEqual(renderedText(`<p>${rest}</p>`), `Yes in “${name}” rose. (F1, F2)`, html)
  }
}

law(
  "readableName() renders as itself, in CommonMark and in GitHub's Markdown, without an escape",
  hostileText,
  (text) => {
    assertRendersAsText(text)
    const name = readableName(text)
    ok(!name.includes("\\") && [...name].length <= nameLengthMax)
    strictEqual(readableName(name), name)
  },
  { runs },
)

Deno.test("readableName() renders every pair of hostile pieces as text", () => {
  const pieces = hostilePieces.filter((piece) => /^[!-~]/.test(piece) && !/^\w$/.test(piece))
  for (const first of pieces) {
    for (const second of pieces) assertRendersAsText(`${first}${second}`)
  }
})

Deno.test("readableName() leaves no start of an address at the end of a name", () => {
  for (const text of ["See www.", "WWW.", `www.${"a".repeat(300)}`]) {
    ok(!/www\./i.test(readableName(text, 8)), readableName(text, 8))
  }
})

/** What could be an address, also after Unicode's compatibility forms and IDNA's dots. */
const address = /\p{L}[.。]\p{L}{2}|:\/\/|www\./iu

law("readableName() leaves no address in any form", hostileText, (text) => {
  ok(!address.test(readableName(text).normalize("NFKC")), text)
}, { runs })

Deno.test("readableName() leaves no address whose signs imitate the plain ones", () => {
  for (const dot of ".․﹒．。｡") {
    for (const colon of ":：﹕︓") {
      const name = readableName(`Claim at https${colon}／⁄www${dot}evil${dot}example`)
      ok(!address.test(name.normalize("NFKC")), name)
      strictEqual(name, "Claim at https: //www evil. example")
    }
  }
})

Deno.test("readableName() leaves questions and names readable", () => {
  for (
    const text of [
      "Will 'Lantern Year' win the festival grand prize in December 2026?",
      "$1,000,000 by 12:00 UTC? It's - so far - +5.5%, U.S. vs. AT&T, a.m.",
    ]
  ) strictEqual(readableName(text), text)
  strictEqual(readableName("[a](b) *c* _d_ #1 <b> e|f"), "(a)(b) ∗c∗ -d- ♯1 ＜b＞ e/f")
  strictEqual(
    readableName("Go to https://www.evil.com, joe@evil.com"),
    "Go to https: //www evil. com, joe＠evil. com",
  )
  strictEqual(readableName("&lt;b&gt; :smile:"), "＆lt;b＆gt; : smile:")
})
