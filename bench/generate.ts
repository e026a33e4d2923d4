/**
 * Writes what is generated and committed: from the catalog the contract of `bellwether-client`, the tools
 * of `bellwether-mcp`, the Agent Skill and the Bruno collection; from the
 * declarations of the settings `.env.example`; from the sandboxes the permissions in the threat model.
 *
 *     npm ci --prefix tests/documents && deno task generate
 *
 * @module
 */
import { Effect } from "effect"
import { exampleEnvironment } from "../src/app/help.ts"
import { contractFile, contractText } from "../tests/support/clientContract.ts"
import { threatModel, withPermissions } from "../tests/support/permissionsTable.ts"
import { mcpTools, mcpToolsFile } from "../tests/support/mcpTools.ts"

const root = new URL("..", import.meta.url)

await Deno.writeTextFile(mcpToolsFile, `${JSON.stringify(mcpTools, null, 2)}\n`)
await Deno.writeTextFile(new URL(".env.example", root), exampleEnvironment())
await Deno.writeTextFile(
  threatModel,
  await Effect.runPromise(withPermissions(await Deno.readTextFile(threatModel))),
)
await Deno.writeTextFile(contractFile, await contractText())
const { success } = await new Deno.Command(Deno.execPath(), {
  args: ["fmt", "--quiet", contractFile.pathname],
}).output()
if (!success) Deno.exit(1)
