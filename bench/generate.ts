/**
 * Writes what is generated and committed: from the declarations of the settings `.env.example`, from
 * the sandboxes the permissions in the threat model.
 *
 *     deno task generate
 *
 * @module
 */
import { Effect } from "effect"
import { exampleEnvironment } from "../src/app/help.ts"
import { threatModel, withPermissions } from "../tests/support/permissionsTable.ts"

const root = new URL("..", import.meta.url)

await Deno.writeTextFile(new URL(".env.example", root), exampleEnvironment())
await Deno.writeTextFile(
  threatModel,
  await Effect.runPromise(withPermissions(await Deno.readTextFile(threatModel))),
)
