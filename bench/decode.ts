/**
 * What decoding one row of Polymarket's listing costs, beside parsing its JSON.
 *
 * Run: deno run --allow-read bench/decode.ts [rows]
 *
 * @module
 */
import { decodeMarkets } from "../src/venues/polymarket/gamma.ts"
import { gammaRow, recordedAt } from "../tests/support/venues/polymarket.ts"

const rows = Number(Deno.args[0] ?? 50_000)
const page = 100
const description = "The keeper's log is the source of resolution. ".repeat(40)
const pages = Array.from(
  { length: Math.ceil(rows / page) },
  (_, at) =>
    JSON.stringify({
      markets: Array.from({ length: page }, (_, row) =>
        gammaRow(at * page + row, {
          description,
          tags: [{ id: "1", label: "Culture", slug: "pop-culture" }],
        })),
    }),
)

for (let round = 1; round <= 3; round++) {
  let parseMs = 0
  let decodeMs = 0
  let found = 0
  for (const text of pages) {
    const started = performance.now()
    const { markets } = JSON.parse(text)
    const parsed = performance.now()
    found += decodeMarkets(markets, recordedAt).rows.length
    decodeMs += performance.now() - parsed
    parseMs += parsed - started
  }
  const each = (ms: number) => (ms / found * 1_000).toFixed(1)
  const kilobytes = (pages.join("").length / found / 1_000).toFixed(1)
  // deno-lint-ignore no-console
  console.log(
    `round ${round}: ${found} markets, ${each(decodeMs)} us a row to decode, ` +
      `${each(parseMs)} us to parse (${kilobytes} kB a row)`,
  )
}
