/**
 * The kill loop: edges, refund workers and PostgreSQL are killed with SIGKILL under paying clients and
 * a facilitator that misbehaves; then it is counted whether every payment was answered or given back.
 *
 * deno run -A tests/kill/run.ts [--seconds 120] [--seed 1] [--edges 8] [--workers 3] [--clients 24]
 *
 * @module
 */
import { Clock, Console, Effect, Exit, Fiber, FiberSet, Schedule } from "effect"
import { isoTime } from "../../src/domain/time.ts"
import { Random } from "../model/random.ts"
import { hasAnvil } from "../support/anvil.ts"
import { hasPostgres } from "../support/postgresCluster.ts"
import { buyOnce, fetchAgain, type Market } from "./client.ts"
import { balanceOf, readLedger } from "./ledger.ts"
import { type Parts, setStage, type Stage } from "./stage.ts"
import { keyOf, type Transcript } from "./transcript.ts"
import { judge, type Verdict } from "./verdict.ts"

interface Options extends Parts {
  readonly seconds: number
}

/** What a run must have done, and may have lost, to count. */
const killsPerMinuteMin = 75
const postgresKillsPerMinuteMin = 7.5
/**
 * Both delivered and refunded: our loss. A killed edge has no time to remember what it has just handed
 * over, so one or two in a run are chance. What fails a run is a number that a share of 0.1 % brings
 * about less often than once in a hundred runs.
 */
const bothShareMax = 0.001
const chanceMin = 0.01
/** How often something is killed: 83 processes a minute, a third of them edges, and 9 clusters. */
const killEveryMs = { min: 400, max: 1_040 } as const
const killedEdgesShare = 1 / 3
const killedEarlyShare = 0.2
const postgresEveryMs = { min: 4_500, max: 6_500 } as const
const progressEvery = "5 seconds"
/** A client in trouble over one payment makes the next one all the same. */
const nextPurchaseAfter = "2 seconds"
const openPurchasesMax = 150
/** How long the clients may go on after the faults, and how long everything else may take then. */
const clientsDrain = "25 seconds"
const settleSeconds = 75
/** Lines of one kind that are shown. */
const shownMax = 40

/** What a run counts while it runs. */
interface Tally {
  readonly kills: Map<string, number>
  postgresKills: number
  /** Writes down that something is killed now. */
  readonly note: (what: string) => Effect.Effect<void>
}

const makeTally = (dir: string): Tally => ({
  kills: new Map(),
  postgresKills: 0,
  note: (what) =>
    Effect.flatMap(
      Clock.currentTimeMillis,
      (now) =>
        Effect.promise(() =>
          Deno.writeTextFile(`${dir}/kills.log`, `${isoTime(now)} ${what}\n`, { append: true })
        ),
    ),
})

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
  const verdict = yield* settledVerdict(stage, market, options)
  return yield* report(stage, market, tally, options, verdict)
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
  yield* stage.facilitator.repent
  yield* Effect.timeoutOption(FiberSet.awaitEmpty(purchases), clientsDrain)
  yield* FiberSet.clear(purchases)
})

/** On a slow machine a run goes on until it has killed as much as it should, up to twice as long. */
function enough({ kills, postgresKills }: Tally, seconds: number): boolean {
  return total(kills) >= killsPerMinuteMin * seconds / 60 &&
    postgresKills >= postgresKillsPerMinuteMin * seconds / 60
}

const killProcesses = ({ edges, workers }: Stage, tally: Tally, random: Random) =>
  Effect.gen(function* () {
    yield* Effect.sleep(random.between(killEveryMs.min, killEveryMs.max))
    const kind = random.chance(killedEdgesShare) ? edges : workers
    const victim = kind[random.below(kind.length)]
    if (victim === undefined) return
    // Some are killed before they work; were it all, none would ever work on a slow machine.
    if (!victim.works() && !random.chance(killedEarlyShare)) return
    if (!victim.kill()) return
    tally.kills.set(victim.name, (tally.kills.get(victim.name) ?? 0) + 1)
    yield* tally.note(victim.name)
  }).pipe(Effect.forever)

const killPostgres = ({ cluster }: Stage, tally: Tally, random: Random) =>
  Effect.gen(function* () {
    yield* Effect.sleep(random.between(postgresEveryMs.min, postgresEveryMs.max))
    tally.postgresKills++
    yield* tally.note("PostgreSQL")
    yield* Effect.uninterruptible(cluster.kill)
  }).pipe(Effect.forever)

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

/** Judges again and again until nothing is open any more, or the time is over. */
const settledVerdict = Effect.fnUntraced(function* (
  stage: Stage,
  market: Market,
  { seed }: Options,
) {
  const random = new Random(seed)
  const endMs = (yield* Clock.currentTimeMillis) + settleSeconds * 1_000
  for (;;) {
    const over = (yield* Clock.currentTimeMillis) >= endMs
    const unfinished = yield* stage.cluster.query(unfinishedRows)
    const verdict = yield* verdictNow(stage, market.transcripts)
    if (over || (unfinished.length === 0)) {
      yield* fetchAgainAll(stage, market, random)
      const final = yield* verdictNow(stage, market.transcripts)
      return {
        ...final,
        faults: [
          ...final.faults,
          ...unfinished.map(([id, state]) => `still ${state} in the store: ${id}`),
        ],
      }
    }
    yield* Console.log(
      `  ${unfinished.length} unfinished, ${verdict.open} open of ${verdict.charged} charged`,
    )
    yield* Effect.sleep("3 seconds")
  }
})

/** Rows that somebody still has to do something about. */
const unfinishedRows = `SELECT payment_id, state FROM payment
  WHERE state IN ('claimed', 'released', 'settling', 'unresolved', 'settled', 'refund_due')
    OR (state = 'answered' AND sent_at IS NULL)`

const handedOverRows =
  `SELECT payer, nonce FROM payment WHERE state = 'answered' AND sent_at IS NOT NULL`

const rememberedAfter = `SELECT round(1000 * extract(epoch FROM percentile_disc(0.5)
    WITHIN GROUP (ORDER BY sent_at - answered_at))),
  round(1000 * extract(epoch FROM percentile_disc(0.9)
    WITHIN GROUP (ORDER BY sent_at - answered_at))),
  round(1000 * extract(epoch FROM percentile_disc(0.99)
    WITHIN GROUP (ORDER BY sent_at - answered_at)))
  FROM payment WHERE sent_at IS NOT NULL`

const verdictNow = Effect.fnUntraced(function* (
  stage: Stage,
  transcripts: ReadonlyArray<Transcript>,
) {
  const ledger = yield* readLedger(stage.anvil, stage)
  const rows = yield* stage.cluster.query(handedOverRows)
  const handedOver = new Set(rows.map(([payer = "", nonce = ""]) => keyOf({ payer, nonce })))
  return judge({ ledger, transcripts, handedOver })
})

/** Buyers with a secret come once more for what they have paid for and not received. */
const fetchAgainAll = Effect.fnUntraced(function* (stage: Stage, market: Market, random: Random) {
  const { paid } = yield* readLedger(stage.anvil, stage)
  const taken = new Set(paid.map(({ from, nonce }) => keyOf({ payer: from, nonce })))
  const missing = market.transcripts.filter((record) =>
    record.secret !== null && taken.has(keyOf(record)) &&
    !record.exchanges.some(({ by, status }) => by === "buyer" && status === 200)
  )
  yield* Effect.forEach(missing, (record) => fetchAgain(market, random, record), {
    concurrency: 8,
  })
})

const report = Effect.fnUntraced(function* (
  stage: Stage,
  market: Market,
  tally: Tally,
  { seconds }: Options,
  verdict: Verdict,
) {
  const { charged, delivered, refunded, both, open, unheard } = verdict
  const kills = total(tally.kills)
  const { totals } = yield* readLedger(stage.anvil, stage)
  const balances = {
    payTo: yield* balanceOf(stage.anvil, stage.payTo),
    treasury: yield* balanceOf(stage.anvil, stage.treasury),
  }
  const checks: ReadonlyArray<readonly [boolean, string]> = [
    [charged > 0, "nothing was charged"],
    [delivered + refunded - both === charged, "delivered + refunded - both is not charged"],
    [open === 0, `${open} payments are open`],
    [
      chanceOf(both, charged * bothShareMax) >= chanceMin,
      `${both} both delivered and refunded: more than ${bothShareMax * 100} %`,
    ],
    [
      enough(tally, seconds),
      `only ${kills} kills, and ${tally.postgresKills} of PostgreSQL`,
    ],
    [balances.payTo === totals.in, "the seller does not hold what was paid"],
    [balances.treasury === stage.float - totals.out, "the treasury does not hold the rest"],
  ]
  const faults = [
    ...checks.filter(([holds]) => !holds).map(([, what]) => what),
    ...verdict.faults,
  ]
  const said = [...tally.kills].map(([name, count]) => `${name}: ${count}`).toSorted().join(", ")
  const [remembered = []] = yield* stage.cluster.query(rememberedAfter)
  yield* Console.log(
    `killed: ${kills} processes (${said}), PostgreSQL ${tally.postgresKills} times\n` +
      `facilitator: ${JSON.stringify(stage.facilitator.counts)}\n` +
      `clients: ${tallied(market.transcripts.map(({ story }) => story))}\n` +
      `answers: ${tallied(market.transcripts.flatMap(({ exchanges }) => exchanges.map(named)))}\n` +
      `answers were remembered as handed over after ${remembered.join(", ")} ms ` +
      `(50, 90, 99 % of them): killed in between, one is given back too\n` +
      `balances: payTo ${balances.payTo} = ${totals.in} paid; treasury ${balances.treasury} = ` +
      `${stage.float} - ${totals.out} refunded\n` +
      `charged ${charged}, delivered ${delivered} (${unheard} unheard), refunded ${refunded}, ` +
      `both ${both} (${(100 * both / charged).toFixed(2)} %), open ${open}`,
  )
  for (const remark of verdict.remarks.slice(0, shownMax)) yield* Console.log(remark)
  for (const fault of faults.slice(0, shownMax)) yield* Console.log(`FAULT ${fault}`)
  if (faults.length > 0) yield* Console.log(`${faults.length} faults; logs in ${stage.dir}`)
  else yield* Effect.promise(() => Deno.remove(stage.dir, { recursive: true }))
  return faults.length === 0
})

/** How likely it is to see `count` or more of what is expected this often (Poisson). */
function chanceOf(count: number, expected: number): number {
  let term = Math.exp(-expected)
  let below = 0
  for (let n = 0; n < count; n++) {
    below += term
    term *= expected / (n + 1)
  }
  return 1 - below
}

function named({ by, status, code }: Transcript["exchanges"][number]): string {
  return `${by === "thief" ? "thief " : ""}${status ?? ""}${code === null ? "" : ` ${code}`}`.trim()
}

function tallied(words: ReadonlyArray<string>): string {
  const counts = Map.groupBy(words, (word) => word)
  return [...counts].map(([word, of]) => `${word} ${of.length}`).toSorted().join(", ")
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}

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
    Exit.isFailure(exit) ? String(exit.cause) : "",
  ).pipe(
    Effect.andThen(Console.log(`kill loop | ${passed ? "1 passed | 0" : "0 passed | 1"} failed`)),
  ),
)
Deno.exit(passed ? 0 : 1)
