/**
 * One of two replicas has a wrong clock, in seven ways, next to honest buyers of both. The store's clock
 * and the chain's are right. Nothing may be deleted, dated in the future, or sold before its time.
 *
 * @module
 */
import { Effect } from "effect"
import { readLedger } from "../../tests/kill/ledger.ts"
import { reconcile } from "../../tests/kill/reconciliation.ts"
import { keyOf } from "../../tests/kill/transcript.ts"
import { compiledLibrary, openOffset } from "../../tests/soak/steppedClock.ts"
import { type Drill, honestResult, sellToHonest, sleep } from "./drill.ts"
import { type Environment, type Replica, startEnvironment } from "./environment.ts"

/** Seconds by which the clock is wrong, one after the other; two are a jump there and back. */
const ways: ReadonlyArray<readonly [string, ReadonlyArray<number>]> = [
  ["+45 s", [45]],
  ["-45 s", [-45]],
  ["+1 h", [3_600]],
  ["-1 h", [-3_600]],
  ["+100 days", [8_640_000]],
  ["-100 days", [-8_640_000]],
  ["+1 h and back", [3_600, 0, 3_600, 0, 3_600, 0]],
]
/** Every job of a tick runs several times in this time. */
const settings = { TICK: "10 seconds", LEASE: "40 seconds", HOLD: "45 seconds" } as const
const waySeconds = 36

/** What the public record must not have: rows from after now, by more than clocks may differ. */
const futureRows = `SELECT
  (SELECT count(*) FROM feed_item WHERE created_at > now() + interval '6 seconds')::int AS items,
  (SELECT count(*) FROM digest WHERE greatest(created_at, until_at) > now() + interval '6 seconds')::int
    AS digests,
  (SELECT count(*) FROM job_slot WHERE slot > now() + interval '1 minute')::int AS slots`

/** Tables whose rows end by themselves within minutes: windows of limits, and what waits for a job. */
const passing = new Set(["rate_log", "whale_stale"])

async function rowsByTable({ query }: Environment): Promise<ReadonlyMap<string, number>> {
  const tables = await query(
    "SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'public'",
  )
  const counts = new Map<string, number>()
  for (const { name } of tables) {
    if (passing.has(String(name))) continue
    const [row] = await query(`SELECT count(*)::int AS count FROM "${name}"`)
    counts.set(String(name), Number(row?.["count"]))
  }
  return counts
}

/** When the first stored run of each job was due, in seconds. */
async function firstRuns({ query }: Environment): Promise<ReadonlyMap<string, number>> {
  const rows = await query(
    "SELECT job, extract(epoch FROM min(slot))::float8 AS first FROM job_slot GROUP BY job",
  )
  return new Map(rows.map(({ job, first }) => [String(job), Number(first)]))
}

async function answerOf(url: string): Promise<string> {
  const answer = await fetch(url).catch(() => null)
  return answer === null ? "lost" : `${answer.status} ${(await answer.text()).slice(0, 400)}`
}

/** Puts the clock wrong in each way; returns what was seen. */
async function putWrong(
  environment: Environment,
  { adminPort, dir, unexpectedExits }: Replica,
  setSeconds: (seconds: number) => void,
) {
  const seen: Array<string> = []
  const faults: Array<string> = []
  for (const [name, steps] of ways) {
    const before = await rowsByTable(environment)
    const runsBefore = await firstRuns(environment)
    for (const seconds of steps) {
      setSeconds(seconds)
      await sleep(waySeconds * 1_000 / steps.length)
    }
    const ready = await answerOf(`http://127.0.0.1:${adminPort}/readyz`)
    const after = await rowsByTable(environment)
    const [future] = await environment.query(futureRows)
    const lost = [...before].filter(([table, rows]) => (after.get(table) ?? 0) < rows)
      .map(([table, rows]) => `${table} ${rows} -> ${after.get(table)}`)
    const early = [...await firstRuns(environment)]
      .filter(([job, first]) => first < (runsBefore.get(job) ?? -Infinity))
    const ahead = Object.entries(future ?? {}).filter(([, rows]) => Number(rows) > 0).flat()
    seen.push(`${name}: ready ${ready.slice(0, 3)}`)
    faults.push(
      ...lost.map((what) => `${name}: deleted ${what}`),
      // The status page would show runs as missing from before the store was there.
      ...early.map(([job]) => `${name}: a run of ${job} from before the first`),
      ...ahead.length > 0 ? [`${name}: in the future ${ahead.join(" ")}`] : [],
      ...steps.length === 1 && ready.startsWith("200") ? [`${name}: it is ready`] : [],
    )
    setSeconds(0)
    await sleep(8_000)
    if (unexpectedExits() > 0) {
      const log = (await Deno.readTextFile(`${dir}/log`)).trimEnd().split("\n")
      return { seen, faults: [...faults, `${name}: it has ended: ${log.slice(-6).join(" / ")}`] }
    }
    if (!(await answerOf(`http://127.0.0.1:${adminPort}/readyz`)).startsWith("200")) {
      faults.push(`${name}: not ready when its clock is right again`)
    }
  }
  return { seen, faults }
}

export const clocks: Drill = Effect.fnUntraced(function* ({ root, print }) {
  const environment = yield* startEnvironment({ replicas: 1, settings, worker: settings, root })
  const file = `${environment.dir}/offset`
  const library = yield* Effect.promise(async () => {
    await Deno.writeFile(file, new Uint8Array(8))
    return await compiledLibrary(environment.dir)
  })
  const offset = openOffset(library, file)
  const wrong = yield* environment.startReplica("wrong", {
    LD_PRELOAD: library,
    STEPPED_CLOCK: file,
    STEPPED_CLOCK_ONLY: "1",
  })
  const both = { ...environment, ports: [...environment.ports, wrong.port] }
  return yield* Effect.promise(async () => {
    print("clocks: seven ways")
    const seconds = ways.length * (waySeconds + 8)
    const [{ seen, faults }, honest] = await Promise.all([
      putWrong(both, wrong, (seconds) => offset.set(seconds * 1_000)),
      sellToHonest(both, seconds),
    ])
    await sleep(60_000)
    const rows = await both.query(
      "SELECT payer, nonce FROM payment WHERE state = 'answered' AND sent_at IS NOT NULL",
    )
    const sums = reconcile({
      ledger: await Effect.runPromise(readLedger(both.chain, both)),
      transcripts: honest.transcripts,
      markedSent: new Set(
        rows.map(({ payer, nonce }) => keyOf({ payer: String(payer), nonce: String(nonce) })),
      ),
    })
    const { charged, delivered, refunded, both: twice, open } = sums
    const result = honestResult(honest)
    return {
      attack: "clocks",
      figures: {
        ...result.figures,
        "the wrong replica": seen.join(", "),
        charged,
        delivered,
        refunded,
        both: twice,
        open,
      },
      faults: [...result.faults, ...faults, ...sums.faults],
    }
  })
})
