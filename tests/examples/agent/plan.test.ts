/**
 * What the agent buys next, and how it prints what it bought.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Result, Schema } from "effect"
import {
  addSigned,
  type Ledger,
  type Limits,
  summaryLines,
  unspent,
  withOutcome,
} from "../../../examples/agent/budget.ts"
import { readContract } from "../../../examples/agent/discover.ts"
import {
  type AgentState,
  decide,
  feedFailuresMax,
  initialState,
  Item,
  itemLine,
  markDone,
  markFailed,
  markRead,
  type WantedPurchase,
  wantedPurchases,
} from "../../../examples/agent/feed.ts"
import { atomic, AtomicAmount } from "../../../src/core/domain/money.ts"
import { documents } from "../../../src/http/documents/documents.ts"
import { sampleBody } from "../../../src/catalog/domain/sample.ts"
import { law } from "../../support/effect.ts"
import { serviceOptions } from "../../support/http/httpService.ts"

const contract = Result.getOrThrow(readContract(JSON.parse(new TextDecoder().decode(
  documents({ ...serviceOptions, version: "1.0.0" }).get("/openapi.json")?.bytes,
))))
const at = "2026-11-21T12:00:00.000Z"
const indexAt = (index: number, digest: string | null = null) => ({
  status: "live",
  index,
  totalToday: 1,
  digest: digest === null ? null : { latestAt: digest, title: "T" },
})
const largeLimits: Limits = { budget: atomic("10"), perCall: atomic("1") }
const decideFor = (wanted: WantedPurchase, limits: Limits, ledger: Ledger = []) =>
  decide(wanted, contract, ledger, limits)

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

Deno.test("decide() builds the path of a purchase, with as many items as one call may return", () => {
  const path = (wanted: WantedPurchase) => {
    const decision = decideFor(wanted, largeLimits)
    return decision.kind === "buy" ? [decision.path, decision.price] : decision
  }
  equal(path({ kind: "items", since: 7 }), ["/v1/signals?since=7&count=20", 30_000n])
  equal(path({ kind: "digest", at }), ["/v1/digest", 100_000n])
  equal(path({ kind: "report", market: "a b&c=d" }), [
    "/v1/research?market=a%20b%26c%3Dd",
    1_000_000n,
  ])
})

Deno.test("decide() stops when the feed is too expensive, and skips a digest that is", () => {
  const limits = (budget: `${number}`, perCall: `${number}` = "1") => ({
    budget: atomic(budget),
    perCall: atomic(perCall),
  })
  const items: WantedPurchase = { kind: "items", since: 7 }
  const digest: WantedPurchase = { kind: "digest", at }
  equal(decideFor(items, limits("0.03")).kind, "buy")
  equal(decideFor(items, limits("0.029999")).kind, "stop")
  equal(decideFor(items, limits("10", "0.03")).kind, "buy")
  equal(decideFor(items, limits("10", "0.029999")).kind, "stop")
  equal(decideFor(digest, limits("0.16")).kind, "buy")
  equal(decideFor(digest, limits("0.159999")).kind, "skip")
  equal(decideFor(digest, limits("10", "0.09")).kind, "skip")
  equal(decide(digest, { ...contract, offers: [] }, [], largeLimits).kind, "skip")
  equal(decide(items, { ...contract, offers: [] }, [], largeLimits).kind, "stop")
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
  Arbitrary.schema(Schema.Struct({
    budget: Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 5_000_000n })),
    polls: Schema.Array(Poll),
  })),
  ({ budget, polls }) => {
    const limits = { budget: AtomicAmount.make(budget), perCall: atomic("1") }
    let state: AgentState = { ...initialState, lastIndex: 0 }
    let ledger: Ledger = []
    const read: Array<number> = []
    for (const { index, digest, isDelivered, zScore } of polls) {
      const now = indexAt(index, digest)
      for (let steps = 0;; steps += 1) {
        ok(steps < 12, "a poll does not end")
        const [wanted] = wantedPurchases(state, now)
        if (wanted === undefined) break
        const decision = decideFor(wanted, limits, ledger)
        if (decision.kind === "stop") break
        if (decision.kind === "skip") {
          state = markDone(state, wanted, now)
          continue
        }
        const paymentId = String(ledger.length)
        ledger = addSigned(ledger, { target: decision.path, price: decision.price, paymentId })
        ledger = withOutcome(ledger, paymentId, isDelivered ? "charged" : "uncharged")
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
    equal<bigint>(
      ledger.reduce((sum: bigint, { price }) => sum + price, 0n) + unspent(ledger, limits),
      budget,
    )
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
  const ledger = addSigned([], { target: "/v1/latest", price: atomic("0.01"), paymentId: "0xabc" })
  const text = summaryLines(ledger, largeLimits).join("\n")
  ok(
    text.includes(
      "unclear    $0.01 for /v1/latest: check GET /v1/payments/0xabc before you buy again",
    ),
    text,
  )
  ok(
    text.startsWith("signed     $0.01 of $10.00; not taken according to the service: $0.00"),
    text,
  )
  ok(text.endsWith("left       $9.99 of $10.00"), text)
})
