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
  escapedMarkdown,
  excerpt,
  nameLengthMax,
  safeName,
} from "../../../src/core/domain/untrusted.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"
import { anyInt, hostilePieces, hostileText } from "../../support/http/hostile.ts"

const runs = 3_000
const everything = 1_000_000

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

function assertRendersAsText(text: string): void {
  const plain = excerpt(text, everything)
  const markdown = escapedMarkdown(text)
  strictEqual(renderedText(micromark(markdown)), plain, markdown)
  const github = { extensions: [gfm()], htmlExtensions: [gfmHtml()] }
  strictEqual(renderedText(micromark(markdown, github)), plain, markdown)
}

law(
  "escapedMarkdown() renders as the text, in CommonMark and in GitHub's Markdown",
  hostileText,
  (text) => {
    assertRendersAsText(text)
  },
  { runs },
)

law(
  "escapedMarkdown() renders as the text in a heading and in a block quote",
  hostileText,
  (text) => {
    const plain = excerpt(text, everything)
    for (
      const [mark, open, close] of [["## ", "<h2>", "</h2>"], ["> ", "<blockquote>\n", "\n</b"]]
    ) {
      const html = micromark(`${mark}${escapedMarkdown(text)}`)
      if (plain === "") continue
      ok(html.startsWith(open ?? ""), html)
      const inside = html.slice(open?.length).split(close ?? "")[0] ?? ""
      strictEqual(renderedText(inside), plain, html)
    }
  },
  { runs: sized({ short: 200, full: 1_000 }) },
)

Deno.test("escapedMarkdown() renders every pair of hostile pieces as text", () => {
  const pieces = hostilePieces.filter((piece) => /^[!-~]/.test(piece) && !/^\w$/.test(piece))
  for (const first of pieces) {
    for (const second of pieces) assertRendersAsText(`${first}${second}`)
  }
})

Deno.test("escapedMarkdown() leaves figures and sentences readable", () => {
  const text =
    "“Yes” moved from 0.45 to 0.62 (12,300 USD) at 14:00 UTC; that is -0.12. It's - so far - new!"
  strictEqual(escapedMarkdown(text), text)
  strictEqual(escapedMarkdown("0.62 is the mid."), "0.62 is the mid.")
  strictEqual(escapedMarkdown("@joe"), "\\@joe")
  strictEqual(escapedMarkdown("Go to www.evil.com"), "Go to www\\.evil\\.com")
})
