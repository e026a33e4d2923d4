// Buys the newest item ($0.01) with bellwether-client, which checks terms, budget and receipt.
//   npm i http://127.0.0.1:8402/packages/bellwether-client-1.0.0.tgz
//   export BASE_URL=... BUYER_PRIVATE_KEY=0x$(openssl rand -hex 32)   # play money: any key
import { BuyError, fileLedger, makeClient } from "bellwether-client"

if (!/^0x[0-9a-f]{64}$/i.test(process.env.BUYER_PRIVATE_KEY)) {
  console.error("Set BUYER_PRIVATE_KEY to the key that pays: 0x and 64 hexadecimal digits.")
  process.exit(1)
}
// Answer lost or 503: send the same payment again with the same key; a new signature may pay twice.
// The client does so in every call, until the outcome is known or three minutes have passed.
const client = makeClient({
  baseUrl: process.env.BASE_URL ?? "http://127.0.0.1:8402",
  privateKey: process.env.BUYER_PRIVATE_KEY, // null: free calls only.
  maxPriceUsd: "0.05", // For one call; a report needs "1.00" here and below.
  budgetUsd: "0.50", // For one day.
  ledger: fileLedger("purchases"), // A folder: each payment and its key, also over a restart.
})

try {
  const { body: feed } = await client.index() // Free.
  console.log(`${feed.totalToday} items today, the newest is ${feed.index}`)
  const { body, sentence } = await client.latest()
  console.log(JSON.stringify(body, null, 2))
  console.log(sentence) // What was paid, and what is left of the budget.
  // All new items, each once: for await (const item of client.follow({ since: feed.index })) ...
} catch (error) {
  if (!(error instanceof BuyError)) throw error
  // Run this again where `charged` is null: the ledger has the payment, and the client sends it.
  console.error(error.sentence)
  process.exitCode = 1
}
