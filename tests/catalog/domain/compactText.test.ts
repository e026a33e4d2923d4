/**
 * The text of a long answer fits what hosts show to a model, and says what is missing.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { compactBytesMax, compactText } from "../../../src/catalog/domain/compactText.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { sampleBody } from "../../../src/catalog/domain/sample.ts"

const { table } = products.whales

const bytesOf = (value: unknown) =>
  new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value)).length

/** The whale table of the sample's rows, so many times, with long names of other scripts. */
const whaleTable = (rows: number) => ({
  ...products.whales.sample,
  data: {
    wallets: Array.from({ length: rows }, (_, at) => ({
      ...sampleBody.whales[at % 2],
      pseudonym: "鲸".repeat(30),
      label: at === rows - 1 ? "follow" : "neutral",
    })),
    omitted: 0,
  },
})

for (const rows of [40, 77, 500]) {
  Deno.test(`a whale table of ${rows} rows is at most 20 kB and says what was left out`, () => {
    const text = compactText(table, JSON.stringify(whaleTable(rows)), ["label", "wallet"])
    ok(text !== null && bytesOf(text) <= compactBytesMax)
    const [note = "", header, first] = text.split("\n")
    const shown = text.split("\n").length - 2
    match(note, new RegExp(`^${shown} of ${rows} rows, .*${rows - shown} rows .*label, wallet`))
    match(header ?? "", /^wallet\tpseudonym\tlabel/)
    match(first ?? "", /\tfollow\t/, "a proven label comes first")
    strictEqual(text.split("\n").at(-1)?.split("\t").length, header?.split("\t").length)
  })
}

Deno.test("a short answer and one without a table stay as they are", () => {
  equal(compactText(table, JSON.stringify(products.whales.sample), []), null)
  equal(compactText(undefined, "x".repeat(30_000), []), null)
})

Deno.test("99 of 100 answers have at most 30 kB, except the whole whale table", () => {
  for (const { id, answerBytes: { p50, p99 } } of Object.values(products)) {
    ok(p50 < p99 && (id === "whales" || p99 <= 30_000), id)
  }
})

Deno.test("the samples have the sizes that the catalog states", () => {
  for (const { id, sample, answerBytes } of Object.values(products)) {
    ok(bytesOf(sample) <= answerBytes.p99, `${id}: ${bytesOf(sample)} bytes`)
  }
  const items = sampleBody.feedItems.map(bytesOf)
  ok(10 * Math.max(...items) <= products.signals.answerBytes.p99, `${items}`)
})
