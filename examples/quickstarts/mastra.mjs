// An agent of Mastra that answers from bought data, within a budget. With Node 22.13 or later:
//   npm i @mastra/core@1.71.0 @mastra/mcp@2.0.0 zod
//   export OPENAI_API_KEY=... BASE_URL=... BUYER_PRIVATE_KEY=0x$(openssl rand -hex 32)  # play money
import { Agent } from "@mastra/core/agent"
import { MCPClient } from "@mastra/mcp"

const { BASE_URL = "http://127.0.0.1:8402", BUYER_PRIVATE_KEY = "" } = process.env
if (!/^((0x)?[0-9a-f]{64})?$/i.test(BUYER_PRIVATE_KEY)) {
  console.error("BUYER_PRIVATE_KEY must be 0x and 64 hexadecimal digits, or unset.")
  process.exit(1)
}
const { OPENAI_BASE_URL: url = "https://api.openai.com/v1", OPENAI_API_KEY: apiKey } = process.env
// The framework sends no payment in `_meta` and cannot sign, so bellwether-mcp pays instead of /mcp.
const bellwether = {
  command: "npx",
  args: ["-y", "http://127.0.0.1:8402/packages/bellwether-mcp-1.0.0.tgz"],
  env: { BASE_URL, BUYER_PRIVATE_KEY, MAX_PRICE_USD: "0.10", BUDGET_USD: "0.50" }, // A report: "1.00".
}
const mcp = new MCPClient({ servers: { bellwether }, timeout: 180_000 })
const tools = await mcp.listTools()
if (!tools.bellwether_get_latest) throw new Error("bellwether-mcp did not start")
// Answer lost or 503: send the same payment again with the same key; a new signature may pay twice.
// The server does so when a tool is called again with the same arguments.
const agent = new Agent({
  id: "markets",
  name: "Markets",
  model: { id: `openai/${process.env.OPENAI_MODEL ?? "gpt-5-mini"}`, url, apiKey },
  tools,
  instructions: "When a tool does not know what happened to a payment, call it again with the " +
    "same arguments.",
})
const { text } = await agent.generate("Buy the newest item. What moved, and why?")
console.log(text)
await mcp.disconnect()
