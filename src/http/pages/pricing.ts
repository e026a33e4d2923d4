/**
 * /pricing: what each call costs and returns, when it is charged, and what is free; and three ways to
 * call a product, each with a command to copy.
 *
 * @module
 */
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { exampleCall, exampleOf } from "../../catalog/domain/parameter.ts"
import { type Product, products, type SettlementOrder } from "../../catalog/domain/product.ts"
import { skillName } from "../../catalog/domain/skill.ts"
import { atomic, AtomicAmount, usd } from "../../core/domain/money.ts"
import { notBuilt } from "../documents/packages.ts"
import type { Site } from "../site.ts"
import type { Block, Card, Page } from "./sections.tsx"
import { link } from "./text.tsx"

/** When the payment is taken, in two words and in full. */
export const charging: Readonly<Record<SettlementOrder, { short: string; long: string }>> = {
  "compute-first": {
    short: "after computing",
    long:
      "The payment is taken only when the answer is ready. An error or an empty answer is not charged.",
  },
  "settle-early": {
    short: "before computing",
    long:
      "Computing is expensive, so the payment is taken first. What can be refused without a payment is " +
      "refused before it. If there is no answer then, the payment is refunded in full to its payer.",
  },
}

const all: ReadonlyArray<Product> = Object.values(products)

/** Every product; its path leads to its page, with what the call returns. */
export const priceTable: Block = {
  table: {
    caption: "Price of each call",
    columns: ["Call", "Price", "Returns", "Charged"],
    rows: all.map(({ path, price, settlementOrder, title }) => [
      link(path, path),
      `$${usd(price)}`,
      title,
      charging[settlementOrder].short,
    ]),
  },
}

export function pricingPage(): Page {
  const { signals } = products
  const twelve = usd(AtomicAmount.make(12n * signals.price))
  return {
    name: "Pricing",
    description: "What each call costs in USDC, what it returns, and when it is charged.",
    lead: "You pay for each call in USDC. There is no subscription, no account and no minimum.",
    blocks: [
      priceTable,
      `Poll \`${freeRows.index.path}\`, which is free, and buy \`${signals.path}\` when it has increased: twelve purchases cost $${twelve}.`,
    ],
    sections: [
      {
        id: "charged",
        title: "When you are charged",
        blocks: [{
          list: [
            ...Object.values(charging).map(({ short, long }) => `**Charged ${short}**. ${long}`),
            `An empty answer costs nothing, such as \`${signals.path}\` with nothing new.`,
            "An answer that does not arrive can be fetched again for 24 hours with the key of the purchase, at no further cost.",
            "[How a payment works](/docs#payment), step by step.",
          ],
        }],
      },
      {
        id: "free",
        title: "Free calls",
        blocks: [
          "These need no payment. All of them together have [a limit](/docs#limits).",
          {
            table: {
              caption: "Calls that need no payment",
              columns: ["Call", "Returns"],
              rows: Object.values(freeRows).map(({ path, title }) => [link(path, path), title]),
            },
          },
        ],
      },
    ],
  }
}

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
          code: `${packages.stdioCommand} ${skillName(product)}${call.join("")}`,
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
        `Then ask for the tool \`${skillName(product)}\`. ${
          paymentMode === "simulated"
            ? "Payments are simulated, so Claude needs no key; it"
            : "Free calls work at once; to buy, Claude needs the key of a wallet and"
        } stays within these limits. See the [Claude quickstart](/docs/quickstart/claude.md).`,
      ],
    },
  ]
}
