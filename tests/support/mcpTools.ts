/**
 * The tools of the stdio server: those of /mcp, where a paid one says that the server pays.
 *
 * @module
 */
import { tools } from "../../src/http/mcp/tools.ts"
import { skillOf } from "../../src/catalog/domain/skill.ts"
import { usd } from "../../src/core/domain/money.ts"

/** Where the package keeps them. */
export const mcpToolsFile = new URL("../../packages/mcp/src/tools.json", import.meta.url)

/** The sentences of /mcp about the cost of a paid tool. */
const aboutCost = / Costs \$[^]*?(?= Example: )/

export const mcpTools = tools().map((tool) => {
  const skill = skillOf(tool.name)
  if (skill?.kind !== "paid") return tool
  const { description = "" } = tool
  const cost =
    ` Costs at most $${usd(skill.product.price)} per call, which this server pays from ` +
    "the user's budget (get_budget says what is left)."
  if (!aboutCost.test(description)) throw new Error(`${tool.name} does not say what it costs`)
  return { ...tool, description: description.replace(aboutCost, cost) }
})
