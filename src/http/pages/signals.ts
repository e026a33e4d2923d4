/**
 * /signals: what the newest items of the feed are about, and what the paid call adds.
 *
 * @module
 */
import type { freeRows } from "../../catalog/domain/freeRow.ts"
import { products } from "../../catalog/domain/product.ts"
import { usd } from "../../core/domain/money.ts"
import { minute } from "../../core/domain/time.ts"
import { feedTypes } from "../../feed/domain/item.ts"
import { freeAfterMs } from "../../feed/domain/publishedMarket.ts"
import type { PageBodies } from "../free/pageData.ts"
import { badge, marketLink, typeTexts, windowTexts } from "./items.tsx"
import type { Block, Page } from "./sections.tsx"
import { cents, name, num, price, say, time } from "./text.tsx"

type Pulse = typeof freeRows["pulse"]["body"]["Type"]
type Recent = PageBodies["recent"]

/** `pulse` is null while it cannot be read. */
export const signalsPage = ({ items }: Recent, pulse: Pulse | null): Page => ({
  name: "Signals",
  description: "What the newest items of the feed are about, and the strongest moves of the day.",
  lead: "What the newest items of the feed are about, and when they were published, named here " +
    `${
      freeAfterMs / minute
    } minutes later. A call buys them at once, with the price, its direction ` +
    "and the evidence.",
  sections: [
    ...(pulse === null ? [] : [{
      id: "pulse",
      title: "The strongest moves of the last 24 hours",
      blocks: [strongest(pulse)],
    }]),
    {
      id: "recent",
      title: "The newest items",
      blocks: [newest(items.slice(0, shownMax))],
    },
    {
      id: "types",
      title: "What an item is",
      blocks: [
        { list: feedTypes.map((type) => say`${badge(type)} ${typeTexts[type]}`) },
        `\`${products.signals.path}\` returns up to 20 items with their content for $${
          usd(products.signals.price)
        }. \`${products.signal.path}\` returns one item for $${
          usd(products.signal.price)
        }. An answer without items is not charged. [A sample](/v1/sample) of each type is free; the [documentation](/docs) says how to pay.`,
      ],
    },
  ],
})

const strongest = ({ topMovers24h }: Pulse): Block => ({
  table: {
    caption: "Prices are in USD per share of the outcome, from 0 to 1.",
    columns: ["Market", "Outcome", "From", "To", "Change", "Within"],
    rows: topMovers24h.map(({ slug, question, outcome, priceStart, priceNow, delta, window }) => [
      marketLink({ slug, question }),
      name(outcome, 40),
      num(priceStart, price),
      num(priceNow, price),
      num(delta, cents),
      windowTexts[window],
    ]),
  },
  empty: "No move in the last 24 hours passed the filters.",
})

/** Newest items on the page; its data has more. */
const shownMax = 15

const newest = (items: Recent["items"]): Block => ({
  table: {
    caption: `The newest first, at most ${shownMax}`,
    columns: ["Market", "Type", "Published", "Index"],
    rows: items.map(({ slug, question, type, createdAt, feedIndex }) => [
      marketLink({ slug, question }),
      badge(type),
      time(createdAt),
      num(feedIndex),
    ]),
  },
  empty: `No item is older than ${freeAfterMs / minute} minutes yet.`,
})
