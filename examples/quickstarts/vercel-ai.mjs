// An agent of the Vercel AI SDK that answers from bought data, within a budget. With Node 22 or later:
//   npm i ai@7.0.173 @ai-sdk/openai@4.0.118 @ai-sdk/mcp@2.0.99
//   export OPENAI_API_KEY=... BASE_URL=... BUYER_PRIVATE_KEY=0x$(openssl rand -hex 32)  # play money
import { createMCPClient } from "@ai-sdk/mcp"
import { Experimental_StdioMCPTransport as Stdio } from "@ai-sdk/mcp/mcp-stdio"
import { openai } from "@ai-sdk/openai"
import { generateText, isStepCount } from "ai"

const { BASE_URL = "http://127.0.0.1:8402", BUYER_PRIVATE_KEY = "" } = process.env
if (!/^((0x)?[0-9a-f]{64})?$/i.test(BUYER_PRIVATE_KEY)) {
  console.error("BUYER_PRIVATE_KEY must be 0x and 64 hexadecimal digits, or unset.")
  process.exit(1)
}
// The framework sends no payment in `_meta` and cannot sign, so bellwether-mcp pays instead of /mcp.
const mcp = await createMCPClient({
  transport: new Stdio({
    command: "npx",
    args: ["-y", "http://127.0.0.1:8402/packages/bellwether-mcp-1.0.0.tgz"],
    env: { BASE_URL, BUYER_PRIVATE_KEY, MAX_PRICE_USD: "0.10", BUDGET_USD: "0.50" }, // A report: "1.00".
  }),
})
// Answer lost or 503: send the same payment again with the same key; a new signature may pay twice.
// The server does so when a tool is called again with the same arguments.
const { text } = await generateText({
  model: openai.chat(process.env.OPENAI_MODEL ?? "gpt-5-mini"),
  tools: await mcp.tools(),
  stopWhen: isStepCount(8),
  instructions: "When a tool does not know what happened to a payment, call it again with the " +
    "same arguments.",
  prompt: "Buy the newest item. What moved, and why?",
})
console.log(text)
await mcp.close()
