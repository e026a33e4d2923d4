/**
 * Attack 5: more honest buyers than the facilitator's places. Sales a second, and the CPU they need.
 *
 * @module
 */
import { Effect } from "effect"
import {
  type Buyer,
  fundedBuyers,
  nameOf,
  newPurchase,
  type Purchase,
  send,
  Tally,
} from "./buyers.ts"
import { type Drill, round, sleep } from "./drill.ts"
import { type Environment, startEnvironment } from "./environment.ts"
import { cpuSeconds } from "../../tests/support/processUse.ts"

/** Sales a second that a replica must reach. */
const salesPerSecondMin = 100
/** A second measurement, because 100 buyers who wait for a block cannot reach 100 sales a second. */
const manyBuyers = 400
/** How long a refused buyer waits, at most: a drill is short. */
const retryAfterMsMax = 2_000
const retryMsMin = 250
/** The buyers start over this time. */
const startOverMs = 2_000

interface Trade {
  readonly tally: Tally
  readonly purchases: Array<Purchase>
  /** Answers with 200 by the second in which they arrived. */
  readonly servedAtMs: Array<number>
  readonly ended: Promise<void>
}

/** Every buyer buys the newest item, one purchase after the other. */
function trade(
  environment: Environment,
  buyers: ReadonlyArray<Buyer>,
  isRunning: () => boolean,
  pauseMs = 0,
): Trade {
  const tally = new Tally()
  const purchases: Array<Purchase> = []
  const servedAtMs: Array<number> = []
  const { ports } = environment
  const run = async (buyer: Buyer, n: number) => {
    await sleep(n * startOverMs / buyers.length)
    for (let turn = 0; isRunning(); turn++) {
      const purchase = await newPurchase(buyer, "latest")
      purchases.push(purchase)
      const answer = await send(purchase, ports[(n + turn) % ports.length] ?? 0)
      tally.add(nameOf(answer))
      if (answer.status === 200) servedAtMs.push(performance.now())
      else {await sleep(
          Math.min(Math.max(answer.retryAfterSeconds * 1_000, retryMsMin), retryAfterMsMax),
        )}
      await sleep(pauseMs)
    }
  }
  const ended = Promise.all(buyers.map(run)).then(() => {})
  return { tally, purchases, servedAtMs, ended }
}

const measure = Effect.fnUntraced(function* (
  environment: Environment,
  buyers: ReadonlyArray<Buyer>,
  seconds: number,
) {
  const cpu = () => environment.replicas.reduce((sum, { pid }) => sum + cpuSeconds(pid()), 0)
  const began = performance.now()
  const endAt = began + seconds * 1_000
  const sales = trade(environment, buyers, () => performance.now() < endAt)
  // The first answers come after verify, settle and a block; they are not counted.
  yield* Effect.sleep(startOverMs + firstAnswersMs)
  const [countFrom, cpuFrom] = [performance.now(), cpu()]
  yield* Effect.sleep(Math.max(1_000, endAt - countFrom))
  const measuredSeconds = (performance.now() - countFrom) / 1_000
  const served = sales.servedAtMs.filter((at) => at >= countFrom).length
  const cpuShare = (cpu() - cpuFrom) / measuredSeconds
  yield* Effect.promise(() => sales.ended)
  return { perSecond: served / measuredSeconds, cpuShare, tally: sales.tally }
})

const firstAnswersMs = 3_000

export const attack5: Drill = Effect.fnUntraced(function* ({ seconds, buyers, print }) {
  const environment = yield* startEnvironment({ replicas: 1 })
  const crowd = yield* Effect.promise(() => fundedBuyers(environment, Math.max(buyers, manyBuyers)))
  print(`attack 5: ${buyers} buyers`)
  const few = yield* measure(environment, crowd.slice(0, buyers), seconds)
  print(`attack 5: ${manyBuyers} buyers`)
  const many = yield* measure(environment, crowd.slice(0, manyBuyers), seconds)
  const best = Math.max(few.perSecond, many.perSecond)
  const unserved = few.tally.total - few.tally.of("200")
  return {
    attack: "5",
    figures: {
      [`sales a second, ${buyers} buyers`]: round(few.perSecond, 1),
      [`answers, ${buyers} buyers`]: few.tally.toString(),
      [`CPU share, ${buyers} buyers`]: round(few.cpuShare, 2),
      [`sales a second, ${manyBuyers} buyers`]: round(many.perSecond, 1),
      [`answers, ${manyBuyers} buyers`]: many.tally.toString(),
      [`CPU share, ${manyBuyers} buyers`]: round(many.cpuShare, 2),
    },
    faults: [
      ...best >= salesPerSecondMin ? [] : [`only ${round(best, 1)} sales a second`],
      ...unserved * 100 <= few.tally.total
        ? []
        : [`${unserved} of ${few.tally.total} purchases of ${buyers} buyers were refused`],
      ...few.tally.of("502 facilitator_error") === 0 ? [] : ["answers 502"],
    ],
  }
})
