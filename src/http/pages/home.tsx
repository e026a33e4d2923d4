/**
 * /: what is sold, to whom, whether it works now, and why to trust it.
 *
 * @module
 */
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { pageRows } from "../../catalog/domain/pageRow.ts"
import type { Parameter } from "../../catalog/domain/parameter.ts"
import { products } from "../../catalog/domain/product.ts"
import { digestLengths } from "../../digest/domain/digest.ts"
import { usd } from "../../core/domain/money.ts"
import { paths } from "../documents/addresses.ts"
import { Card, Cards, CodeBlock, Fact, Facts } from "./blocks.tsx"
import { claudeCommand, clientCommands } from "./commands.ts"
import { cite } from "./cited.ts"
import { count, Excerpt, percent, Range, signedPercent, Table, Time, Value } from "./parts.tsx"
import { badge, marketLink } from "./items.tsx"
import { pagePaths } from "./paths.ts"
import { networkName, type Site } from "./site.ts"

type Body<Id extends keyof typeof freeRows> = typeof freeRows[Id]["body"]["Type"]

export const homeMeta = {
  path: pagePaths.home,
  title: "Prediction-market signals for AI agents",
  description:
    "Signals, digests and reports on prediction markets for AI agents, paid per call in USDC. No account.",
  json: [freeRows.index.path, pageRows.recent.path, freeRows.track_record.path],
} as const

interface HomeProps {
  readonly site: Site
  readonly index: Body<"index"> | null
  readonly recent: typeof pageRows["recent"]["body"]["Type"] | null
  readonly record: Body<"track_record"> | null
}

/** Items that the page shows; /signals shows more. */
const itemsMax = 5

export function HomePage({ site, index, recent, record }: HomeProps) {
  return (
    <>
      <div class="hero">
        <div>
          <h1>Prediction-market signals for AI agents, paid per call</h1>
          <p class="lead">
            Bellwether watches {venueNames[site.venueMode]}{" "}
            and sells what it finds to AI agents and the developers who run them: prices that moved,
            large positions of tracked traders, outcomes that news reports before the market pays,
            and reports on one market. An agent uses it to notice what changed, and to check a
            market before it acts.
          </p>
          <p class="lead">
            There is no account. Each call is paid in USDC, a digital dollar, with{" "}
            <a href="https://www.x402.org">x402</a>, an open protocol for payments over HTTP. A call
            without an answer is not charged, or it is refunded in full.
          </p>
          <p class="actions">
            <a class="action" href="#start">Start</a>
            <a class="action" href={pagePaths.trackRecord}>Check the track record</a>
          </p>
        </div>
        <Live index={index} />
      </div>
      <h2 id="prices">What it sells</h2>
      <p>
        A prediction market trades on the outcome of an event: a price of 0.62 means that traders
        give it a chance of about 62 %. What Bellwether finds becomes an item of its feed, and each
        item has a number, its index. Every call is a GET that returns JSON.
      </p>
      <PriceTable />
      <p>
        Free: <a href="/v1/sample">samples of all answers</a>, and the{" "}
        <a href="/v1/index">index of the newest item</a>, which says whether there is anything new
        to buy. <a href={pagePaths.pricing}>Pricing</a> says what each call returns.
      </p>
      <Newest recent={recent} />
      <h2 id="start">Three ways to start</h2>
      <Start site={site} />
      <h2 id="payment">How one call is paid</h2>
      <PaymentSteps network={site.network} />
      <h2 id="proof">Why trust it</h2>
      <Proof record={record} />
    </>
  )
}

const venueNames = {
  polymarket: "the prediction market Polymarket",
  simulated: "a simulated prediction market",
} as const satisfies Record<Site["venueMode"], string>

const statusTexts = {
  starting: "starting: no update yet",
  live: "live",
  stale: "late: the last update is old",
} as const satisfies Record<Body<"index">["status"], string>

function Live({ index }: { index: Body<"index"> | null }) {
  return (
    <section aria-labelledby="live">
      <h2 id="live">Now</h2>
      {index === null ? <p>The state of the feed cannot be read now.</p> : (
        <>
          <Facts>
            <Fact name="Feed">{statusTexts[index.status]}</Fact>
            <Fact name="Items so far">
              <Value of={cite(freeRows.index.path, index).at("index")} as={count} />
            </Fact>
            <Fact name="Items today (UTC)">
              <Value of={cite(freeRows.index.path, index).at("totalToday")} as={count} />
            </Fact>
            <Fact name="Newest item">
              <Time at={index.lastUpdated} />
            </Fact>
          </Facts>
          <p>
            {index.digest === null ? "No digest is written yet." : (
              <>
                Newest digest, <Time at={index.digest.latestAt} />:{" "}
                <a href={pagePaths.digest}>
                  <Excerpt of={index.digest.title} max={digestLengths.title} />
                </a>
              </>
            )}
          </p>
        </>
      )}
    </section>
  )
}

/** What the newest items are about; their content is sold. */
function Newest({ recent }: Pick<HomeProps, "recent">) {
  if (recent === null || recent.items.length === 0) return null
  return (
    <section aria-labelledby="newest">
      <h2 id="newest">The newest items</h2>
      <p>
        Only what they are about: the price, its direction and size, and the evidence are what a
        call buys.
      </p>
      <ul class="newest">
        {recent.items.slice(0, itemsMax).map(({ feedIndex, type, slug, question, createdAt }) => (
          <li key={feedIndex}>
            {badge(type)} {marketLink(slug, question)}
            <Time at={createdAt} />
          </li>
        ))}
      </ul>
      <p>
        <a href={pagePaths.signals}>What each type means</a>, more items, and the strongest moves of
        the day.
      </p>
    </section>
  )
}

/** The parameters without which a call is refused. */
const requiredQuery = (parameters: ReadonlyArray<Parameter>) =>
  parameters.filter(({ required }) => required).map(({ name }) => `?${name}=…`).join("")

function PriceTable() {
  return (
    <Table
      caption="Prices, for each call"
      columns={[{ title: "What" }, { title: "Price", numeric: true }, { title: "Call" }]}
      rows={Object.values(products).map(({ title, price, path, parameters }) => [
        title,
        `$${usd(price)}`,
        <code key={path}>GET {path + requiredQuery(parameters)}</code>,
      ])}
    />
  )
}

function Start({ site: { publicBaseUrl, paymentMode } }: { site: Site }) {
  return (
    <Cards>
      <Card title="1. Look with curl">
        <CodeBlock label="Free call with curl">
          {`curl ${publicBaseUrl}/v1/index\ncurl -i ${publicBaseUrl}/v1/latest`}
        </CodeBlock>
        <p>
          The first call is free. The second answers 402 with its price: nothing is charged. See the
          {" "}
          <a href={`${paths.quickstarts}curl.sh`}>curl quickstart</a>.
        </p>
      </Card>
      <Card title="2. Ask Claude by MCP">
        <CodeBlock label="Command that adds Bellwether to Claude Code">
          {claudeCommand(publicBaseUrl)}
        </CodeBlock>
        <p>
          MCP connects Claude to tools. Free calls work at once; to buy, Claude needs the key of a
          wallet and stays within these limits. See the{" "}
          <a href={`${paths.quickstarts}claude.md`}>Claude quickstart</a>.
        </p>
      </Card>
      <Card title="3. Buy from code">
        <CodeBlock label="Commands that buy the newest item">
          {clientCommands(publicBaseUrl)}
        </CodeBlock>
        <p>
          {paymentMode === "simulated"
            ? "Any key works here: it pays with play money. "
            : "Use a wallet that holds only what this may spend. "}
          client.mjs sets a budget for a day, and the client signs nothing beyond it. Or start with
          {" "}
          <a href={pagePaths.docs}>Python, LangChain and others</a>.
        </p>
      </Card>
    </Cards>
  )
}

function PaymentSteps({ network }: { network: string }) {
  return (
    <ol>
      <li>
        The client calls <code>GET /v1/latest</code>.
      </li>
      <li>
        The server answers <code>402 Payment Required</code>{" "}
        with the price, ${usd(products.latest.price)}, and the receiver.
      </li>
      <li>
        The client signs a transfer of exactly that amount of USDC on {networkName(network)}{" "}
        and sends the same request with the signature. The client pays no fee for the transfer and
        needs no ETH.
      </li>
      <li>
        The server answers <code>200</code> with the data and a receipt.
      </li>
    </ol>
  )
}

function Proof({ record }: { record: Body<"track_record"> | null }) {
  return (
    <>
      <p>
        <strong>You do not pay for a failure.</strong>{" "}
        An error or an empty answer is not charged, or the payment is refunded in full to its payer.
        The <a href={freeRows.terms_text.path}>terms</a> say how.
      </p>
      <p>
        <strong>The results are public.</strong>{" "}
        Losing entries of tracked traders count like winning ones. Each figure has its method, which
        says what is left out, and an interval where one can be computed.
      </p>
      {record === null
        ? <p>The track record cannot be read now.</p>
        : record.coverage.resolvedEntries === 0
        ? <p class="empty">No tracked entry has resolved yet, so there are no results to show.</p>
        : <Results record={record} />}
      <p>
        <a href={pagePaths.trackRecord}>See the whole track record</a> and the{" "}
        <a href={pagePaths.status}>state of the service</a>, or{" "}
        <a href={paths.contact}>ask us</a>. Nothing here is financial advice.
      </p>
    </>
  )
}

function Results({ record: body }: { record: Body<"track_record"> }) {
  const record = cite(freeRows.track_record.path, body)
  const overall = record.at("overall")
  return (
    <Facts>
      <Fact name="Entries that resolved">
        <Value of={record.at("coverage").at("resolvedEntries")} as={count} />
      </Fact>
      <Fact name="Share that won">
        <Value of={overall.at("holdToResolutionWinRate")} as={percent} />
      </Fact>
      <Fact name="Mean price paid, as a chance">
        <Value of={overall.at("meanEntryPrice")} as={percent} />
      </Fact>
      <Fact name="Return of copying all">
        <Value of={overall.at("followRoiCostWeighted")} as={signedPercent} />
      </Fact>
      <Fact name="Its 95 % interval">
        <Range
          low={overall.at("followRoiLow")}
          high={overall.at("followRoiHigh")}
          as={signedPercent}
        />
      </Fact>
    </Facts>
  )
}
