/**
 * What the agent buys next, and how it prints what it bought.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, throws } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { calls } from "bellwether-client"
import { findPriceConflict, readContract } from "../../../examples/agent/discover.ts"
import {
  type AgentState,
  callOf,
  feedFailuresMax,
  initialState,
  isTooDear,
  Item,
  itemLine,
  markDone,
  markFailed,
  markRead,
  type WantedPurchase,
  wantedPurchases,
} from "../../../examples/agent/feed.ts"
import { summaryLines } from "../../../examples/agent/summary.ts"
import { documents } from "../../../src/http/documents/documents.ts"
import { sampleBody } from "../../../src/catalog/domain/sample.ts"
import { law } from "../../support/effect.ts"
import { documentOptions } from "../../support/http/httpService.ts"

const text = (path: string) =>
  new TextDecoder().decode(documents(documentOptions).get(path)?.().bytes)
const at = "2026-11-21T12:00:00.000Z"
const indexAt = (index: number, digest: string | null = null) => ({
  status: "live",
  index,
  totalToday: 1,
  digest: digest === null ? null : { latestAt: digest, title: "T" },
})

Deno.test("wantedPurchases() requests the items after the last index, and only when there are any", () => {
  equal(wantedPurchases({ ...initialState, lastIndex: 7 }, indexAt(9)), [{
    kind: "items",
    since: 7,
  }])
  equal(wantedPurchases({ ...initialState, lastIndex: 9 }, indexAt(9)), [])
  equal(wantedPurchases({ ...initialState, lastIndex: 12 }, indexAt(9)), [])
  equal(wantedPurchases(initialState, indexAt(3)), [{ kind: "items", since: 0 }])
  equal(wantedPurchases(initialState, indexAt(30)), [{ kind: "items", since: 20 }])
})

Deno.test("wantedPurchases() has each digest once, and feed items first", () => {
  const before = { ...initialState, lastIndex: 7 }
  equal(wantedPurchases(before, indexAt(9, at)).map(({ kind }) => kind), ["items", "digest"])
  equal(wantedPurchases({ ...before, digestAt: "an earlier one" }, indexAt(7, at)).length, 1)
  const [, digest] = wantedPurchases(before, indexAt(9, at))
  ok(digest?.kind === "digest")
  equal(wantedPurchases(markDone(before, digest, indexAt(9, at)), indexAt(7, at)), [])
})

Deno.test("callOf() asks for as many items as one call may return", () => {
  const count = calls.get_signals.parameters.find(({ name }) => name === "count")
  const { parameters } = callOf({ kind: "items", since: 7 })
  equal(parameters, { since: 7, count: count?.maximum })
})

Deno.test("isTooDear() keeps two calls of the feed, and never holds back the feed", () => {
  const digest: WantedPurchase = { kind: "digest", at }
  equal([0.16, 0.159999].map((left) => isTooDear(digest, left)), [false, true])
  equal(isTooDear({ kind: "report", market: "m" }, 1.06), false)
  equal(isTooDear({ kind: "items", since: 7 }, 0), false)
})

Deno.test("findPriceConflict() accepts the service's own documents, and no other price", () => {
  const [openApi, page] = [text("/openapi.json"), text("/llms.txt")]
  equal(findPriceConflict(readContract(openApi), page), null)
  const listed = page.replace("): $0.03.", "): $0.04.")
  ok(findPriceConflict(readContract(openApi), listed)?.includes("$0.04"))
  const priced = openApi.replace('"amount":"0.03"', '"amount":"0.02"')
  ok(findPriceConflict(readContract(priced), page)?.includes("$0.02"))
  throws(
    () => readContract(openApi.replace('"mode":"fixed"', '"mode":"dynamic"')),
    /cannot be read/,
  )
})

const Poll = Schema.Struct({
  index: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 })),
  digest: Schema.Literals(["a", "b"]),
  isDelivered: Schema.Boolean,
  zScore: Schema.Int.check(Schema.isBetween({ minimum: -12, maximum: 12 })),
})

const mover = (feedIndex: number, zScore: number): Item => ({
  feedIndex,
  title: "Q",
  type: "mover",
  data: {
    market: { slug: `market-${feedIndex}` },
    ...{ window: "1h", priceStart: 0.4, priceNow: 0.6, delta: 0.2, zScore, confirmedBy: "trades" },
    microstructure: { spread: 0.01, depthUsdWithin5c: { total: 5_000 } },
  },
})

law(
  "whatever the feed does, no item is bought twice or left out, and each poll ends",
  Arbitrary.schema(Schema.Array(Poll)),
  (polls) => {
    let state: AgentState = { ...initialState, lastIndex: 0 }
    const read: Array<number> = []
    for (const { index, digest, isDelivered, zScore } of polls) {
      const now = indexAt(index, digest)
      for (let steps = 0;; steps += 1) {
        ok(steps < 12, "a poll does not end")
        const [wanted] = wantedPurchases(state, now)
        if (wanted === undefined) break
        if (wanted.kind !== "items") {
          state = isDelivered ? markDone(state, wanted, now) : markFailed(state, wanted, now)
        } else if (!isDelivered) {
          state = markFailed(state, wanted, now)
          break
        } else {
          const count = Math.min(20, index - wanted.since)
          const items = Array.from({ length: count }, (_, n) => mover(wanted.since + n + 1, zScore))
          read.push(...items.map(({ feedIndex }) => feedIndex))
          state = markRead(state, wanted.since, items)
          equal(state.failures, 0)
        }
      }
    }
    equal(read, Array.from({ length: read.length }, (_, n) => n + 1))
    ok(state.reported.length === new Set(state.reported).size)
  },
)

Deno.test("markRead() picks the strongest move without a report", () => {
  const known = { ...initialState, reported: ["market-3"] }
  const items = [mover(1, 5.9), mover(2, -7), mover(3, 20), mover(4, 6)]
  equal(markRead(known, 0, items).mover, { market: "market-2", zScore: 7 })
  equal(markRead(known, 0, [mover(1, 5.9)]).mover, null)
})

Deno.test(`markFailed() counts failures of the feed, up to ${feedFailuresMax}, and skips a failed digest`, () => {
  const items: WantedPurchase = { kind: "items", since: 0 }
  const first = markFailed(initialState, items, indexAt(3))
  equal([first.lastIndex, first.failures], [null, 1])
  equal(markFailed(first, { kind: "digest", at }, indexAt(3, at)).digestAt, at)
})

Deno.test("itemLine() prints the facts and the evidence of each item type", () => {
  const { feedItems } = sampleBody
  const [moved, whale, determined] = feedItems.map((item: unknown) =>
    itemLine(Schema.decodeUnknownSync(Item)(item))
  )
  ok(
    /moved: “.+” [\d.]+ -> [\d.]+ \([+-][\d.]+\) in (1h|24h), z .+ within 5 cents/.test(
      moved ?? "",
    ),
  )
  ok(/whale: “.+” \(.+\) bought “.+” of “.+” at [\d.]+ for \$/.test(whale ?? ""), whale)
  ok(/decided: .+ confidence, while the price is [\d.]+/.test(determined ?? ""), determined)
})

Deno.test("itemLine() prints foreign text as one harmless line, and an unknown item by its title", () => {
  const line = itemLine({ feedIndex: 3, type: "\u001b[31mnew", title: "a\u001b]0;x\u0007\nb" })
  // deno-lint-ignore no-control-regex
  ok(!/[\u0000-\u001f\u007f]/.test(line), JSON.stringify(line))
  ok(line.startsWith("  #3 "))
})

Deno.test("summaryLines() lists payments with an unknown outcome, and where to check them", () => {
  const payment = {
    ...{ target: "/v1/latest", amountUsd: "0.01", paymentId: "0xabc", transaction: null },
    payer: "0xbuyer",
    ...{ day: "2026-11-21", outcome: "unclear" } as const,
  }
  const lines = summaryLines([payment], { budgetUsd: "10.00", leftUsd: "9.99" })
  equal(lines[0], "signed     $0.01; not taken according to the service: $0.00")
  equal(lines.slice(3), [
    "unclear    $0.01 for /v1/latest: check GET /v1/payments/0xabc before you buy again",
    "left       $9.99 of $10.00",
  ])
})
