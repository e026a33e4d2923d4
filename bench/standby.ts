/**
 * How old the data of a hot standby are, while the primary sells or stores a listing.
 *
 *     deno run -A --no-check bench/standby.ts PRIMARY_URL STANDBY_URL [seconds=20]
 *
 * The primary's database must be empty, and the standby must stream from it. A row is changed every
 * 50 ms on the primary and read every 2 ms on the standby, without load, then with each load.
 *
 * @module
 */
import { Console, Context, Duration, Effect, Layer, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type Market, MarketId, Slug } from "../src/markets/domain/market.ts"
import { MarketStore } from "../src/markets/MarketStore.ts"
import * as marketStore from "../src/markets/postgres/marketStore.ts"
import type { PaymentStore } from "../src/payments/PaymentStore.ts"
import * as paymentStore from "../src/payments/postgres/paymentStore.ts"
import { layerPostgres } from "../src/postgres/client.ts"
import { migrate, migrationFiles } from "../src/postgres/migrate.ts"
import { market } from "../tests/support/movers/market.ts"
import { sell } from "./sales.ts"

const [primaryUrl = "", standbyUrl = "", seconds = "20"] = Deno.args
const sellers = 20
const probeEvery = "50 millis"
const readEvery = "2 millis"

const connected = (url: string) =>
  Layer.build(
    Layer.provideMerge(
      Layer.mergeAll(paymentStore.layer, marketStore.layer),
      layerPostgres({ url: Redacted.make(url), maxConnections: 10 }),
    ),
  )

type Load = Effect.Effect<unknown, unknown, PaymentStore | MarketStore>

const sales = (perSecond: number): Load =>
  Effect.forEach(
    Array.from({ length: sellers }, (_, n) => n),
    (n) => Effect.schedule(sell(n), Schedule.spaced(Duration.millis(sellers * 1_000 / perSecond))),
    { concurrency: "unbounded" },
  )

/** Stores listings of 50,000 markets without a pause; every quote changes. */
const listings: Load = Effect.gen(function* () {
  const store = yield* MarketStore
  for (let n = 0;; n++) {
    yield* store.save(
      Array.from(
        { length: 50_000 },
        (_, i): Market =>
          market({ id: MarketId.make(`m${i}`), slug: Slug.make(`s${i}`), volumeUsd: i + n }),
      ),
      1.8e12 + n * 1_000,
    )
  }
})

const loads: ReadonlyArray<readonly [string, Load]> = [
  ["no load", Effect.never],
  ["10 sales a second", sales(10)],
  ["100 sales a second", sales(100)],
  ["listings of 50,000 markets", listings],
]

/** Changes the row, and waits until the standby has the change. */
const probe = (primary: SqlClient, standby: SqlClient, lagsMs: Array<number>) =>
  Effect.gen(function* () {
    const [row] = yield* primary<{ fence: bigint }>`
      INSERT INTO job (job) VALUES ('lag') ON CONFLICT (job) DO UPDATE SET fence = job.fence + 1
      RETURNING fence`
    const changed = performance.now()
    const read = standby<{ fence: bigint }>`SELECT fence FROM job WHERE job = 'lag'`
    yield* Effect.repeat(read, {
      schedule: Schedule.spaced(readEvery),
      while: ([seen]) => (seen?.fence ?? -1n) < (row?.fence ?? 0n),
    })
    lagsMs.push(performance.now() - changed)
  }).pipe(Effect.repeat(Schedule.spaced(probeEvery)))

const measure = (title: string, primary: SqlClient, standby: SqlClient, load: Load) =>
  Effect.gen(function* () {
    const lagsMs: Array<number> = []
    yield* Effect.timeoutOption(
      Effect.all([probe(primary, standby, lagsMs), load], { concurrency: 2 }),
      Duration.seconds(Number(seconds)),
    )
    lagsMs.sort((a, b) => a - b)
    const at = (share: number) => (lagsMs[Math.floor(lagsMs.length * share)] ?? 0).toFixed(1)
    const machine = Deno.loadavg()[0]?.toFixed(0)
    yield* Console.log(
      `${title}: ${lagsMs.length} reads, ms p50 ${at(0.5)}, p99 ${at(0.99)}, most ${at(0.9999)}; ` +
        `load average ${machine}`,
    )
  })

await Effect.runPromise(Effect.scoped(Effect.gen(function* () {
  const context = yield* connected(primaryUrl)
  const primary = Context.get(context, SqlClient)
  yield* Effect.provide(Effect.flatMap(migrationFiles, migrate), context)
  yield* Effect.sleep("2 seconds")
  const standby = Context.get(yield* connected(standbyUrl), SqlClient)
  for (const [title, load] of loads) {
    yield* Effect.provide(measure(title, primary, standby, load), context)
  }
})))
