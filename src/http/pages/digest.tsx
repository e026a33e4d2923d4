/**
 * /digest: the free part of the newest digest, what the paid one adds, and the titles of the week.
 *
 * @module
 */
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { pageRows } from "../../catalog/domain/pageRow.ts"
import { products } from "../../catalog/domain/product.ts"
import { usd } from "../../core/domain/money.ts"
import { digestLengths, type DigestSection, digestSections } from "../../digest/domain/digest.ts"
import { digestHeadings } from "../../digest/domain/text.ts"
import { paths } from "../documents/addresses.ts"
import { Excerpt, Table, Time } from "./parts.tsx"
import { pagePaths } from "./paths.ts"

type Brief = typeof freeRows["digest_brief"]["body"]["Type"]
type Titles = typeof pageRows["digests"]["body"]["Type"]

export const digestMeta = {
  path: pagePaths.digest,
  title: "Digest",
  description:
    "What happened on the market in the last four hours: the newest title and summary, and the titles of the week.",
  json: [freeRows.digest_brief.path, pageRows.digests.path],
} as const

/** `brief` is null before the first digest, and while it cannot be read. */
export function DigestPage({ brief, titles }: { brief: Brief | null; titles: Titles }) {
  return (
    <>
      <h1>Digest</h1>
      <p class="lead">
        A digest is a text about the last four hours of the market. One is written every four hours,
        at 00:00, 04:00, 08:00, 12:00, 16:00 and 20:00 UTC. Its title and summary are free; its
        analysis costs ${usd(products.digest.price)}.
      </p>
      <Newest brief={brief} isFirst={titles.digests.length === 0} />
      <Paid />
      <Making />
      <Archive {...titles} />
    </>
  )
}

function Newest({ brief, isFirst }: { brief: Brief | null; isFirst: boolean }) {
  if (brief === null) {
    return (
      <section aria-labelledby="newest">
        <h2 id="newest">The newest digest</h2>
        <p class="empty">
          {isFirst
            ? "No digest yet. The first is written after the service has read the whole market once."
            : "The newest digest cannot be read now."}
        </p>
      </section>
    )
  }
  const { title, summary, sourcesUsed, createdAt } = brief.data
  return (
    <section aria-labelledby="newest">
      <h2 id="newest">
        <Excerpt of={title} max={digestLengths.title} />
      </h2>
      <p class="quiet">
        Written <Time at={createdAt} />
      </p>
      <p>
        <Excerpt of={summary} max={digestLengths.summary} />
      </p>
      <p>
        Sources: {sourcesUsed.map((source, place) => (
          <>
            {place === 0 ? "" : ", "}
            <Excerpt of={source} max={sourceLengthMax} />
          </>
        ))}.
      </p>
      <p class="source">
        As JSON: <a href={freeRows.digest_brief.path}>{freeRows.digest_brief.path}</a>
      </p>
    </section>
  )
}

const sourceLengthMax = 80

const contents: Readonly<Record<DigestSection, string>> = {
  repriced:
    "How many markets moved, of how many; the moves and contradictions that are worth most, with the " +
    "price after the fee, a dated cause or that none was found, and what pays.",
  whales: "What labelled wallets bought, their record, and what it leaves at the ask.",
  predetermined:
    "Open proposals that traders doubt, outcomes that are reported, and how markets ended.",
  context: "Further headlines of the window about these markets.",
  watch: "Markets that resolve soon, the window, and what could not be read.",
}

function Paid() {
  const { digest, digest_history: history } = products
  return (
    <section aria-labelledby="paid">
      <h2 id="paid">What the paid digest adds</h2>
      <p>
        <code>GET {digest.path}</code> costs ${usd(digest.price)}{" "}
        and returns the analysis, of up to 800 words, with the numbered facts that it cites. A
        section without news is left out:
      </p>
      <dl class="parts">
        {digestSections.map((section) => (
          <div key={section}>
            <dt>{digestHeadings[section]}</dt>
            <dd>{contents[section]}</dd>
          </div>
        ))}
      </dl>
      <p>
        A digest older than 4 hours and 20 minutes is not sold: the call fails and nothing is
        charged. <code>GET {history.path}</code> costs ${usd(history.price)}{" "}
        and returns the titles and summaries of up to a week.{" "}
        <a href={freeRows.sample.path}>A sample</a> of the whole answer is free.
      </p>
    </section>
  )
}

function Making() {
  return (
    <section aria-labelledby="making">
      <h2 id="making">How a digest is written</h2>
      <ol>
        <li>
          Code collects numbered facts from the market, the tracked wallets and the headlines of
          news sources.
        </li>
        <li>
          Code writes every sentence from these facts, so the text is complete without a model.
        </li>
        <li>
          A language model may propose better sentences. It types no figure and no name: code fills
          them in from the facts.
        </li>
        <li>
          Code compares each proposed sentence with its facts. One that does not agree is left out,
          and the sentence of step 2 stays.
        </li>
      </ol>
      <p>
        Headlines are not verified. A headline that came before a move need not be its cause. See
        {" "}
        <a href={paths.llmsFull}>How digests and reports are made</a> in the full documentation.
      </p>
    </section>
  )
}

function Archive({ digests }: Titles) {
  return (
    <section aria-labelledby="archive">
      <h2 id="archive">Titles of the last week</h2>
      <p>
        Digests are kept for seven days. One with too little news to be worth its price is not
        listed.
      </p>
      {digests.length === 0 ? <p class="empty">No title yet.</p> : (
        <Table
          caption="Digests, the newest first"
          columns={[{ title: "Written" }, { title: "Title" }]}
          rows={digests.map(({ createdAt, title }) => [
            <Time key="at" at={createdAt} />,
            <Excerpt key="title" of={title} max={digestLengths.title} />,
          ])}
        />
      )}
      <p class="source">
        As JSON: <a href={pageRows.digests.path}>{pageRows.digests.path}</a>
      </p>
    </section>
  )
}
