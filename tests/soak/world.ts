/**
 * The processes of a soak, all on one stepped clock, until the scope closes: PostgreSQL, a chain with
 * our token, a facilitator that misbehaves, the service and a refund worker.
 *
 * The service and the worker have their production settings: ticks of 10 minutes, a lease of 90
 * seconds, a sweep every 15 seconds, limits on.
 *
 * @module
 */
import { Effect, Schedule } from "effect"
import type { LocalAccount } from "viem/accounts"
import { privateKeyToAccount } from "viem/accounts"
import { supervised, type SupervisedProcess } from "../kill/processes.ts"
import { type Anvil, startAnvil } from "../support/payments/anvil.ts"
import { buyer } from "../support/payments/buyers.ts"
import {
  type ChaosFacilitator,
  startChaosFacilitator,
} from "../support/payments/chaosFacilitator.ts"
import { terms } from "../support/payments/terms.ts"
import { deployToken, sent, toToken } from "../support/payments/token.ts"
import { type PostgresCluster, startPostgresCluster } from "../support/postgresCluster.ts"
import { freePort } from "../support/process.ts"
import { Random } from "../support/random.ts"
import type { SteppedClock } from "./steppedClock.ts"

export interface World {
  readonly dir: string
  readonly clock: SteppedClock
  readonly anvil: Anvil
  readonly cluster: PostgresCluster
  readonly facilitator: ChaosFacilitator
  readonly service: SupervisedProcess
  readonly worker: SupervisedProcess
  /** The base URL of the service. */
  readonly base: string
  /** The base URLs of the two admin listeners. */
  readonly admins: { readonly service: string; readonly worker: string }
  readonly payers: ReadonlyArray<LocalAccount>
  readonly payTo: string
  readonly treasury: string
  readonly treasuryFloat: bigint
}

/** A test key; it owns money only on a chain that ends with the run. */
const treasuryKey = `0x${"7e".repeat(32)}` as const
const payersCount = 24
const balance = 100_000_000_000n
const firstPayerIndex = 1_000
/** The shares of the facilitator's calls that fail. */
const faultShares = { settleShare: 0.05, verifyShare: 0.02 } as const
/** A proof reads the chain's newest states only. */
const chainStatesMax = 128

/**
 * Autovacuum wakes on real time, since nothing else wakes it. It would wake once a minute, which is
 * once in many hours of the soak.
 */
const clusterSettings = {
  // Killed processes lose nothing by it, and a busy disk would make time-outs of its own.
  fsync: "off",
  autovacuum_naptime: "1s",
  checkpoint_timeout: "60s",
}

export const startWorld = Effect.fn("startWorld")(
  function* (dir: string, clock: SteppedClock, seed: number) {
    const [anvil, cluster] = yield* Effect.all([
      startAnvil({ statesMax: chainStatesMax, env: clock.env }),
      startPostgresCluster(dir, { env: clock.env, settings: clusterSettings }),
    ], { concurrency: 2 })
    yield* anvil.call("evm_setAutomine", true)
    const treasury = privateKeyToAccount(treasuryKey).address
    const payers = Array.from({ length: payersCount }, (_, n) => buyer(firstPayerIndex + n))
    yield* deployToken(anvil)
    yield* Effect.forEach(
      [...payers.map(({ address }) => address), treasury],
      (address) => sent(anvil, toToken("mint", [address, balance])),
    )
    const facilitator = yield* startChaosFacilitator({
      ...{ anvil, ...faultShares, random: new Random(seed), wait: clock.wait },
    })
    const shared = {
      ...clock.env,
      DATABASE_URL: cluster.url,
      PAYMENTS: "live",
      FACILITATOR_URL: facilitator.url,
      RPC_URL: anvil.url,
      PAY_TO_ADDRESS: terms.payTo,
      TREASURY_ADDRESS: treasury,
      LOG_LEVEL: "Warn",
    }
    const [port, adminPort, refundAdminPort] = [freePort(), freePort(), freePort()]
    const service = yield* supervised({
      name: "service",
      script: "src/main.ts",
      readyText: "/v1/latest $",
      args: ["start"],
      log: `${dir}/service.log`,
      env: {
        ...shared,
        VENUE: "simulated",
        HOST: "127.0.0.1",
        PORT: String(port),
        ADMIN_PORT: String(adminPort),
        PUBLIC_BASE_URL: terms.publicBaseUrl,
      },
    })
    const admins = {
      service: `http://127.0.0.1:${adminPort}`,
      worker: `http://127.0.0.1:${refundAdminPort}`,
    }
    // The service migrates the store.
    yield* isLive(admins.service)
    const worker = yield* supervised({
      name: "worker",
      script: "src/refund-worker.ts",
      readyText: "treasury",
      args: ["start"],
      log: `${dir}/worker.log`,
      env: {
        ...shared,
        TREASURY_PRIVATE_KEY: treasuryKey,
        REFUND_ADMIN_PORT: String(refundAdminPort),
      },
    })
    yield* isLive(admins.worker)
    const base = `http://127.0.0.1:${port}`
    const world: World = {
      ...{
        dir,
        clock,
        anvil,
        cluster,
        facilitator,
        service,
        worker,
        base,
        admins,
        payers,
      },
      ...{ treasury, payTo: terms.payTo, treasuryFloat: balance },
    }
    return world
  },
)

/** Waits until an admin listener answers. */
const isLive = (admin: string) =>
  Effect.tryPromise(async () => await (await fetch(`${admin}/livez`)).text()).pipe(
    Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 600 }),
    Effect.orDie,
  )
