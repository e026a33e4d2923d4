/**
 * What is published of an item's outcome, and when.
 *
 * @module
 */
import { deepStrictEqual as equal, strictEqual } from "node:assert"
import { Arbitrary, Schema } from "effect"
import { sampleItems } from "../../support/catalog/samples.ts"
import { hour, isoTime } from "../../../src/core/domain/time.ts"
import type { FeedItem } from "../../../src/feed/domain/item.ts"
import { outcomeOf as moveOutcome } from "../../../src/track-record/domain/moverDrift.ts"
import {
  outcomeDelayMs,
  outcomesMax,
  outcomesOf,
  type StoredOutcome,
} from "../../../src/track-record/domain/outcomes.ts"
import { checksOf, moverVerdict } from "../../../src/track-record/domain/selfScore.ts"
import { law } from "../../support/effect.ts"
import { outcomeFault } from "../../../tools/history.ts"

const now = Date.UTC(2026, 10, 24)
const [mover, whaleEntry, predetermined] = sampleItems

/** The checks of an item as they are stored before a verdict. */
const storedOf = (item: FeedItem): ReadonlyArray<StoredOutcome> =>
  checksOf(item, null).map((check) => ({
    ...{ feedIndex: item.feedIndex, kind: check.kind, at: check.at, verdict: null },
    priceStart: "priceStart" in check ? check.priceStart : null,
    priceNow: "priceNow" in check ? check.priceNow : null,
    ...{ drift: null, value: null, result: null, payout: null },
    entryPrice: item.type === "whale_entry" ? item.data.entryPrice : null,
  }))
const published = (item: FeedItem, ageMs: number): FeedItem => ({
  ...item,
  createdAt: isoTime(now - ageMs),
})
const old = outcomeDelayMs + 9 * hour

Deno.test("what is not known is open", () => {
  const items = [mover, whaleEntry, predetermined].map((item) => published(item, old))
  const unknown = { state: "open", price: null }
  const publishedAt = isoTime(now - old)
  equal(outcomesOf(items.flatMap(storedOf), now, 9), [
    {
      ...{ feedIndex: 1, publishedAt, type: "mover" },
      after1h: { ...unknown, drift: null },
      after6h: { ...unknown, drift: null },
      after24h: { ...unknown, drift: null },
    },
    {
      ...{ feedIndex: 2, publishedAt, type: "whale_entry", state: "open", payout: null },
      after24h: { ...unknown, closingLineValue: null },
    },
    { feedIndex: 3, publishedAt, type: "predetermined", state: "open" },
  ])
})

Deno.test("an item younger than the delay has no outcome, nor has any after it", () => {
  const at = (feedIndex: number, ageMs: number) =>
    storedOf({ ...published(mover, ageMs), feedIndex })
  const stored = [
    at(1, old),
    at(2, outcomeDelayMs),
    at(3, outcomeDelayMs - 1),
    at(4, outcomeDelayMs + 1),
  ].flat()
  const indices = (limit: number) =>
    outcomesOf(stored, now, limit).map(({ feedIndex }) => feedIndex)
  equal([indices(9), indices(1), outcomesMax], [[1, 2], [1], 100])
})

Deno.test("an outcome names no market, no wallet and nothing else of what is sold", () => {
  const items = [mover, whaleEntry, predetermined].map((item) => published(item, old))
  const text = JSON.stringify(outcomesOf(items.flatMap(storedOf), now, 9))
  const sold = [whaleEntry.data.wallet, whaleEntry.data.pseudonym, mover.data.market.slug]
  for (
    const secret of [...sold, mover.title, `${mover.chain?.salt}`, predetermined.data.statement]
  ) {
    strictEqual(text.includes(secret), false, secret)
  }
})

const cents = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 }))

law(
  "the outcome of a mover follows from its item, whatever the later price",
  Arbitrary.schema(Schema.Tuple([cents, cents, cents])),
  ([start, move, later]) => {
    const [priceStart, priceNow, price] = [start / 200, move / 200, later / 200]
    const item = published({
      ...mover,
      data: { ...mover.data, priceStart, priceNow, delta: priceNow - priceStart },
    }, old)
    if (item.type !== "mover" || priceStart === priceNow) return true
    const stored = storedOf(item).map((check) => ({
      ...check,
      verdict: moverVerdict({ priceStart, priceNow }, price),
      drift: moveOutcome({ priceStart, priceNow }, price).drift,
    }))
    const [outcome] = outcomesOf(stored, now, 1)
    return outcome?.type === "mover" && outcome.after1h.price === price &&
      outcomeFault(item, outcome) === null
  },
)

Deno.test("a whale entry has its payout, and its closing line value against what the wallet paid", () => {
  const item = published(whaleEntry, old)
  const of = (result: Partial<StoredOutcome>) =>
    outcomesOf(storedOf(item).map((check) => ({ ...check, ...result })), now, 1)[0]
  const base = { feedIndex: 2, publishedAt: item.createdAt, type: "whale_entry" }
  const outcome = of({ verdict: "priced", value: 0.6, result: "paid", payout: 1 })
  equal(outcome, {
    ...{ ...base, state: "paid", payout: 1 },
    after24h: { state: "priced", price: 0.6, closingLineValue: 0.015 },
  })
  equal(of({ verdict: "unknown", result: "cancelled" }), {
    ...{ ...base, state: "cancelled", payout: null },
    after24h: { state: "unknown", price: null, closingLineValue: null },
  })
  strictEqual(outcome === undefined ? null : outcomeFault(item, outcome), null)
})

Deno.test("outcomeFault() takes the rounded closing line of an entry at a mean price, and no other", () => {
  const entry = published(whaleEntry, old)
  if (entry.type !== "whale_entry") throw new Error("no whale entry")
  const item = { ...entry, data: { ...entry.data, entryPrice: 0.523333333 } }
  const faultOf = (value: number) => {
    const stored = storedOf(item).map((check) => ({
      ...check,
      ...{ verdict: "priced" as const, value: 0.6 },
    }))
    const [outcome] = outcomesOf(stored, now, 1)
    if (outcome?.type !== "whale_entry") throw new Error("no outcome")
    strictEqual(outcome.after24h.closingLineValue, 0.0767)
    return outcomeFault(item, {
      ...outcome,
      after24h: { ...outcome.after24h, closingLineValue: value },
    })
  }
  strictEqual(faultOf(0.0767), null)
  strictEqual(faultOf(0.0768), "a closing line value is not price minus entryPrice")
})
