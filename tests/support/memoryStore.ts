/**
 * An embedded PostgreSQL in memory, on the event loop of the tests; lost when its scope closes.
 *
 * @module
 */
import { PGlite } from "@electric-sql/pglite"
import { dataDir as freshDatabase } from "@electric-sql/pglite-prepopulatedfs"
import { Effect } from "effect"
import { layerOn } from "../../src/postgres/client.ts"
import type { Backend } from "../../src/postgres/embeddedConnection.ts"

/** Begins as a copy of `image`; as a fresh database without one. */
export const openInMemory = (image?: Blob) =>
  Effect.acquireRelease(
    Effect.promise(async () => PGlite.create({ loadDataDir: image ?? await freshDatabase() })),
    (pglite) => Effect.promise(() => pglite.close()),
  ).pipe(
    Effect.map((pglite): Backend => async (messages) =>
      // A copy, because the buffer of the answer is reused.
      (await pglite.execProtocolRaw(messages, { syncToFs: false })).slice()
    ),
  )

export const layerMemory = (image?: Blob) => layerOn(openInMemory(image))
