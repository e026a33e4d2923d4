/**
 * The embedded PostgreSQL: PGlite with a lock on its directory, in a worker of this process.
 *
 * Limits:
 *
 * - One process per directory.
 * - One backend, so statements run one after another.
 * - No fsync, so a crash of the process is safe, but a power failure may lose data.
 *
 * @module
 */
import { Effect, Schema } from "effect"
import type { Backend } from "./embeddedConnection.ts"
import { storeWorker } from "./storeWorker.ts"

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

/** Opens the backend and creates its directory if there is none. Closing the scope closes it. */
export const openEmbedded = (storeDir: string) =>
  Effect.andThen(lockDirectory(storeDir), openInWorker(`${storeDir}/postgres`))

/** A long statement stops the worker's event loop, not that of the service. */
const openInWorker = (dataDir: string) =>
  Effect.acquireRelease(
    Effect.suspend(() => {
      const worker = storeWorker()
      return Effect.tryPromise({
        try: () => worker.ask({ open: dataDir }),
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
