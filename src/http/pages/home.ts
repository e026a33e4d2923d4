/**
 * /: what is sold, what a cent bought yesterday, what each call costs, and how to start.
 *
 * @module
 */
import type { freeRows } from "../../catalog/domain/freeRow.ts"
import { products } from "../../catalog/domain/product.ts"
import { usd } from "../../core/domain/money.ts"
import type { PageBodies } from "../free/pageData.ts"
import { openedCard } from "./items.tsx"
import { priceTable, waysToCall } from "./pricing.ts"
import type { Block, Page, Section } from "./sections.tsx"
import type { Site } from "../site.ts"
import { num, time } from "./text.tsx"

type Index = typeof freeRows["index"]["body"]["Type"]
type Opened = PageBodies["opened"]

/** A body is null while it cannot be read. */
export const homePage = (
  site: Site,
  index: Index | null,
  opened: Opened | null,
): Page => ({
  name: "Prediction-market signals for AI agents",
  description:
    "Signals, digests and reports on prediction markets for AI agents, paid per call in USDC. No account.",
  title: "Prediction-market signals for AI agents, paid per call",
  lead: `Bellwether watches ${
    venueNames[site.venueMode]
  } and sells what it finds: prices that moved, what tracked traders buy, outcomes that news reports before the market pays, and reports on one market.`,
  blocks: [
    `An agent pays $${usd(products.latest.price)} to $${
      usd(products.research.price)
    } for each call, in USDC by [x402](https://www.x402.org), without an account. **You do not pay for a failure**: a call without an answer is not charged, or it is refunded in full. **The results are public**, losing ones too: see the [track record](/track-record), the [state of the service](/status) and the [terms](/terms.txt).`,
    live(index),
  ],
  sections: [
    bought(opened),
    {
      id: "prices",
      title: "What it sells",
      blocks: [
        "A prediction market trades on the outcome of an event: a price of 0.62 means that traders give it a chance of about 62 %. What Bellwether finds becomes an item of its feed, and each item has a number, its index.",
        priceTable,
        "[Samples of all answers](/v1/sample) are free.",
      ],
    },
    {
      id: "start",
      title: "Three ways to start",
      blocks: [{ cards: waysToCall(site, products.latest) }],
    },
  ],
})

const venueNames = {
  polymarket: "the prediction market Polymarket",
  simulated: "a simulated prediction market",
} as const satisfies { [Mode in Site["venueMode"]]: string }

const live = (index: Index | null): Block =>
  index === null ? { empty: "The state of the feed cannot be read now." } : {
    facts: [
      ["Feed", index.status],
      ["Items today (UTC)", num(index.totalToday)],
      ["Items so far", num(index.index)],
      ["Newest item", time(index.lastUpdated)],
    ],
  }

const bought = (opened: Opened | null): Section => ({
  id: "bought",
  title: `What $${usd(products.signal.price)} bought yesterday`,
  blocks: opened === null || opened.items.length === 0
    ? [{ empty: "No item is a day old yet." }]
    : [
      "The newest item of each type that is more than a day old, opened, and what became of it. They are not chosen by their outcome.",
      { cards: opened.items.map(openedCard) },
    ],
})
