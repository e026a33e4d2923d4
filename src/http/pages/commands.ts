/**
 * Commands to copy, with the address of the service.
 *
 * @module
 */
import { atomic, type AtomicAmount, usd } from "../../core/domain/money.ts"
import type { Block } from "./sections.tsx"
import type { Site } from "./site.ts"
import { code, say } from "./text.tsx"

/** The most for one call that the quickstart of Claude sets, and its budget for a day. */
const pricePerCallMax = atomic("0.10")
const budgetPerDay = atomic("0.50")

/** Adds the stdio server to Claude Code, with a budget in which it can pay `price`. */
export function claudeBlocks(
  { publicBaseUrl, packages }: Site,
  price: AtomicAmount = pricePerCallMax,
): ReadonlyArray<Block> {
  const [call, day] = price > pricePerCallMax ? [price, price] : [pricePerCallMax, budgetPerDay]
  return [
    ...(packages.scope === null && packages.files.size === 0
      ? [say`The package is not built here yet: run ${code("deno task pack")} first.`]
      : []),
    {
      label: "Command that adds Bellwether to Claude Code",
      code: `claude mcp add bellwether \\
  --env BASE_URL=${publicBaseUrl} \\
  --env MAX_PRICE_USD=${usd(call)} \\
  --env BUDGET_USD=${usd(day)} \\
  -- npx -y ${packages.specs["bellwether-mcp"]}`,
    },
  ]
}

/** Buys an answer. */
export const buyCommand = (publicBaseUrl: string, path: string) =>
  `npx -y deno@2.9.6 task buy ${path} ${publicBaseUrl}`
