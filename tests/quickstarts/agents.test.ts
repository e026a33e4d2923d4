/**
 * An agent of each framework runs as a real process, with a scripted model behind OpenAI's API and
 * `bellwether-mcp` over stdio: it pays once, and what it says rests on the bought answer.
 *
 * @module
 */
import { deepStrictEqual as equal, match, strictEqual } from "node:assert/strict"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { Effect } from "effect"
import { products } from "../../src/catalog/domain/product.ts"
import { liveTest } from "../support/effect.ts"
import {
  environmentOf,
  hasAllPackages,
  installQuickstarts,
  quickstartFolder,
  quickstartText,
  runQuickstart,
} from "../support/examples/quickstarts.ts"
import { scriptedModel } from "../support/examples/scriptedModel.ts"
import { openShop, spentBy } from "../support/packages/shop.ts"
import { buyer, buyerKey } from "../support/payments/buyers.ts"
import { market } from "../support/payments/sales.ts"
import { registerSkipped } from "../support/venues/oracle.ts"

const key = buyerKey(0)
const spent = spentBy(buyer(0).address)
const agents = ["langchain.mjs", "vercel-ai.mjs", "openai-agents.mjs", "mastra.mjs"]

/** The service, which counts the requests that carry a payment. */
const countingService = Effect.gen(function* () {
  const payments: Array<string> = []
  const base = yield* openShop((request, answer) => {
    const payment = request.headers.get("payment-signature")
    if (payment !== null) payments.push(payment)
    return answer(request)
  })
  return { base, payments }
})

function isRun(file: string): void {
  liveTest(`the agent of ${file} pays once, and its model reads the answer`, function* () {
    const { base, payments } = yield* countingService
    const model = yield* scriptedModel([{ tool: "get_latest", arguments: {} }])
    const folder = yield* quickstartFolder
    const { code, stdout, stderr } = yield* runQuickstart(folder, file, {
      ...{ BASE_URL: base, BUYER_PRIVATE_KEY: key },
      ...{ OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: "sk-none" },
    })
    equal([code, payments.length, model.requests.length], [0, 1, 2], stderr)
    match(stdout, /feedIndex\W+3/)
    match(stdout, /0\.01/)
    strictEqual(yield* spent, products.latest.price as bigint)
  }, market())

  liveTest(`${file} with a malformed key ends in a sentence with its variable`, function* () {
    const folder = yield* quickstartFolder
    const env = { BASE_URL: "http://127.0.0.1:9", BUYER_PRIVATE_KEY: `${key}0` }
    const { code, stdout, stderr } = yield* runQuickstart(folder, file, env)
    equal([code, stdout], [1, ""])
    match(stderr, /^BUYER_PRIVATE_KEY must be [^\n]+\.\r?\n$/)
  })

  liveTest(`the model of ${file} reads why a tool did not pay`, function* () {
    const { base, payments } = yield* countingService
    const script = [{ tool: "get_research", arguments: { market: "market-1" } }]
    const model = yield* scriptedModel(script)
    const folder = yield* quickstartFolder
    const { code, stdout, stderr } = yield* runQuickstart(folder, file, {
      ...{ BASE_URL: base, BUYER_PRIVATE_KEY: key },
      ...{ OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: "sk-none" },
    })
    equal([code, payments, model.requests.length], [0, [], 2], stderr)
    match(stdout, /1\.00/)
  }, market())
}

/** The server that `claude.md` configures. */
function configured(): { command: string; args: ReadonlyArray<string>; env: object } {
  const text = quickstartText("claude.md")
  const [, json = "{}"] = /```json\n([^]*?)```/.exec(text) ?? []
  return JSON.parse(json).mcpServers.bellwether
}

Deno.test("claude.md gives Claude Code and Claude Desktop the same server", () => {
  const { command, args, env } = configured()
  const text = quickstartText("claude.md")
  const settings = Object.entries(env).map(([name, value]) => `--env ${name}=${value}`)
  const line = `claude mcp add bellwether ${settings.join(" ")} -- ${[command, ...args].join(" ")}`
  equal(text.split("\n").includes(line), true, line)
})

const claudeBuys = () =>
  liveTest(
    "the server of claude.md pays for a host without a key, where payments are simulated",
    function* () {
      const { base, payments } = yield* countingService
      const folder = yield* quickstartFolder
      const { command, args, env } = configured()
      const result = yield* Effect.promise(async () => {
        const client = new Client({ name: "host", version: "1.0.0" })
        await client.connect(
          new StdioClientTransport({
            ...{ command, args: [...args], cwd: folder, stderr: "ignore" },
            env: { ...environmentOf(folder), ...env, BASE_URL: base },
          }),
        )
        const result = await client.callTool({ name: "get_latest", arguments: {} })
        await client.close()
        return result
      })
      equal([result.isError === true, payments.length], [false, 1])
      match(JSON.stringify(result.content), /feedIndex/)
    },
    market(),
  )

if (hasAllPackages) {
  agents.forEach(isRun)
  claudeBuys()
} else for (const file of [...agents, "claude.md"]) registerSkipped(file, installQuickstarts)
