/**
 * /pricing: what each call costs and returns, when it is charged, and what a day of use costs.
 *
 * @module
 */
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { type Product, products, type SettlementOrder } from "../../catalog/domain/product.ts"
import { operationId } from "../../catalog/domain/skill.ts"
import { AtomicAmount, usd, usdDecimals } from "../../core/domain/money.ts"
import { minute, second } from "../../core/domain/time.ts"
import { digestEvery } from "../../digest/domain/digest.ts"
import { v1Networks } from "../../payments/domain/x402/terms.ts"
import { Prose } from "./blocks.tsx"
import type { DocsOptions, DocumentPage } from "./docs.tsx"
import { count, Table } from "./parts.tsx"
import { pagePaths } from "./paths.ts"

/** The page of prices. */
export function pricingPage(options: DocsOptions): DocumentPage {
  return {
    meta: {
      path: pagePaths.pricing,
      title: "Pricing",
      description: "What each call costs in USDC, what it returns, and when it is charged.",
      json: [freeRows.sample.path],
    },
    content: () => <PricingPage options={options} />,
  }
}

const all: ReadonlyArray<Product> = Object.values(products)

const charging: Readonly<Record<SettlementOrder, { short: string; long: string }>> = {
  "compute-first": {
    short: "after computing",
    long:
      "The answer is computed first and paid for afterwards. If the computation fails, nothing is taken.",
  },
  "settle-early": {
    short: "before computing",
    long:
      "Computing is expensive, so the payment is taken first. What can be refused without a payment " +
      "is refused before it. If the computation fails, the payment is refunded in full.",
  },
}

function PricingPage({ options }: { options: DocsOptions }) {
  const [lowest, highest] = [Math.min, Math.max].map((bound) =>
    usd(AtomicAmount.make(BigInt(bound(...all.map(({ price }) => Number(price))))))
  )
  return (
    <>
      <h1>Pricing</h1>
      <p class="lead">
        You pay for each call, from ${lowest}{" "}
        to ${highest}, in USDC. There is no subscription, no account and no minimum.
      </p>
      {options.paymentMode === "simulated"
        ? (
          <p class="notice">
            Payments of this service are simulated: signatures are checked, but no money moves. Use
            a key without money.
          </p>
        )
        : null}
      <Prices />
      <h2 id="charged">When you are charged</h2>
      <ul>
        {(["compute-first", "settle-early"] as const).map((order) => (
          <li key={order}>
            <strong>Charged {charging[order].short}</strong>. {charging[order].long}
          </li>
        ))}
        <li>
          An empty answer costs nothing, such as <code>/v1/signals</code> with nothing new.
        </li>
        <li>
          An answer that does not arrive can be fetched again for 24 hours with the key of the
          purchase, at no further cost.
        </li>
      </ul>
      <p>
        <a href={`${pagePaths.docs}#payment`}>How a payment works</a>, as a picture.
      </p>
      <h2 id="calls">What each call returns</h2>
      <ul class="cards">{all.map((product) => <Call key={product.id} product={product} />)}</ul>
      <Free options={options} />
      <Examples />
      <Network options={options} />
    </>
  )
}

function Prices() {
  return (
    <Table
      caption="Price of each call"
      columns={[
        { title: "Call" },
        { title: "Price", numeric: true },
        { title: "Charged" },
        { title: "Returns" },
      ]}
      rows={all.map(({ path, price, settlementOrder, title, id }) => [
        <a key={id} href={`${pagePaths.api}#/paid/${operationId({ id })}`}>{path}</a>,
        `$${usd(price)}`,
        charging[settlementOrder].short,
        title,
      ])}
    />
  )
}

function Call({ product: { id, path, price, title, description, use } }: { product: Product }) {
  return (
    <li id={id}>
      <h3>{title}, ${usd(price)}</h3>
      <p>
        <code>{path}</code>
      </p>
      <p>
        <Prose>{description}</Prose>
      </p>
      <p class="quiet">
        <Prose>{use}</Prose>
      </p>
    </li>
  )
}

function Free({ options: { limits } }: { options: DocsOptions }) {
  const rows = Object.values(freeRows)
  return (
    <>
      <h2 id="free">Free calls</h2>
      <p>
        These need no payment. {limits.free === "off" ? "They have no limit." : (
          <>
            All of them together: {count(limits.free.limit)} calls in{" "}
            {count(limits.free.windowMs / second)}{" "}
            seconds per client address, then 429 with Retry-After. Paid and answered calls have no
            limit.
          </>
        )}
      </p>
      <Table
        caption="Free calls"
        columns={[{ title: "Call" }, { title: "Returns" }]}
        rows={rows.map(({ path, title }) => [<a key={path} href={path}>{path}</a>, title])}
      />
    </>
  )
}

/** The pause between two polls of the index that the documents recommend. */
const pollEvery = 10 * minute
const day = 24 * 60 * minute
/** How many polls of an example day find new items. */
const changesOfExample = 12

function Examples() {
  const { signals, digest, whales, research } = products
  const polls = day / pollEvery
  const digests = day / digestEvery
  const times = (number: number, price: AtomicAmount) =>
    `$${usd(AtomicAmount.make(BigInt(number) * price))}`
  return (
    <>
      <h2 id="examples">What a day costs</h2>
      <p>
        Computed from the prices above. Only calls are paid, so a day without news costs less.
      </p>
      <Table
        caption="Examples of use, per day"
        columns={[
          { title: "Use" },
          { title: "Formula" },
          { title: "Per day", numeric: true },
        ]}
        rows={[
          [
            `Poll ${freeRows.index.path} every ${
              pollEvery / minute
            } minutes, buy ${signals.path} ` +
            `when it has increased: ${changesOfExample} times in this example`,
            `${polls} × $0 + ${changesOfExample} × $${usd(signals.price)}`,
            times(changesOfExample, signals.price),
          ],
          [
            "The same, at most: every poll finds new items",
            `${polls} × $0 + ${polls} × $${usd(signals.price)}`,
            times(polls, signals.price),
          ],
          [
            `Every digest, one each ${digestEvery / minute / 60} hours`,
            `${digests} × $${usd(digest.price)}`,
            times(digests, digest.price),
          ],
          [
            "The whale table once, and a report on one market",
            `$${usd(whales.price)} + $${usd(research.price)}`,
            `$${usd(AtomicAmount.make(whales.price + research.price))}`,
          ],
        ]}
      />
      <p>
        A purchase of <code>{signals.path}</code> returns up to {signals.parameters[1].maximum}{" "}
        items for one price. To spend less, wait until several items are new. Buyers should have a
        limit of their own: <a href={`/docs/quickstart/client.mjs`}>the client</a>{" "}
        keeps a budget for each day.
      </p>
    </>
  )
}

function Network({ options: { terms, paymentMode } }: { options: DocsOptions }) {
  const name = v1Networks[terms.chainId]
  return (
    <>
      <h2 id="network">Network and token</h2>
      <dl class="rows">
        <div>
          <dt>Network</dt>
          <dd>
            <code>eip155:{terms.chainId}</code>
            {name === undefined ? null : ` (${name})`}
          </dd>
        </div>
        <div>
          <dt>Token</dt>
          <dd>
            {terms.tokenName}, {usdDecimals} decimals, <code>{terms.asset}</code>
          </dd>
        </div>
        <div>
          <dt>Paid to</dt>
          <dd>
            <code>{terms.payTo}</code>
          </dd>
        </div>
        <div>
          <dt>Payments</dt>
          <dd>{paymentMode === "live" ? "real" : "simulated: no money moves"}</dd>
        </div>
        <div>
          <dt>Protocol</dt>
          <dd>
            x402 version 2, scheme{" "}
            <code>exact</code>. The service submits the transfer, so the buyer pays no gas.
          </dd>
        </div>
      </dl>
    </>
  )
}
