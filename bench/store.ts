/**
 * What a tick's writes and reads cost in the store: 50,000 markets listed, 5,000 books read.
 *
 *   deno run -A bench/store.ts                                    the embedded store, in memory
 *   TEST_DATABASE_URL=postgres://... deno run -A bench/store.ts   a PostgreSQL server besides
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { Market, MarketId, TokenId } from "../src/markets/domain/market.ts"
import { Slug } from "../src/markets/domain/market.ts"
import { hour, minute } from "../src/core/domain/time.ts"
import { layer as limits } from "../src/postgres/rateLimits.ts"
import { layer as markets } from "../src/markets/postgres/marketStore.ts"
import { MarketStore } from "../src/markets/MarketStore.ts"
import { RateLimits } from "../src/core/RateLimits.ts"
import { stores } from "../tests/support/stores.ts"

const marketCount = 50_000
const bookCount = 5_000
const takes = 10_000
const concurrency = 16
const start = Date.UTC(2026, 10, 1)

const listing = (round: number): ReadonlyArray<Market> =>
  Array.from({ length: marketCount }, (_, i) => ({
    id: id(i),
    slug: Slug.make(`will-something-happen-before-the-end-of-the-year-${i}`),
    question:
      `Will something that many people have an opinion on happen before the year ends? ${i}`,
    eventSlug: `something-happens-${i % 9_000}`,
    url: `https://venue.example/event/something-happens-${i % 9_000}`,
    category: "politics",
    outcomes: ["Yes", "No"] as const,
    tokenIds: [token(i, "1"), token(i, "2")] as const,
    endsAt: start + i * minute,
    volumeUsd: 10_000 + i + round * 1.25,
    liquidityUsd: 5_000 + i,
    status: "open",
    listed: { bestBid: 0.4, bestAsk: 0.41 },
    takerFeeRate: 0,
    mechanical: null,
  }))

const id = (i: number) => `0x${i.toString(16).padStart(64, "0")}` as MarketId
const token = (i: number, side: string) => `${side}${i.toString().padStart(76, "7")}` as TokenId
const ids = Array.from({ length: bookCount }, (_, i) => id(i * 7))

const timed = <A, E, R>(name: string, work: Effect.Effect<A, E, R>, times = 1) =>
  Effect.gen(function* () {
    const before = performance.now()
    const cpuBefore = cpuMs()
    const result = yield* work
    const took = performance.now() - before
    const cpu = cpuMs() - cpuBefore
    const rate = times > 1 ? `  ${Math.round(times / took * 1_000)}/s` : ""
    print(`  ${name.padEnd(46)} ${took.toFixed(0).padStart(6)} ms  cpu ${cpu.toFixed(0)} ms${rate}`)
    return result
  })

const work = Effect.gen(function* () {
  const store = yield* MarketStore
  const first = listing(0)
  const second = listing(1)
  yield* timed("save 50,000 new markets", store.save(first, start))
  yield* timed("save 50,000 of changed volume", store.save(second, start + 1))
  yield* timed("save 50,000 unchanged", store.save(second, start + 2))
  for (let tick = 0; tick < 18; tick++) {
    const append = store.appendMids(
      ids.map((marketId) => ({ marketId, at: start + tick * 10 * minute, mid: 0.405 })),
    )
    yield* tick === 0 || tick === 17 ? timed(`append 5,000 mids, tick ${tick}`, append) : append
  }
  const now = start + 3 * hour
  const range = (back: number) => ({ notBefore: now - back, atOrBefore: now })
  yield* timed("last mids of 5,000 in 20 minutes", store.lastMids(ids, range(20 * minute)))
  yield* timed(
    "last mids of 5,000 an hour ago",
    store.lastMids(ids, { notBefore: start, atOrBefore: now - hour }),
  )
  yield* timed("last mids of 5,000 in a day", store.lastMids(ids, range(24 * hour)))
  yield* timed("unseeded among 5,000", store.unseeded(ids))
  yield* timed("mark 5,000 seeded", store.markSeeded(ids, now))
  const week = Array.from({ length: 1_152 }, (_, n) => start - n * 10 * minute)
  yield* timed(
    "seed 50 series of 8 days",
    Effect.forEach(
      ids.slice(0, 50),
      (marketId) => store.appendMids(week.map((at) => ({ marketId, at, mid: 0.4 }))),
      { concurrency: 8 },
    ),
  )
  yield* timed(
    "read 50 series of 8 days",
    Effect.forEach(
      ids.slice(0, 50),
      (marketId) => store.series(marketId, { from: start - 192 * hour, to: now }),
      { concurrency: 8 },
    ),
  )
  yield* timed("prune the seeded days", store.prune(start - hour))

  const { take } = yield* RateLimits
  const log = (name: string, limit: number, keys: number) =>
    timed(
      name,
      Effect.forEach(
        Array.from({ length: takes }, (_, i) => i),
        (i) => take({ name, limit, windowMs: minute }, `10.0.${i % keys}`),
        { concurrency, discard: true },
      ),
      takes,
    )
  yield* log("10,000 takes of 5 by 2,000 keys", 5, 2_000)
  yield* log("10,000 takes of 1,000,000 by 1 key", 1_000_000, 1)
  yield* log("10,000 takes of 120 by 1 key", 120, 1)
})

function cpuMs(): number {
  const [user = 0, system = 0] = Deno.readTextFileSync("/proc/self/stat").split(") ")[1]
    ?.split(" ").slice(11, 13).map(Number) ?? []
  return (user + system) * 10
}

// deno-lint-ignore no-console
const print = (line: string) => console.log(line)

for (const { name, layer } of stores) {
  print(`${name} store`)
  await Effect.runPromise(
    Effect.scoped(
      work.pipe(Effect.provide(Layer.provideMerge(Layer.merge(markets, limits()), layer))),
    ),
  )
}
