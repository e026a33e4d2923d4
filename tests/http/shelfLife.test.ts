/**
 * The shelf life of every paid answer: `validUntil` is ahead, `next` is a cheaper call of the
 * catalog. Over a simulated week, a scripted buyer that obeys both decides the same as one that buys
 * each answer every hour, and pays at least 30 % less.
 *
 * @module
 */
import { Effect, Ref } from "effect"
import { TestClock } from "effect/testing"
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { freeRows } from "../../src/catalog/domain/freeRow.ts"
import { type Product, type ProductId, products } from "../../src/catalog/domain/product.ts"
import { shelfLifeOf } from "../../src/catalog/domain/shelfLife.ts"
import { usd } from "../../src/core/domain/money.ts"
import { day, hour, isoTime, minute } from "../../src/core/domain/time.ts"
import { digestEvery } from "../../src/digest/domain/digest.ts"
import { WhaleLabel } from "../../src/feed/domain/item.ts"
import { sampleScorecard } from "../support/catalog/samples.ts"
import { storedDigest } from "../support/digest/storedDigests.ts"
import { test } from "../support/effect.ts"
import { sampleItem } from "../support/feed/items.ts"
import {
  makeService,
  makeWorld,
  paymentFor,
  tickIntervalMs,
  type World,
} from "../support/http/httpService.ts"
import { at, type Json, json, noon, stocked } from "../support/http/stockedService.ts"
import { whaleRow } from "../support/products.ts"
import { Random } from "../support/random.ts"
import { sized } from "../support/size.ts"

const rows: ReadonlyArray<Product> = Object.values(products)
const written = Date.parse("2026-11-02T09:30:00.000Z")

/** The price of each call of the catalog, USD, by its path. */
const priceOf = new Map<string, number>([
  ...Object.values(freeRows).map(({ path }) => [path, 0] as const),
  ...rows.map(({ path, price }) => [path, Number(usd(price))] as const),
])

for (const { id, path, price, sample, shelfLife } of rows) {
  test(`the next call after ${path} is in the catalog, at its price, which is lower`, () =>
    Effect.sync(() => {
      equal(shelfLife.next.price, priceOf.get(shelfLife.next.path), id)
      ok(shelfLife.next.price < Number(usd(price)), id)
      ok(/^[^.]{20,100}\.$/.test(shelfLife.next.reason.replaceAll(/`[^`]*`/g, "field")))
    }))

  test(`the sample of ${path} has the shelf life of its row`, () =>
    Effect.sync(() => {
      const { next, validUntil } = shelfLifeOf(shelfLife, sample, { now: written, tickIntervalMs })
      ok(Date.parse(validUntil) > written)
      equal({ ...sample, next, validUntil }, sample)
    }))
}

/** What the answers of a stocked service say at noon: a tick, a digest and a report have just ended. */
const live: Readonly<Record<ProductId, readonly [query: string, holdsMs: number]>> = {
  latest: ["", tickIntervalMs],
  signal: ["", tickIntervalMs],
  signals: ["?since=25", tickIntervalMs],
  digest: ["", digestEvery],
  digest_history: ["", digestEvery],
  resolving: ["", tickIntervalMs],
  whales: ["", tickIntervalMs],
  research: ["?market=market-1", 30 * minute],
}

test("every paid answer has the shelf life of its row", function* () {
  const { get } = yield* makeService(yield* stocked)
  for (const [n, product] of rows.entries()) {
    const [query, holdsMs] = live[product.id as ProductId]
    const headers = { "payment-signature": yield* paymentFor(product, n) }
    const body = yield* json(yield* get(product.path + query, { headers }))
    const { next, validUntil } = body
    equal([validUntil, next], [isoTime(noon + holdsMs), product.shelfLife.next])
  }
})

const start = Date.parse("2026-11-16T00:00:00.000Z")
const weeks = [1, 2, 3].map((seed) => ({ seed, days: 7 }))
const followed: ReadonlyArray<Product> = [
  products.latest,
  products.signals,
  products.digest,
  products.whales,
]
const labels = WhaleLabel.literals

/** The hour that ends now: new items in one hour of four, a digest in every fourth, results each day. */
const passHour = Effect.fnUntraced(function* (world: World, n: number, random: Random) {
  const now = start + n * hour
  yield* TestClock.setTime(now)
  yield* Ref.set(world.lastTickAt, now - minute)
  yield* Ref.set(world.productPorts.jobsOkAt, now - minute)
  const arrived = random.chance(0.25) ? 1 + random.below(4) : 0
  yield* Ref.update(world.items, (items) => [
    ...items,
    ...Array.from({ length: arrived }, (_, i) => sampleItem(items.length + i + 1, now - minute)),
  ])
  if (n % 4 === 0) yield* world.digests.add(storedDigest(now, `Digest ${n}`))
  if (n % 24 === 0) {
    const label = labels[n / 24 % labels.length] ?? "neutral"
    yield* Ref.set(world.productPorts.whales, [{ computedAt: now, row: whaleRow({ label }) }])
    const scorecard = sampleScorecard(now)
    const coverage = { ...scorecard.coverage, resolvedEntries: 1_000 + n }
    yield* Ref.set(world.scorecard, { ...scorecard, coverage })
  }
})

/** A buyer: what it has, what it saw at `next`, and what it paid in units of the token. */
interface Buyer {
  readonly has: Map<string, Json>
  readonly seen: Map<string, string>
  readonly items: Map<string, Json>
  /** The free answers of this hour by path: three paths are within the free limit. */
  readonly free: Map<string, Json>
  spent: bigint
}

const newBuyer = (): Buyer => ({
  ...{ has: new Map(), seen: new Map(), items: new Map(), free: new Map(), spent: 0n },
})

type Service = Effect.Success<ReturnType<typeof makeService>>

let payments = 0

const buy = Effect.fnUntraced(function* ({ get }: Service, buyer: Buyer, product: Product) {
  const last = [...buyer.items.keys()].at(-1)
  const query = product.id === "signals" && last !== undefined ? `?since=${last}` : ""
  const headers = { "payment-signature": yield* paymentFor(product, ++payments) }
  const response = yield* get(`${product.path}${query}`, { headers })
  const body = yield* json(response)
  ok(response.ok, `${product.id}: ${JSON.stringify(body)}`)
  // An empty answer is not charged.
  if (JSON.stringify(body["charged"]) !== "false") buyer.spent += product.price
  buyer.has.set(product.id, body)
  if (product.id !== "signals") return
  for (const item of Object.values(body["data"] ?? {})) {
    buyer.items.set(String(item["feedIndex"]), item)
  }
})

/** What the free call that an answer names says in the field that its reason names. */
const check = Effect.fnUntraced(function* ({ get }: Service, { free }: Buyer, body: Json) {
  const { path, price, reason } = body["next"] ?? {}
  equal(price, 0)
  const [, field = ""] = /`([^`]+)`/.exec(String(reason)) ?? []
  const answered = free.get(String(path)) ?? (yield* json(yield* get(String(path))))
  free.set(String(path), answered)
  const value = at(answered, field)
  ok(value !== undefined, `${path} has no ${field}: ${JSON.stringify(answered).slice(0, 200)}`)
  return JSON.stringify(value)
})

/** Buys only what no longer holds and, by its `next`, has changed. */
const obey = Effect.fnUntraced(function* (service: Service, buyer: Buyer, now: number) {
  buyer.free.clear()
  for (const product of followed) {
    const held = buyer.has.get(product.id)
    if (held !== undefined) {
      if (now < Date.parse(String(held["validUntil"]))) continue
      if ((yield* check(service, buyer, held)) === buyer.seen.get(product.id)) continue
    }
    yield* buy(service, buyer, product)
    const bought = buyer.has.get(product.id) ?? {}
    buyer.seen.set(product.id, yield* check(service, buyer, bought))
  }
})

/** What a buyer would do now: act on these items, by this digest, with or against these wallets. */
const decision = ({ has, items }: Buyer) => ({
  items: [...items.values()].map((item) => [item["feedIndex"], item["title"]]),
  newest: at(has.get("latest") ?? {}, "data.feedIndex"),
  digest: at(has.get("digest") ?? {}, "data.title"),
  wallets: Object.values(at(has.get("whales") ?? {}, "data.wallets") ?? {}).map((row) => [
    row["wallet"],
    row["label"],
  ]),
})

for (const { seed, days } of sized({ short: [{ seed: 1, days: 2 }], full: weeks })) {
  test(`obeying validUntil and next for ${days} days costs at least 30 % less, seed ${seed}`, function* () {
    yield* TestClock.setTime(start - day)
    const world = yield* makeWorld(3)
    const random = new Random(seed)
    const [polling, obeying] = [newBuyer(), newBuyer()]
    const decisions = new Set<string>()
    for (let n = 0; n < days * 24; n++) {
      yield* passHour(world, n, random)
      // A service that ran on would poll its store 3,600 times an hour.
      yield* Effect.scoped(Effect.gen(function* () {
        const service = yield* makeService(world)
        for (const product of followed) yield* buy(service, polling, product)
        yield* obey(service, obeying, start + n * hour)
      }))
      equal(decision(obeying), decision(polling), `hour ${n}`)
      decisions.add(JSON.stringify(decision(polling)))
    }
    ok(decisions.size > 8 * days, `${decisions.size} decisions`)
    const saved = 1 - Number(obeying.spent) / Number(polling.spent)
    ok(saved >= 0.3, `${polling.spent} and ${obeying.spent}: ${saved}`)
  })
}
