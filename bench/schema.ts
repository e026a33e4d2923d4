/**
 * Writes the schema that the migrations produce to `migrations/schema.sql`.
 *
 *     deno task schema
 *
 * @module
 */
import { Effect } from "effect"
import { schemaFile, schemaText } from "../tests/support/schemaText.ts"
import { embeddedStore } from "../tests/support/stores.ts"

const text = await Effect.runPromise(Effect.provide(schemaText, embeddedStore))
await Deno.writeTextFile(schemaFile, text)
