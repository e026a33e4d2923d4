/**
 * /markets/{slug}: the public facts of a market that the feed has published, and its price path.
 *
 * @module
 */
import type { VenueMode } from "../../catalog/domain/freeRow.ts"
import type { pageRows } from "../../catalog/domain/pageRow.ts"
import { products } from "../../catalog/domain/product.ts"
import { usd } from "../../core/domain/money.ts"
import { minute } from "../../core/domain/time.ts"
import { safeName } from "../../core/domain/untrusted.ts"
import { freeAfterMs, pathDays } from "../../feed/domain/publishedMarket.ts"
import { priceChart } from "./charts.ts"
import { cite, type Cited, type CitedNumber, difference, items } from "./cited.ts"
import { badge } from "./items.tsx"
import { marketsPrefix } from "./paths.ts"
import { type Block, columns, type Page, type Section } from "./sections.tsx"
import { code, count, name, num, outside, price, say, time, wholeUsd } from "./text.tsx"

type Market = typeof pageRows["market"]["body"]["Type"]

/** Rows in the table of prices; the JSON has every point of the chart. */
const priceRowsMax = 40

const pathOf = (slug: string) => marketsPrefix + encodeURIComponent(slug)
const jsonOf = (slug: string) => `${pathOf(slug)}.json`

export const marketMeta = ({ slug, question }: Market) => ({
  path: pathOf(slug),
  title: safeName(question),
  description: "The price of this market, and when something was published about it.",
  json: [jsonOf(slug)],
})

export function marketPage(market: Market, venueMode: VenueMode): Page {
  const of = cite(jsonOf(market.slug), market)
  return {
    title: [name(market.question)],
    blocks: about(of, venueMode),
    sections: [prices(of), published(of), {
      id: "paid",
      title: "What the paid calls add",
      blocks: [
        say`${
          code(`${products.research.path}?market=${market.slug}`)
        } writes a report on this market for $${
          usd(products.research.price)
        }: ${products.research.description}`,
        say`${code(products.signals.path)} returns the content of items for $${
          usd(products.signals.price)
        }. See [the fields of each type](/signals#paid).`,
      ],
    }],
  }
}

const statusTexts = {
  open: "open",
  proposed: "outcome proposed",
  resolved: "resolved",
  closed: "closed",
} as const

function about(of: Cited<Market>, venueMode: VenueMode): ReadonlyArray<Block> {
  const { outcomes, outcome, status, eventEndDate, category, url } = of.value
  const last: CitedNumber | undefined = items(of.at("path")).at(-1)?.at("mid")
  return [
    {
      facts: [
        [
          say`Price of ${name(outcome, 40)}, USD`,
          last === undefined ? "not known" : num(last, price),
        ],
        ["Spread, USD", num(difference(of.at("bestAsk"), of.at("bestBid")), price)],
        ["Volume of a day", num(of.at("volume24hUsd"), wholeUsd)],
        ["Volume so far", num(of.at("volumeUsd"), wholeUsd)],
        ["Status", status === null ? "not known" : statusTexts[status]],
        ["Scheduled end", eventEndDate === null ? "none named" : time(eventEndDate)],
      ],
    },
    say`Outcomes: ${name(outcomes[0], 40)} or ${name(outcomes[1], 40)}.${
      category === null ? "" : say` Category: ${name(category, 40)}.`
    }`,
    ...(venueMode === "polymarket" && url.startsWith("https://")
      ? [[outside(url, "The market's page at Polymarket")]]
      : []),
  ]
}

function prices(of: Cited<Market>): Section {
  const { path, items: published, outcome } = of.value
  const step = Math.ceil(path.length / priceRowsMax)
  const shown = items(of.at("path")).filter((_, at) => (path.length - 1 - at) % step === 0)
  const [first, last] = [path[0], path.at(-1)]
  return {
    id: "price",
    title: say`Price of ${name(outcome, 40)}`,
    blocks: [
      {
        plot: priceChart({
          title: `The price was ${price(first?.mid ?? null)} at the start and ${
            price(last?.mid ?? null)
          } at the end`,
          path,
          marks: published.map(({ createdAt }) => createdAt),
        }),
        caption:
          `The middle of bid and ask over the last ${pathDays} days, in USD per share. The axis fits the move: it need not begin at 0. A dashed line is an item that was published.`,
        empty: `No price stored in the last ${pathDays} days`,
      },
      {
        folded: "Numbers and method",
        blocks: [
          {
            table: {
              caption: `${count(shown.length)} of ${count(path.length)} points`,
              columns: columns("Time", "Price"),
              rows: shown.toReversed().map((point) => [
                time(point.value.at),
                num(point.at("mid"), price),
              ]),
            },
            empty: "None yet.",
          },
          "The service reads the order book at each update and stores the mid: half of best bid plus best ask. It stores none while the two are too far apart. A long series is thinned: each point is a stored one. Spread and volume are of the venue's newest listing.",
        ],
      },
      { json: [jsonOf(of.value.slug)] },
    ],
  }
}

const published = (of: Cited<Market>): Section => ({
  id: "items",
  title: "Items about this market",
  blocks: [
    {
      list: items(of.at("items")).map(({ at, value: { type, createdAt } }) =>
        say`${badge(type)} ${time(createdAt)}, feed index ${num(at("feedIndex"))}`
      ),
    },
    {
      small: say`Listed ${
        count(freeAfterMs / minute)
      } minutes after publication; their content is sold. [Signals](/signals) says what each type means.`,
    },
  ],
})
