// Buys the newest item ($0.01) with the stock x402 client. First, in an empty folder:
//   npm i @x402/fetch@2.27.0 @x402/evm@2.27.0 viem@2.57.20
//   export BASE_URL=... BUYER_PRIVATE_KEY=0x$(openssl rand -hex 32)   # play money: any key
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { ExactEvmScheme } from "@x402/evm"
import { x402Client, x402HTTPClient } from "@x402/fetch"
import { privateKeyToAccount } from "viem/accounts"

const file = "purchase.json" // Keeps the payment and its key until the outcome is known.
if (!existsSync(file)) {
  if (!/^0x[0-9a-f]{64}$/i.test(process.env.BUYER_PRIVATE_KEY)) {
    console.error("Set BUYER_PRIVATE_KEY to the key that pays: 0x and 64 hexadecimal digits.")
    process.exit(1)
  }
  const buyer = new ExactEvmScheme(privateKeyToAccount(process.env.BUYER_PRIVATE_KEY))
  const client = new x402Client().register("eip155:*", buyer)
  const x402 = new x402HTTPClient(client.setSpendControls({ maxAmountPerPayment: "$0.01" }))
  const url = `${process.env.BASE_URL ?? "http://127.0.0.1:8402"}/v1/latest`
  const { headers: terms } = await fetch(url)
  const asked = x402.getPaymentRequiredResponse((name) => terms.get(name))
  const payment = x402.encodePaymentSignatureHeader(await x402.createPaymentPayload(asked))
  const key = crypto.randomUUID() // Made once, and kept with the payment.
  writeFileSync(file, JSON.stringify([url, { headers: { ...payment, "Idempotency-Key": key } }]))
}
// Answer lost or 503: send the same payment again with the same key; a new signature may pay twice.
let body
do {
  const answer = fetch(...JSON.parse(readFileSync(file)))
  body = await answer.then((r) => r.json()).catch(() => ({ error: { charged: null } }))
} while ((body.error?.charged === null || body.error?.retryable) && await sleep(3_000, true))
rmSync(file)
console.log(JSON.stringify(body, null, 2))
process.exitCode = body.success ? 0 : 1
