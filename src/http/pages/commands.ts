/**
 * Three ways to call a product, each with a command to copy.
 *
 * @module
 */
import { exampleCall, exampleOf } from "../../catalog/domain/parameter.ts"
import type { Product } from "../../catalog/domain/product.ts"
import { skillName } from "../../catalog/domain/skill.ts"
import { atomic, usd } from "../../core/domain/money.ts"
import { notBuilt } from "../documents/packages.ts"
import type { Card } from "./sections.tsx"
import type { Site } from "../site.ts"

/** The most for one call that the quickstart of Claude sets, and its budget for a day. */
const pricePerCallMax = atomic("0.10")
const budgetPerDay = atomic("0.50")

export function waysToCall(site: Site, product: Product): ReadonlyArray<Card> {
  const { terms: { publicBaseUrl }, packages, paymentMode } = site
  const { price } = product
  // Claude needs a budget in which it can pay for the product.
  const [most, day] = price > pricePerCallMax ? [price, price] : [pricePerCallMax, budgetPerDay]
  const isBuilt = packages.scope !== null || packages.files.size > 0
  const call = Object.entries(exampleOf(product.parameters)).map(([name, value]) =>
    ` ${name}=${value}`
  )
  return [
    {
      title: "Buy one answer",
      blocks: [
        ...isBuilt ? [] : [notBuilt],
        `Needs Node 20 or later. ${
          paymentMode === "simulated"
            ? "It pays with play money, by a key that it throws away."
            : "It pays with the key in `BUYER_PRIVATE_KEY`: use a wallet that holds only what this may spend."
        }`,
        {
          code: `BASE_URL=${publicBaseUrl} npx -y ${packages.specs["bellwether-mcp"]} ${
            skillName(product)
          }${call.join("")}`,
        },
        ...product.parameters.some((one) => "slug" in one)
          ? [
            "Put the slug of a market in the place of the sample's, such as one of [the newest signals](/signals).",
          ]
          : [],
        "From code: [Python](/docs/quickstart/python.py), [TypeScript](/docs/quickstart/client.mjs) and [others](/docs).",
      ],
    },
    {
      title: "See the price with curl",
      blocks: [
        "The call answers 402, and nothing is charged. Its header `PAYMENT-REQUIRED` has the terms to sign, as JSON in base64. See the [curl quickstart](/docs/quickstart/curl.sh).",
        {
          code: `curl -i '${publicBaseUrl}${exampleCall(product)}'`,
        },
      ],
    },
    {
      title: "Ask Claude by MCP",
      blocks: [
        {
          code: `claude mcp add bellwether \\
  --env BASE_URL=${publicBaseUrl} \\
  --env MAX_PRICE_USD=${usd(most)} \\
  --env BUDGET_USD=${usd(day)} \\
  -- npx -y ${packages.specs["bellwether-mcp"]}`,
        },
        `Then ask for the tool \`${
          skillName(product)
        }\`. Free calls work at once; to buy, Claude needs the key of a wallet and stays within these limits. See the [Claude quickstart](/docs/quickstart/claude.md).`,
      ],
    },
  ]
}
