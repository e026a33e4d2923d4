/**
 * /markets/{slug}: the public facts of a market that the feed has published, and its price path.
 *
 * @module
 */
import type { VenueMode } from "../../catalog/domain/freeRow.ts"
import type { pageRows } from "../../catalog/domain/pageRow.ts"
import { products } from "../../catalog/domain/product.ts"
import { usd } from "../../core/domain/money.ts"
import { safeName } from "../../core/domain/untrusted.ts"
import { pathDays } from "../../feed/domain/publishedMarket.ts"
import { Fact, Facts } from "./blocks.tsx"
import { priceChart } from "./charts/charts.ts"
import { badge } from "./items.tsx"
import { cite, items } from "./cited.ts"
import { count, Figure, Name, price, Table, Time, Value } from "./parts.tsx"
import { marketsPrefix, pagePaths } from "./paths.ts"

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

export function MarketPage({ market, venueMode }: { market: Market; venueMode: VenueMode }) {
  const { question } = market
  return (
    <>
      <h1>
        <Name of={question} />
      </h1>
      <About market={market} venueMode={venueMode} />
      <PriceFigure market={market} />
      <Items market={market} />
      <PaidSection market={market} />
    </>
  )
}

function About({ market, venueMode }: { market: Market; venueMode: VenueMode }) {
  const { outcomes, status, eventEndDate, category, url } = market
  return (
    <>
      <Facts>
        <Fact name="Status">{status === null ? "not known" : statusTexts[status]}</Fact>
        <Fact name="Scheduled end">
          {eventEndDate === null ? "none named" : <Time at={eventEndDate} />}
        </Fact>
        <Fact name="Outcomes">
          <Name of={outcomes[0]} max={40} /> / <Name of={outcomes[1]} max={40} />
        </Fact>
        {category === null ? null : (
          <Fact name="Category">
            <Name of={category} max={40} />
          </Fact>
        )}
      </Facts>
      {venueMode === "polymarket" && url.startsWith("https://")
        ? (
          <p>
            <a href={url} rel="noopener noreferrer nofollow">The market's page at Polymarket</a>
          </p>
        )
        : null}
    </>
  )
}

const statusTexts = {
  open: "open",
  proposed: "outcome proposed",
  resolved: "resolved",
  closed: "closed",
} as const

/** The items within the time of the chart, oldest first: the n-th has the mark n. */
const markedItems = ({ path, items }: Market) => {
  const from = path[0]?.at
  return from === undefined ? [] : items.filter(({ createdAt }) => createdAt >= from).toReversed()
}

function Items({ market }: { market: Market }) {
  const marked = markedItems(market).length
  const newest = items(cite(jsonOf(market.slug), market).at("items"))
  const itemOf = ({ at, value: { type, createdAt, feedIndex } }: typeof newest[number]) => (
    <li key={feedIndex}>
      {badge(type)} <Time at={createdAt} />, feed index <Value of={at("feedIndex")} as={count} />
    </li>
  )
  const unmarked = newest.slice(marked)
  return (
    <section aria-labelledby="items">
      <h2 id="items">Items about this market</h2>
      <p>
        Their content is sold. <a href={pagePaths.signals}>Signals</a> says what each type means.
      </p>
      {marked === 0 ? null : (
        <>
          <h3>Marked in the chart</h3>
          <ol>{newest.slice(0, marked).toReversed().map(itemOf)}</ol>
        </>
      )}
      {unmarked.length === 0 ? null : (
        <>
          <h3>Before the chart</h3>
          <ul>{unmarked.map(itemOf)}</ul>
        </>
      )}
    </section>
  )
}

function PriceFigure({ market }: { market: Market }) {
  const { path, slug } = market
  const outcome = safeName(market.outcome, 40)
  const [first] = path
  const last = path.at(-1)
  const marked = markedItems(market)
  const svg = first === undefined || last === undefined ? null : priceChart({
    prefix: "price",
    title: `Price of ${outcome}`,
    description: `It was ${price(first.mid)} at the start and ${price(last.mid)} at the end; ` +
      `${count(marked.length)} items are marked.`,
    points: path.map(({ at, mid }) => ({ at, price: mid })),
    items: marked.map(({ createdAt }) => ({ at: createdAt })),
  })
  const step = Math.ceil(path.length / priceRowsMax)
  const shown = items(cite(jsonOf(slug), market).at("path"))
    .filter((_, at) => (path.length - 1 - at) % step === 0)
  return (
    <Figure
      id="price"
      title={`Price of ${outcome}`}
      caption={`The middle of bid and ask over the last ${pathDays} days, in USD per share. ` +
        "The numbers mark when items were published; items close together share a mark."}
      svg={svg}
      empty={`No price stored in the last ${pathDays} days`}
      table={
        <Table
          caption={`${count(shown.length)} of ${count(path.length)} points`}
          columns={[{ title: "Time" }, { title: "Price", numeric: true }]}
          rows={shown.toReversed().map((point) => [
            <Time key="time" at={point.value.at} />,
            <Value key="mid" of={point.at("mid")} as={price} />,
          ])}
        />
      }
      method={`The service reads the order book at each update and stores the mid: half of best bid ` +
        "plus best ask. It stores none while the two are too far apart. A long series is thinned: " +
        "each point is a stored one."}
      json={jsonOf(slug)}
    />
  )
}

function PaidSection({ market: { slug } }: { market: Market }) {
  const { research, signals } = products
  return (
    <section aria-labelledby="paid">
      <h2 id="paid">What the paid calls add</h2>
      <p>
        <code>{`${research.path}?market=${slug}`}</code>{" "}
        writes a report on this market for ${usd(research.price)}: {research.description}
      </p>
      <p>
        <code>{signals.path}</code> returns the content of items for ${usd(signals.price)}. See{" "}
        <a href={pagePaths.signals}>the fields of each type</a>.
      </p>
    </section>
  )
}
