/**
 * Attacks 2 and 7: payments that were never valid, and one payment on many connections.
 *
 * @module
 */
import { Effect } from "effect"
import { products } from "../../src/catalog/domain/product.ts"
import { exchangeOf, fundedBuyers, newPurchase, send, Tally } from "./buyers.ts"
import { attackerClient, type Drill, honestResult, round, sellToHonest, sleep } from "./drill.ts"
import { answersCounted, type Environment, startEnvironment } from "./environment.ts"
import { type HttpAnswer, localAddresses, request } from "./http.ts"
import { newWallet, pay } from "./payer.ts"
import { residentBytes } from "../../tests/support/processUse.ts"

/**
 * Attack 2: how many requests are in flight, and how many a second each place starts. The first ones
 * hang up just before the facilitator answers, the others wait for the verdict, from another address.
 */
const emptyKeys = { hangUps: 110, waiting: 10, intervalMs: 320 } as const
const hangUpAfterMs = { min: 200, max: 280 } as const
/** Few claims of the dearest product reach this treasury. */
const smallTreasury = 20_000_000n
/** Payments that are signed before the flood starts, so that the flood costs little. */
const signedBeforeMax = 12_000
/** Short, so that the rows of a flood are due for a check on the chain soon. */
const emptyKeyValidSeconds = 50
const waitingClient = "198.51.100.8"
/** Attack 7: the pause of a connection between two requests, and how long its payment settles. */
const repeats = { pauseMs: 500, settleMs: 18_000 } as const

export const attackerHeaders = (header: string, secret: string | null = null) => ({
  "payment-signature": header,
  ...secret === null ? {} : { "idempotency-key": secret },
})

/** The name of an answer by status alone. */
export function statusOf({ status, failure }: HttpAnswer): string {
  return status === null ? failure ?? "lost" : String(status)
}

export interface Flood {
  readonly tally: Tally
  /** Resolves when the last request of the flood has ended. */
  readonly ended: Promise<void>
}

interface FloodOptions {
  readonly hangUps: number
  readonly waiting: number
  readonly intervalMs: number
}

/** A request with a payment of a new, empty key. */
interface EmptyPayment {
  readonly path: string
  readonly header: string
}

/** Well-signed payments of empty keys for products of both settlement orders. */
async function emptyPayment(slug: string | null, turn: number): Promise<EmptyPayment> {
  const { latest, resolving, research } = products
  const choice = [latest, slug === null ? resolving : research][turn % 2] ?? latest
  const { header } = await pay(newWallet(), choice, emptyKeyValidSeconds)
  const path = choice === research ? `${choice.path}?market=${slug}` : choice.path
  return { path, header }
}

/**
 * Sends payments of empty keys, each new and well signed. Most requests hang up before the
 * facilitator answers. `signed` are sent first.
 */
function floodWithEmptyKeys(
  environment: Environment,
  isRunning: () => boolean,
  { hangUps, waiting, intervalMs }: FloodOptions,
  slug: string | null = null,
  signed: Array<EmptyPayment> = [],
): Flood {
  const { ports } = environment
  const tally = new Tally()
  const loop = async (n: number) => {
    const { min, max } = hangUpAfterMs
    const hangsUp = n < hangUps
    await sleep(n * intervalMs / (hangUps + waiting))
    for (let turn = n; isRunning(); turn++) {
      const began = performance.now()
      const { path, header } = signed.pop() ?? await emptyPayment(slug, turn)
      const answer = await request({
        port: ports[turn % ports.length] ?? 0,
        path,
        client: hangsUp ? attackerClient : waitingClient,
        localAddress: localAddresses.attacker,
        headers: attackerHeaders(header),
        ...hangsUp ? { hangUpAfterMs: min + Math.random() * (max - min) } : {},
      })
      tally.add(statusOf(answer))
      await sleep(Math.max(0, intervalMs - (performance.now() - began)))
    }
  }
  const loops = Array.from({ length: hangUps + waiting }, (_, n) => loop(n))
  return { tally, ended: Promise.all(loops).then(() => {}) }
}

/** Rows of payments of empty keys, and of their history. */
async function rowsOfEmptyKeys(
  { query, funded }: Environment,
): Promise<{ readonly payments: number; readonly events: number }> {
  const known = [...funded].map((payer) => `'${payer}'`).join(", ") || "''"
  const [payments] = await query(
    `SELECT count(*)::int AS count FROM payment WHERE payer NOT IN (${known})`,
  )
  const [events] = await query(
    `SELECT count(*)::int AS count FROM payment_event WHERE payment_id NOT IN
      (SELECT payment_id FROM payment WHERE payer IN (${known}))`,
  )
  return { payments: Number(payments?.["count"]), events: Number(events?.["count"]) }
}

/** The control: the same honest sales and no attacker, to see what the machine itself refuses. */
export const control: Drill = Effect.fnUntraced(function* ({ seconds, replicas }) {
  const environment = yield* startEnvironment({ replicas, treasuryUnits: smallTreasury })
  const honest = yield* Effect.promise(() => sellToHonest(environment, seconds))
  const { figures, faults } = honestResult(honest)
  return {
    attack: "none",
    figures: { ...figures, "RSS MB": residentMegabytes(environment) },
    faults,
  }
})

export const attack2: Drill = Effect.fnUntraced(function* ({ seconds, replicas, print }) {
  const environment = yield* startEnvironment({ replicas, treasuryUnits: smallTreasury })
  const slug = yield* Effect.promise(() => marketSlug(environment))
  const requests = (emptyKeys.hangUps + emptyKeys.waiting) * seconds * 1_000 / emptyKeys.intervalMs
  const signed = yield* Effect.forEach(
    Array.from({ length: Math.min(signedBeforeMax, Math.ceil(requests)) }),
    (_, turn) => Effect.promise(() => emptyPayment(slug, turn)),
  )
  print(`attack 2: the flood starts, ${signed.length} payments are signed`)
  const before = yield* Effect.promise(() => environment.control({}))
  const endAt = performance.now() + seconds * 1_000
  const isRunning = () => performance.now() < endAt
  const flood = floodWithEmptyKeys(environment, isRunning, emptyKeys, slug, signed)
  const honest = yield* Effect.promise(() => sellToHonest(environment, seconds))
  yield* Effect.promise(() => flood.ended)
  const rows = yield* Effect.promise(() => rowsOfEmptyKeys(environment))
  const after = yield* Effect.promise(() => environment.control({}))
  // The service adds to its counters once a second.
  yield* Effect.sleep("3 seconds")
  const counted = yield* Effect.promise(() => answersCounted(environment.replicas))
  const { figures, faults } = honestResult(honest)
  // A busy service may answer after the client has hung up, so its own count is read.
  const refused = (counted["429"] ?? 0) + (counted["409"] ?? 0) +
    flood.tally.of("429") + flood.tally.of("409")
  return {
    attack: "2",
    figures: {
      ...figures,
      "attacker requests": flood.tally.total,
      "attacker answers": flood.tally.toString(),
      "answers by the service's count": Object.entries(counted).flat().join(" "),
      "refused by the facilitator": (after["refused"] ?? 0) - (before["refused"] ?? 0),
      "rows left in payment": rows.payments,
      "rows left in payment_event": rows.events,
      "RSS MB": residentMegabytes(environment),
    },
    faults: [
      ...faults,
      ...refused > 0 ? [] : ["the attacker was never refused with 429 or 409"],
      ...rows.payments > 0 ? [`${rows.payments} rows of payments that were never valid`] : [],
    ],
  }
})

/** The slug of a market that can be researched. */
async function marketSlug(environment: Environment): Promise<string> {
  const [buyer] = await fundedBuyers(environment, 1)
  if (buyer === undefined) throw new Error("no buyer")
  const item = await send(await newPurchase(buyer, "latest"), environment.ports[0] ?? 0)
  return /"slug":"([^"]+)"/.exec(item.body)?.[1] ?? "unknown"
}

const residentMegabytes = ({ replicas }: Environment) =>
  round(Math.max(...replicas.map(({ pid }) => residentBytes(pid()) ?? NaN)) / 1e6)

/**
 * One address presents one payment on many connections, again and again. The facilitator needs long
 * to settle it; when it is settled, a new one takes its place.
 */
const presentOnePayment = Effect.fnUntraced(function* (
  environment: Environment,
  connections: number,
  isRunning: () => boolean,
) {
  const { ports, control } = environment
  const [funded] = yield* Effect.promise(() => fundedBuyers(environment, 1))
  if (funded === undefined) return yield* Effect.die("no buyer")
  const attacker = { ...funded, client: attackerClient }
  yield* Effect.promise(() => control({ slow: { [attacker.wallet.address]: repeats.settleMs } }))
  const tally = new Tally()
  const purchases = [yield* Effect.promise(() => newPurchase(attacker, "latest"))]
  const connect = async (n: number) => {
    await sleep(n * 2_000 / connections)
    while (isRunning()) {
      const purchase = purchases.at(-1) ?? await newPurchase(attacker, "latest")
      const { path, record } = purchase
      const answer = await request({
        port: ports[n % ports.length] ?? 0,
        path,
        client: attackerClient,
        localAddress: localAddresses.attacker,
        headers: attackerHeaders(record.header, record.secret),
      })
      tally.add(statusOf(answer))
      // One record of the answer is enough: all others are copies of it.
      if (answer.status === 200 && record.exchanges.length === 0) {
        record.exchanges.push(await exchangeOf(answer, record.product))
      }
      const isOver = answer.status === 200 || answer.status === 402 || answer.status === 410
      if (isOver && purchase === purchases.at(-1) && isRunning()) {
        const next = await newPurchase(attacker, "latest")
        if (purchase === purchases.at(-1)) purchases.push(next)
      }
      await sleep(repeats.pauseMs)
    }
  }
  const ended = Promise.all(Array.from({ length: connections }, (_, n) => connect(n)))
  return { tally, purchases, ended: ended.then(() => {}) }
})

export const attack7: Drill = Effect.fnUntraced(
  function* ({ seconds, connections, replicas, print }) {
    const environment = yield* startEnvironment({ replicas })
    print(`attack 7: ${connections} connections open`)
    const endAt = performance.now() + seconds * 1_000
    const attack = yield* presentOnePayment(
      environment,
      connections,
      () => performance.now() < endAt,
    )
    yield* Effect.sleep("3 seconds")
    const honest = yield* Effect.promise(() => sellToHonest(environment, Math.max(5, seconds - 8)))
    yield* Effect.promise(() => attack.ended)
    const { figures, faults } = honestResult(honest)
    return {
      attack: "7",
      figures: {
        ...figures,
        "attacker requests": attack.tally.total,
        "attacker answers": attack.tally.toString(),
        "RSS MB": residentMegabytes(environment),
      },
      faults,
    }
  },
)
