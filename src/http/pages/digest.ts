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
import { pagePaths } from "./paths.ts"
import type { Page, Section } from "./sections.tsx"
import { code, join, quoted, say, time } from "./text.tsx"

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
export const digestPage = (brief: Brief | null, { digests }: Titles): Page => ({
  title: "Digest",
  lead:
    `A text about the last four hours of the market, written at 00:00, 04:00, 08:00, 12:00, 16:00 ` +
    `and 20:00 UTC. Its title and summary are free; its analysis costs $${
      usd(products.digest.price)
    }.`,
  sections: [newest(brief, digests.length === 0), paid, making, {
    id: "archive",
    title: "Titles of the last week",
    blocks: [
      "Digests are kept for seven days. One with too little news to be worth its price is not listed.",
      {
        table: {
          caption: "Digests, the newest first",
          columns: [{ title: "Written" }, { title: "Title" }],
          rows: digests.map(({ createdAt, title }) => [
            time(createdAt),
            quoted(title, digestLengths.title),
          ]),
        },
        empty: "No title yet.",
      },
      { json: [pageRows.digests.path] },
    ],
  }],
})

function newest(brief: Brief | null, isFirst: boolean): Section {
  const id = "newest"
  if (brief === null) {
    const empty = isFirst
      ? "No digest yet. The first is written after the service has read the whole market once."
      : "The newest digest cannot be read now."
    return { id, title: "The newest digest", blocks: [{ empty }] }
  }
  const { title, summary, sourcesUsed, createdAt } = brief.data
  const sources = sourcesUsed.map((source) => [quoted(source, sourceLengthMax)])
  return {
    id,
    title: [quoted(title, digestLengths.title)],
    blocks: [
      { small: say`Written ${time(createdAt)}` },
      [quoted(summary, digestLengths.summary)],
      { small: say`Sources: ${join(sources, ", ")}.` },
      { json: [freeRows.digest_brief.path] },
    ],
  }
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

const paid: Section = {
  id: "paid",
  title: "What the paid digest adds",
  blocks: [
    say`${code(`GET ${products.digest.path}`)} costs $${
      usd(products.digest.price)
    } and returns the analysis, of up to 800 words, with the numbered facts that it cites. A section without news is left out:`,
    { terms: digestSections.map((section) => [digestHeadings[section], contents[section]]) },
    say`A digest older than 4 hours and 20 minutes is not sold: the call fails and nothing is charged. ${
      code(`GET ${products.digest_history.path}`)
    } costs $${
      usd(products.digest_history.price)
    } and returns the titles and summaries of up to a week. [A sample](/v1/sample) of the whole answer is free.`,
  ],
}

const making: Section = {
  id: "making",
  title: "How a digest is written",
  blocks: [
    {
      numbered: true,
      list: [
        "Code collects numbered facts from the market, the tracked wallets and the headlines of news sources.",
        "Code writes every sentence from these facts, so the text is complete without a model.",
        "A language model may propose better sentences. It types no figure and no name: code fills them in from the facts.",
        "Code compares each proposed sentence with its facts. One that does not agree is left out, and the sentence of step 2 stays.",
      ],
    },
    say`Headlines are not verified. A headline that came before a move need not be its cause. See [How digests and reports are made](/llms-full.txt) in the full documentation.`,
  ],
}
