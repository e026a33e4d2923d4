/**
 * Commands to copy, with the address of the service.
 *
 * @module
 */
import { atomic, type AtomicAmount, usd } from "../../core/domain/money.ts"
import { paths } from "../documents/addresses.ts"

/** The most for one call that the quickstart of Claude sets, and its budget for a day. */
const pricePerCallMax = atomic("0.10")
const budgetPerDay = atomic("0.50")

/** Adds the stdio server to Claude Code, with a budget in which it can pay `price`. */
export function claudeCommand(publicBaseUrl: string, price: AtomicAmount = pricePerCallMax) {
  const [call, day] = price > pricePerCallMax ? [price, price] : [pricePerCallMax, budgetPerDay]
  return `claude mcp add bellwether \\
  --env BASE_URL=${publicBaseUrl} \\
  --env MAX_PRICE_USD=${usd(call)} \\
  --env BUDGET_USD=${usd(day)} \\
  -- npx -y bellwether-mcp`
}

/** Buys the newest item with the quickstart of bellwether-client. */
export const clientCommands = (publicBaseUrl: string) =>
  `npm install bellwether-client
export BASE_URL=${publicBaseUrl}
curl -O $BASE_URL${paths.quickstarts}client.mjs
export BUYER_PRIVATE_KEY=0x...
node client.mjs`
