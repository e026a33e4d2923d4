/**
 * The terms of service, as text for people and as JSON for agents. The 402 links the text.
 *
 * @module
 */
import { createHash } from "node:crypto"
import type { freeRows, VenueMode } from "../../catalog/domain/freeRow.ts"
import { products } from "../../catalog/domain/product.ts"
import { type Answer, answer } from "../server/answer.ts"

/** Changes whenever a word below does. */
const version = "1.3.0"
const effectiveDate = "2026-11-21"

type TermsBody = typeof freeRows.terms.body.Type

const provider = "Bellwether"
const summary =
  "Pay per call in USDC through x402. An error or an empty answer is not charged, or is refunded. " +
  "The data is informational and is not financial advice."
const acceptance = "Paying for a call accepts these terms. There are no accounts."
const use =
  "Answers may be used, stored and shown in your own products. Do not resell the feed as a feed, " +
  "and do not work around the request limits."
const disclaimers = [
  "Everything served is informational. It is not financial, legal or betting advice.",
  "What is said of a wallet is computed from its public entries held to resolution. It is not its " +
  "profit or loss, which depend on exits that are not tracked, and no advice to follow or to fade it.",
  "Digests and reports are written by rules or by a model and checked against the facts they name. " +
  "Questions and headlines they quote are the words of others, and may be wrong.",
  "Signals are computed from the data source named here, which can be late, wrong or incomplete.",
  "The service comes without warranty. Its liability for a call is limited to the price of the call.",
]
const dataSources: Readonly<Record<VenueMode, string>> = {
  simulated:
    "A simulated market, made up by this service: no venue and no real market is behind it",
  replay: "Recorded pages of the Polymarket venue, played back: they are not the market of today",
  polymarket:
    "Public market listings, order books, prices, trades, leaderboards and wallets' activity of the " +
    "Polymarket venue",
}
/** The paths of calls that are paid before they are computed. */
const settledFirst = Object.values(products)
  .filter(({ settlementOrder }) => settlementOrder === "settle-early").map(({ path }) => path).join(
    ", ",
  )
const settlement = {
  simulated:
    "Payments are simulated: a signed EIP-3009 authorization in USDC is checked as if it were real, " +
    "and no money moves.",
  live: "A signed EIP-3009 authorization in USDC. Calls of the feed and of digests are settled " +
    "only once the answer is ready; " + settledFirst +
    " are settled first, once all that can be known " +
    "beforehand speaks for an answer.",
}
const refunds = {
  simulated: "Nothing is taken, so nothing is refunded.",
  live: "A call that fails before it is settled is not charged. A payment that was settled and " +
    "gets no answer is refunded in full, to its payer; GET /v1/payments/{paymentId} says where " +
    "the refund stands. While it is not known whether a payment was taken, the error says so " +
    "(charged is null). A payment is never taken twice. An answer that was charged and lost on " +
    "the way is given again to the same payment only with the Idempotency-Key or " +
    "payment-identifier of its first call.",
}
const paymentIn = (mode: TermsOptions["paymentMode"]): TermsBody["payment"] => ({
  protocol: "x402",
  x402Version: 2,
  settlement: settlement[mode],
  refunds: refunds[mode],
  currency: "USDC",
})

export interface TermsOptions {
  readonly publicBaseUrl: string
  readonly paymentMode: "live" | "simulated"
  readonly venueMode: VenueMode
}

/** Both forms of the terms, for what this service is: whose data it serves, and what is paid. */
export function termsAnswers(options: TermsOptions): { text: Answer; json: Answer } {
  return {
    text: answer({
      body: termsText(options),
      contentType: "text/plain; charset=utf-8",
      cache: "document",
    }),
    json: answer({ body: JSON.stringify(termsBody(options)), cache: "document" }),
  }
}

/** The body of /terms.json. */
export function termsBody(options: TermsOptions): TermsBody {
  const { publicBaseUrl, paymentMode, venueMode } = options
  return {
    success: true,
    version,
    effectiveDate,
    textUrl: `${publicBaseUrl}/terms.txt`,
    textSha256: createHash("sha256").update(termsText(options)).digest("hex"),
    provider,
    acceptance,
    payment: paymentIn(paymentMode),
    use,
    disclaimers,
    dataSources: [dataSources[venueMode]],
    summary,
  }
}

/** /terms.txt. */
export function termsText({ paymentMode, venueMode }: TermsOptions): string {
  return [
    `${provider}: terms of service`,
    `Version ${version}, effective ${effectiveDate}`,
    "",
    `Summary. ${summary}`,
    `Acceptance. ${acceptance}`,
    `Payment. ${settlement[paymentMode]} ${refunds[paymentMode]}`,
    `Use. ${use}`,
    `Data sources. ${dataSources[venueMode]}.`,
    `Disclaimers. ${disclaimers.join(" ")}`,
    "",
  ].join("\n")
}
