/**
 * A soak in compressed time: service, refund worker and PostgreSQL run through days of the simulated
 * world while clients pay. Then it checks that nothing grows that should not, that no tick or digest is
 * missing, and that every payment was delivered or refunded. Nothing is killed here: `tests/kill` does.
 *
 * All processes share one clock (`steppedClock.ts`). Time passes as on any machine while something is
 * done, and jumps to the next minute when all jobs of this one are done and no request is open.
 *
 * deno run -A tests/soak/run.ts [--days 30] [--seed 1] [--purchases 12] [--minutes 300]
 *
 * @module
 */
import { Clock, Console, Effect, FiberSet } from "effect"
import { buyOnce, type ClientContext } from "../kill/client.ts"
import { makeLogDir } from "../kill/environment.ts"
import type { Exchange } from "../kill/transcript.ts"
import { type ProductId, products } from "../../src/catalog/domain/product.ts"
import { hasAnvil } from "../support/payments/anvil.ts"
import { hasPostgres } from "../support/postgresCluster.ts"
import { runProgram, taskArguments, whole } from "../support/program.ts"
import { Random } from "../support/random.ts"
import { jobsDueAt, longJobsAt, type Slot } from "./jobs.ts"
import { type HourRecord, type Latencies, recordHour } from "./records.ts"
import { printReport, type SoakResult } from "./report.ts"
import { hasCompiler, startSteppedClock } from "./steppedClock.ts"
import { openStore, type StoreReader } from "./store.ts"
import { startWorld, type World } from "./world.ts"

export interface Options {
  readonly days: number
  readonly seed: number
  readonly purchasesPerHour: number
  /** A run that takes longer ends early, and says so. */
  readonly minutes: number
}

const minute = 60_000
/** Pauses between looks at the progress of a step, in real time; each is longer than the last. */
const lookMs = { min: 2, max: 40, factor: 1.3 } as const
/** So many looks in a row find nothing to do; loops without a slot have ended then. */
const quietLooks = 3
/** The same while no client is busy: the jobs of the minute have ended already. */
const quietLooksIdle = 1
/** A request that waits for a time-out gets one second of the clock after each of these. */
const hangingMs = 150
const hangingJumpMs = 1_000
/** A step that takes longer ends. */
const stepMsMax = { first: 120_000, normal: 30_000 }
/** The first digest waits for two ticks, and is claimed only then: it is not waited for. */
const startingMinutes = 3
/** How many minutes the payments may take to become final after the last purchase. */
const drainMinutesMax = 240
/** The scan finds a transfer without a request within these. */
const drainMinutesMin = 15

const productShares: ReadonlyArray<readonly [ProductId, number]> = [
  ["latest", 0.2],
  ["signal", 0.1],
  ["signals", 0.15],
  ["resolving", 0.15],
  ["whales", 0.1],
  ["digest", 0.15],
  ["digest_history", 0.1],
  ["research", 0.05],
]
/** An authorization is valid for two steps: the service accepts none that is valid for longer. */
const patience = { validSeconds: 120, retryForMs: 1_800_000, retryAfterMsMax: 300_000 }

interface Soak {
  /** What buyers of one item or of a report buy. */
  readonly item: { index: number; slug: string }
  readonly purchasesPerHour: number
  readonly world: World
  readonly store: StoreReader
  readonly random: Random
  readonly context: ClientContext
  readonly latencies: Latencies
  readonly requests: { open: number }
  readonly purchases: FiberSet.FiberSet<void>
  /** Slots that have begun and are not finished. */
  due: ReadonlyArray<Slot>
  slowSteps: number
  /** False while the last payments become final. */
  isSelling: boolean
}

const options: Options = await taskArguments("soak", {
  days: whole("days", 30),
  seed: whole("seed", 1),
  purchasesPerHour: whole("purchases", 12),
  minutes: whole("minutes", 300),
})

const program = Effect.gen(function* () {
  const dir = yield* Effect.promise(() => makeLogDir("soak-"))
  const clock = yield* Effect.promise(() => startSteppedClock(dir))
  const startedMs = performance.now()
  yield* Console.log(`soak: ${options.days} days, seed ${options.seed}; logs in ${dir}`)
  const world = yield* startWorld(dir, clock, options.seed)
  const store = yield* openStore(world.cluster.url)
  const soak = yield* makeSoak(world, store, options)
  const startMs = Math.ceil(clock.now() / minute) * minute
  const result: SoakResult = {
    ...{ options, world, store, context: soak.context, startMs, startedMs },
    ...{ hours: [], ticks: new Map(), digests: new Set() },
  }
  yield* warmUp(soak)
  for (let n = 0; n < options.days * 1_440; n++) {
    if (performance.now() - startedMs > options.minutes * minute) break
    yield* step(soak, stepMsMax.normal)
    if (n % 60 === 59) yield* endHour(soak, result, (n + 1) / 60)
  }
  yield* drain(soak)
  yield* endHour(soak, result, result.hours.length + 1)
  return yield* printReport(result)
}).pipe(Effect.scoped)

const makeSoak = Effect.fnUntraced(function* (
  world: World,
  store: StoreReader,
  { seed, purchasesPerHour }: Options,
) {
  const requests = { open: 0 }
  const latencies: Latencies = { free: [], paid: [], cpu: { pid: null, seconds: 0 } }
  const item = { index: 1, slug: "unknown" }
  const watch = (request: Effect.Effect<Exchange>) =>
    Effect.suspend(() => {
      requests.open++
      const beganMs = performance.now()
      return request.pipe(
        Effect.tap(({ status }) =>
          Effect.sync(() => status === 200 && latencies.paid.push(performance.now() - beganMs))
        ),
        Effect.ensuring(Effect.sync(() => requests.open--)),
      )
    })
  const pathOf = (product: ProductId) => {
    const { path } = products[product]
    if (product === "signal") return `${path}?index=${item.index}`
    return product === "research" ? `${path}?market=${item.slug}` : path
  }
  const soak: Soak = {
    ...{
      purchasesPerHour,
      world,
      store,
      requests,
      latencies,
      item,
      random: new Random(seed * 1_000),
      due: [],
    },
    context: {
      ...{ bases: [world.base], anvil: world.anvil, transcripts: [] },
      ...{ productShares, pathOf, patience, watch },
    },
    purchases: yield* FiberSet.make<void>(),
    slowSteps: 0,
    isSelling: true,
  }
  return soak
})

/** Starts the purchases of a minute. */
const buySome = Effect.fnUntraced(function* (soak: Soak) {
  const { world, random, context, purchases, isSelling, purchasesPerHour } = soak
  if (!isSelling || !random.chance(purchasesPerHour / 60)) return
  const account = world.payers[random.below(world.payers.length)]
  if (account === undefined) return
  const client = { account, random: new Random(random.below(2 ** 31)) }
  yield* FiberSet.run(
    purchases,
    buyOnce(context, client).pipe(Effect.provideService(Clock.Clock, world.clock.clock)),
  )
})

/** One minute: the clock jumps, then everything that is due is done. */
const step = Effect.fnUntraced(function* (soak: Soak, msMax: number) {
  yield* nextMinute(soak)
  yield* settle(soak, msMax)
})

/** The first run of each job reads days of history. */
const warmUp = Effect.fnUntraced(function* (soak: Soak) {
  soak.due = longJobsAt(soak.world.clock.now())
  yield* settle(soak, stepMsMax.first)
  for (let n = 0; n < startingMinutes; n++) {
    yield* nextMinute(soak)
    soak.due = soak.due.filter(({ job }) => job !== "digest")
    yield* settle(soak, stepMsMax.first)
  }
  yield* readItem(soak)
  soak.slowSteps = 0
  soak.due = []
})

const nextMinute = Effect.fnUntraced(function* (soak: Soak) {
  const { clock, anvil } = soak.world
  const next = (Math.floor(clock.now() / minute) + 1) * minute
  clock.jump(next - clock.now())
  yield* anvil.call("evm_mine")
  const isOpen = ({ endMs }: Slot) => endMs > next
  soak.due = [...soak.due.filter(isOpen), ...jobsDueAt(next)]
})

/**
 * Waits until the due slots are finished, then until no request is open. Clients act only after the
 * jobs: right after a jump the service has not read the chain for a minute, and sells nothing.
 */
const settle = Effect.fnUntraced(function* (soak: Soak, msMax: number) {
  const { world, store, requests } = soak
  const endMs = performance.now() + msMax
  yield* Effect.forkChild(freeRequest(soak))
  const jobsDone = yield* untilQuiet(world, endMs, quietLooks, () =>
    Effect.map(
      store.progress(soak.due),
      ({ finished, running }) => finished === soak.due.length && running === 0,
    ))
  world.clock.wakeDue()
  yield* buySome(soak)
  let movedMs = performance.now()
  const isIdle = (yield* FiberSet.size(soak.purchases)) === 0
  const looks = isIdle ? quietLooksIdle : quietLooks
  const requestsDone = yield* untilQuiet(world, endMs, looks, () =>
    Effect.gen(function* () {
      if (requests.open === 0) return true
      if (performance.now() - movedMs > hangingMs) {
        movedMs = performance.now()
        world.clock.jump(hangingJumpMs)
        yield* world.anvil.call("evm_mine")
        world.clock.wakeDue()
      }
      return false
    }))
  if (jobsDone) soak.due = []
  if (!jobsDone || !requestsDone) soak.slowSteps++
})

/** True when a check has passed several times in a row, false at the end of the time. */
const untilQuiet = Effect.fnUntraced(
  function* (world: World, endMs: number, looks: number, check: () => Effect.Effect<boolean>) {
    let passed = 0
    let pauseMs: number = lookMs.min
    while (true) {
      if (performance.now() > endMs) return false
      yield* wake(world)
      passed = (yield* check()) ? passed + 1 : 0
      if (passed === looks) return true
      yield* Effect.sleep(pauseMs)
      pauseMs = passed > 0 ? lookMs.min : Math.min(lookMs.max, pauseMs * lookMs.factor)
    }
  },
)

/** A process that waits for a timer looks at the clock only after an event. */
const wake = ({ admins }: World) =>
  Effect.forEach(
    Object.values(admins),
    (admin) =>
      Effect.tryPromise(async () => await (await fetch(`${admin}/livez`)).text()).pipe(
        Effect.ignore,
      ),
    { concurrency: "unbounded", discard: true },
  )

const freeRequest = ({ world, latencies, requests }: Soak) =>
  Effect.promise(async () => {
    requests.open++
    const beganMs = performance.now()
    try {
      const answer = await fetch(`${world.base}/v1/index`)
      await answer.body?.cancel()
      if (answer.status === 200) latencies.free.push(performance.now() - beganMs)
    } finally {
      requests.open--
    }
  })

/** Steps until every payment is final. */
const drain = Effect.fnUntraced(function* (soak: Soak) {
  soak.isSelling = false
  yield* Effect.forkChild(soak.world.facilitator.becomeHonest)
  for (let n = 0; n < drainMinutesMax; n++) {
    yield* step(soak, stepMsMax.normal)
    const waiting = yield* FiberSet.size(soak.purchases)
    if (n >= drainMinutesMin && waiting === 0 && (yield* soak.store.openPayments) === 0) return
  }
})

const endHour = Effect.fnUntraced(function* (
  soak: Soak,
  result: SoakResult,
  hour: number,
) {
  const { world, store, latencies } = soak
  const since = world.clock.now() - 3 * 60 * minute
  for (const row of yield* store.finishedSlots("tick", since)) result.ticks.set(row.slot, row)
  for (const slot of yield* store.digestSlots(since - 8 * 60 * minute)) result.digests.add(slot)
  const record = yield* recordHour(world, store, latencies, hour)
  result.hours.push(record)
  yield* readItem(soak)
  yield* Effect.promise(() =>
    Deno.writeTextFile(`${world.dir}/hours.jsonl`, `${JSON.stringify(record)}\n`, { append: true })
  )
  yield* Console.log(progressLine(soak, result, record))
})

/** Buyers of one item or of a report buy the newest. */
const readItem = ({ store, item }: Soak) =>
  Effect.map(store.item, (newest) => Object.assign(item, newest))

function progressLine(soak: Soak, { ticks, digests, startedMs }: SoakResult, record: HourRecord) {
  const figures = Object.entries(record.figures).map(([name, value]) =>
    `${name} ${value.toFixed(1)}`
  )
  return `  ${((performance.now() - startedMs) / minute).toFixed(1)} min: hour ${record.hour}, ` +
    `${ticks.size} ticks, ${digests.size} digests, ${soak.context.transcripts.length} payments ` +
    `(${record.openPayments} open), ${soak.slowSteps} slow steps; ${figures.join(", ")}`
}

if (!hasAnvil) throw new Error("No anvil: npm ci --prefix tests/anvil")
if (!hasPostgres) throw new Error("PostgreSQL is not installed on this machine")
if (!hasCompiler) throw new Error("Needs Linux and a C compiler: apt-get install gcc libc6-dev")
await runProgram("soak", program)
