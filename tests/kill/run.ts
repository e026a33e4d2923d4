/**
 * The kill loop: service replicas, refund workers and PostgreSQL are killed with SIGKILL while clients
 * pay and the facilitator misbehaves. Then it checks that every payment was delivered or refunded.
 *
 * deno run -A tests/kill/run.ts [--seconds 120] [--seed 1] [--replicas 8] [--workers 3] [--clients 24]
 *
 * @module
 */
import { Cause, Console, Effect, Exit, Fiber, FiberSet, Schedule } from "effect"
import { Random } from "../support/random.ts"
import { hasAnvil } from "../support/payments/anvil.ts"
import { hasPostgres } from "../support/postgresCluster.ts"
import { buyOnce, type ClientContext } from "./client.ts"
import {
  hasEnoughKills,
  type KillLog,
  killPostgres,
  killProcesses,
  makeKillLog,
  total,
} from "./faults.ts"
import { finalReconciliation, report } from "./report.ts"
import { type Environment, type EnvironmentSize, startEnvironment } from "./environment.ts"

interface Options extends EnvironmentSize {
  readonly seconds: number
}

const progressEvery = "5 seconds"
/** A client starts its next payment after this time, even when the last one is not finished. */
const nextPurchaseAfter = "2 seconds"
const openPurchasesMax = 150
/** How long the clients may continue after the last fault. */
const clientsDrainTimeout = "25 seconds"

const program = Effect.gen(function* () {
  const options = optionsOf(Deno.args)
  const dir = yield* Effect.promise(makeLogDir)
  yield* Console.log(
    `kill loop: seed ${options.seed}, ${options.seconds} s, ${options.replicas} replicas, ` +
      `${options.workers} refund workers, ${options.clients} clients; logs in ${dir}`,
  )
  const environment = yield* startEnvironment(dir, options)
  const context: ClientContext = { ...environment, transcripts: [] }
  const killLog = makeKillLog(dir)

  yield* runWithFaults(environment, context, killLog, options)
  const finished = { ...options, environment, context, killLog }
  return yield* report(finished, yield* finalReconciliation(finished))
}).pipe(Effect.scoped)

/** Runs the clients and the faults; afterwards the clients finish without faults. */
const runWithFaults = Effect.fnUntraced(function* (
  environment: Environment,
  context: ClientContext,
  killLog: KillLog,
  { seconds, seed }: Options,
) {
  const purchases = yield* FiberSet.make()
  const freePurchaseSlot = FiberSet.size(purchases).pipe(
    Effect.filterOrFail((size) => size < openPurchasesMax),
    Effect.retry(Schedule.spaced("200 millis")),
  )
  const clients = environment.payers.map((account, n) => {
    const client = { account, random: new Random(seed * 1_000 + n) }
    return FiberSet.run(purchases, buyOnce(context, client)).pipe(
      Effect.flatMap(Fiber.await),
      Effect.timeoutOption(nextPurchaseAfter),
      Effect.andThen(freePurchaseSlot),
      Effect.forever,
    )
  })
  const faults = [
    killProcesses(environment, killLog, new Random(seed * 1_000 + 900)),
    killPostgres(environment, killLog, new Random(seed * 1_000 + 901)),
  ]
  const fibers = yield* Effect.forEach(
    [...faults, ...clients, progress(environment, context, killLog)],
    (effect) => Effect.forkChild(effect),
  )
  yield* Effect.sleep(seconds * 1_000)
  yield* Effect.suspend(() =>
    hasEnoughKills(killLog, seconds) ? Effect.void : Effect.fail("too few kills")
  ).pipe(
    Effect.retry({ schedule: Schedule.spaced("1 second"), times: seconds }),
    Effect.ignore,
  )
  // A restart of the cluster cannot be interrupted, so the cluster runs after this line.
  yield* Fiber.interruptAll(fibers)
  yield* Console.log(`faults stop; ${yield* FiberSet.size(purchases)} purchases continue`)
  yield* environment.facilitator.becomeHonest
  yield* Effect.timeoutOption(FiberSet.awaitEmpty(purchases), clientsDrainTimeout)
  yield* FiberSet.clear(purchases)
})

const progress = (
  { facilitator, replicas, workers }: Environment,
  context: ClientContext,
  killLog: KillLog,
) =>
  Effect.gen(function* () {
    yield* Effect.sleep(progressEvery)
    const exchanges = context.transcripts.flatMap(({ exchanges }) => exchanges)
    const answers = exchanges.filter(({ status }) => status === 200).length
    const unexpectedExits = [...replicas, ...workers].reduce(
      (sum, { unexpectedExits }) => sum + unexpectedExits(),
      0,
    )
    yield* Console.log(
      `  ${total(killLog.kills)} kills, ${killLog.postgresKills} of PostgreSQL, ` +
        `${unexpectedExits} unexpected exits; ${context.transcripts.length} payments, ` +
        `${exchanges.length} requests, ${answers} answers, ${
          facilitator.counts["settle"]
        } settlements`,
    )
  }).pipe(Effect.forever)

/** A new folder that all users can enter, because PostgreSQL runs as another user. */
async function makeLogDir(): Promise<string> {
  const dir = await Deno.makeTempDir({ prefix: "kill-loop-" })
  await Deno.chmod(dir, 0o755)
  return dir
}

function optionsOf(args: ReadonlyArray<string>): Options {
  const read = (name: string, fallback: number) => {
    const at = args.indexOf(`--${name}`)
    const value = at < 0 ? fallback : Number(args[at + 1])
    if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} must be a whole number`)
    return value
  }
  return {
    seconds: read("seconds", 120),
    seed: read("seed", 1),
    replicas: read("replicas", 8),
    workers: read("workers", 3),
    clients: read("clients", 24),
  }
}

if (!hasAnvil) throw new Error("No anvil: npm ci --prefix tests/anvil")
if (!hasPostgres) throw new Error("PostgreSQL is not installed on this machine")
const fiber = Effect.runFork(program)
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    Effect.runFork(Fiber.interrupt(fiber))
  })
}
const exit = await Effect.runPromise(Fiber.await(fiber))
const passed = Exit.isSuccess(exit) && exit.value
await Effect.runPromise(
  Console.log(
    Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "",
  ).pipe(
    Effect.andThen(Console.log(`kill loop | ${passed ? "1 passed | 0" : "0 passed | 1"} failed`)),
  ),
)
Deno.exit(passed ? 0 : 1)
