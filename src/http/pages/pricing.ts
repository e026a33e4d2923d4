/**
 * /pricing: what each call costs and returns, when it is charged, and what is free.
 *
 * @module
 */
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { type Product, products, type SettlementOrder } from "../../catalog/domain/product.ts"
import { AtomicAmount, usd } from "../../core/domain/money.ts"
import type { Block, Page } from "./sections.tsx"
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
