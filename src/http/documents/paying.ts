/**
 * How to pay, step by step, and in code: the part of /llms-full.txt that costs money to get wrong.
 *
 * @module
 */
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { usd, usdDecimals } from "../../core/domain/money.ts"
import { products } from "../../catalog/domain/product.ts"
import { type PaymentTerms, requirements } from "../../payments/domain/x402/terms.ts"
import { paymentsPrefix } from "../paywall/paymentStatus.ts"
import { exampleCall } from "./calls.ts"

/** The section, with its heading. */
export function payingSection(terms: PaymentTerms): string {
  const { signals } = products
  const { publicBaseUrl } = terms
  const call = `${publicBaseUrl}${exampleCall(signals)}`
  return [
    "## How to pay",
    steps(call, terms),
    "With the reference client, which does all of this (`npm install @x402/fetch @x402/evm viem`):",
    ["```js", sampleCode(publicBaseUrl), "```"].join("\n"),
    "If the answer is lost on the way, send the same request with the same payment and the same " +
    "Idempotency-Key: it is given again (`Idempotent-Replayed: true`) and not charged again. Without " +
    "a key a payment that was used is a 409, because a settled authorization is public. The key may " +
    "also be the `payment-identifier` extension of the payment.",
    "Refunds: an answer that was paid for and cannot be given is refunded in full to its payer, by " +
    "itself; the error has the refund's id, and GET " +
    `${publicBaseUrl}${paymentsPrefix}{id} says where it stands. Terms: ` +
    `${publicBaseUrl}${freeRows.terms_text.path}`,
  ].join("\n\n")
}

function steps(call: string, terms: PaymentTerms): string {
  const { signals } = products
  const { network, amount, asset, payTo, extra } = requirements(signals, terms)
  const steps = [
    `GET ${call} without a payment. It answers 402. Parameters are not looked at yet.`,
    "Decode the header `PAYMENT-REQUIRED`: base64 of JSON, `x402Version` 2. `accepts` has one entry: " +
    `scheme \`exact\`, network \`${network}\`, amount \`${amount}\`, asset \`${asset}\`, payTo ` +
    `\`${payTo}\`. The amount is in units of 10^-${usdDecimals} USDC: ${amount} is ` +
    `$${usd(signals.price)}. The body of the 402 is a summary for people.`,
    "Sign an EIP-3009 `TransferWithAuthorization` for that amount to payTo: EIP-712 domain " +
    `\`{name: "${extra.name}", version: "${extra.version}", chainId: ${terms.chainId}, ` +
    "verifyingContract: asset}`, a fresh random 32-byte nonce, `validAfter` in the past, " +
    `\`validBefore\` ${terms.maxTimeoutSeconds} seconds from now.`,
    "Repeat the same request with the header `PAYMENT-SIGNATURE`: base64 of the JSON `{x402Version: " +
    "2, payload: {signature, authorization}, accepted}`, where `accepted` is the entry you signed " +
    "for. `X-PAYMENT` is read too, for older clients. Send an `Idempotency-Key` of your own, a " +
    "secret of 16 to 128 letters, digits, - or _, with this first paid call.",
    "A 200 has the answer, and the receipt in `PAYMENT-RESPONSE` (base64 of JSON: payer, " +
    "transaction, network). `charged: false` in the body means that there was nothing worth the " +
    "price, and nothing was taken. Any other status: read `charged` in the error.",
  ]
  return steps.map((step, at) => `${at + 1}. ${step}`).join("\n")
}

/** A buyer of one page of the feed. */
function sampleCode(publicBaseUrl: string): string {
  return [
    'import { ExactEvmScheme } from "@x402/evm"',
    'import { wrapFetchWithPaymentFromConfig } from "@x402/fetch"',
    'import { privateKeyToAccount } from "viem/accounts"',
    "",
    "const account = privateKeyToAccount(process.env.PRIVATE_KEY)",
    "const pay = wrapFetchWithPaymentFromConfig(fetch, {",
    '  schemes: [{ network: "eip155:*", client: new ExactEvmScheme(account) }],',
    "})",
    `const base = "${publicBaseUrl}"`,
    `const { index } = await (await fetch(base + "${freeRows.index.path}")).json()`,
    `const response = await pay(base + "${products.signals.path}?since=" + Math.max(0, index - 5), {`,
    '  headers: { "Idempotency-Key": crypto.randomUUID() },',
    "})",
    "console.log(response.status, await response.json())",
  ].join("\n")
}
