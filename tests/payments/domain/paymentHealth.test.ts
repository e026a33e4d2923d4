/**
 * The health of payments: each fact that is wrong changes its own part, the verdict is the worst of
 * all parts, and what is public names no amount.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import {
  afterAnswer,
  afterFailure,
  type CallRecord,
  healthOfPayments,
  type HealthRules,
  noCalls,
  type Part,
  type PaymentFacts,
  reasonsOf,
  scanLagBlocks,
  type Verdict,
} from "../../../src/payments/domain/paymentHealth.ts"
import { law } from "../../support/effect.ts"

const now = 1_800_000_000_000
const minute = 60_000
const usd = (dollars: number) => BigInt(Math.round(dollars * 1_000_000))

const rules: HealthRules = {
  settleEarly: { cheapest: usd(0.02), dearest: usd(1) },
  sweepEveryMs: 15_000,
  scanEveryMs: minute,
  blocksAreRegular: true,
}
const head = { number: 1_000n, timestamp: BigInt(now / 1_000 - 2), safeNumber: 990n }
const stored = {
  measuredAt: now - 1_000,
  liability: usd(5),
  unresolvedAgoMs: null,
  refundsInReview: 0,
  refundAgoMs: 0,
  scannedThrough: 980n,
}
const healthy: PaymentFacts = {
  now,
  startedAt: now - 60 * minute,
  verify: afterAnswer(now - 1_000),
  settle: afterAnswer(now - 1_000),
  chain: afterAnswer(now - 1_000),
  disputedAt: null,
  listing: null,
  head,
  balance: { units: usd(20), at: now - 1_000 },
  stored,
  sweptAt: now - 1_000,
}

const failed = (times: number, at = now): CallRecord =>
  Array.from({ length: times }).reduce<CallRecord>(
    (record) => afterFailure(record, at),
    afterAnswer(now - minute),
  )

const unread = { goodAt: now - minute, failures: 3, failedAt: now }

/** Each fault, the part that it must change, and to which verdict. */
const faults: ReadonlyArray<
  readonly [string, Partial<PaymentFacts>, Part, Exclude<Verdict, "ok">]
> = [
  ["two verifications in a row failed", { verify: failed(2) }, "verification", "degraded"],
  ["five verifications in a row failed", { verify: failed(5) }, "verification", "failing"],
  [
    "verifications failed, and none was made for six minutes",
    { verify: failed(5, now - 6 * minute) },
    ...["verification", "degraded"] as const,
  ],
  ["five settlements in a row failed", { settle: failed(5) }, "settlement", "failing"],
  ["the chain was never read", { chain: noCalls, head: null }, "chain", "unknown"],
  ["the newest block was never read", { head: null }, "chain", "failing"],
  [
    "the endpoints contradicted each other 59 s ago",
    { disputedAt: now - 59_000 },
    "chain",
    "failing",
  ],
  ["the chain is unreadable for a minute", { chain: unread }, "chain", "failing"],
  [
    "the newest block is old",
    { head: { ...head, timestamp: BigInt(now / 1_000 - 31) } },
    ...["chain", "failing"] as const,
  ],
  [
    "the newest block is ahead of the clock",
    { head: { ...head, timestamp: BigInt(now / 1_000 + 31) } },
    ...["chain", "failing"] as const,
  ],
  [
    "the treasury covers no product",
    { balance: { units: usd(5.01), at: now } },
    ...["treasury", "degraded"] as const,
  ],
  [
    "the treasury covers the cheap products",
    { balance: { units: usd(5.5), at: now } },
    ...["treasury", "degraded"] as const,
  ],
  ["the treasury was never read", { balance: null }, "treasury", "degraded"],
  [
    "the treasury was read long ago",
    { balance: { units: usd(20), at: now - 6 * minute } },
    ...["treasury", "degraded"] as const,
  ],
  [
    "a payment is unresolved for an hour",
    { stored: { ...stored, unresolvedAgoMs: 60 * minute } },
    ...["unresolved", "degraded"] as const,
  ],
  [
    "a refund needs a person",
    { stored: { ...stored, refundsInReview: 1 } },
    ...["refunds", "degraded"] as const,
  ],
  [
    "a refund is owed for three hours",
    { stored: { ...stored, refundAgoMs: 180 * minute } },
    ...["refunds", "degraded"] as const,
  ],
  [
    "the scan is 301 blocks behind",
    { stored: { ...stored, scannedThrough: 990n - 301n } },
    ...["scan", "degraded"] as const,
  ],
  [
    "the store was measured long ago",
    { stored: { ...stored, measuredAt: now - 6 * minute } },
    ...["scan", "degraded"] as const,
  ],
  ["no sweep has finished for 61 s", { sweptAt: now - 61_000 }, "sweep", "degraded"],
]

Deno.test("healthy facts are ok, without a reason", () => {
  const health = healthOfPayments(healthy, rules)
  equal([health.verdict, reasonsOf(health)], ["ok", []])
})

Deno.test("a slow clock of the store is visible as such, and an old block as an old block", () => {
  const reasonAt = (seconds: number) => {
    const timestamp = BigInt(now / 1_000 + seconds)
    return reasonsOf(healthOfPayments({ ...healthy, head: { ...head, timestamp } }, rules))[0]
  }
  ok(reasonAt(3_600)?.includes("the store's clock is over 30 s behind the chain"))
  ok(reasonAt(-3_600)?.includes("newest block is over 30 s old, or the store's clock is fast"))
})

for (const [name, change, part, verdict] of faults) {
  Deno.test(`${part} is ${verdict} when ${name}`, () => {
    const health = healthOfPayments({ ...healthy, ...change }, rules)
    equal([health.parts[part].verdict, health.verdict], [verdict, verdict])
    const changed = Object.entries(health.parts).filter(([, { verdict }]) => verdict !== "ok")
    equal(changed.map(([name]) => name), [part])
    strictEqual(reasonsOf(health).length, 1)
  })
}

law(
  "the verdict is the worst of the parts, the reasons begin with it and name no amount or address",
  Arbitrary.schema(
    Schema.Array(Schema.Int.check(Schema.isBetween({
      minimum: 0,
      maximum: faults.length - 1,
    }))).check(Schema.isMaxLength(6)),
  ),
  (chosen) => {
    const facts = chosen.reduce((facts, at) => ({ ...facts, ...faults[at]?.[1] }), healthy)
    const health = healthOfPayments(facts, rules)
    const order: ReadonlyArray<Verdict> = ["ok", "unknown", "degraded", "failing"]
    const all = Object.values(health.parts)
    ok(all.every(({ verdict }) => order.indexOf(verdict) <= order.indexOf(health.verdict)))
    ok(all.some(({ verdict }) => verdict === health.verdict))
    const reasons = reasonsOf(health)
    strictEqual(reasons.length, all.filter(({ verdict }) => verdict !== "ok").length)
    const first = all.find(({ reason }) => reason === reasons[0])
    ok(reasons.length === 0 || first?.verdict === health.verdict)
    ok(reasons.every((reason) => !/0x|\$|[a-f0-9]{16}/.test(reason)), reasons.join())
  },
)

Deno.test("one clear answer ends a series of failures", () => {
  const { verdict } = healthOfPayments({ ...healthy, verify: afterAnswer(now) }, rules)
  strictEqual(verdict, "ok")
})

Deno.test("a start is not yet a fault: nothing was read, measured or swept", () => {
  const start = { ...healthy, startedAt: now, balance: null, stored: null, sweptAt: null }
  const { verdict, parts } = healthOfPayments(start, rules)
  equal([verdict, parts.sweep.verdict, parts.scan.verdict], ["unknown", "ok", "ok"])
})

Deno.test("a slow sweep and a slow scan have limits of their own length", () => {
  const slow = { ...rules, sweepEveryMs: 5 * minute, scanEveryMs: 60 * minute }
  const facts = {
    ...healthy,
    sweptAt: now - 6 * minute,
    balance: { units: usd(20), at: now - 61 * minute },
    stored: { ...stored, measuredAt: now - 61 * minute, scannedThrough: 0n },
  }
  strictEqual(healthOfPayments(facts, slow).verdict, "ok")
})

Deno.test("the age of a block counts only where blocks are regular", () => {
  const old = { ...healthy, head: { ...head, timestamp: 0n } }
  strictEqual(healthOfPayments(old, { ...rules, blocksAreRegular: false }).verdict, "ok")
})

Deno.test("the chain works while it was read in 30 s, and not for a minute after a dispute", () => {
  const verdictOf = (facts: Partial<PaymentFacts>) =>
    healthOfPayments({ ...healthy, ...facts }, rules).parts.chain.verdict
  const read = [10, 30, 31].map((seconds) => ({ chain: afterAnswer(now - seconds * 1_000) }))
  equal(read.map(verdictOf), ["ok", "ok", "failing"])
  equal(verdictOf({ chain: noCalls }), "unknown")
  const disputes = [59, 60].map((seconds) => ({ disputedAt: now - seconds * 1_000 }))
  equal(disputes.map(verdictOf), ["failing", "ok"])
})

Deno.test("the lag of the scan is never negative, and unknown before the first scan", () => {
  equal(scanLagBlocks({ head, stored: { ...stored, scannedThrough: 995n } }), 0n)
  equal(scanLagBlocks({ head, stored: { ...stored, scannedThrough: null } }), null)
})
