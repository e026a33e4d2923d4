/**
 * /digest: the free part of the newest digest, what the paid one adds, and the titles of the week.
 *
 * @module
 */
import type { freeRows } from "../../catalog/domain/freeRow.ts"
import { products } from "../../catalog/domain/product.ts"
import { usd } from "../../core/domain/money.ts"
import { digestLengths, digestSections } from "../../digest/domain/digest.ts"
import { digestHeadings } from "../../digest/domain/text.ts"
import type { PageBodies } from "../free/pageData.ts"
import type { Page, Section } from "./sections.tsx"
import { quoted, say, time } from "./text.tsx"

type Brief = typeof freeRows["digest_brief"]["body"]["Type"]
type Titles = PageBodies["digests"]

/** `brief` is null before the first digest, and while it cannot be read. */
export const digestPage = ({ digests }: Titles, brief: Brief | null): Page => ({
  name: "Digest",
  description:
    "What happened on the market in the last four hours: the newest title and summary, and the titles of the week.",
  lead:
    `A text about the last four hours of the market, written at 00:00, 04:00, 08:00, 12:00, 16:00 ` +
    `and 20:00 UTC. Its title and summary are free; its analysis costs $${
      usd(products.digest.price)
    }.`,
  sections: [newest(brief, digests.length === 0), paid, {
    id: "archive",
    title: "Titles of the last week",
    blocks: [
      {
        table: {
          caption: "Digests, the newest first, without those that have too little news to be sold",
          columns: ["Written", "Title"],
          rows: digests.map(({ createdAt, title }) => [
            time(createdAt),
            quoted(title, digestLengths.title),
          ]),
        },
        empty: "No title yet.",
      },
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
  return {
    id,
    title: [quoted(title, digestLengths.title)],
    blocks: [
      say`Written ${time(createdAt)}`,
      [quoted(summary, digestLengths.summary)],
      say`Sources: ${quoted(sourcesUsed.join(", "), digestLengths.summary)}.`,
    ],
  }
}

const paid: Section = {
  id: "paid",
  title: "What the paid digest adds",
  blocks: [
    `\`GET ${products.digest.path}\` returns the analysis, of up to 800 words, with the numbered facts that it cites. A section without news is left out:`,
    { list: digestSections.map((section) => digestHeadings[section]) },
    `A digest older than 4 hours and 20 minutes is not sold: the call fails and nothing is charged. \`GET ${products.digest_history.path}\` costs $${
      usd(products.digest_history.price)
    } and returns the titles and summaries of up to a week. [A sample](/v1/sample) of the whole answer is free.`,
    "Code collects the facts and writes every sentence from them. A language model may propose better sentences; one that does not agree with its facts is left out. Headlines are not verified: one that came before a move need not be its cause.",
  ],
}
