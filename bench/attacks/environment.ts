/**
 * The world of a drill: a new database on a real PostgreSQL, a chain and a facilitator with real
 * latencies, service replicas, and a refund worker when the drill needs one.
 *
 * @module
 */
import type { SqlClient } from "effect/sql/SqlClient"
import { SqlClient as Sql } from "effect/sql/SqlClient"
import { Context, Effect, Layer, Redacted, Schedule, type Scope } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { layerPostgres } from "../../src/postgres/client.ts"
import type { Anvil } from "../../tests/support/payments/anvil.ts"
import { freePort } from "../../tests/support/process.ts"
import { terms } from "../../tests/support/payments/terms.ts"
import { benchDatabase } from "../needs.ts"
import { supervised, type SupervisedProcess } from "../../tests/kill/processes.ts"

export interface Replica extends SupervisedProcess {
  /** Its working folder, in which a service makes the folder of its delivery journal. */
  readonly dir: string
  readonly port: number
  readonly adminPort: number
}

export interface EnvironmentOptions {
  readonly replicas?: number
  /** Settings of every replica, on top of the defaults. */
  readonly settings?: Readonly<Record<string, string>>
  /** Starts a refund worker with these settings. */
  readonly worker?: Readonly<Record<string, string>>
  /** The checkout whose service and worker run; by default this one. */
  readonly root?: string | undefined
  /** Variables of the chain's process. */
  readonly chain?: Readonly<Record<string, string>>
  /** Atomic units. */
  readonly treasuryUnits?: bigint
}

export interface Environment {
  readonly replicas: ReadonlyArray<Replica>
  /** The service's ports, one for each replica. */
  readonly ports: ReadonlyArray<number>
  /** Starts one more replica, with more settings; killed when the scope closes. */
  readonly startReplica: (
    name: string,
    settings: Readonly<Record<string, string>>,
  ) => Effect.Effect<Replica, never, Scope.Scope>
  readonly chain: Anvil
  /** Changes the chain or the facilitator; see `chain.ts`. Returns the number of calls of each kind. */
  readonly control: (change: object) => Promise<Readonly<Record<string, number>>>
  /** Rows of a query, as objects. */
  readonly query: (
    text: string,
    values?: ReadonlyArray<unknown>,
  ) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
  /** The addresses of all buyers who got money. */
  readonly funded: Set<string>
  readonly payTo: string
  readonly treasury: string
  readonly treasuryUnits: bigint
  /** The folder of all logs. */
  readonly dir: string
}

/** A test key; it owns money only on a chain that ends with the run. */
const treasuryKey = `0x${"7e".repeat(32)}` as const
const treasuryUnitsDefault = 1_000_000_000n

/** As in production, except that jobs run often enough for a short drill. */
const commonSettings = {
  SWEEP: "5 seconds",
  SCAN: "2 seconds",
  PAYMENTS: "live",
  PAY_TO_ADDRESS: terms.payTo,
  LOG_LEVEL: "Info",
}
const readyTimes = 450

export const startEnvironment = Effect.fn("startEnvironment")(
  function* (options: EnvironmentOptions) {
    const { treasuryUnits = treasuryUnitsDefault } = options
    const dir = yield* Effect.acquireRelease(
      Effect.promise(() => Deno.makeTempDir({ prefix: "attack-" })),
      (dir) => Effect.promise(() => Deno.remove(dir, { recursive: true }).catch(() => {})),
    )
    const { url, query } = yield* freshDatabase
    const chainPort = freePort()
    const chainUrl = `http://127.0.0.1:${chainPort}`
    yield* startProcess(dir, "chain", {
      script: "bench/attacks/chain.ts",
      args: [],
      env: { ...options.chain, PORT: String(chainPort) },
    })
    const post = async (path: string, body: object) => {
      const response = await fetch(`${chainUrl}${path}`, {
        method: "POST",
        body: JSON.stringify(body),
      })
      return await response.json()
    }
    const control = async (change: object) => (await post("/control", change)).counts
    yield* ready(() => control({}))
    const treasury = privateKeyToAccount(treasuryKey).address
    yield* Effect.promise(() => control({ fund: { [treasury]: String(treasuryUnits) } }))
    const payments = {
      ...commonSettings,
      DATABASE_URL: url,
      FACILITATOR_URL: `${chainUrl}/facilitator`,
      RPC_URL: `${chainUrl}/rpc`,
      TREASURY_ADDRESS: treasury,
      ...options.settings,
    }
    const startReplica = makeStartReplica(dir, payments, options)
    // The first replica migrates the store and fills the feed before the others start.
    const replicas: Array<Replica> = []
    for (let n = 1; n <= (options.replicas ?? 1); n++) {
      replicas.push(yield* startReplica(`replica-${n}`, {}))
    }
    if (options.worker !== undefined) {
      yield* startProcess(dir, "worker", {
        script: "src/refund-worker.ts",
        args: ["start"],
        env: {
          ...payments,
          TREASURY_PRIVATE_KEY: treasuryKey,
          REFUND_ADMIN_PORT: String(freePort()),
          ...options.worker,
        },
        root: options.root,
      })
    }
    const environment: Environment = {
      replicas,
      ports: replicas.map(({ port }) => port),
      startReplica,
      chain: {
        url: chainUrl,
        call: (method, ...params) =>
          Effect.promise(async () => (await post("/rpc", { id: 1, method, params })).result),
      },
      control,
      query,
      funded: new Set(),
      payTo: terms.payTo,
      treasury,
      treasuryUnits,
      dir,
    }
    return environment
  },
)

const makeStartReplica = (
  dir: string,
  payments: Readonly<Record<string, string>>,
  { root }: EnvironmentOptions,
): Environment["startReplica"] =>
  Effect.fn("startReplica")(function* (name, settings) {
    const [port, adminPort] = [freePort(), freePort()]
    const process = yield* startProcess(dir, name, {
      script: "src/main.ts",
      args: ["start"],
      env: {
        VENUE: "simulated",
        TICK: "1 hour",
        HOST: "127.0.0.1",
        PORT: String(port),
        ADMIN_PORT: String(adminPort),
        ADMIN_HOST: "127.0.0.1",
        PUBLIC_BASE_URL: terms.publicBaseUrl,
        TRUSTED_PROXY_HOPS: "1",
        ...payments,
        ...settings,
      },
      root,
    })
    yield* ready(async () => {
      if (process.unexpectedExits() > 0) throw new Error(`${name} has ended: ${process.dir}/log`)
      const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text()
      if (!/^bellwether_feed_index [1-9]/m.test(metrics)) throw new Error("the feed is empty")
    })
    const replica: Replica = { ...process, port, adminPort }
    return replica
  })

/** Starts a process in a new folder, with its output in `log` there; killed when the scope closes. */
const startProcess = Effect.fnUntraced(function* (
  dir: string,
  name: string,
  { root, ...options }: ProcessOptions,
) {
  const own = yield* folder(dir, name)
  const from = root === undefined ? undefined : new URL(`file://${root.replace(/\/?$/, "/")}`)
  const process = yield* supervised({ ...options, name, dir: own, log: `${own}/log`, root: from })
  return { ...process, dir: own }
})

interface ProcessOptions {
  /** Relative to the root of the project. */
  readonly script: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly root?: string | undefined
}

const folder = (dir: string, name: string) =>
  Effect.promise(async () => {
    await Deno.mkdir(`${dir}/${name}`)
    return `${dir}/${name}`
  })

const ready = (check: () => Promise<unknown>) =>
  Effect.tryPromise(check).pipe(
    Effect.retry({ schedule: Schedule.spaced("200 millis"), times: readyTimes }),
    Effect.orDie,
  )

/** A new database, and queries on it. */
const freshDatabase = Effect.gen(function* () {
  const url = yield* benchDatabase
  const sql = yield* connection(url)
  const query: Environment["query"] = (text, values = []) =>
    Effect.runPromise(sql.unsafe<Record<string, unknown>>(text, [...values]))
  return { url, query }
})

const connection = (url: string): Effect.Effect<SqlClient, never, Scope.Scope> =>
  Effect.orDie(
    Effect.map(
      Layer.build(Layer.fresh(layerPostgres({ url: Redacted.make(url), maxConnections: 2 }))),
      (context) => Context.get(context, Sql),
    ),
  )

/** How often the service itself answered with each status, also when the client had hung up. */
export async function answersCounted(
  replicas: ReadonlyArray<Replica>,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  for (const { adminPort } of replicas) {
    const answer = await fetch(`http://127.0.0.1:${adminPort}/metrics`).catch(() => null)
    const lines = (await answer?.text() ?? "").matchAll(
      /^bellwether_http_answers_total\{.*?status="(\w+)".*?\} (\S+)$/gm,
    )
    for (const [, status = "", count] of lines) {
      counts[status] = (counts[status] ?? 0) + Number(count)
    }
  }
  return counts
}
