/**
 * /signals: what the newest items of the feed are about, and what the paid call adds.
 *
 * @module
 */
import { raw } from "hono/html"
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { pageRows } from "../../catalog/domain/pageRow.ts"
import { products } from "../../catalog/domain/product.ts"
import { usd } from "../../core/domain/money.ts"
import { feedTypes } from "../../feed/domain/item.ts"
import { sparkline } from "./charts/charts.ts"
import { MarketLink, PaidFields, TypeBadge, typeTexts } from "./items.tsx"
import { cite, items } from "./cited.ts"
import { count, Name, price, signedPrice, Table, Time, Value } from "./parts.tsx"
import { pagePaths } from "./paths.ts"

type Index = typeof freeRows["index"]["body"]["Type"]
type Pulse = typeof freeRows["pulse"]["body"]["Type"]
type Recent = typeof pageRows["recent"]["body"]["Type"]

export const signalsMeta = {
  path: pagePaths.signals,
  title: "Signals",
  description: "What the newest items of the feed are about, and the strongest moves of the day.",
  json: [pageRows.recent.path, freeRows.pulse.path, freeRows.index.path],
} as const

export function SignalsPage(
  { index, pulse, recent }: { index: Index | null; pulse: Pulse | null; recent: Recent },
) {
  return (
    <>
      <h1>Signals</h1>
      <p class="lead">
        The feed reports what happens on prediction markets. This page shows what each item is about
        and when it was published. The content of the items is sold.
      </p>
      {index === null ? null : (
        <p class="quiet">
          Feed index <Value of={cite(freeRows.index.path, index).at("index")} as={count} />, updates
          {" "}
          {statusTexts[index.status]}. Newest item: <Time at={index.lastUpdated} />.
        </p>
      )}
      <h2>Types of items</h2>
      <dl class="types">
        {feedTypes.map((type) => (
          <div key={type}>
            <dt>
              <TypeBadge type={type} />
            </dt>
            <dd>{typeTexts[type].text}</dd>
          </div>
        ))}
      </dl>
      {pulse === null ? null : <PulseSection pulse={pulse} recent={recent} />}
      <RecentSection recent={recent} />
      <PaidSection />
    </>
  )
}

const statusTexts = { live: "on time", stale: "late", starting: "not started" } as const

const windowTexts = { "1h": "an hour", "24h": "a day" } as const

const directionOf = (first: number, last: number): string =>
  last > first ? "It rose." : last < first ? "It fell." : "It ended where it began."

function PulseSection({ pulse, recent }: { pulse: Pulse; recent: Recent }) {
  const pathOf = (slug: string) =>
    recent.pulsePaths.find((row) => row.slug === slug)?.path.map(({ at, mid }) => ({
      at,
      value: mid,
    })) ?? []
  const movers = items(cite(freeRows.pulse.path, pulse).at("topMovers24h"))
  const rows = movers.map((cited, row) => {
    const mover = cited.value
    const path = pathOf(mover.slug)
    const svg = sparkline({
      prefix: `pulse-${row}`,
      title: "Price path",
      description: directionOf(path[0]?.value ?? 0, path.at(-1)?.value ?? 0),
      points: path,
    })
    return [
      <MarketLink key="market" slug={mover.slug} question={mover.question} />,
      <Name key="outcome" of={mover.outcome} max={40} />,
      windowTexts[mover.window],
      <Value key="priceStart" of={cited.at("priceStart")} as={price} />,
      <Value key="priceNow" of={cited.at("priceNow")} as={price} />,
      <Value key="delta" of={cited.at("delta")} as={signedPrice} />,
      svg === null ? "no prices stored" : <span key="path" class="spark">{raw(svg)}</span>,
    ]
  })
  return (
    <section aria-labelledby="pulse">
      <h2 id="pulse">The strongest moves of the last 24 hours</h2>
      {rows.length === 0
        ? <p class="empty">No move in the last 24 hours passed the filters.</p>
        : (
          <Table
            caption="Prices are in USD per share of the outcome, from 0 to 1."
            columns={[
              { title: "Market" },
              { title: "Outcome" },
              { title: "Moved within" },
              { title: "From", numeric: true },
              { title: "To", numeric: true },
              { title: "Change", numeric: true },
              { title: "Last 24 hours" },
            ]}
            rows={rows}
          />
        )}
      <p class="source">
        As JSON: <a href={freeRows.pulse.path}>{freeRows.pulse.path}</a>, the lines{" "}
        <a href={pageRows.recent.path}>{pageRows.recent.path}</a>
      </p>
    </section>
  )
}

function RecentSection({ recent }: { recent: Recent }) {
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">The newest items</h2>
      {recent.items.length === 0 ? <p class="empty">0 items published yet</p> : (
        <Table
          caption={`The newest ${count(recent.items.length)} items, the newest first.`}
          columns={[
            { title: "Index", numeric: true },
            { title: "Type" },
            { title: "Market" },
            { title: "Published" },
          ]}
          rows={items(cite(pageRows.recent.path, recent).at("items")).map(({ at, value: item }) => [
            <Value key="index" of={at("feedIndex")} as={count} />,
            <TypeBadge key="type" type={item.type} />,
            <MarketLink key="market" slug={item.slug} question={item.question} />,
            <Time key="time" at={item.createdAt} />,
          ])}
        />
      )}
      <p class="source">
        As JSON: <a href={pageRows.recent.path}>{pageRows.recent.path}</a>
      </p>
    </section>
  )
}

function PaidSection() {
  const { signals, signal } = products
  return (
    <section aria-labelledby="paid">
      <h2 id="paid">What the paid call adds</h2>
      <p>
        <code>{signals.path}</code> returns up to 20 items with their content for ${usd(
          signals.price,
        )}. <code>{signal.path}</code>{" "}
        returns one item for ${usd(signal.price)}. An answer without items is not charged.{" "}
        <a href={pagePaths.docs}>How to pay</a> is in the docs.
      </p>
      <PaidFields />
    </section>
  )
}
