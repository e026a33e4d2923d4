/**
 * What a person sees in place of a refusal in JSON: the price of a paid path that was opened without a
 * payment, that nothing is at the address, or that there were too many requests.
 *
 * @module
 */
import { limitsOf } from "../../catalog/domain/parameter.ts"
import type { Product } from "../../catalog/domain/product.ts"
import { firstRows } from "../../catalog/domain/sample.ts"
import { usd } from "../../core/domain/money.ts"
import { preparedFor } from "../../core/domain/prepared.ts"
import type { SignedExtension } from "../../payments/domain/x402/offerReceipt.ts"
import { networkOf } from "../../payments/domain/x402/terms.ts"
import { challengeFor } from "../paywall/paywall.ts"
import type { Answer } from "../server/answer.ts"
import type { PreparedRefusal } from "../server/errors.ts"
import { pageAnswer } from "./layout.tsx"
import type { Site } from "../site.ts"
import { pagePaths } from "../documents/addresses.ts"
import { charging, waysToCall } from "./pricing.ts"
import type { Block, Page } from "./sections.tsx"
import { code, words } from "./text.tsx"

/** The page of a paid path. Its status and the header that a wallet reads are those of the JSON answer. */
export function paywallAnswer(
  site: Site,
  product: Product,
  offer: SignedExtension,
): Answer {
  const { status, headers } = challengeFor(product, site.terms, { offer })
  return pageAnswer(site, paywallPage(site, product), {
    path: product.path,
    status,
    headers: headers.filter(([name]) => name === "payment-required"),
  })
}

/** The name of a network for people; its CAIP-2 form where it has none here. */
const networkName = (chainId: number): string => networkOf(chainId)?.title ?? `eip155:${chainId}`

const paywallPage = (site: Site, product: Product): Page => ({
  name: `${product.title}: $${usd(product.price)} per call`,
  description: product.description.replaceAll("`", ""),
  above: `402 Payment Required · \`GET ${product.path}\``,
  title: product.title,
  lead: product.description,
  blocks: [
    {
      facts: [
        ["Price of one call", `$${usd(product.price)}`],
        ["Paid in", `USDC on ${networkName(site.terms.chainId)}`],
        ["Charged", charging[product.settlementOrder].short],
      ],
    },
    `This address is for programs: an AI agent or a wallet pays for each request, without an account. You have paid nothing by opening it. ${
      charging[product.settlementOrder].long
    } Each error says in \`charged\` whether you paid. After a lost answer, send the same payment again with the same \`Idempotency-Key\`: it is never taken twice. [What is Bellwether?](/)`,
    ...parameters(product),
  ],
  sections: [
    { id: "pay", title: "How to pay", blocks: [{ cards: waysToCall(site, product) }] },
    {
      id: "sample",
      title: "What the answer looks like",
      blocks: [
        "A sample: the fields are real, and the values are invented. Of each list it has the first row.",
        {
          folded: "Sample of the answer",
          blocks: [{ code: JSON.stringify(firstRows(product.sample), null, 2) }],
        },
      ],
    },
  ],
})

const parameters = ({ parameters }: Product): ReadonlyArray<Block> =>
  parameters.length === 0 ? [] : [{
    table: {
      caption: "Parameters of the query",
      columns: ["Name", "Values", "Meaning"],
      rows: parameters.map((parameter) => [
        code(parameter.name),
        limitsOf(parameter),
        words(parameter.description),
      ]),
    },
  }]

const errorTitles: Readonly<Record<string, string>> = {
  not_found: "There is no such page",
  rate_limited: "Too many requests",
}

/** The page of an error, made once for each; null for one without a page. */
export const errorPages = (site: Site): (refusal: PreparedRefusal) => Answer | null =>
  preparedFor(({ code, status, message, hint = "", headers }) => {
    const name = errorTitles[code]
    if (name === undefined) return null
    const page: Page = {
      name,
      description: name,
      above: `${status}`,
      lead: `${message}. This request was not charged.`,
      blocks: [
        hint.replaceAll(/\/[\w./-]+\b/g, "[$&]($&)"),
        "Start at [the first page](/), [the newest signals](/signals) or [the documentation](/docs).",
      ],
    }
    return pageAnswer(site, page, {
      path: pagePaths.home,
      status,
      headers: headers.filter(([name]) => name === "retry-after" || name.startsWith("ratelimit")),
    })
  })
