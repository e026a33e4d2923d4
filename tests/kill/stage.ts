/**
 * Everything a run needs, as real processes on free ports of this machine, gone with its scope: a
 * chain with our token, a facilitator that misbehaves, a PostgreSQL cluster, edges and refund workers.
 *
 * @module
 */
import { Effect, Schedule } from "effect"
import { type LocalAccount, privateKeyToAccount } from "viem/accounts"
import { Random } from "../support/random.ts"
import { type Anvil, startAnvil } from "../support/payments/anvil.ts"
import { buyer } from "../support/payments/buyers.ts"
import {
  type ChaosFacilitator,
  startChaosFacilitator,
} from "../support/payments/chaosFacilitator.ts"
import { type PostgresCluster, startPostgresCluster } from "../support/postgresCluster.ts"
import { freePort } from "../support/process.ts"
import { terms } from "../support/payments/terms.ts"
import { deployToken, sent, toToken } from "../support/payments/token.ts"
import { keep, type Kept } from "./processes.ts"

export interface Parts {
  readonly seed: number
  readonly edges: number
  readonly workers: number
  readonly clients: number
}

export interface Stage {
  readonly anvil: Anvil
  readonly facilitator: ChaosFacilitator
  readonly cluster: PostgresCluster
  readonly edges: ReadonlyArray<Kept>
  readonly workers: ReadonlyArray<Kept>
  /** Where the edges listen. */
  readonly bases: ReadonlyArray<string>
  readonly payers: ReadonlyArray<LocalAccount>
  readonly payTo: string
  readonly treasury: string
  /** What the treasury had at the start. */
  readonly float: bigint
  /** Where all of it writes its logs. */
  readonly dir: string
}

/** Made up for this; it holds nothing but money of a chain that ends with the run. */
const treasuryKey = `0x${"7e".repeat(32)}` as const
const purse = 1_000_000_000n
const float = 1_000_000_000n
const firstPayer = 1_000
/** How much goes wrong at the facilitator. */
const chaos = { settleShare: 0.3, verifyShare: 0.06 } as const

/**
 * Short, so that everything comes to its end soon after the faults. The steps of a sale shrink with
 * its lease; an answer is held for longer than that, or it would be given back while it is handed over.
 */
const timing = {
  LEASE: "20 seconds",
  HOLD: "30 seconds",
  SWEEP: "2 seconds",
  SCAN: "2 seconds",
  TICK: "1 hour",
} as const

export const setStage = Effect.fn("setStage")(function* (dir: string, parts: Parts) {
  const [anvil, cluster] = yield* Effect.all(
    [startAnvil({ blockSeconds: 1 }), startPostgresCluster(dir)],
    { concurrency: 2 },
  )
  const treasury = privateKeyToAccount(treasuryKey).address
  const payers = Array.from({ length: parts.clients }, (_, n) => buyer(firstPayer + n))
  yield* deployToken(anvil)
  yield* Effect.forEach(
    [...payers.map(({ address }) => ({ address, sum: purse })), { address: treasury, sum: float }],
    ({ address, sum }) => sent(anvil, toToken("mint", [address, sum])),
  )
  const facilitator = yield* startChaosFacilitator({
    ...{ anvil, ...chaos },
    random: new Random(parts.seed),
  })
  const shared = {
    ...timing,
    DATABASE_URL: cluster.url,
    PAYMENTS: "live",
    FACILITATOR_URL: facilitator.url,
    RPC_URL: anvil.url,
    PAY_TO_ADDRESS: terms.payTo,
    TREASURY_ADDRESS: treasury,
    LOG_LEVEL: "Info",
  }
  const ports = Array.from({ length: parts.edges }, freePort)
  const edge = (port: number, n: number) =>
    keep({
      name: `edge ${n + 1}`,
      script: "src/main.ts",
      worksWhen: "/v1/latest $",
      args: ["start"],
      log: `${dir}/edge-${n + 1}.log`,
      env: {
        ...shared,
        VENUE: "simulated",
        HOST: "127.0.0.1",
        PORT: String(port),
        ADMIN_PORT: String(freePort()),
        PUBLIC_BASE_URL: terms.publicBaseUrl,
        FREE_LIMIT: "off",
        DOCUMENT_LIMIT: "off",
        INVALID_PAYMENT_LIMIT: "off",
      },
    })
  const worker = (n: number) =>
    keep({
      name: `worker ${n + 1}`,
      script: "src/refund-worker.ts",
      worksWhen: "treasury",
      args: ["start"],
      log: `${dir}/worker-${n + 1}.log`,
      env: {
        ...shared,
        TREASURY_PRIVATE_KEY: treasuryKey,
        REFUND_MAX_PER_HOUR_USD: "1000",
        REFUND_MAX_PER_DAY_USD: "1000",
      },
    })
  const bases = ports.map((port) => `http://127.0.0.1:${port}`)
  // The first one migrates and fills the feed, in peace.
  const [firstPort = 0, ...otherPorts] = ports
  const first = yield* edge(firstPort, 0)
  yield* filled(bases[0] ?? "")
  const others = yield* Effect.forEach(otherPorts, (port, n) => edge(port, n + 1))
  const workers = yield* Effect.forEach(
    Array.from({ length: parts.workers }, (_, n) => n),
    worker,
  )
  yield* Effect.forEach(bases, filled)
  const stage: Stage = {
    ...{ anvil, facilitator, cluster, workers, bases, payers, treasury, float, dir },
    edges: [first, ...others],
    payTo: terms.payTo,
  }
  return stage
})

/** Until an edge has something to sell. */
const filled = (base: string) =>
  Effect.tryPromise(async () => (await fetch(`${base}/v1/index`)).json()).pipe(
    Effect.filterOrFail(({ index }) => Number(index) > 0),
    Effect.retry({ schedule: Schedule.spaced("200 millis"), times: 150 }),
    Effect.orDie,
  )
