/**
 * The kill loop: service replicas, refund workers and PostgreSQL are killed with SIGKILL while clients
 * pay and the facilitator misbehaves. Then it checks that every payment was delivered or refunded.
 *
 * deno run -A tests/kill/run.ts [--seconds 120] [--seed 1] [--replicas 8] [--workers 3] [--clients 24]
 *
 * @module
 */
import { Console, Effect, Fiber, Schedule } from "effect"
import { runProgram, taskArguments, whole } from "../support/program.ts"
import { Random } from "../support/random.ts"
import { hasAnvil } from "../support/payments/anvil.ts"
import { hasPostgres } from "../support/postgresCluster.ts"
import type { ClientContext } from "./client.ts"
import {
  hasEnoughKills,
  type KillLog,
  killPostgres,
  killProcesses,
  makeKillLog,
  total,
} from "./faults.ts"
import { finalReconciliation, report } from "./report.ts"
import {
  type Environment,
  type EnvironmentSize,
  makeLogDir,
  startEnvironment,
} from "./environment.ts"
import { startTraffic } from "./traffic.ts"

interface Options extends EnvironmentSize {
  readonly seconds: number
}

const progressEvery = "5 seconds"
const openPurchasesMax = 150
/** A run with too few kills, as on a slow machine, takes at most so many times its length. */
const lengthMax = 4

const options: Options = await taskArguments("test:kill", {
  seconds: whole("seconds", 120),
  seed: whole("seed", 1),
  replicas: whole("replicas", 8),
  workers: whole("workers", 3),
  clients: whole("clients", 24),
})

const program = Effect.gen(function* () {
  const dir = yield* Effect.promise(() => makeLogDir("kill-loop-"))
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
  const traffic = yield* startTraffic(environment, context, { seed, openPurchasesMax })
  const faults = [
    killProcesses(environment, killLog, new Random(seed * 1_000 + 900)),
    killPostgres(environment, killLog, new Random(seed * 1_000 + 901)),
  ]
  const fibers = yield* Effect.forEach(
    [...faults, progress(environment, context, killLog)],
    (effect) => Effect.forkChild(effect),
  )
  // They never end; what fails one of them fails the run.
  yield* Effect.raceFirst(Effect.sleep(seconds * 1_000), Fiber.joinAll(fibers))
  yield* Effect.suspend(() =>
    hasEnoughKills(killLog, seconds) ? Effect.void : Effect.fail("too few kills")
  ).pipe(
    Effect.retry({ schedule: Schedule.spaced("1 second"), times: (lengthMax - 1) * seconds }),
    Effect.ignore,
  )
  // A restart of the cluster cannot be interrupted, so the cluster runs after this line.
  yield* Fiber.interruptAll(fibers)
  yield* Console.log(`faults stop; ${yield* traffic.open} purchases continue`)
  yield* traffic.finish
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

if (!hasAnvil) throw new Error("No anvil: npm ci --prefix tests/anvil")
if (!hasPostgres) throw new Error("PostgreSQL is not installed on this machine")
await runProgram("kill loop", program)
