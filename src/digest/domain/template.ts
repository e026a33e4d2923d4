/**
 * The page of a digest: what is published without a model, and where a model's claims go.
 *
 * Each sentence spells values of the facts that it cites, so it is true when they are. A paragraph has a
 * brief form and fuller ones. The page is filled in this order:
 *
 * 1. In brief: contradictions, moves with news, the first paragraph of each section, the coverage.
 * 2. Every move with the cost of trading there, and the strongest moves in full.
 * 3. More paragraphs, where sections take turns.
 * 4. The rest in full.
 *
 * @module
 */
import {
  absenceDraft,
  contextDrafts,
  coverageDraft,
  watchDrafts,
} from "./paragraphs/surroundings.ts"
import {
  type DigestBrief,
  type DigestPage,
  type DigestSection,
  digestSections,
  type DigestSlot,
} from "./digest.ts"
import { type Draft, type Line, nonEmpty } from "./paragraphs/draft.ts"
import {
  contradictionDrafts,
  moveDrafts,
  unexplainedDraft,
  unexplainedLines,
  withContradictions,
} from "./paragraphs/moves.ts"
import { summaryLines, titleLine } from "./paragraphs/headline.ts"
import { predeterminedDrafts } from "./paragraphs/outcomes.ts"
import { wordCount } from "../../writing/domain/page.ts"
import { whaleDrafts } from "./paragraphs/whales.ts"

/** Words of all sections, with leads and fact ids; leaves room for headings below 800. */
const pageWordsMax = 775
/** The strongest moves, which are stated in full before anything else is added, and their sizes. */
const fullMoves = 3
const moveSizes = 3
/** Paragraphs that a section may add per turn. */
const perTurn: Readonly<Record<DigestSection, number>> = {
  repriced: 2,
  whales: 1,
  predetermined: 1,
  context: 1,
  watch: 1,
}

export function digestPage(brief: DigestBrief): DigestPage {
  const title = titleLine(brief.facts)
  const facts = leading(brief.facts, title)
  const summary = summaryLines(facts, title)
  const drafts = unrepeated(draftsOf(facts, title), [title, ...summary], brief)
  const sizes = chosenSizes(drafts)
  const stated = new Set(
    drafts.flatMap(({ lead, topic }, place) =>
      topic === "move" && lead !== null && sizes.has(place) ? [lead] : []
    ),
  )
  const isStated = (market: string) => stated.has(market)
  let number = 2
  const texts = new Set([title, ...summary].map(({ text }) => text))
  const slotOf = (draft: Draft, place: number): ReadonlyArray<DigestSlot> => {
    const chosen = draft.sizes[sizes.get(place) ?? -1] ?? []
    const isNamed = chosen.length > 0 && draft.topic === "unexplained"
    // Two wallets or markets with one name can have one sentence.
    const lines = (isNamed ? unexplainedLines(brief.facts, isStated) : chosen)
      .filter(({ text }) => !texts.has(text))
    for (const { text } of lines) texts.add(text)
    const sentences = nonEmpty(lines)
    if (sentences === null) return []
    const { aboutItself, lead, topic } = draft
    return [{ id: `S${++number}`, topic, sentences, aboutItself, lead }]
  }
  const section = (name: DigestSection) =>
    drafts.flatMap((draft, place) => draft.section === name ? slotOf(draft, place) : [])
  return {
    title: slot("S1", "title", [title]),
    summary: slot("S2", "summary", summary),
    sections: {
      repriced: section("repriced"),
      whales: section("whales"),
      predetermined: section("predetermined"),
      context: section("context"),
      watch: section("watch"),
    },
  }
}

function slot(
  id: string,
  topic: string,
  sentences: readonly [Line, ...ReadonlyArray<Line>],
): DigestSlot {
  return { id, topic, sentences, aboutItself: false, lead: null }
}

/** With the facts of the title in front of the others of their topic; the coverage stays first. */
function leading(facts: DigestBrief["facts"], { facts: ids }: Line): DigestBrief["facts"] {
  const [first, ...rest] = facts
  return [
    first,
    ...rest.toSorted((a, b) => Number(ids.includes(b.id)) - Number(ids.includes(a.id))),
  ]
}

/** All paragraphs in the order of the page; of a section, the one of the title is first. */
function draftsOf(facts: DigestBrief["facts"], title: Line): ReadonlyArray<Draft> {
  const sections = digestSections.flatMap((section) => contradictionDrafts(facts, section))
  const drafts = [
    ...sections,
    ...moveDrafts(facts),
    ...unexplainedDraft(facts),
    ...whaleDrafts(facts),
    ...predeterminedDrafts(facts),
    ...contextDrafts(facts),
    ...watchDrafts(facts),
    ...absenceDraft(facts),
  ]
  const filled = new Set(drafts.map(({ section }) => section))
  const isOfTitle = ({ facts }: Draft) => facts.some((id) => title.facts.includes(id))
  const [own, others] = [drafts.filter(isOfTitle), drafts.filter((it) => !isOfTitle(it))]
  return [
    ...withContradictions([...own, ...others], facts),
    ...coverageDraft(facts, (section) => filled.has(section)),
  ]
}

/** The size of each chosen paragraph, by its place in the list. */
function chosenSizes(drafts: ReadonlyArray<Draft>): ReadonlyMap<number, number> {
  const sizes = new Map<number, number>()
  const wordsAt = (place: number) => {
    const draft = drafts[place]
    const size = sizes.get(place)
    return draft === undefined || size === undefined ? 0 : wordsOf(draft, size)
  }
  const total = () => drafts.reduce((sum, _, place) => sum + wordsAt(place), 0)
  const take = (place: number, size: number) => {
    const draft = drafts[place]
    if (draft === undefined || draft.sizes[size] === undefined) return
    const more = wordsOf(draft, size) - wordsAt(place)
    if (total() + more <= pageWordsMax) sizes.set(place, size)
  }
  const places = drafts.map((draft, place) => ({ draft, place }))
  const first = digestSections.flatMap((section) =>
    places.find(({ draft }) => draft.section === section)?.place ?? []
  )
  const required = places.filter(({ draft }) => draft.required)
  const always = required.filter(({ draft }) => draft.aboutItself || draft.topic === "absence")
  for (const { draft, place } of always) take(place, draft.sizes.length - 1)
  for (const place of first) take(place, 0)
  for (const { place } of required) if (!sizes.has(place)) take(place, 0)
  const moves = places.filter(({ draft }) => draft.topic === "move")
  for (const { place } of moves) take(place, 1)
  for (let size = 2; size < moveSizes; size++) {
    for (const { place } of moves.slice(0, fullMoves)) take(place, size)
  }
  for (const { place } of byTurns(places)) if (!sizes.has(place)) take(place, 0)
  for (const { draft, place } of places) {
    if (sizes.has(place)) fullest(draft, place, take, sizes)
  }
  return sizes
}

/** Takes the fullest size that fits. */
function fullest(
  { sizes: { length } }: Draft,
  place: number,
  take: (place: number, size: number) => void,
  sizes: ReadonlyMap<number, number>,
): void {
  for (let size = (sizes.get(place) ?? -1) + 1; size < length; size++) take(place, size)
}

interface Placed {
  readonly draft: Draft
  readonly place: number
}

function byTurns(places: ReadonlyArray<Placed>): ReadonlyArray<Placed> {
  return digestSections.flatMap((section, order) =>
    places.filter(({ draft }) => draft.section === section)
      .map((placed, i) => ({ ...placed, turn: Math.floor(i / perTurn[section]), order }))
  ).sort((a, b) => a.turn - b.turn || a.order - b.order)
}

/** With the lead in front and the ids behind. */
function wordsOf({ lead, sizes }: Draft, size: number): number {
  const lines = sizes[size] ?? []
  const ids = new Set(lines.flatMap(({ facts }) => facts)).size
  return wordCount([lead ?? "", ...lines.map(({ text }) => text)].join(" ")) + ids
}

/**
 * The paragraphs without the lines of earlier ones: such a line becomes the whole statements of its
 * facts, or goes when these are repeated too.
 */
function unrepeated(
  drafts: ReadonlyArray<Draft>,
  before: ReadonlyArray<Line>,
  { facts }: DigestBrief,
): ReadonlyArray<Draft> {
  const statements = new Map(facts.map(({ id, statement }) => [id, statement]))
  const seen = new Set(before.map(({ text }) => text))
  return drafts.flatMap((draft) => {
    const kept = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> => {
      const own = new Set<string>()
      return lines.flatMap((line) => {
        const statement = line.facts.map((id) => statements.get(id) ?? "").join(" ")
        const text = [line.text, statement].find((text) => !seen.has(text))
        if (text === undefined || own.has(text)) return []
        own.add(text)
        return [{ ...line, text }]
      })
    }
    const sizes = draft.sizes.map(kept).filter(({ length }) => length > 0)
    for (const { text } of sizes.flat()) seen.add(text)
    return sizes.length === 0 ? [] : [{ ...draft, sizes }]
  })
}
