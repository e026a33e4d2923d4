/**
 * The tools of the service: those of /mcp, where a paid one says that this server pays. In this
 * repository they are made from the catalog; in the package they are data, which `deno task pack`
 * writes in place of this file. So a hostile or changed service cannot change what a model reads.
 *
 * @module
 */
import type { Tool } from "@modelcontextprotocol/server"
import type { TextTable } from "../../../src/catalog/domain/compactText.ts"
import { skillOf, skills } from "../../../src/catalog/domain/skill.ts"
import { usd } from "../../../src/core/domain/money.ts"
import { paymentArgument, tools } from "../../../src/http/mcp/tools.ts"

/** How the text of a long answer is shown, by the name of its tool. */
export const answerTables: Readonly<Record<string, TextTable | undefined>> = Object.fromEntries(
  skills.map((skill) => [skill.name, skill.kind === "paid" ? skill.product.table : undefined]),
)

/** The sentences of /mcp about the cost of a paid tool. */
const aboutCost = / Costs \$[^]*?(?= Example: )/

export const serviceTools: ReadonlyArray<Tool> = tools().map((tool) => {
  const skill = skillOf(tool.name)
  if (skill?.kind !== "paid") return tool
  const { description = "" } = tool
  const cost =
    ` Costs at most $${usd(skill.product.price)} per call, which this server pays from ` +
    "the user's budget (get_budget says what is left)."
  if (!aboutCost.test(description)) throw new Error(`${tool.name} does not say what it costs`)
  // This server makes the payment, so it takes none.
  const { [paymentArgument]: _, ...properties } = tool.inputSchema.properties ?? {}
  return {
    ...tool,
    description: description.replace(aboutCost, cost),
    inputSchema: { ...tool.inputSchema, properties },
  }
})
