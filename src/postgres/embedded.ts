/**
 * The embedded PostgreSQL: PGlite with a lock on its directory, in a worker of this process. One in
 * memory, for tests and tools, runs on the event loop instead.
 *
 * Limits:
 *
 * - One process per directory.
 * - One backend, so statements run one after another.
 * - No fsync, so a crash of the process is safe, but a power failure may lose data.
 *
 * @module
 */
import { PGlite } from "@electric-sql/pglite"
import { dataDir as freshDatabase } from "@electric-sql/pglite-prepopulatedfs"
import { Clock, Effect, Schema, type Scope } from "effect"
import type { Backend } from "./embeddedConnection.ts"
import { storeWorker } from "./storeWorker.ts"

export type EmbeddedStorage =
  | { readonly dataDir: string }
  /** Lost when the scope closes. Begins as a copy of `image`; as a fresh database without one. */
  | { readonly memory: true; readonly image?: Blob }

/** Another process has this directory open; two at once would lose rows silently. */
export class DataDirBusy extends Schema.TaggedError<DataDirBusy>()("DataDirBusy", {
  dataDir: Schema.String,
}) {
  override get message() {
    return `Cannot open the embedded store in ${this.dataDir}: another process has it open. ` +
      "Stop that process, set DATA_DIR to another directory, or set DATABASE_URL to share one " +
      "PostgreSQL"
  }
}

/** Often the files in the directory are no database, or not one that this version can open. */
export class StoreUnreadable extends Schema.TaggedError<StoreUnreadable>()("StoreUnreadable", {
  dataDir: Schema.String,
  reason: Schema.String,
}) {
  override get message() {
    return `Cannot open the embedded store in ${this.dataDir}: ${this.reason}. If its files are ` +
      "damaged, restore them from a backup, or move them away for an empty store"
  }
}

/** One backend needs less memory than the defaults of a server. */
const startParams = [
  ...PGlite.defaultStartParams,
  ...["shared_buffers=32MB", "work_mem=8MB", "maintenance_work_mem=32MB", "max_wal_size=256MB"]
    .flatMap((setting) => ["-c", setting]),
]

/** Opens the backend and creates its directory if there is none. Closing the scope closes it. */
export const openEmbedded = Effect.fnUntraced(
  function* (
    storage: EmbeddedStorage,
  ): Effect.fn.Return<Backend, DataDirBusy | StoreUnreadable, Scope.Scope> {
    if ("memory" in storage) {
      return yield* openInMemory(storage.image ?? (yield* image))
    }
    yield* lockDirectory(storage.dataDir)
    const dataDir = `${storage.dataDir}/postgres`
    const creating = `${storage.dataDir}/creating`
    if (yield* needsCreating(dataDir, creating)) {
      const backend = yield* openInWorker(dataDir, true)
      yield* Effect.promise(() => Deno.remove(creating))
      return backend
    }
    return yield* openInWorker(dataDir, false)
  },
)

/** Sets the database in a directory aside, so that the next one begins empty. Returns where it is. */
export const setAside = Effect.fnUntraced(function* (dataDir: string) {
  yield* lockDirectory(dataDir)
  const kept = `${dataDir}/postgres-${yield* Clock.currentTimeMillis}`
  yield* Effect.promise(() => Deno.rename(`${dataDir}/postgres`, kept))
  return kept
}, Effect.scoped)

/**
 * A database as created by initdb, of the same catalog version. Unpacking it takes a third of the
 * time and half of the memory of initdb.
 */
const image = Effect.promise(() => freshDatabase())

/**
 * Whether to create the database. The mark file exists until the creation is complete. A directory
 * found together with the mark is incomplete and has no data yet, so it is created again.
 */
const needsCreating = (dataDir: string, mark: string) =>
  Effect.promise(async () => {
    const begun = await exists(mark)
    if (!begun && await exists(dataDir)) return false
    await Deno.writeTextFile(mark, "")
    if (await exists(dataDir)) await Deno.remove(dataDir, { recursive: true })
    return true
  })

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path)
    return true
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false
    throw error
  }
}

const openInMemory = (loadDataDir: Blob) =>
  Effect.acquireRelease(
    Effect.promise(() => PGlite.create({ loadDataDir, startParams })),
    (pglite) => Effect.promise(() => pglite.close()),
  ).pipe(
    Effect.map((pglite): Backend => async (messages) =>
      // A copy, because the buffer of the answer is reused.
      (await pglite.execProtocolRaw(messages, { syncToFs: false })).slice()
    ),
  )

/** A long statement stops the worker's event loop, not that of the service. */
const openInWorker = (dataDir: string, fresh: boolean) =>
  Effect.acquireRelease(
    Effect.suspend(() => {
      const worker = storeWorker()
      return Effect.tryPromise({
        try: () => worker.ask({ open: { dataDir, startParams }, fresh }),
        catch: (error) => new StoreUnreadable({ dataDir, reason: String(error) }),
      }).pipe(Effect.as(worker), Effect.tapError(() => Effect.sync(worker.terminate)))
    }),
    (worker) => Effect.promise(() => worker.ask({ close: true }).finally(worker.terminate)),
  ).pipe(Effect.map(({ ask }): Backend => (messages) => ask({ run: messages })))

/** The kernel releases the lock when the process ends, even if it is killed. */
const lockDirectory = (dataDir: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      await Deno.mkdir(dataDir, { recursive: true })
      return await Deno.open(`${dataDir}/lock`, { create: true, write: true })
    }),
    (file) => Effect.sync(() => file.close()),
  ).pipe(
    Effect.flatMap((file) => Effect.promise(() => file.tryLock(true))),
    Effect.flatMap((isLocked) =>
      isLocked ? Effect.void : Effect.fail(new DataDirBusy({ dataDir }))
    ),
  )
