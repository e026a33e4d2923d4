/**
 * The paragraphs about other news, about markets that resolve soon, and about the digest itself.
 *
 * @module
 */
import type { DigestFact, DigestSection } from "../digest.ts"
import {
  about,
  type Draft,
  draft,
  has,
  type Line,
  line,
  ofTopic,
  statementOf,
  textOf,
} from "./draft.ts"
import { listed } from "../factBuilders.ts"
import { bearingWords } from "../stories.ts"

/** Markets that resolve soon on every page. */
const requiredMax = 2
/** Stories of one paragraph. */
const storiesMax = 3

/** The news about a market whose paragraph names it. */
export function relatedLine(story: DigestFact): Line {
  return line(story, (spell) => {
    const more = has(story, "outlets") ? spell`; ${"outlets"} by ${"lastAt"}` : ""
    const scope = textOf(story, "relation") === "sibling"
      ? " about another outcome of the event"
      : ""
    // A story with a purchase states that one, and not whom its words favour.
    const favour = has(story, "outcome") ? bearingWords(story.values["bearing"]) : ""
    const favoured = favour === "" ? "" : `; its words ${favour} ${spell`${"outcome"}`}`
    return `The first related headline${scope} is ` +
      spell`${"headline"} (${"publisher"}, ${"publishedAt"}` + `${more})${favoured}.`
  })
}

/** News about markets that wallets bought. */
export function contextDrafts(facts: ReadonlyArray<DigestFact>): ReadonlyArray<Draft> {
  const bought = ofTopic(facts, "story").filter(({ section }) => section === "whales")
  const lines = bought.map(statementOf)
  return chunks(lines, storiesMax).map((sentences) =>
    draft({
      section: "context",
      topic: "news",
      sizes: sentences.map((_, i) => sentences.slice(0, i + 1)),
    })
  )
}

export function watchDrafts(facts: ReadonlyArray<DigestFact>): ReadonlyArray<Draft> {
  const own = facts.filter(({ section }) => section === "watch")
  return watched(ofTopic(own, "upcoming"), facts).map(({ fact, reasons }, place) =>
    draft({
      section: "watch",
      topic: "upcoming",
      lead: textOf(fact, "market"),
      required: place < requiredMax,
      sizes: [[upcomingLine(fact), ...reasons]],
    })
  )
}

/** What was not found, apart from moves and labelled wallets, in one sentence near the end. */
export function absenceDraft(facts: ReadonlyArray<DigestFact>): ReadonlyArray<Draft> {
  const absences = closingAbsences(facts)
  return absences.length === 0 ? [] : [draft({
    section: "watch",
    topic: "absence",
    required: true,
    sizes: [[absenceLine(absences)]],
  })]
}

function closingAbsences(facts: ReadonlyArray<DigestFact>): ReadonlyArray<DigestFact> {
  const hasEntries = ofTopic(facts, "entry").length > 0
  return ofTopic(facts, "absence").filter(({ section }) =>
    section !== "repriced" && !(section === "whales" && hasEntries)
  )
}

/** These statements in one sentence. */
export function absenceLine(absences: ReadonlyArray<DigestFact>): Line {
  const parts = absences.map(({ statement }, i) => {
    const bare = statement.replace(/\.$/, "")
    return i === 0 ? bare : bare.replace(/^No\b/, "no")
  })
  return { text: `${listed(parts)}.`, facts: absences.map(({ id }) => id) }
}

/** The markets with a reason beyond their end; without any, the first one. */
function watched(upcoming: ReadonlyArray<DigestFact>, facts: ReadonlyArray<DigestFact>) {
  const all = upcoming.map((fact) => ({ fact, reasons: reasonsFor(fact, facts) }))
  const found = all.filter(({ reasons }) => reasons.length > 0)
  return found.length > 0 ? found : all.slice(0, 1)
}

/** Its news, its move, the purchases of tracked wallets and its contradiction. */
function reasonsFor(fact: DigestFact, facts: ReadonlyArray<DigestFact>): ReadonlyArray<Line> {
  const market = textOf(fact, "market")
  const story = about(facts, fact.subject, "story")
  const level = about(facts, fact.subject, "level")
  const entry = ofTopic(facts, "entry").find((it) => textOf(it, "market") === market)
  const ladder = ofTopic(facts, "ladder").find((it) =>
    textOf(it, "market") === market || textOf(it, "market2") === market
  )
  return [
    ...story?.section === "watch" ? [relatedLine(story)] : [],
    ...level === undefined
      ? []
      : [line(level, (spell) => spell`Half of its move is given back at ${"halfLevel"}.`)],
    ...entry === undefined
      ? []
      : [line(entry, (spell) => spell`${"wallet"} bought ${"outcome"} at ${"entryPrice"}.`)],
    ...ladder === undefined
      ? []
      : [line(ladder, (spell) =>
        spell`Its price and that of another limit contradict each other: ${"rung"} at ${"price"}, ${"rung2"} at ${"price2"}.`)],
  ]
}

function upcomingLine(fact: DigestFact): Line {
  return line(
    fact,
    (spell) =>
      spell`${"outcome"} trades at ${"price"}, ${"left"} before the market resolves at about ${"endsAt"}; ${"liquidity"} of liquidity.`,
  )
}

/**
 * What the digest covers and what is missing, last; a gap of a section of which nothing else is stated
 * stands there.
 */
export function coverageDraft(
  facts: ReadonlyArray<DigestFact>,
  isFilled: (section: DigestSection) => boolean,
): ReadonlyArray<Draft> {
  const gaps = ofTopic(facts, "gap")
  const closed = new Set(closingAbsences(facts).map(({ section }) => section))
  const alone = gaps.filter(({ section }) =>
    section !== "watch" && !isFilled(section) && !closed.has(section)
  )
  const closing = [...ofTopic(facts, "coverage"), ...gaps.filter((gap) => !alone.includes(gap))]
  const itself = { topic: "coverage", required: true, aboutItself: true } as const
  return [
    ...alone.map((gap) => draft({ ...itself, section: gap.section, sizes: [[statementOf(gap)]] })),
    draft({ ...itself, section: "watch", sizes: [closing.map(statementOf)] }),
  ]
}

function chunks<A>(list: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> {
  return list.length === 0 ? [] : [list.slice(0, size), ...chunks(list.slice(size), size)]
}
