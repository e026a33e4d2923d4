/**
 * Writes the schema that the migrations produce to `migrations/schema.sql`.
 *
 *     deno task schema
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { layerEmbedded } from "../src/postgres/client.ts"
import { migrate, migrationFiles } from "../src/postgres/migrate.ts"
import { schemaFile, schemaText } from "../tests/support/schemaText.ts"

const migrated = Layer.effectDiscard(Effect.flatMap(migrationFiles, migrate))
const store = Layer.provideMerge(migrated, layerEmbedded({ memory: true }))
const text = await Effect.runPromise(Effect.provide(schemaText, store))
await Deno.writeTextFile(schemaFile, text)
