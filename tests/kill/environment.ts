/**
 * The processes of a run, on free local ports, until the scope closes: a chain with our token, a
 * facilitator that misbehaves, a PostgreSQL cluster, service replicas and refund workers.
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
import { lastingPort } from "../support/process.ts"
import { terms } from "../support/payments/terms.ts"
import { deployToken, sent, toToken } from "../support/payments/token.ts"
import { supervised, type SupervisedProcess } from "./processes.ts"

export interface EnvironmentSize {
  readonly seed: number
  readonly replicas: number
  readonly workers: number
  readonly clients: number
}

/** What a drill sets in place of the defaults. */
export interface EnvironmentOptions {
  readonly cluster?: PostgresCluster
  /** Where processes reach PostgreSQL; by default at the cluster itself. */
  readonly databaseUrl?: string
  /** The shares of the facilitator's calls that fail. */
  readonly faultShares?: typeof defaultFaultShares
  /** The folder of the version that runs first; by default this one. */
  readonly root?: URL | undefined
}

export interface Environment {
  readonly anvil: Anvil
  readonly facilitator: ChaosFacilitator
  readonly cluster: PostgresCluster
  readonly replicas: ReadonlyArray<SupervisedProcess>
  readonly workers: ReadonlyArray<SupervisedProcess>
  /** The base URLs of the replicas. */
  readonly bases: ReadonlyArray<string>
  readonly payers: ReadonlyArray<LocalAccount>
  readonly payTo: string
  readonly treasury: string
  /** The treasury's balance at the start. */
  readonly treasuryFloat: bigint
  /** The folder of all logs. */
  readonly dir: string
}

/** A test key; it owns money only on a chain that ends with the run. */
const treasuryKey = `0x${"7e".repeat(32)}` as const
const payerBalance = 1_000_000_000n
const treasuryFloat = 1_000_000_000n
const firstPayerIndex = 1_000
const defaultFaultShares = { settleShare: 0.3, verifyShare: 0.06 }

/**
 * Short, so that all payments finish soon after the faults. HOLD must be longer than LEASE, or an
 * answer would be refunded while it is delivered.
 */
const timing = {
  LEASE: "20 seconds",
  HOLD: "30 seconds",
  SWEEP: "2 seconds",
  SCAN: "2 seconds",
  TICK: "1 hour",
} as const

export const startEnvironment = Effect.fn("startEnvironment")(
  function* (
    dir: string,
    size: EnvironmentSize,
    { faultShares = defaultFaultShares, root, ...options }: EnvironmentOptions = {},
  ) {
    const [anvil, cluster] = yield* Effect.all(
      [
        startAnvil({ blockSeconds: 1 }),
        options.cluster === undefined ? startPostgresCluster(dir) : Effect.succeed(options.cluster),
      ],
      { concurrency: 2 },
    )
    const treasury = privateKeyToAccount(treasuryKey).address
    const payers = Array.from({ length: size.clients }, (_, n) => buyer(firstPayerIndex + n))
    yield* deployToken(anvil)
    yield* Effect.forEach(
      [
        ...payers.map(({ address }) => ({ address, sum: payerBalance })),
        { address: treasury, sum: treasuryFloat },
      ],
      ({ address, sum }) => sent(anvil, toToken("mint", [address, sum])),
    )
    const facilitator = yield* startChaosFacilitator({
      ...{ anvil, ...faultShares },
      random: new Random(size.seed),
    })
    const shared = {
      ...timing,
      DATABASE_URL: options.databaseUrl ?? cluster.url,
      PAYMENTS: "live",
      FACILITATOR_URL: facilitator.url,
      RPC_URL: anvil.url,
      PAY_TO_ADDRESS: terms.payTo,
      TREASURY_ADDRESS: treasury,
      LOG_LEVEL: "Info",
    }
    const ports = Array.from({ length: size.replicas }, lastingPort)
    const replica = (port: number, n: number) =>
      supervised({
        name: `replica ${n + 1}`,
        root,
        script: "src/main.ts",
        readyText: "/v1/latest $",
        args: ["start"],
        log: `${dir}/replica-${n + 1}.log`,
        env: {
          ...shared,
          VENUE: "simulated",
          HOST: "127.0.0.1",
          PORT: String(port),
          ADMIN_PORT: String(lastingPort()),
          PUBLIC_BASE_URL: terms.publicBaseUrl,
          FREE_LIMIT: "off",
          DOCUMENT_LIMIT: "off",
          INVALID_PAYMENT_LIMIT: "off",
        },
      })
    const worker = (n: number) =>
      supervised({
        name: `worker ${n + 1}`,
        root,
        script: "src/refund-worker.ts",
        readyText: "treasury",
        args: ["start"],
        log: `${dir}/worker-${n + 1}.log`,
        env: {
          ...shared,
          TREASURY_PRIVATE_KEY: treasuryKey,
          REFUND_ADMIN_PORT: String(lastingPort()),
          REFUND_MAX_PER_HOUR_USD: "1000",
          REFUND_MAX_PER_DAY_USD: "1000",
          UNMATCHED_REFUND_MAX_PER_DAY_USD: "1000",
        },
      })
    const bases = ports.map((port) => `http://127.0.0.1:${port}`)
    // The first replica migrates the store and fills the feed before the others start.
    const [firstPort = 0, ...otherPorts] = ports
    const first = yield* replica(firstPort, 0)
    yield* feedFilled(bases[0] ?? "")
    const others = yield* Effect.forEach(otherPorts, (port, n) => replica(port, n + 1))
    const workers = yield* Effect.forEach(
      Array.from({ length: size.workers }, (_, n) => n),
      worker,
    )
    yield* Effect.forEach(bases, feedFilled)
    const environment: Environment = {
      ...{ anvil, facilitator, cluster, workers, bases, payers, treasury, treasuryFloat, dir },
      replicas: [first, ...others],
      payTo: terms.payTo,
    }
    return environment
  },
)

/** Waits until a replica's feed has an item. */
const feedFilled = (base: string) =>
  Effect.tryPromise(async () => (await fetch(`${base}/v1/index`)).json()).pipe(
    Effect.filterOrFail(({ index }) => Number(index) > 0),
    Effect.retry({ schedule: Schedule.spaced("200 millis"), times: 900 }),
    Effect.orDie,
  )

/** A new folder that all users can enter, because PostgreSQL runs as another user. */
export async function makeLogDir(prefix: string): Promise<string> {
  const dir = await Deno.makeTempDir({ prefix })
  await Deno.chmod(dir, 0o755)
  return dir
}
