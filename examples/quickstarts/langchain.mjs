// An agent of LangChain.js that answers from bought data, within a budget. With Node 20 or later:
//   npm i langchain@1.5.14 @langchain/openai@1.5.13 @langchain/mcp-adapters@1.1.4
//   export OPENAI_API_KEY=... BASE_URL=... BUYER_PRIVATE_KEY=0x$(openssl rand -hex 32)  # play money
import { MultiServerMCPClient } from "@langchain/mcp-adapters"
import { ChatOpenAI } from "@langchain/openai"
import { createAgent } from "langchain"

const { BASE_URL = "http://127.0.0.1:8402", BUYER_PRIVATE_KEY = "" } = process.env
if (!/^((0x)?[0-9a-f]{64})?$/i.test(BUYER_PRIVATE_KEY)) {
  console.error("BUYER_PRIVATE_KEY must be 0x and 64 hexadecimal digits, or unset.")
  process.exit(1)
}
// The framework sends no `_meta` and cannot sign, so bellwether-mcp pays instead of /mcp.
const mcp = new MultiServerMCPClient({
  bellwether: {
    command: "npx",
    args: ["-y", "http://127.0.0.1:8402/packages/bellwether-mcp-1.0.0.tgz"],
    env: { BASE_URL, BUYER_PRIVATE_KEY, MAX_PRICE_USD: "0.10", BUDGET_USD: "0.50" }, // A report: "1.00".
    defaultToolTimeout: 180_000,
  },
})
// Answer lost or 503: send the same payment again with the same key; a new signature may pay twice.
// The server does so when a tool is called again with the same arguments.
const agent = createAgent({
  model: new ChatOpenAI({ model: process.env.OPENAI_MODEL ?? "gpt-5-mini" }),
  tools: await mcp.getTools(),
  systemPrompt: "When a tool does not know what happened to a payment, call it again with the " +
    "same arguments.",
})
const { messages } = await agent.invoke({ messages: "Buy the newest item. What moved, and why?" })
console.log(messages.at(-1).text)
await mcp.close()
