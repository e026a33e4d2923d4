/**
 * The page of a digest: the best cards that have room, and what concerns the whole window. Each sentence
 * is the statement of one fact, so it is true when its fact is.
 *
 * The title is the lead of the best card, and the summary counts what moved. Below them
 * each card is whole or not there, until the page has `pageWordsMax` words, and no fact is stated twice.
 * Moves and proposals without room are listed.
 *
 * @module
 */
import { type DigestCard, digestCards } from "./cards.ts"
import { changeOf } from "./changes.ts"
import {
  digestLengths,
  type DigestPage,
  type DigestParagraph,
  type DigestSection,
  digestSections,
} from "./digest.ts"
import {
  aheadFacts,
  calledFacts,
  contextFact,
  countFacts,
  gapFacts,
  idleFact,
  otherMoveFacts,
  otherProposalFacts,
  windowFacts,
} from "./facts.ts"
import { type DigestMaterial, withMarks } from "./material.ts"
import { type NewFact, present, titleOf } from "../../writing/facts/fact.ts"
import { isDead, placedStories } from "../../writing/facts/view.ts"
import { numbering, wordCount } from "../../writing/domain/page.ts"

/** Words of all paragraphs with their market; leaves room for headings below 800. */
const pageWordsMax = 780
/** Headlines of the context, and the words that cards leave to them and to what has no card. */
const contextMax = 2
const restWords = 190

interface Paragraph
  extends Pick<DigestParagraph, "market">, Partial<Pick<DigestParagraph, "mark">> {
  readonly section: DigestSection
  readonly topic: string
  readonly facts: readonly [NewFact, ...ReadonlyArray<NewFact>]
}

/** Deterministic: the order of the material does not matter. */
export function digestPage(given: DigestMaterial): DigestPage {
  const material = withMarks(given)
  const cards = digestCards(material)
  const counts = countFacts(material)
  const [window, next] = windowFacts(material)
  // What gains in any case leads, else what can be traded, else what is worth attention.
  const fitting = cards.filter((card) =>
    card.lead.statement.length <= digestLengths.title && !isAsBefore(card, material)
  )
  const first = fitting.find(({ isSure }) => isSure === true) ??
    fitting.find(({ isSure }) => isSure !== null) ?? fitting[0]
  const title = first?.lead ?? counts[0] ?? window
  const summed = counts.find((fact) => fact !== title) ?? next
  const { facts, slot } = numbering()
  const second = fitting.find((card) => card !== first)
  const idle = idleFacts(material, cards)
  const [begin = summed, ...others] = [
    ...idle,
    summed,
    ...second === undefined ? [] : [second.lead],
  ]
  const summary = slot("summary", [begin, ...others])
  const named = slot("title", [title])
  const [heading] = named.sentences
  const isLeft = (fact: NewFact) => fact !== title && fact !== summed
  const about = [window, next, ...gapFacts(material), ...counts].filter(isLeft)
  const paragraphs = paragraphsOf(material, cards, paragraph("watch", "coverage", about))
  const section = (name: DigestSection): ReadonlyArray<DigestParagraph> =>
    paragraphs.filter((paragraph) => paragraph.section === name)
      .map(({ facts, mark = "", market, topic }) => ({
        ...{ mark, market },
        slot: slot(topic, facts, topic === "coverage"),
      }))
  const [repriced, whales, predetermined, context, watch] = digestSections
  const shown = new Set<string>(paragraphs.flatMap(({ market }) => market?.slug ?? []))
  return {
    stated: cards.flatMap((card) =>
      card.stated !== null && shown.has(card.market) ? [card.stated] : []
    ),
    facts,
    title: { ...named, sentences: [{ ...heading, text: heading.text.replace(/\.$/, "") }] },
    summary,
    sections: {
      repriced: section(repriced),
      whales: section(whales),
      predetermined: section(predetermined),
      context: section(context),
      watch: section(watch),
    },
  }
}

/** Whether the digest before had the same of it, which did not change. */
const isAsBefore = ({ about, facts: [{ statement }], line }: DigestCard, given: DigestMaterial) =>
  line?.where === "as before" && changeOf(given.previous, about.slug, statement).isBefore

/** One line where nothing can be bought; none where a book, a fee or our own number is not known. */
function idleFacts(
  { markets, record }: DigestMaterial,
  cards: ReadonlyArray<DigestCard>,
): ReadonlyArray<NewFact> {
  const isIdle = record !== null &&
    cards.every(({ isSure, kind, market: slug }) =>
      isSure === null && kind !== "contradiction" &&
      markets.some(({ book, market }) =>
        market.slug === slug && book !== null && market.takerFeeRate !== null
      )
    )
  return isIdle ? [idleFact(cards.length)] : []
}

/** In the order of the page, within each section. `about`: what is not about a market. */
function paragraphsOf(
  material: DigestMaterial,
  cards: ReadonlyArray<DigestCard>,
  about: ReadonlyArray<Paragraph>,
): ReadonlyArray<Paragraph> {
  const room = pageWordsMax - wordsOf(about)
  const stated = new Set<string>()
  const fixed = paragraph("watch", "ahead", aheadFacts(material, cards))
  const rest = Math.min(restWords, wordsOf([...fixed, ...othersOf(material, new Set(), stated)]))
  const own = placedCards(cards, room - rest, stated, material.previous)
  const placed = new Set(own.map(({ market }) => market?.slug ?? ""))
  let left = room - wordsOf(own)
  const fitting = [...fixed, ...othersOf(material, placed, stated)].filter((other) => {
    const fits = wordsOf([other]) <= left
    if (fits) left -= wordsOf([other])
    return fits
  })
  return [...own, ...fitting, ...about]
}

/** What has no card: proposals, headlines and moves. */
function othersOf(
  material: DigestMaterial,
  placed: ReadonlySet<string>,
  stated: ReadonlySet<string>,
): ReadonlyArray<Paragraph> {
  return [
    ...paragraph("predetermined", "proposals", otherProposalFacts(material, placed)),
    ...paragraph("context", "news", contextOf(material, stated)),
    ...paragraph("repriced", "moves", otherMoveFacts(material, placed)),
    ...paragraph("watch", "called", calledFacts(material, placed)),
  ]
}

/** None without a fact. */
function paragraph(
  section: DigestSection,
  topic: string,
  [first, ...rest]: ReadonlyArray<NewFact>,
): ReadonlyArray<Paragraph> {
  return first === undefined ? [] : [{ section, topic, market: null, facts: [first, ...rest] }]
}

/** The cards that have room, the best first. Adds to `stated` what no other card repeats. */
function placedCards(
  cards: ReadonlyArray<DigestCard>,
  wordsMax: number,
  stated: Set<string>,
  previous: DigestMaterial["previous"],
): ReadonlyArray<Paragraph> {
  let words = 0
  const events = new Set<string>()
  return cards.flatMap(({ about, facts: [opening, ...facts], kind, line, section, why }) => {
    const own = [opening, ...present(why)]
    const rest = facts.filter((fact, n) => {
      const key = keyOf(fact)
      const isRepeated = facts.findIndex((other) => keyOf(other) === key) < n
      return own.includes(fact) || key === "" || !stated.has(key) && !isRepeated
    })
    const { isBefore, mark } = changeOf(previous, about.slug, opening.statement)
    const isLine = line !== null &&
      (line.where === "always" ||
        (line.where === "as before" ? isBefore : events.has(about.eventKey)))
    const chosen = {
      ...{ section, mark, market: about },
      ...isLine
        ? { topic: "line", facts: line.facts }
        : { topic: kind, facts: [opening, ...rest] as const },
    }
    if (words + wordsOf([chosen]) > wordsMax) return []
    words += wordsOf([chosen])
    events.add(about.eventKey)
    for (const fact of chosen.facts) stated.add(keyOf(fact))
    return [chosen]
  })
}

/** What no second card repeats: a headline, a record or a reason of several markets; empty for none. */
function keyOf(fact: NewFact): string {
  return headlineOf(fact) || (/^(?:record|relation)$/.test(fact.kind) ? fact.statement : "")
}

/** The headline that a fact quotes; empty for none. */
function headlineOf({ values }: NewFact): string {
  const value = values["headline"] ?? values["cause"]
  return value?.type === "name" ? value.text : ""
}

/** The headlines of the window about markets in play that no card quotes: those of most outlets first. */
function contextOf(
  { from, markets: all, until }: DigestMaterial,
  stated: ReadonlySet<string>,
): ReadonlyArray<NewFact> {
  const markets = all.filter((one) => !isDead(one))
  // Shared words say little where a model reads the headlines.
  const isRead = markets.some((one) => one.stories.some(({ reading }) => reading !== null))
  return markets.toSorted((a, b) => a.market.slug < b.market.slug ? -1 : 1)
    .flatMap((one) =>
      placedStories({ ...one, clause: null }, one.stories).map((story) => ({ one, story }))
    )
    .filter(({ story: { afterMs, corrected, firstAt, reading } }) =>
      !corrected && firstAt >= from && !(isRead && (reading?.bears ?? null) === null) &&
      (afterMs === undefined || reading?.decides === true)
    )
    .sort(({ story: a }, { story: b }) =>
      b.outlets.length - a.outlets.length || b.firstAt - a.firstAt || (a.url < b.url ? -1 : 1)
    )
    .map(({ one, story }) => contextFact(story, one, until))
    .filter((fact, n, all) =>
      !stated.has(headlineOf(fact)) &&
      all.findIndex((other) => headlineOf(other) === headlineOf(fact)) === n
    )
    .slice(0, contextMax)
}

/** Words of a line's label, at most. */
const labelWords = 1

/** With the names of their markets and the words before their facts. */
function wordsOf(paragraphs: ReadonlyArray<Paragraph>): number {
  return paragraphs.reduce(
    (sum, { facts, mark = "", market }) =>
      facts.reduce((sum, { statement }) => sum + labelWords + wordCount(statement), sum) +
      (market === null ? 0 : wordCount(`${titleOf(market).text} ${mark}`)),
    0,
  )
}
