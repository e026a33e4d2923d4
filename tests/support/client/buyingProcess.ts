/**
 * A process that buys one answer with a ledger on disk and prints how the call ended as JSON. It runs
 * on Deno, and bundled on Node: buyingProcess.ts ADDRESS FOLDER KEY NAME PARAMETERS
 *
 * @module
 */
import process from "node:process"
import { BuyError, type CallName, calls, fileLedger, makeClient } from "bellwether-client"

const [baseUrl = "", folder = "", privateKey = "", name = "", parameters = "{}"] = process.argv
  .slice(2)

const client = makeClient({
  ...{ baseUrl, privateKey, maxPriceUsd: "1.00", budgetUsd: "1.50" },
  ledger: fileLedger(folder),
})

function isName(name: string): name is CallName {
  return Object.hasOwn(calls, name)
}

async function end(): Promise<object> {
  if (!isName(name)) return { error: `There is no call ${name}` }
  try {
    const { sentence, charged, body } = await client.call(name, JSON.parse(parameters))
    return { sentence, charged, hasBody: typeof body === "object" }
  } catch (error) {
    if (!(error instanceof BuyError)) throw error
    return { error: error.code, charged: error.charged, sentence: error.sentence }
  }
}

process.stdout.write(`${JSON.stringify(await end())}\n`)
