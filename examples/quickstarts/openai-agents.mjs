// An agent of the OpenAI Agents SDK that answers from bought data, within a budget. Node 22 or later:
//   npm i @openai/agents@0.20.0 zod
//   export OPENAI_API_KEY=... BASE_URL=... BUYER_PRIVATE_KEY=0x$(openssl rand -hex 32)  # play money
import { Agent, MCPServerStdio, run, setOpenAIAPI } from "@openai/agents"

setOpenAIAPI("chat_completions") // Also for servers that are only compatible (OPENAI_BASE_URL).
const { BASE_URL = "http://127.0.0.1:8402", BUYER_PRIVATE_KEY = "" } = process.env
if (!/^((0x)?[0-9a-f]{64})?$/i.test(BUYER_PRIVATE_KEY)) {
  console.error("BUYER_PRIVATE_KEY must be 0x and 64 hexadecimal digits, or unset.")
  process.exit(1)
}
// The framework sends no payment in `_meta` and cannot sign, so bellwether-mcp pays instead of /mcp.
const mcp = new MCPServerStdio({
  command: "npx",
  args: ["-y", "http://127.0.0.1:8402/packages/bellwether-mcp-1.0.0.tgz"],
  env: { BASE_URL, BUYER_PRIVATE_KEY, MAX_PRICE_USD: "0.10", BUDGET_USD: "0.50" }, // A report: "1.00".
  clientSessionTimeoutSeconds: 60, // The first start may download the server.
  timeout: 180_000,
})
await mcp.connect()
// Answer lost or 503: send the same payment again with the same key; a new signature may pay twice.
// The server does so when a tool is called again with the same arguments.
const agent = new Agent({
  name: "Markets",
  model: process.env.OPENAI_MODEL ?? "gpt-5-mini",
  mcpServers: [mcp],
  instructions: "When a tool does not know what happened to a payment, call it again with the " +
    "same arguments.",
})
const { finalOutput } = await run(agent, "Buy the newest item. What moved, and why?")
console.log(finalOutput)
await mcp.close()
