/**
 * Every use of a clock in `src`: what it is for, whose clock it is, and the test that puts one process's
 * clock wrong. A new use has to be entered here.
 *
 * `store`: Effect's Clock, which is the store's in the service and in the refund worker, whatever their
 * machines say (`core/StoreClock.ts`). `database`: a statement of PostgreSQL, which reads no clock of a
 * process. `elapsed`: a duration that decides nothing.
 *
 * @module
 */
import { deepStrictEqual as equal, match } from "node:assert/strict"
import { Clock, Duration, Effect, Layer, Option } from "effect"
import { day, hour, minute, second } from "../../src/core/domain/time.ts"
import { JobSlots } from "../../src/core/JobSlots.ts"
import { MarketId } from "../../src/markets/domain/market.ts"
import { RateLimits } from "../../src/core/RateLimits.ts"
import { layer as jobSlots } from "../../src/postgres/jobSlots.ts"
import { layer as rateLimits } from "../../src/postgres/rateLimits.ts"
import { layer as reportStore } from "../../src/research/postgres/reportStore.ts"
import { ReportStore } from "../../src/research/ReportStore.ts"
import { clockAhead } from "../support/effect.ts"
import { onEveryStore } from "../support/stores.ts"

const sources = {
  store: /\bClock\.(Clock\b|clockWith|current)|currentTime(Millis|Nanos)|WithTTL\(|timeToLive/,
  database: /clock_timestamp\(\)/,
  elapsed: /Date\.now|new Date\(\)|performance\.now/,
}

/** A window whose start lies in the future has ended: the test puts every one of them before a clock that jumps. */
const windowTest = "core/windows"
const windowPattern = /WithTTL\(|timeToLive|[^d]\bleftMs\(/

const uses: ReadonlyArray<
  readonly [what: string, source: keyof typeof sources, test: string, files: string]
> = [
  ["the clock itself", "store", "core/storeClock", "core/StoreClock app/service"],
  ["slots of jobs", "store", "core/leasedJobs", "core/leasedJobs app/jobs core/stages"],
  ["leases of jobs", "database", "core/clocks", "postgres/jobSlots postgres/storeProbe"],
  [
    "what is published, its age, and what is deleted",
    "store",
    "core/storeClock",
    "feed/Feed feed/PublishedMarkets digest/Digest movers/Ingestion predetermined/Predetermined " +
    "markets/Resolving markets/requestInBatches whales/Whales whales/Tracking whales/Calibration " +
    "whales/WalletHistory whales/entryPublishing track-record/SelfScore track-record/TrackRecord " +
    "research/Research research/reading news/News news/sources/sources core/Freshness",
  ],
  ["the time of a daily head", "database", "postgres/pruneBefore", "feed/postgres/feedStore"],
  [
    "leases, HOLD and retention of payments",
    "database",
    "e2e/clockSkew",
    "payments/postgres/paymentStore payments/postgres/retention payments/postgres/restore " +
    "payments/postgres/paymentStats",
  ],
  [
    "leases and caps of refunds",
    "database",
    "payments/refunds/refundWorker.process",
    "payments/postgres/refundStore payments/postgres/refundReview",
  ],
  [
    "the times of a payment",
    "store",
    "e2e/clockSkew",
    "http/paywall/checkout payments/sell payments/reconcile",
  ],
  [
    "the times of a refund, and the worker's heartbeat",
    "store",
    "payments/refunds/refundWorker.process",
    "payments/refunds/RefundWorker app/workerProbes",
  ],
  ["the health of payments", "store", "payments/domain/paymentHealth", "payments/PaymentHealth"],
  [
    "what a process keeps in memory for a while",
    "store",
    windowTest,
    "core/cachedFor core/RateLimits core/readOnChange http/server/limits http/free/reads " +
    "http/pages/market news/NewsReader news/sources/requests research/keptReads " +
    "research/venueLookup payments/sale/shares payments/chain/heads " +
    "payments/chain/agreement payments/chain/chain payments/chain/rpc payments/facilitator/failover",
  ],
  ["the journal", "store", "payments/deliveryJournal", "payments/DeliveryJournal"],
  [
    "limits",
    "store",
    "core/clocks",
    "postgres/rateLimits",
  ],
  ["leases of reports", "database", "core/clocks", "research/postgres/reportStore"],
  [
    "deadlines, and what is kept of reads",
    "store",
    "core/storeClock",
    "http/free/pageData http/layer http/a2a/a2a http/paywall/paywall research/sharedReports " +
    "status/Status core/httpReading core/probes http/server/admin app/telemetry",
  ],
  [
    "requests to other services",
    "store",
    "core/storeClock",
    "venues/polymarket/clob venues/polymarket/gamma venues/polymarket/oracle " +
    "news/sources/gdelt payments/facilitator/bearerToken",
  ],
  [
    "what is simulated",
    "store",
    "core/storeClock",
    "venues/simulated/news venues/simulated/venue payments/simulated/facilitator",
  ],
  ["an operator's command, which writes nothing", "store", "app/check", "app/check"],
  [
    "durations",
    "elapsed",
    "core/storeClock",
    "app/fairScheduler http/server/route http/server/server",
  ],
  ["durations on the monotonic clock", "store", "core/slices", "core/slices core/timed"],
]

const src = new URL("../../src/", import.meta.url)

function* filesIn(folder = ""): Generator<readonly [name: string, text: string]> {
  for (const { name, isDirectory } of Deno.readDirSync(new URL(folder, src))) {
    if (isDirectory) yield* filesIn(`${folder}${name}/`)
    else if (/\.tsx?$/.test(name)) {
      yield [
        `${folder}${name.replace(/\.tsx?$/, "")}`,
        Deno.readTextFileSync(new URL(folder + name, src)),
      ]
    }
  }
}
const sourceFiles = [...filesIn()]

Deno.test("every file that reads a clock reads the one that the table says", () => {
  const found = sourceFiles.flatMap(([name, text]) =>
    Object.entries(sources).flatMap(([source, pattern]) =>
      pattern.test(text) ? [`${name} ${source}`] : []
    )
  )
  const listed = uses.flatMap(([, source, , files]) =>
    files.split(" ").map((file) => `${file} ${source}`)
  )
  equal(found.toSorted(), listed.toSorted())
})

Deno.test("every window in memory stands before a clock that jumps", () => {
  const found = sourceFiles.filter(([, text]) => windowPattern.test(text)).map(([name]) => name)
  const [listed = ""] = uses.flatMap(([, , test, files]) => test === windowTest ? [files] : [])
  const unlisted = found.filter((name) => !listed.split(" ").includes(name))
  equal(unlisted, [])
})

Deno.test("each use has a test with a wrong clock, and both processes have the store's", () => {
  for (const [, , test] of uses) {
    match(Deno.readTextFileSync(new URL(`../${test}.test.ts`, import.meta.url)), /clock/i, test)
  }
  const processes = sourceFiles.filter(([, text]) => text.includes("StoreClock.layer"))
  equal(processes.map(([name]) => name).toSorted(), ["app/refundProcess", "app/service"])
})

type Ports = JobSlots | ReportStore | RateLimits
const everyPort = Layer.mergeAll(jobSlots, reportStore, rateLimits())
const lease = Duration.minutes(5)
const limit = { name: "clocks", limit: 1, windowMs: minute }

/** Each takes what one replica may have at a time; whether it got it. `key`: of one case. */
const shared: Readonly<Record<string, (key: string) => Effect.Effect<boolean, unknown, Ports>>> = {
  "the slot of a job": (key) =>
    Effect.flatMap(JobSlots, (slots) => Effect.map(slots.claim(key, 0, lease), Option.isSome)),
  "the lease of a report": (key) =>
    Effect.flatMap(
      ReportStore,
      (reports) =>
        Effect.map(
          reports.begin(MarketId.make(key), { ageMax: lease, lease }),
          ({ state }) => state === "acquired",
        ),
    ),
  "a grant of a limit": (key) =>
    Effect.flatMap(
      RateLimits,
      ({ take }) => Effect.map(take(limit, key), ({ granted }) => granted),
    ),
}

onEveryStore("a replica with a wrong clock", (law) => {
  for (const [what, take] of Object.entries(shared)) {
    law(`takes ${what} from no other, and loses none`, () =>
      Effect.gen(function* () {
        for (const aheadMs of [45 * second, -45 * second, hour, -hour, 100 * day, -100 * day]) {
          const wrong = (key: string) =>
            Effect.clockWith((right) =>
              Effect.provideService(take(key), Clock.Clock, clockAhead(right, aheadMs))
            )
          const [first, other] = [`first ${aheadMs}`, `other ${aheadMs}`]
          equal([yield* take(first), yield* wrong(first)], [true, false])
          equal([yield* wrong(other), yield* take(other)], [true, false])
        }
      }).pipe(Effect.provide(everyPort)))
  }
})
