/**
 * The paragraphs about tracked wallets: each labelled wallet with its record once, the others in one
 * sentence.
 *
 * @module
 */
import type { DigestFact } from "../digest.ts"
import {
  type Draft,
  draft,
  has,
  type Line,
  line,
  ofTopic,
  spell,
  statementOf,
  textOf,
} from "./draft.ts"
import { listed } from "../factBuilders.ts"

/** Entries of one wallet that its paragraph names, and entries of unlabelled wallets. */
const entriesMax = 3
const flowsMax = 2

export function whaleDrafts(facts: ReadonlyArray<DigestFact>): ReadonlyArray<Draft> {
  const own = facts.filter(({ section }) => section === "whales")
  const records = ofTopic(own, "calibration")
  // Without any entry the absence is among those that close the digest.
  const absences = ofTopic(own, "entry").length === 0
    ? []
    : ofTopic(own, "absence").map(statementOf)
  const unlabelled = unlabelledLines(own)
  const rest = [...unlabelled, ...absences]
  return [
    ...records.map((record) => walletDraft(record, own)),
    ...rest.length === 0
      ? []
      : [draft({ section: "whales", topic: "whales", required: true, sizes: [rest] })],
    ...ofTopic(own, "flow").slice(0, flowsMax).map((flow) =>
      draft({ section: "whales", topic: "flow", sizes: [[statementOf(flow)]] })
    ),
  ]
}

function walletDraft(record: DigestFact, facts: ReadonlyArray<DigestFact>): Draft {
  const entries = ofTopic(facts, "entry").filter(({ subject }) => subject === record.subject)
    .slice(0, entriesMax)
  const lines = entries.map((entry) => entryLine(entry, facts))
  return draft({
    section: "whales",
    topic: "wallet",
    lead: textOf(record, "wallet"),
    sizes: [[...lines.slice(0, 1), recordLine(record)], [...lines, recordLine(record)]],
  })
}

function entryLine(entry: DigestFact, facts: ReadonlyArray<DigestFact>): Line {
  const since = sinceOf(entry, facts)
  const text = (price: string) =>
    line(
      entry,
      (spell) =>
        spell`The wallet put ${"stake"} on ${"outcome"} in ${"market"} at ${"entryPrice"}, last at ${"at"}` +
        `${price}.`,
      ...since === undefined ? [] : [since],
    )
  if (since === undefined) return text("")
  const of = spell(since)
  const change = !has(since, "change")
    ? "unchanged"
    : `${of`${"change"}`} ${since.direction === "up" ? "above" : "below"} the entry`
  return text(of`; now ${"price"}, ` + change)
}

/** The price now of the same outcome in the same market. */
function sinceOf(entry: DigestFact, facts: ReadonlyArray<DigestFact>): DigestFact | undefined {
  return ofTopic(facts, "since").find((since) =>
    since.subject === entry.subject &&
    ["market", "outcome"].every((slot) => textOf(since, slot) === textOf(entry, slot)) &&
    spell(since)`${"entryPrice"}` === spell(entry)`${"entryPrice"}`
  )
}

function recordLine(record: DigestFact): Line {
  return line(
    record,
    (spell) =>
      spell`It is labelled ${"label"}: over ${"resolved"} it had a win rate of ${"winRate"} at a mean entry price of ${"meanEntryPrice"}, ${"result"} of ${"edge"} a share on average (from ${"resultLow"} of ${"edgeLow"} to ${"resultHigh"} of ${"edgeHigh"}); ${"meaning"}.`,
  )
}

/** All entries of wallets without a label, in one sentence. */
function unlabelledLines(facts: ReadonlyArray<DigestFact>): ReadonlyArray<Line> {
  const labelled = new Set(ofTopic(facts, "calibration").map(({ subject }) => subject))
  return ofTopic(facts, "entries").map((total) => {
    const entries = ofTopic(facts, "entry")
      .filter((entry) => textOf(entry, "label") === "none" && !labelled.has(entry.subject))
      .slice(0, entriesMax)
    const sinces = entries.map((entry) => sinceOf(entry, facts))
    const named = entries.map((entry, i) => {
      const since = sinces[i]
      return spell(entry)`${"stake"} on ${"outcome"} in ${"market"} at ${"entryPrice"}` +
        (since === undefined ? "" : spell(since)` (now ${"price"})`)
    })
    return line(
      total,
      (spell) =>
        spell`Without a record long enough for a label, ${"wallets"} put ${"stake"} into ${"resolved"}` +
        (named.length === 0
          ? "."
          : `; the largest ${named.length === 1 ? "is" : "are"} ${listed(named)}.`),
      ...entries,
      ...sinces.flatMap((since) => since ?? []),
    )
  })
}
