/**
 * How a call is paid, in words: its steps for each settlement order, and when money is taken.
 *
 * @module
 */
import { products, type SettlementOrder } from "../../catalog/domain/product.ts"
import type { Card } from "./sections.tsx"
import { code, type Inline, join, quiet, say } from "./text.tsx"

export const settlementOrders = ["compute-first", "settle-early"] as const

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

const settle = say`The service takes the USDC. ${quiet("If that fails: an error, not charged.")}`
const compute = (failure: string) => say`The service computes the answer. ${quiet(failure)}`

const middle: Readonly<Record<SettlementOrder, ReadonlyArray<Inline>>> = {
  "compute-first": [compute("If that fails: an error, not charged."), settle],
  "settle-early": [settle, compute("If that fails: an error, refunded in full.")],
}

const pathsOf = (order: SettlementOrder): Inline =>
  join(
    Object.values(products).filter(({ settlementOrder }) => settlementOrder === order)
      .map(({ path }) => [code(path)]),
    ", ",
  )

/** The steps of each order, from the first call to the answer. */
export const paymentCards: ReadonlyArray<Card> = settlementOrders.map((order) => ({
  title: `Paid ${charging[order].short}`,
  blocks: [
    pathsOf(order),
    {
      numbered: true,
      list: [
        "You call without a payment. The service answers 402 with the price.",
        say`You sign it and call again. ${quiet("If it is refused: 402, not charged.")}`,
        ...middle[order],
        say`The service delivers the answer. ${
          quiet("If it is lost: send the same again, or it is refunded.")
        }`,
      ],
    },
  ],
}))
