/**
 * The sentences of a paragraph as lines, each with its subject's word in front.
 *
 * @module
 */
import type { Fact, FactKind } from "../domain/facts.ts"
import type { Sentence } from "../domain/page.ts"

/** Words with which a sentence says by itself what it is about. */
const openings =
  /^(?:Our (?:own )?fair price|Our reading|No view|Nothing|No trade|Act at|Pays|Deadline|Payout|Kick-off|Why|Locked|Valid|For it|Against it|Cause|First headline|Traded while it moved|Unusual rule|Reference|Bought and sold again|Confidence|Scored|Watch)\b:?/

/** What the other sentences are about, by kind; empty for one that adds to the sentence before it. */
const labels: Readonly<Record<FactKind, string>> = {
  mover: "Moves",
  predetermined: "Reported",
  resolution: "Proposal",
  news: "News",
  upcoming: "Payout",
  market: "",
  price: "Price so far",
  book: "Price now",
  whale: "Wallets",
  relation: "Other markets",
  rules: "Pays",
  record: "",
  coverage: "",
  method: "Trade",
}

interface Line {
  /** The first words of `text`. */
  readonly label: string
  readonly text: string
}

/** Sentences of one subject, and those that add to it, are one line. */
export function linesOf(
  sentences: ReadonlyArray<Sentence>,
  facts: ReadonlyArray<Pick<Fact, "id" | "kind">>,
): ReadonlyArray<Line> {
  return sentences.reduce<ReadonlyArray<Line & { readonly about: string }>>(
    (lines, { facts: [id], text }) => {
      const kind = facts.find((fact) => fact.id === id)?.kind
      const [opened] = openings.exec(text) ?? []
      const about = opened ?? (kind === undefined ? "" : labels[kind])
      const last = lines.at(-1)
      // What is to be done stands alone.
      const isSame = ["", last?.about].includes(about) && last?.about !== "Watch"
      if (last !== undefined && opened === undefined && isSame) {
        return [...lines.slice(0, -1), { ...last, text: `${last.text} ${text}` }]
      }
      const label = opened ?? `${about || "Record"}:`
      return [...lines, {
        about,
        label,
        text: opened === undefined ? `${label} ${text}` : text,
      }]
    },
    [],
  )
}
