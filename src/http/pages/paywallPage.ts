/**
 * The page of a paid path for a person who opens it without a payment: what the call costs, what it
 * returns, and how a program pays. Its status is 402, with the header that a wallet reads.
 *
 * @module
 */
import { exampleCall, exampleOf, limitsOf } from "../../catalog/domain/parameter.ts"
import type { Product } from "../../catalog/domain/product.ts"
import { firstRows } from "../../catalog/domain/sample.ts"
import { skillName } from "../../catalog/domain/skill.ts"
import { usd } from "../../core/domain/money.ts"
import type { SignedExtension } from "../../payments/domain/x402/offerReceipt.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import { challengeFor } from "../paywall/paywall.ts"
import { claudeBlocks } from "./commands.ts"
import type { PageMeta } from "./layout.tsx"
import { charging } from "./payment.ts"
import type { Block, Card, Page } from "./sections.tsx"
import { networkName, type Site } from "./site.ts"
import { code, prose, say } from "./text.tsx"

/** The status and the header are those of the JSON answer. */
export function paywallMeta(
  product: Product,
  terms: PaymentTerms,
  offer: SignedExtension,
): PageMeta {
  const { status, headers } = challengeFor(product, terms, { offer })
  return {
    path: product.path,
    title: `${product.title}: $${usd(product.price)} per call`,
    description: product.description.replaceAll("`", ""),
    status,
    headers: headers.filter(([name]) => name === "payment-required"),
    noindex: true,
  }
}

export const paywallPage = (site: Site, product: Product): Page => ({
  above: say`402 Payment Required · ${code(`GET ${product.path}`)}`,
  title: product.title,
  lead: prose(product.description),
  blocks: [
    {
      facts: [
        ["Price of one call", `$${usd(product.price)}`],
        ["Paid in", `USDC on ${networkName(site.network)}`],
        ["Charged", charging[product.settlementOrder].short],
      ],
    },
    say`This address is for programs: an AI agent or a wallet pays for each request, without an account. You have paid nothing by opening it. [What is Bellwether?](/)`,
    ...parameters(product),
  ],
  sections: [
    { id: "pay", title: "How to pay", blocks: [{ cards: waysToPay(site, product) }] },
    {
      id: "failure",
      title: "If it fails",
      blocks: [
        charging[product.settlementOrder].long,
        say`Each error says in ${
          code("charged")
        } whether you paid. After a lost answer, send the same payment again with the same ${
          code("Idempotency-Key")
        }: it is never taken twice. The [terms](/terms.txt) have the details, and the [track record](/track-record) shows how earlier answers did.`,
      ],
    },
    {
      id: "sample",
      title: "What the answer looks like",
      blocks: [
        "A sample: the fields are real, and the values are invented. Of each list it has the first row.",
        {
          label: "Sample of the answer",
          code: JSON.stringify(firstRows(product.sample), null, 2),
        },
      ],
    },
  ],
})

const parameters = ({ parameters }: Product): ReadonlyArray<Block> =>
  parameters.length === 0 ? [] : [{
    table: {
      caption: "Parameters of the query",
      columns: [{ title: "Name" }, { title: "Values" }, { title: "Meaning" }],
      rows: parameters.map((parameter) => [
        code(parameter.name),
        limitsOf(parameter),
        prose(parameter.description),
      ]),
    },
  }]

function waysToPay(site: Site, product: Product): ReadonlyArray<Card> {
  const { publicBaseUrl } = site
  const input = JSON.stringify(exampleOf(product.parameters))
  return [
    {
      title: "See the terms, with curl",
      blocks: [
        say`The header ${
          code("PAYMENT-REQUIRED")
        } has the terms to sign, as JSON in base64. A client of x402 version 2 signs them and sends the request again with ${
          code("PAYMENT-SIGNATURE")
        }.`,
        {
          label: "Unpaid call with curl",
          code: `curl -i '${publicBaseUrl}${exampleCall(product)}'`,
        },
      ],
    },
    {
      title: "Let Claude pay, over MCP",
      blocks: [
        ...claudeBlocks(site, product.price),
        say`Then ask for the tool ${
          code(skillName(product))
        }. See the [Claude quickstart](/docs/quickstart/claude.md).`,
      ],
    },
    {
      title: "Pay from code",
      blocks: [
        say`With the client, which signs nothing over its budget ([TypeScript](/docs/quickstart/client.mjs)), or with [Python, LangChain and others](/docs).`,
        {
          label: "Call with the client",
          code: `client.call("${skillName(product)}"${input === "{}" ? "" : `, ${input}`})`,
        },
      ],
    },
  ]
}
