/**
 * /signals: what the newest items of the feed are about, and what the paid call adds.
 *
 * @module
 */
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { pageRows } from "../../catalog/domain/pageRow.ts"
import { products } from "../../catalog/domain/product.ts"
import { usd } from "../../core/domain/money.ts"
import { minute } from "../../core/domain/time.ts"
import { feedTypes } from "../../feed/domain/item.ts"
import { freeAfterMs } from "../../feed/domain/publishedMarket.ts"
import { sparkline } from "./charts.ts"
import { cite, type Cited, items } from "./cited.ts"
import { badge, marketLink, paidFields, typeTexts } from "./items.tsx"
import { pagePaths } from "./paths.ts"
import { type Block, image, type Page, type Section } from "./sections.tsx"
import { code, count, name, num, price, say, signedPrice, time } from "./text.tsx"

type Index = typeof freeRows["index"]["body"]["Type"]
type Pulse = typeof freeRows["pulse"]["body"]["Type"]
type Recent = typeof pageRows["recent"]["body"]["Type"]

export const signalsMeta = {
  path: pagePaths.signals,
  title: "Signals",
  description: "What the newest items of the feed are about, and the strongest moves of the day.",
  json: [pageRows.recent.path, freeRows.pulse.path, freeRows.index.path],
} as const

/** `index` and `pulse` are null while they cannot be read. */
export const signalsPage = (
  { index, pulse, recent }: { index: Index | null; pulse: Pulse | null; recent: Recent },
): Page => ({
  title: "Signals",
  lead: "What the newest items of the feed are about, and when they were published, named here " +
    `${
      freeAfterMs / minute
    } minutes later. At once a call buys them, with the price, its direction ` +
    "and the evidence.",
  blocks: index === null ? [] : [{
    small: say`Feed index ${num(cite(freeRows.index.path, index).at("index"))}, updates ${
      statusTexts[index.status]
    }. Newest item: ${time(index.lastUpdated)}.`,
  }],
  sections: [
    ...(pulse === null ? [] : [strongest(pulse, recent)]),
    newest(recent),
    {
      id: "types",
      title: "Types of items",
      blocks: [{ terms: feedTypes.map((type) => [badge(type), typeTexts[type].text]) }],
    },
    {
      id: "paid",
      title: "What the paid call adds",
      blocks: [
        say`${code(products.signals.path)} returns up to 20 items with their content for $${
          usd(products.signals.price)
        }. ${code(products.signal.path)} returns one item for $${
          usd(products.signal.price)
        }. An answer without items is not charged. [How to pay](/docs) is in the docs.`,
        ...paidFields,
      ],
    },
  ],
})

const statusTexts = { live: "on time", stale: "late", starting: "not started" } as const

const windowTexts = { "1h": "an hour", "24h": "a day" } as const

function strongest(pulse: Pulse, recent: Recent): Section {
  const paths = new Map(recent.pulsePaths.map(({ slug, path }) => [slug, path]))
  const rows = items(cite(freeRows.pulse.path, pulse).at("topMovers24h")).map((mover) => {
    const { slug, question, outcome, window } = mover.value
    const svg = sparkline("The price in the last 24 hours", paths.get(slug) ?? [])
    return [
      marketLink(slug, question),
      name(outcome, 40),
      num(mover.at("priceStart"), price),
      num(mover.at("priceNow"), price),
      num(mover.at("delta"), signedPrice),
      windowTexts[window],
      svg === null ? "no prices stored" : image(svg),
    ]
  })
  return {
    id: "pulse",
    title: "The strongest moves of the last 24 hours",
    blocks: [
      {
        table: {
          caption: "Prices are in USD per share of the outcome, from 0 to 1.",
          columns: [
            { title: "Market" },
            { title: "Outcome" },
            { title: "From", numeric: true },
            { title: "To", numeric: true },
            { title: "Change", numeric: true },
            { title: "Within" },
            { title: "Last 24 hours" },
          ],
          rows,
        },
        empty: "No move in the last 24 hours passed the filters.",
      },
      { json: [freeRows.pulse.path, pageRows.recent.path] },
    ],
  }
}

/** Items that are open on the page; the others are folded. */
const openMax = 15

const newest = (recent: Recent): Section => {
  const all = items(cite(pageRows.recent.path, recent).at("items"))
  const [open, folded] = [all.slice(0, openMax), all.slice(openMax)]
  return {
    id: "recent",
    title: "The newest items",
    blocks: [
      itemTable("The newest first", open),
      ...(folded.length === 0 ? [] : [{
        folded: `${count(folded.length)} earlier ones`,
        blocks: [itemTable("Earlier items", folded)],
      }]),
      { json: [pageRows.recent.path] },
    ],
  }
}

const itemTable = (
  caption: string,
  rows: ReadonlyArray<Cited<Recent["items"][number]>>,
): Block => ({
  table: {
    caption,
    columns: [
      { title: "Market" },
      { title: "Type" },
      { title: "Published" },
      { title: "Index", numeric: true },
    ],
    rows: rows.map(({ at, value: item }) => [
      marketLink(item.slug, item.question),
      badge(item.type),
      time(item.createdAt),
      num(at("feedIndex")),
    ]),
  },
  empty: `0 items older than ${freeAfterMs / minute} minutes`,
})
