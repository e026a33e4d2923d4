/**
 * The drill of an upgrade: an older version sells, the store is migrated under it, the replicas are
 * replaced one after another, both versions sell at once, and at last all go back to the older version
 * on the new schema. The newer version is this commit with the migration `9999_drill.sql`.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { SupervisedProcess } from "../processes.ts"
import type { Exchange } from "../transcript.ts"
import { type Drill, runTask, sellFor } from "./drill.ts"

const thisRoot = new URL("../../..", import.meta.url)
/** The migration of the newer version. */
const drillMigration = new URL("9999_drill.sql", import.meta.url)
/** How long nginx has to take a replica out before it is stopped. */
const takenOutAfter = "1 second"
const probeEvery = "250 millis"
const probeTimeoutMs = 15_000

/** An answer to a client or to a probe; status null: none. */
type Answer = Pick<Exchange, "atMs" | "status" | "charged" | "code">

/** Writes the files of a commit into a folder, with the delivery journals of this one. */
export async function checkOut(commit: string, folder: string): Promise<URL> {
  await Deno.mkdir(folder)
  const script = `git archive ${commit} | tar -x -C ${folder}`
  const { success } = await new Deno.Command("bash", {
    args: ["-o", "pipefail", "-c", script],
    cwd: thisRoot,
  }).output()
  if (!success) throw new Error(`Cannot check out ${commit}`)
  await Deno.mkdir(new URL(".data", thisRoot), { recursive: true })
  await Deno.symlink(new URL(".data", thisRoot), `${folder}/.data`)
  return new URL(`file://${folder}/`)
}

/** The processes run the version in `older` when it begins, and when it ends. */
export const upgrade = Effect.fnUntraced(function* (drill: Drill, older: URL) {
  const newer = yield* Effect.promise(async () => {
    const root = await checkOut("HEAD", `${drill.dir}/newer`)
    await Deno.copyFile(drillMigration, new URL("migrations/9999_drill.sql", root))
    return root
  })
  const probes: Array<Answer> = []
  yield* Effect.forkScoped(probe(drill, probes))
  const phase = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const startMs = yield* Clock.currentTimeMillis
      yield* effect
      const answers = [
        ...drill.context.transcripts.flatMap(({ exchanges }) => exchanges),
        ...probes,
      ]
        .filter(({ atMs }) => atMs >= startMs)
      yield* drill.say(`${what}: ${countsOf(answers)}`)
      return answers.filter(isFailed).length
    })
  const [first, ...others] = drill.environment.replicas
  if (first === undefined) return yield* Effect.die("no replica")
  const all = [...drill.environment.replicas, ...drill.environment.workers]
  yield* phase("older version", sellFor(drill, drill.seconds))
  const failed = [
    yield* phase("migration under it", runTask(drill, drill.cluster(), ["migrate"], newer)),
    yield* phase("one replica replaced", replace(drill, [first], newer)),
    yield* phase("both versions", sellFor(drill, drill.seconds)),
    yield* phase(
      "all others replaced",
      replace(drill, [...others, ...drill.environment.workers], newer),
    ),
    yield* phase("newer version", sellFor(drill, drill.seconds)),
    yield* phase("back to the older version", replace(drill, all, older)),
    yield* phase("older version, new schema", sellFor(drill, drill.seconds)),
  ].reduce((sum, count) => sum + count, 0)
  yield* drill.say(`failed requests since the migration: ${failed}`)
  if (failed > 0) drill.faults.push(`${failed} requests failed`)
})

/** One after another: out of nginx, stopped, started with the other version, into nginx. */
const replace = Effect.fnUntraced(
  function* (drill: Drill, processes: ReadonlyArray<SupervisedProcess>, root: URL) {
    for (const process of processes) {
      const out = drill.environment.replicas.indexOf(process)
      yield* drill.nginx.sendTo(drill.ports.filter((_, n) => n !== out))
      yield* Effect.sleep(takenOutAfter)
      yield* process.stop
      yield* process.start(root)
      yield* drill.nginx.sendTo(drill.ports)
    }
  },
)

/** Polls a free path and asks for a paid one without a payment, until it is interrupted. */
const probe = ({ nginx }: Drill, probes: Array<Answer>) =>
  Effect.gen(function* () {
    for (const path of ["/v1/index", "/v1/latest"]) {
      const status = yield* Effect.promise(async () => {
        try {
          const response = await fetch(`${nginx.origin}${path}`, {
            signal: AbortSignal.timeout(probeTimeoutMs),
          })
          await response.body?.cancel()
          return response.status
        } catch {
          return null
        }
      })
      probes.push({ atMs: yield* Clock.currentTimeMillis, status, charged: null, code: null })
    }
    yield* Effect.sleep(probeEvery)
  }).pipe(Effect.forever)

/** Not answered, or with an error that does not say that nothing was charged. */
function isFailed({ status, charged }: Answer): boolean {
  return status === null || status >= 500 && charged !== false
}

function countsOf(answers: ReadonlyArray<Answer>): string {
  const with_ = (holds: (answer: Answer) => boolean) => answers.filter(holds).length
  const failed = answers.filter(isFailed).map(({ status, code }) => `${status ?? ""} ${code ?? ""}`)
  return [
    `${with_(({ status }) => status === 200)} answers 200`,
    `${with_(({ status }) => status === 402)} answers 402`,
    `${
      with_((one) => one.status !== null && one.status >= 500 && !isFailed(one))
    } errors with charged:false`,
    `${failed.length} failed${failed.length === 0 ? "" : ` (${[...new Set(failed)].join(", ")})`}`,
  ].join(", ")
}
