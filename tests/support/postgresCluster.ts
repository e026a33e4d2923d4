/**
 * A PostgreSQL cluster for tests that kill the server: durable as in production, on a free loopback
 * port, stopped when its scope closes.
 *
 * @module
 */
import { Effect, Schedule } from "effect"

export interface PostgresCluster {
  readonly url: string
  /** Sends SIGKILL to the postmaster and starts it again; ends when it accepts connections. */
  readonly kill: Effect.Effect<void>
  /** The rows of a query as psql prints them, split into fields. */
  readonly query: (sql: string) => Effect.Effect<ReadonlyArray<ReadonlyArray<string>>>
}

/** How often, and how many times, the server is checked for readiness. */
const readyEvery = "50 millis"
const readyTimes = 400
/** A start fails until the shared memory of the killed postmaster is released: it is retried. */
const startsMax = 50

const binaries = newest("/usr/lib/postgresql")

export const hasPostgres = binaries !== null

/** Starts a fresh cluster in `dir`: an empty folder, in a folder that every user may enter. */
export const startPostgresCluster = Effect.fn("startPostgresCluster")(function* (dir: string) {
  const user = yield* Effect.promise(unprivileged)
  const data = `${dir}/data`
  const port = freePort()
  yield* Effect.promise(async () => {
    await Deno.mkdir(data, { mode: 0o700 })
    if (user.uid !== undefined) await Deno.chown(data, user.uid, user.gid ?? null)
    const init = ["-D", data, "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8"]
    const { success, stderr } = await command("initdb", init, data, user).output()
    if (!success) throw new Error(`initdb: ${new TextDecoder().decode(stderr)}`)
  })
  const args = [
    ...["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", ""],
    ...["-c", "fsync=on", "-c", "synchronous_commit=on", "-c", "max_connections=200"],
    // Recovery syncs the whole file system at once instead of file by file.
    ...["-c", "recovery_init_sync_method=syncfs"],
  ]
  const log = yield* Effect.promise(() => Deno.open(`${dir}/postgres.log`, appended))
  let server: Deno.ChildProcess | null = null

  const ready = Effect.promise(() =>
    command("pg_isready", ["-q", "-h", "127.0.0.1", "-p", String(port)], data, user).output()
  ).pipe(
    Effect.filterOrFail(({ success }) => success),
    Effect.retry({ schedule: Schedule.spaced(readyEvery), times: readyTimes }),
    Effect.asVoid,
    Effect.orDie,
  )
  const started = Effect.sync(() => {
    const child = command("postgres", args, data, user).spawn()
    server = child
    child.stdout.cancel()
    // Child processes of a killed server may still write.
    copy(child.stderr, log).catch(() => {})
    return child
  }).pipe(
    // A server that cannot start exits by itself.
    Effect.flatMap((child) =>
      Effect.raceFirst(
        Effect.as(ready, true),
        Effect.as(Effect.promise(() => child.status), false),
      )
    ),
    Effect.filterOrFail((isReady) => isReady),
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
        const { success, stdout, stderr } = await command("psql", args, data, user).output()
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

interface User {
  readonly uid?: number
  readonly gid?: number
}

/** PostgreSQL refuses to run as root, so root uses the user that its package created. */
async function unprivileged(): Promise<User> {
  if (Deno.uid() !== 0) return {}
  const id = async (of: string) =>
    Number(
      new TextDecoder().decode(
        (await new Deno.Command("id", { args: [of, "postgres"] }).output()).stdout,
      ),
    )
  return { uid: await id("-u"), gid: await id("-g") }
}

function command(name: string, args: ReadonlyArray<string>, cwd: string, user: User): Deno.Command {
  const piped = { stdin: "null", stdout: "piped", stderr: "piped" } as const
  return new Deno.Command(`${binaries}/${name}`, { args: [...args], cwd, ...user, ...piped })
}

/** The folder of programs of the newest installed version; null if there is none. */
function newest(root: string): string | null {
  try {
    const versions = [...Deno.readDirSync(root)].map(({ name }) => Number(name)).toSorted()
    const last = versions.at(-1)
    return last === undefined ? null : `${root}/${last}/bin`
  } catch {
    return null
  }
}

/** A port that is free now. */
export function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 })
  const { port } = listener.addr
  listener.close()
  return port
}
