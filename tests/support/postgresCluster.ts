/**
 * A PostgreSQL cluster that a test may kill: durable as in production, on a free loopback port, stopped
 * when its scope closes.
 *
 * @module
 */
import { Effect, Schedule } from "effect"
import { freePort, killAndWait } from "./process.ts"

export interface PostgresCluster {
  readonly url: string
  readonly port: number
  /** The process id of the postmaster; null while none runs. */
  readonly pid: () => number | null
  /** Sends SIGKILL to the postmaster and restarts it; returns when it accepts connections again. */
  readonly kill: Effect.Effect<void>
  /** Sends SIGKILL to the postmaster and deletes the data; it is not started again. */
  readonly destroy: Effect.Effect<void>
  /** The rows of a query, as strings, as psql prints them. */
  readonly query: (sql: string) => Effect.Effect<ReadonlyArray<ReadonlyArray<string>>>
}

export interface ClusterOptions {
  /** Variables of the server's processes. */
  readonly env?: Readonly<Record<string, string>>
  /** Settings over those of the cluster. */
  readonly settings?: Readonly<Record<string, string>>
  /** Fills the data folder, which is empty; by default with a new cluster. */
  readonly fill?: (data: string) => Effect.Effect<void>
}

/** The interval and number of checks whether the server accepts connections. */
const readyInterval = "50 millis"
const readyChecksMax = 400
/** A postmaster exits while the killed one's shared memory still exists, so the start is retried. */
const startsMax = 50

const binaries = newestBinaries("/usr/lib/postgresql")

export const hasPostgres = binaries !== null

/** Starts a cluster in `dir`, which every user can enter and which has no folder `data`. */
export const startPostgresCluster = Effect.fn("startPostgresCluster")(function* (
  dir: string,
  { env = {}, settings = {}, fill = newCluster }: ClusterOptions = {},
) {
  const user = yield* Effect.promise(unprivilegedUser)
  const data = `${dir}/data`
  const port = freePort()
  yield* makePostgresFolder(data)
  yield* fill(data)
  const args = [
    ...["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", ""],
    ...["-c", "fsync=on", "-c", "synchronous_commit=on", "-c", "max_connections=200"],
    // After a crash all files are synced first; syncfs syncs the file system at once.
    ...["-c", "recovery_init_sync_method=syncfs"],
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ]
  const log = yield* Effect.promise(() => Deno.open(`${dir}/postgres.log`, appended))
  let server: Deno.ChildProcess | null = null

  const ready = Effect.promise(() =>
    command("pg_isready", ["-q", "-h", "127.0.0.1", "-p", String(port)], data, user).output()
  ).pipe(
    Effect.filterOrFail(({ success }) => success),
    Effect.retry({ schedule: Schedule.spaced(readyInterval), times: readyChecksMax }),
    Effect.asVoid,
    Effect.orDie,
  )
  const started = Effect.sync(() => {
    const child = command("postgres", args, data, user, env).spawn()
    server = child
    child.stdout.cancel()
    // Child processes of the killed postmaster may still write to the pipe.
    copy(child.stderr, log).catch(() => {})
    return child
  }).pipe(
    // A postmaster that cannot start exits; otherwise it is soon ready.
    Effect.flatMap((child) =>
      Effect.raceFirst(
        Effect.as(ready, true),
        Effect.as(Effect.promise(() => child.status), false),
      )
    ),
    Effect.filterOrFail((isRunning) => isRunning),
    Effect.retry({ schedule: Schedule.spaced(readyInterval), times: startsMax }),
    Effect.asVoid,
    Effect.orDie,
  )
  const killed = Effect.promise(async () => {
    if (server !== null) await killAndWait(server)
  })
  yield* Effect.acquireRelease(started, () =>
    Effect.andThen(
      killed,
      Effect.sync(() => log.close()),
    ))
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const cluster: PostgresCluster = {
    url,
    port,
    pid: () => server?.pid ?? null,
    kill: Effect.andThen(killed, started),
    destroy: Effect.andThen(
      killed,
      Effect.promise(() => Deno.remove(data, { recursive: true })),
    ),
    query: (sql) =>
      Effect.map(
        runPostgres("psql", ["-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", url, "-c", sql]),
        (text) => text.split("\n").filter((line) => line !== "").map((line) => line.split("|")),
      ),
  }
  return cluster
})

/** Runs one of PostgreSQL's programs as its user, and returns its output. Failure is a defect. */
export const runPostgres = (name: string, args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const user = await unprivilegedUser()
    const { success, stdout, stderr } = await command(name, args, "/", user).output()
    if (!success) throw new Error(`${name}: ${new TextDecoder().decode(stderr)}`)
    return new TextDecoder().decode(stdout)
  })

/** Creates a folder that PostgreSQL can write. */
export const makePostgresFolder = (path: string) =>
  Effect.promise(async () => {
    const user = await unprivilegedUser()
    await Deno.mkdir(path, { mode: 0o700 })
    if (user.uid !== undefined) await Deno.chown(path, user.uid, user.gid ?? null)
  })

const newCluster = (data: string) =>
  Effect.asVoid(
    runPostgres("initdb", [
      ...["-D", data, "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8"],
    ]),
  )

async function copy(from: ReadableStream<Uint8Array>, to: Deno.FsFile): Promise<void> {
  for await (const chunk of from) await to.write(chunk)
}

const appended = { write: true, create: true, append: true } as const

interface SystemUser {
  readonly uid?: number
  readonly gid?: number
}

/** PostgreSQL refuses to run as root; for root it runs as the package's user `postgres`. */
async function unprivilegedUser(): Promise<SystemUser> {
  if (Deno.uid() !== 0) return {}
  const id = async (option: string) =>
    Number(
      new TextDecoder().decode(
        (await new Deno.Command("id", { args: [option, "postgres"] }).output()).stdout,
      ),
    )
  return { uid: await id("-u"), gid: await id("-g") }
}

function command(
  name: string,
  args: ReadonlyArray<string>,
  cwd: string,
  user: SystemUser,
  env: Readonly<Record<string, string>> = {},
): Deno.Command {
  const piped = { stdin: "null", stdout: "piped", stderr: "piped" } as const
  return new Deno.Command(`${binaries}/${name}`, { args: [...args], cwd, env, ...user, ...piped })
}

/** The program folder of the newest installed version; null when there is none. */
function newestBinaries(root: string): string | null {
  try {
    const versions = [...Deno.readDirSync(root)].map(({ name }) => Number(name)).toSorted()
    const last = versions.at(-1)
    return last === undefined ? null : `${root}/${last}/bin`
  } catch {
    return null
  }
}
