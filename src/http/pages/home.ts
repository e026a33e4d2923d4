/**
 * /: what is sold, why to trust it, how to start, and what a cent bought yesterday.
 *
 * @module
 */
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { pageRows } from "../../catalog/domain/pageRow.ts"
import type { Parameter } from "../../catalog/domain/parameter.ts"
import { products } from "../../catalog/domain/product.ts"
import { usd } from "../../core/domain/money.ts"
import { buyCommand, claudeBlocks } from "./commands.ts"
import { cite } from "./cited.ts"
import { openedCards } from "./opened.ts"
import { pagePaths } from "./paths.ts"
import type { Block, Page, Section } from "./sections.tsx"
import { networkName, type Site } from "./site.ts"
import {
  action,
  code,
  estimate,
  estimateOf,
  num,
  percent,
  say,
  signedPercent,
  time,
} from "./text.tsx"

type Body<Id extends keyof typeof freeRows> = typeof freeRows[Id]["body"]["Type"]

export const homeMeta = {
  path: pagePaths.home,
  title: "Prediction-market signals for AI agents",
  description:
    "Signals, digests and reports on prediction markets for AI agents, paid per call in USDC. No account.",
  json: [freeRows.index.path, pageRows.opened.path, freeRows.track_record.path],
} as const

interface HomeBodies {
  readonly index: Body<"index"> | null
  readonly opened: typeof pageRows["opened"]["body"]["Type"] | null
  readonly record: Body<"track_record"> | null
}

export const homePage = (site: Site, { index, opened, record }: HomeBodies): Page => ({
  title: "Prediction-market signals for AI agents, paid per call",
  lead: `Bellwether watches ${
    venueNames[site.venueMode]
  } and sells what it finds: prices that moved, what tracked traders buy, outcomes that news reports before the market pays, and reports on one market.`,
  blocks: [
    say`An agent pays $${usd(products.latest.price)} to $${
      usd(products.research.price)
    } for each call, in USDC by [x402](https://www.x402.org), without an account. **You do not pay for a failure**: a call without an answer is not charged, or it is refunded in full. **The results are public**, losing ones too.`,
    [action("#start", "Start"), " ", action(pagePaths.trackRecord, "Check the track record")],
  ],
  aside: live(site, index),
  sections: [
    bought(opened),
    {
      id: "prices",
      title: "What it sells",
      blocks: [
        "A prediction market trades on the outcome of an event: a price of 0.62 means that traders give it a chance of about 62 %. What Bellwether finds becomes an item of its feed, and each item has a number, its index.",
        priceTable,
        say`Free: [samples of all answers](/v1/sample), and the [index of the newest item](/v1/index), which says whether there is anything new to buy. [Pricing](/pricing) says what each call returns.`,
      ],
    },
    { id: "start", title: "Three ways to start", blocks: start(site) },
    { id: "payment", title: "How one call is paid", blocks: [paymentSteps(site.network)] },
    { id: "proof", title: "Why trust it", blocks: proof(record) },
  ],
})

const venueNames = {
  polymarket: "the prediction market Polymarket",
  simulated: "a simulated prediction market",
} as const satisfies { [Mode in Site["venueMode"]]: string }

const statusTexts = {
  starting: "starting: no update yet",
  live: "live",
  stale: "late: the last update is old",
} as const satisfies { [Status in Body<"index">["status"]]: string }

function live({ publicBaseUrl }: Site, index: Body<"index"> | null): Section {
  const of = index === null ? null : cite(freeRows.index.path, index)
  return {
    id: "live",
    title: "Now",
    blocks: [
      of === null ? "The state of the feed cannot be read now." : {
        facts: [
          ["Feed", statusTexts[of.value.status]],
          ["Items today (UTC)", num(of.at("totalToday"))],
          ["Items so far", num(of.at("index"))],
          ["Newest item", time(of.value.lastUpdated)],
        ],
      },
      "Free, and needs nothing but curl:",
      { label: "Free call with curl", code: `curl ${publicBaseUrl}${freeRows.index.path}` },
    ],
  }
}

function bought(opened: HomeBodies["opened"]): Section {
  const cards = opened === null ? [] : openedCards(opened)
  return {
    id: "bought",
    title: `What $${usd(products.signal.price)} bought yesterday`,
    blocks: cards.length === 0
      ? [{
        empty: say`No item is a day old yet. [Samples](/v1/sample) of every answer are free.`,
      }]
      : [
        "The newest item of each type that is more than a day old, opened, and what became of it. They are not chosen by their outcome.",
        { cards },
        { json: [pageRows.opened.path] },
      ],
  }
}

/** The parameters without which a call is refused. */
const requiredQuery = (parameters: ReadonlyArray<Parameter>) =>
  parameters.filter(({ required }) => required).map(({ name }) => `?${name}=…`).join("")

const priceTable: Block = {
  table: {
    caption: "Prices, for each call",
    columns: [{ title: "What" }, { title: "Price", numeric: true }, { title: "Call" }],
    rows: Object.values(products).map(({ title, price, path, parameters }) => [
      title,
      `$${usd(price)}`,
      code(`GET ${path}${requiredQuery(parameters)}`),
    ]),
  },
}

const start = (site: Site): ReadonlyArray<Block> => [{
  cards: [
    {
      title: "1. See a price with curl",
      blocks: [
        say`The call answers 402 with its price: nothing is charged. See the [curl quickstart](/docs/quickstart/curl.sh).`,
        {
          label: "Unpaid call with curl",
          code: `curl -i ${site.publicBaseUrl}${products.latest.path}`,
        },
      ],
    },
    {
      title: "2. Ask Claude by MCP",
      blocks: [
        ...claudeBlocks(site),
        say`Free calls work at once; to buy, Claude needs the key of a wallet and stays within these limits. See the [Claude quickstart](/docs/quickstart/claude.md).`,
      ],
    },
    {
      title: "3. Buy one answer",
      blocks: [
        `In a checkout of the project. ${
          site.paymentMode === "simulated"
            ? "Any key works here: it pays with play money."
            : "Use a wallet that holds only what this may spend."
        }`,
        {
          label: "Command that buys the newest item",
          code: buyCommand(site.publicBaseUrl, products.latest.path),
        },
        say`From code: [Python](/docs/quickstart/python.py), [TypeScript](/docs/quickstart/client.mjs) and [others](/docs#quickstarts).`,
      ],
    },
  ],
}]

const paymentSteps = (network: string): Block => ({
  numbered: true,
  list: [
    say`The client calls ${code(`GET ${products.latest.path}`)}.`,
    say`The server answers ${code("402 Payment Required")} with the price, $${
      usd(products.latest.price)
    }, and the receiver.`,
    `The client signs a transfer of exactly that amount of USDC on ${
      networkName(network)
    } and sends the same request with the signature. It pays no fee for the transfer and needs no ETH.`,
    say`The server answers ${code("200")} with the data and a receipt.`,
  ],
})

const proof = (record: Body<"track_record"> | null): ReadonlyArray<Block> => [
  say`An error or an empty answer is not charged, or the payment is refunded in full to its payer; the [terms](/terms.txt) say how. Losing entries of tracked traders count like winning ones, and each figure has its method and an interval where one can be computed.`,
  record === null
    ? "The track record cannot be read now."
    : record.coverage.resolvedEntries === 0
    ? { empty: "No tracked entry has resolved yet, so there are no results to show." }
    : results(record),
  say`[See the whole track record](/track-record) and the [state of the service](/status), or [ask us](/contact). Nothing here is financial advice.`,
]

function results(body: Body<"track_record">): Block {
  const record = cite(freeRows.track_record.path, body)
  const overall = record.at("overall")
  const following = estimateOf(
    overall.at("followRoiCostWeighted"),
    overall.at("followRoiLow"),
    overall.at("followRoiHigh"),
  )
  return {
    facts: [
      ["Entries that resolved", num(record.at("coverage").at("resolvedEntries"))],
      ["Share that won", num(overall.at("holdToResolutionWinRate"), percent)],
      ["Mean price paid, as a chance", num(overall.at("meanEntryPrice"), percent)],
      [
        "Return of copying all",
        estimate(following, signedPercent),
      ],
    ],
  }
}
