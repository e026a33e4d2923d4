/**
 * /card.png is an image of the size that it promises, rendered once for the same record, and honest
 * without one.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { sampleAt, sampleScorecard } from "../../../src/catalog/domain/sample.ts"
import { cardAnswer, cardHeight, cardWidth, pngRoute } from "../../../src/http/pages/card/card.ts"
import type { Site } from "../../../src/http/pages/site.ts"
import type { Answer } from "../../../src/http/server/answer.ts"
import type { EdgeRoute } from "../../../src/http/server/edge.ts"

const site: Site = {
  ...{ publicBaseUrl: "https://service.example", paymentMode: "live", venueMode: "polymarket" },
  ...{ version: "1.0.0", contact: "mailto:a@service.example", network: "eip155:8453" },
}
const record = { success: true as const, ...sampleScorecard(sampleAt) }
const none = {
  ...record,
  coverage: { ...record.coverage, resolvedEntries: 0 },
  oddsBands: [],
}
const limiter: EdgeRoute["limiter"] = {
  policyField: null,
  admit: () => ({ kind: "unlimited" }),
}
const textOf = (answer: Answer) => new TextDecoder().decode(answer.bytes)

Deno.test("cardAnswer() shows the number of entries, also when it is 0, and an invented market", () => {
  const text = textOf(cardAnswer(site, record))
  ok(text.includes(`>${record.coverage.resolvedEntries}<`) && text.includes("<circle"))
  ok(!text.includes("var(--") && !text.includes("simulated"))
  const empty = textOf(cardAnswer({ ...site, venueMode: "simulated" }, none))
  ok(empty.includes(">0<") && empty.includes("Nothing to compare yet"))
  ok(empty.includes("The market here is simulated."))
})

Deno.test("pngRoute() renders a card once, and again when it is another", async () => {
  let body = record
  const route = pngRoute({ paid: null, limiter, current: () => cardAnswer(site, body) })
  const png = async () => {
    const answer = await route.current?.("")
    ok(answer && "bytes" in answer)
    return answer
  }
  const [first, second] = await Promise.all([png(), png()])
  strictEqual(first, second)
  strictEqual(await png(), first)
  const view = new DataView(first.bytes.buffer, first.bytes.byteOffset)
  equal([view.getUint32(1), view.getUint32(16), view.getUint32(20)], [
    0x504e470d,
    ...[cardWidth, cardHeight],
  ])
  ok(first.headers.some(([name, value]) => name === "content-type" && value === "image/png"))
  body = none
  ok((await png()).bytes.length !== first.bytes.length)
})
