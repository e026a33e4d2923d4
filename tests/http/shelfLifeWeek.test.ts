/**
 * What the shelf life of answers is worth: over a simulated week, a scripted buyer that obeys
 * `validUntil` and `next` decides the same at every hour as one that buys each answer every hour, and
 * pays at least 30 % less.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect, Ref } from "effect"
import { TestClock } from "effect/testing"
import { type Product, products } from "../../src/catalog/domain/product.ts"
import { day, hour, minute } from "../../src/core/domain/time.ts"
import { WhaleLabel } from "../../src/feed/domain/item.ts"
import { sampleScorecard } from "../support/catalog/samples.ts"
import { storedDigest } from "../support/digest/storedDigests.ts"
import { test } from "../support/effect.ts"
import { sampleItem } from "../support/feed/items.ts"
import { makeService, makeWorld, paymentFor, type World } from "../support/http/httpService.ts"
import { at, type Json, json } from "../support/http/stockedService.ts"
import { whaleRow } from "../support/products.ts"
import { Random } from "../support/random.ts"
import { sized } from "../support/size.ts"

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
  test(`obeying validUntil and next for ${days} days costs at least 30 % less, seed ${seed}`, () =>
    Effect.gen(function* () {
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
    }))
}
