/**
 * `migrations/schema.sql` is the schema that the migrations produce.
 *
 * @module
 */
import { strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { schemaFile, schemaText } from "../support/schemaText.ts"
import { embeddedStore } from "../support/stores.ts"

Deno.test("migrations/schema.sql is current; else run `deno task schema`", async () => {
  const text = await Effect.runPromise(Effect.provide(schemaText, embeddedStore))
  strictEqual(await Deno.readTextFile(schemaFile), text)
})
