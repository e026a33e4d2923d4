/**
 * A PostgreSQL cluster of its own, to be killed: durable as in production, on a free loopback port,
 * gone with its scope.
 *
 * @module
 */
import { Effect, Schedule } from "effect"

export interface PostgresCluster {
  readonly url: string
  /** SIGKILL to the postmaster, then a start; done when connections are taken again. */
  readonly kill: Effect.Effect<void>
  /** The rows of a query, as psql prints them: a line a row, fields between bars. */
  readonly query: (sql: string) => Effect.Effect<ReadonlyArray<ReadonlyArray<string>>>
}

/** How often it is looked whether the server takes connections, and how many times. */
const readyEvery = "50 millis"
const readyTimes = 400
/** A new postmaster waits for the memory of the killed one to be let go: it is started until it stays. */
const startsMax = 50

const binaries = newest("/usr/lib/postgresql")

export const hasPostgres = binaries !== null

/** Starts a fresh cluster in `dir`, which must be empty and below a folder that anybody may enter. */
export const startPostgresCluster = Effect.fn("startPostgresCluster")(function* (dir: string) {
  const who = yield* Effect.promise(unprivileged)
  const data = `${dir}/data`
  const port = freePort()
  yield* Effect.promise(async () => {
    await Deno.mkdir(data, { mode: 0o700 })
    if (who.uid !== undefined) await Deno.chown(data, who.uid, who.gid ?? null)
    const init = ["-D", data, "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8"]
    const { success, stderr } = await command("initdb", init, data, who).output()
    if (!success) throw new Error(`initdb: ${new TextDecoder().decode(stderr)}`)
  })
  const args = [
    ...["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", ""],
    ...["-c", "fsync=on", "-c", "synchronous_commit=on", "-c", "max_connections=200"],
    // After a crash all files are made durable first: as one file system, not one after another.
    ...["-c", "recovery_init_sync_method=syncfs"],
  ]
  const log = yield* Effect.promise(() => Deno.open(`${dir}/postgres.log`, appended))
  let server: Deno.ChildProcess | null = null

  const ready = Effect.promise(() =>
    command("pg_isready", ["-q", "-h", "127.0.0.1", "-p", String(port)], data, who).output()
  ).pipe(
    Effect.filterOrFail(({ success }) => success),
    Effect.retry({ schedule: Schedule.spaced(readyEvery), times: readyTimes }),
    Effect.asVoid,
    Effect.orDie,
  )
  const started = Effect.sync(() => {
    const child = command("postgres", args, data, who).spawn()
    server = child
    child.stdout.cancel()
    // What the killed one has left behind may still be talking.
    copy(child.stderr, log).catch(() => {})
    return child
  }).pipe(
    // One that cannot start ends by itself; one that stays is soon ready.
    Effect.flatMap((child) =>
      Effect.raceFirst(
        Effect.as(ready, true),
        Effect.as(Effect.promise(() => child.status), false),
      )
    ),
    Effect.filterOrFail((stays) => stays),
    Effect.retry({ schedule: Schedule.spaced(readyEvery), times: startsMax }),
    Effect.asVoid,
    Effect.orDie,
  )
  const killed = Effect.promise(async () => {
    if (server !== null) await ended(server)
  })
  yield* Effect.acquireRelease(started, () =>
    Effect.andThen(
      killed,
      Effect.sync(() => log.close()),
    ))
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const cluster: PostgresCluster = {
    url,
    kill: Effect.andThen(killed, started),
    query: (sql) =>
      Effect.promise(async () => {
        const args = ["-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", url, "-c", sql]
        const { success, stdout, stderr } = await command("psql", args, data, who).output()
        if (!success) throw new Error(`psql: ${new TextDecoder().decode(stderr)}`)
        const lines = new TextDecoder().decode(stdout).split("\n")
        return lines.filter((line) => line !== "").map((line) => line.split("|"))
      }),
  }
  return cluster
})

async function copy(from: ReadableStream<Uint8Array>, to: Deno.FsFile): Promise<void> {
  for await (const chunk of from) await to.write(chunk)
}

const appended = { write: true, create: true, append: true } as const

/** Kills a process and waits until it is gone. */
export async function ended(child: Deno.ChildProcess): Promise<void> {
  try {
    child.kill("SIGKILL")
  } catch {
    // It has ended already.
  }
  await child.status
}

interface Who {
  readonly uid?: number
  readonly gid?: number
}

/** PostgreSQL refuses to run as root: it then runs as the user its package has made. */
async function unprivileged(): Promise<Who> {
  if (Deno.uid() !== 0) return {}
  const id = async (of: string) =>
    Number(
      new TextDecoder().decode(
        (await new Deno.Command("id", { args: [of, "postgres"] }).output()).stdout,
      ),
    )
  return { uid: await id("-u"), gid: await id("-g") }
}

function command(name: string, args: ReadonlyArray<string>, cwd: string, who: Who): Deno.Command {
  const piped = { stdin: "null", stdout: "piped", stderr: "piped" } as const
  return new Deno.Command(`${binaries}/${name}`, { args: [...args], cwd, ...who, ...piped })
}

/** The programs of the newest version that is installed; null when there is none. */
function newest(root: string): string | null {
  try {
    const versions = [...Deno.readDirSync(root)].map(({ name }) => Number(name)).toSorted()
    const last = versions.at(-1)
    return last === undefined ? null : `${root}/${last}/bin`
  } catch {
    return null
  }
}

/** A port nobody listens on now. */
export function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 })
  const { port } = listener.addr
  listener.close()
  return port
}
