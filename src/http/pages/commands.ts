/**
 * Commands to copy, with the address of the service.
 *
 * The packages for buyers are not on npm yet, and a package of their names there would be a stranger's:
 * so these commands run tasks of a checkout.
 *
 * @module
 */
import { atomic, type AtomicAmount, usd } from "../../core/domain/money.ts"
import type { Block } from "./sections.tsx"

const task = "npx -y deno@2.9.6 task"

/** The most for one call that the quickstart of Claude sets, and its budget for a day. */
const pricePerCallMax = atomic("0.10")
const budgetPerDay = atomic("0.50")

/** Adds the stdio server to Claude Code, with a budget in which it can pay `price`. */
export function claudeBlocks(
  publicBaseUrl: string,
  price: AtomicAmount = pricePerCallMax,
): ReadonlyArray<Block> {
  const [call, day] = price > pricePerCallMax ? [price, price] : [pricePerCallMax, budgetPerDay]
  return [
    "In a checkout of the project, because its package is not on npm yet:",
    {
      label: "Command that adds Bellwether to Claude Code",
      code: `claude mcp add bellwether \\
  --env BASE_URL=${publicBaseUrl} \\
  --env MAX_PRICE_USD=${usd(call)} \\
  --env BUDGET_USD=${usd(day)} \\
  -- ${task} --cwd "$PWD" mcp`,
    },
  ]
}

/** Buys an answer. */
export const buyCommand = (publicBaseUrl: string, path: string) =>
  `${task} buy ${path} ${publicBaseUrl}`
