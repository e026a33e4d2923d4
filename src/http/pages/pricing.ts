/**
 * /pricing: what each call costs and returns, when it is charged, and what a day of use costs.
 *
 * @module
 */
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { type Product, products } from "../../catalog/domain/product.ts"
import { operationId } from "../../catalog/domain/skill.ts"
import { AtomicAmount, usd, usdDecimals } from "../../core/domain/money.ts"
import { minute, second } from "../../core/domain/time.ts"
import { digestEvery } from "../../digest/domain/digest.ts"
import { v1Networks } from "../../payments/domain/x402/terms.ts"
import type { DocsOptions } from "./docs.ts"
import { pagePaths } from "./paths.ts"
import { charging, settlementOrders } from "./payment.ts"
import type { Page, Section } from "./sections.tsx"
import { code, count, link, prose, quiet, say, strong } from "./text.tsx"

export const pricingMeta = {
  path: pagePaths.pricing,
  title: "Pricing",
  description: "What each call costs in USDC, what it returns, and when it is charged.",
  json: [freeRows.sample.path],
} as const

const all: ReadonlyArray<Product> = Object.values(products)

export function pricingPage(options: DocsOptions): Page {
  const [lowest, highest] = [Math.min, Math.max].map((bound) =>
    usd(AtomicAmount.make(BigInt(bound(...all.map(({ price }) => Number(price))))))
  )
  return {
    title: "Pricing",
    lead:
      `You pay for each call, from $${lowest} to $${highest}, in USDC. There is no subscription, ` +
      "no account and no minimum.",
    blocks: [
      ...(options.paymentMode === "simulated"
        ? [{
          notice:
            "Payments of this service are simulated: signatures are checked, but no money moves. Use a key without money.",
        }]
        : []),
      {
        table: {
          caption: "Price of each call",
          columns: [
            { title: "Call" },
            { title: "Price", numeric: true },
            { title: "Returns" },
            { title: "Charged" },
          ],
          rows: all.map(({ path, price, settlementOrder, title, id }) => [
            link(`${pagePaths.api}#/paid/${operationId({ id })}`, path),
            `$${usd(price)}`,
            title,
            charging[settlementOrder].short,
          ]),
        },
      },
    ],
    sections: [
      charged,
      {
        id: "calls",
        title: "What each call returns",
        blocks: [{
          cards: all.map(({ id, path, price, title, description, use }) => ({
            id,
            title: `${title}, $${usd(price)}`,
            blocks: [[code(path)], prose(description), [quiet(prose(use))]],
          })),
        }],
      },
      free(options),
      examples(),
      network(options),
    ],
  }
}

const charged: Section = {
  id: "charged",
  title: "When you are charged",
  blocks: [
    {
      list: [
        ...settlementOrders.map((order) =>
          say`${strong(`Charged ${charging[order].short}`)}. ${charging[order].long}`
        ),
        say`An empty answer costs nothing, such as ${
          code(products.signals.path)
        } with nothing new.`,
        "An answer that does not arrive can be fetched again for 24 hours with the key of the purchase, at no further cost.",
      ],
    },
    [link(`${pagePaths.docs}#payment`, "How a payment works, step by step")],
  ],
}

const free = ({ limits }: DocsOptions): Section => ({
  id: "free",
  title: "Free calls",
  blocks: [
    `These need no payment. ${
      limits.free === "off"
        ? "They have no limit."
        : `All of them together: ${count(limits.free.limit)} calls in ${
          count(limits.free.windowMs / second)
        } seconds per client address, then 429 with Retry-After. Paid and answered calls have no limit.`
    }`,
    {
      table: {
        caption: "Calls that need no payment",
        columns: [{ title: "Call" }, { title: "Returns" }],
        rows: Object.values(freeRows).map(({ path, title }) => [link(path, path), title]),
      },
    },
  ],
})

/** The pause between two polls of the index that the documents recommend. */
const pollEvery = 10 * minute
const day = 24 * 60 * minute
/** How many polls of an example day find new items. */
const changesOfExample = 12

function examples(): Section {
  const { signals, digest, whales, research } = products
  const polls = day / pollEvery
  const digests = day / digestEvery
  const times = (number: number, price: AtomicAmount) =>
    `$${usd(AtomicAmount.make(BigInt(number) * price))}`
  return {
    id: "examples",
    title: "What a day costs",
    blocks: [
      "Computed from the prices above. Only calls are paid, so a day without news costs less.",
      {
        table: {
          caption: "Examples of use, per day",
          columns: [{ title: "Use" }, { title: "Per day", numeric: true }, { title: "Formula" }],
          rows: [
            [
              `Poll ${freeRows.index.path} every ${
                pollEvery / minute
              } minutes, buy ${signals.path} ` +
              `when it has increased: ${changesOfExample} times in this example`,
              times(changesOfExample, signals.price),
              `${polls} × $0 + ${changesOfExample} × $${usd(signals.price)}`,
            ],
            [
              "The same, at most: every poll finds new items",
              times(polls, signals.price),
              `${polls} × $0 + ${polls} × $${usd(signals.price)}`,
            ],
            [
              `Every digest, one each ${digestEvery / minute / 60} hours`,
              times(digests, digest.price),
              `${digests} × $${usd(digest.price)}`,
            ],
            [
              "The whale table once, and a report on one market",
              `$${usd(AtomicAmount.make(whales.price + research.price))}`,
              `$${usd(whales.price)} + $${usd(research.price)}`,
            ],
          ],
        },
      },
      say`A purchase of ${code(signals.path)} returns up to ${
        signals.parameters[1].maximum
      } items for one price. To spend less, wait until several items are new. Buyers should have a limit of their own: [the client](/docs/quickstart/client.mjs) keeps a budget for each day.`,
    ],
  }
}

function network({ terms, paymentMode }: DocsOptions): Section {
  const name = v1Networks[terms.chainId]
  return {
    id: "network",
    title: "Network and token",
    blocks: [{
      terms: [
        [
          "Network",
          say`${code(`eip155:${terms.chainId}`)}${name === undefined ? "" : ` (${name})`}`,
        ],
        ["Token", say`${terms.tokenName}, ${usdDecimals} decimals, ${code(terms.asset)}`],
        ["Paid to", [code(terms.payTo)]],
        ["Payments", paymentMode === "live" ? "real" : "simulated: no money moves"],
        [
          "Protocol",
          say`x402 version 2, scheme ${
            code("exact")
          }. The service submits the transfer, so the buyer pays no gas.`,
        ],
      ],
    }],
  }
}
