/**
 * Attacks 2, 5 and 7 together, for as long as asked, with a line a minute. Afterwards the chain's
 * ledger is compared with what the honest buyers and the payer of attack 7 received.
 *
 * @module
 */
import { Effect } from "effect"
import { readLedger } from "../../tests/kill/ledger.ts"
import { reconcile } from "../../tests/kill/reconciliation.ts"
import { fundedBuyers, type Purchase, send, Tally } from "./buyers.ts"
import { type Drill, type DrillOptions, round, sleep } from "./drill.ts"
import { type Environment, metric, startEnvironment } from "./environment.ts"
import {
  floodWithEmptyKeys,
  presentOnePayment,
  residentMegabytes,
  rowsOfEmptyKeys,
  smallFlood,
} from "./floods.ts"
import { type Trade, trade } from "./throughput.ts"

/** HOLD is short, so that every payment is final soon after the end. */
const settings = { LEASE: "90 seconds", HOLD: "2 minutes" } as const
const worker = { REFUND_MAX_PER_HOUR_USD: "10000", REFUND_MAX_PER_DAY_USD: "10000" } as const
/** An honest buyer's pause between two purchases. */
const pauseMs = 1_000
const lineMs = 60_000
const lagSampleMs = 5_000
/** HOLD, a lease and the refunds. */
const finalWithinMs = 5 * 60_000
/** Of all honest purchases, this share must be served at the first request. */
const servedShareMin = 0.99
/** Memory at the end, as a multiple of the memory after the first line. */
const memoryGrowthMax = 1.5
const fetchAgainConcurrency = 8

/** Payments that still move. A released one was never charged. */
const unfinished = "SELECT count(*)::int AS count FROM payment WHERE " +
  "state IN ('claimed', 'settling', 'unresolved', 'settled', 'refund_due') " +
  "OR (state = 'answered' AND sent_at IS NULL)"

const countOf = async ({ query }: Environment, text: string) =>
  Number((await query(text))[0]?.["count"])

/** What was counted since the last line. */
function since(tally: Tally, last: Map<string, number>): Tally {
  const change = new Tally()
  for (const [what, count] of tally.counts) {
    const added = count - (last.get(what) ?? 0)
    last.set(what, count)
    if (added > 0) change.counts.set(what, added)
  }
  return change
}

interface Tallies {
  readonly honest: Tally
  readonly attack2: Tally
  readonly attack7: Tally
}

/** Prints a line a minute until the end; returns memory and lag. */
async function watch(
  environment: Environment,
  tallies: Tallies,
  isRunning: () => boolean,
  print: DrillOptions["print"],
) {
  const last = { honest: new Map(), attack2: new Map(), attack7: new Map() }
  const memory: Array<number> = []
  let lagMax = 0
  let lineLag = 0
  const began = performance.now()
  let nextLine = began + lineMs
  const line = async () => {
    const payments = await countOf(environment, "SELECT count(*)::int AS count FROM payment")
    const events = await countOf(environment, "SELECT count(*)::int AS count FROM payment_event")
    memory.push(residentMegabytes(environment))
    print(
      `${round((performance.now() - began) / 60_000, 1)} min | ` +
        `honest ${since(tallies.honest, last.honest)} | ` +
        `attack 2 ${since(tallies.attack2, last.attack2)} | ` +
        `attack 7 ${since(tallies.attack7, last.attack7)} | ` +
        `payment ${payments}, payment_event ${events} | RSS ${memory.at(-1)} MB | ` +
        `loop lag ${round(lineLag * 1_000)} ms`,
    )
    lineLag = 0
  }
  while (isRunning()) {
    await sleep(lagSampleMs)
    const lags = environment.replicas.map((replica) => metric(replica, "event_loop_lag_seconds"))
    for (const lag of await Promise.all(lags)) if (lag > lineLag) lineLag = lag
    lagMax = Math.max(lagMax, lineLag)
    if (performance.now() < nextLine) continue
    nextLine += lineMs
    await line()
  }
  await line()
  return { memory, lagMax }
}

/** Waits until no payment moves any more; the number of those that still do. */
async function waitUntilFinal(environment: Environment): Promise<number> {
  for (const endAt = performance.now() + finalWithinMs;;) {
    const left = await countOf(environment, unfinished)
    if (left === 0 || performance.now() > endAt) return left
    await sleep(3_000)
  }
}

/** Buyers who were charged, or may have been, request the answer again with their key. */
async function fetchAgain(
  { ports }: Environment,
  purchases: ReadonlyArray<Purchase>,
): Promise<void> {
  const missing = purchases.filter(({ record }) =>
    !record.exchanges.some(({ status }) => status === 200)
  )
  const next = missing.values()
  const fetchNext = async (port: number) => {
    for (const purchase of next) await send(purchase, port)
  }
  await Promise.all(
    Array.from(
      { length: fetchAgainConcurrency },
      (_, n) => fetchNext(ports[n % ports.length] ?? 0),
    ),
  )
}

const ledgerFaults = Effect.fnUntraced(function* (
  environment: Environment,
  { purchases }: { readonly purchases: ReadonlyArray<Purchase> },
) {
  yield* Effect.promise(() => fetchAgain(environment, purchases))
  const left = yield* Effect.promise(() => waitUntilFinal(environment))
  const ledger = yield* readLedger(environment.chain, environment)
  const transcripts = purchases.map(({ record }) => record)
  const result = reconcile({ ledger, transcripts, markedSent: new Set() })
  const { charged, delivered, refunded, both, open } = result
  return {
    figures: { charged, delivered, refunded, "both": both, open, "unfinished rows": left },
    faults: [
      ...result.faults.slice(0, 10),
      ...both === 0 ? [] : [`${both} payments were delivered and refunded`],
      ...left === 0 ? [] : [`${left} payments are not final`],
    ],
  }
})

export const soak: Drill = Effect.fnUntraced(function* (options) {
  const { seconds, replicas, connections, print } = options
  const environment = yield* startEnvironment({
    replicas,
    settings,
    worker: { ...settings, ...worker },
  })
  const buyers = yield* Effect.promise(() => fundedBuyers(environment, options.buyers))
  const endAt = performance.now() + seconds * 1_000
  const isRunning = () => performance.now() < endAt
  const honest: Trade = trade(environment, buyers, isRunning, pauseMs)
  const flood = floodWithEmptyKeys(environment, isRunning, smallFlood)
  const repeats = yield* presentOnePayment(environment, connections, isRunning)
  const tallies = { honest: honest.tally, attack2: flood.tally, attack7: repeats.tally }
  const watched = yield* Effect.promise(() => watch(environment, tallies, isRunning, print))
  yield* Effect.promise(() => Promise.all([honest.ended, flood.ended, repeats.ended]))
  print("soak: comparing the ledger with the records")
  const purchases = [...honest.purchases, ...repeats.purchases]
  const ledger = yield* ledgerFaults(environment, { purchases })
  const rows = yield* Effect.promise(() => rowsOfEmptyKeys(environment))
  const served = honest.tally.of("200") / honest.tally.total
  const [first = NaN, last = NaN] = [watched.memory[0], watched.memory.at(-1)]
  return {
    attack: "soak",
    figures: {
      "honest served %": round(served * 100, 2),
      "honest answers": honest.tally.toString(),
      "attack 2 answers": flood.tally.toString(),
      "attack 7 answers": repeats.tally.toString(),
      "rows left in payment": rows.payments,
      "rows left in payment_event": rows.events,
      "RSS MB first, last": `${first}, ${last}`,
      "loop lag max ms": round(watched.lagMax * 1_000),
      ...ledger.figures,
    },
    faults: [
      ...ledger.faults,
      ...served >= servedShareMin ? [] : [`only ${round(served * 100, 2)} % of honest purchases`],
      ...rows.payments > 0 ? [`${rows.payments} rows of payments that were never valid`] : [],
      ...last <= first * memoryGrowthMax ? [] : [`memory grew from ${first} to ${last} MB`],
    ],
  }
})
