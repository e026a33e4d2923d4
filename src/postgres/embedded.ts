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
import { Effect, Schema, type Scope } from "effect"
import { backendParams, openStore } from "./storeDirectory.ts"
import { Backend } from "./virtualConnections.ts"

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

/** Opens the backend and creates its directory if there is none. Closing the scope closes it. */
export const openEmbedded = Effect.fnUntraced(
  function* (storage: EmbeddedStorage): Effect.fn.Return<Backend, DataDirBusy, Scope.Scope> {
    if ("memory" in storage) {
      return yield* openInMemory(storage.image ?? (yield* image))
    }
    const { dataDir } = storage
    const { run } = yield* Effect.acquireRelease(
      Effect.flatMap(
        Effect.promise(() => openStore(dataDir)),
        (store) =>
          store === null ? Effect.fail(new DataDirBusy({ dataDir })) : Effect.succeed(store),
      ),
      ({ close }) => Effect.promise(close),
    )
    return new Backend(async (message, onAnswer) => onAnswer(await run(message)))
  },
)

/**
 * A database as created by initdb, of the same catalog version. Unpacking it takes a third of the
 * time and half of the memory of initdb.
 */
const image = Effect.promise(() => freshDatabase())

const openInMemory = (loadDataDir: Blob) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      PGlite.create({
        loadDataDir,
        startParams: [...PGlite.defaultStartParams, ...backendParams],
      })
    ),
    (pglite) => Effect.promise(() => pglite.close()),
  ).pipe(
    Effect.map((pglite) =>
      new Backend((message, onAnswer) =>
        pglite.execProtocolRawStream(message, { syncToFs: false, onRawData: onAnswer })
      )
    ),
  )
