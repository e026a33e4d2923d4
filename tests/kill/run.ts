/**
 * The kill loop: edges, refund workers and PostgreSQL are killed with SIGKILL under paying clients and
 * a facilitator that misbehaves; then it is counted whether every payment was answered or given back.
 *
 * deno run -A tests/kill/run.ts [--seconds 120] [--seed 1] [--edges 8] [--workers 3] [--clients 24]
 *
 * @module
 */
import { Cause, Console, Effect, Exit, Fiber, FiberSet, Schedule } from "effect"
import { Random } from "../support/random.ts"
import { hasAnvil } from "../support/payments/anvil.ts"
import { hasPostgres } from "../support/postgresCluster.ts"
import { buyOnce, type Market } from "./client.ts"
import { enough, killPostgres, killProcesses, makeTally, type Tally, total } from "./faults.ts"
import { report, settledVerdict } from "./report.ts"
import { type Parts, setStage, type Stage } from "./stage.ts"

interface Options extends Parts {
  readonly seconds: number
}

const progressEvery = "5 seconds"
/** A client in trouble over one payment makes the next one all the same. */
const nextPurchaseAfter = "2 seconds"
const openPurchasesMax = 150
/** How long the clients may go on after the faults. */
const clientsDrain = "25 seconds"

const program = Effect.gen(function* () {
  const options = optionsOf(Deno.args)
  const dir = yield* Effect.promise(scratch)
  yield* Console.log(
    `kill loop: seed ${options.seed}, ${options.seconds} s, ${options.edges} edges, ` +
      `${options.workers} refund workers, ${options.clients} clients; logs in ${dir}`,
  )
  const stage = yield* setStage(dir, options)
  const market: Market = { ...stage, transcripts: [] }
  const tally = makeTally(dir)

  yield* underFire(stage, market, tally, options)
  const ended = { ...options, stage, market, tally }
  return yield* report(ended, yield* settledVerdict(ended))
}).pipe(Effect.scoped)

/** Clients pay and everything is killed, for as long as the run is; then the clients come to an end. */
const underFire = Effect.fnUntraced(function* (
  stage: Stage,
  market: Market,
  tally: Tally,
  { seconds, seed }: Options,
) {
  const purchases = yield* FiberSet.make()
  const room = FiberSet.size(purchases).pipe(
    Effect.filterOrFail((size) => size < openPurchasesMax),
    Effect.retry(Schedule.spaced("200 millis")),
  )
  const clients = stage.payers.map((account, n) => {
    const client = { account, random: new Random(seed * 1_000 + n) }
    return FiberSet.run(purchases, buyOnce(market, client)).pipe(
      Effect.flatMap(Fiber.await),
      Effect.timeoutOption(nextPurchaseAfter),
      Effect.andThen(room),
      Effect.forever,
    )
  })
  const faults = [
    killProcesses(stage, tally, new Random(seed * 1_000 + 900)),
    killPostgres(stage, tally, new Random(seed * 1_000 + 901)),
  ]
  const fibers = yield* Effect.forEach(
    [...faults, ...clients, progress(stage, market, tally)],
    (effect) => Effect.forkChild(effect),
  )
  yield* Effect.sleep(seconds * 1_000)
  yield* Effect.suspend(() => enough(tally, seconds) ? Effect.void : Effect.fail("go on")).pipe(
    Effect.retry({ schedule: Schedule.spaced("1 second"), times: seconds }),
    Effect.ignore,
  )
  // A cluster that was just killed comes up again before it is left in peace.
  yield* Fiber.interruptAll(fibers)
  yield* Console.log(`faults stop; ${yield* FiberSet.size(purchases)} purchases go on`)
  yield* stage.facilitator.becomeHonest
  yield* Effect.timeoutOption(FiberSet.awaitEmpty(purchases), clientsDrain)
  yield* FiberSet.clear(purchases)
})

const progress = ({ facilitator, edges, workers }: Stage, market: Market, tally: Tally) =>
  Effect.gen(function* () {
    yield* Effect.sleep(progressEvery)
    const exchanges = market.transcripts.flatMap(({ exchanges }) => exchanges)
    const answers = exchanges.filter(({ status }) => status === 200).length
    const failures = [...edges, ...workers].reduce((sum, { failures }) => sum + failures(), 0)
    yield* Console.log(
      `  ${total(tally.kills)} kills, ${tally.postgresKills} of PostgreSQL, ` +
        `${failures} ended by themselves; ${market.transcripts.length} payments, ` +
        `${exchanges.length} calls, ${answers} answers, ${
          facilitator.counts["settle"]
        } settlements`,
    )
  }).pipe(Effect.forever)

/** Open to all users of this machine: PostgreSQL runs as one of its own. */
async function scratch(): Promise<string> {
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
    edges: read("edges", 8),
    workers: read("workers", 3),
    clients: read("clients", 24),
  }
}

if (!hasAnvil) throw new Error("No anvil: npm ci --prefix tests/anvil")
if (!hasPostgres) throw new Error("No PostgreSQL of this machine's own")
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
