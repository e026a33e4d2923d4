/**
 * The page of a digest: the best cards that have room, and what concerns the whole window. Each sentence
 * is the statement of one fact, so it is true when its fact is.
 *
 * The title is the lead of the best card, the summary says why and names the next best, and each card's
 * paragraph opens with what can be decided; any other fact is stated once. The page has the counts, then
 * the cards, each whole or not at all, until it has `pageWordsMax` words. Moves and proposals without room have a
 * sentence together.
 *
 * @module
 */
import { type DigestCard, digestCards } from "./cards.ts"
import {
  digestLengths,
  type DigestPage,
  type DigestParagraph,
  type DigestSection,
  digestSections,
} from "./digest.ts"
import {
  contextFact,
  countFacts,
  gapFacts,
  otherMovesFact,
  otherProposalsFact,
  windowFacts,
} from "./facts.ts"
import { type DigestMaterial, withMarks } from "./material.ts"
import { siblingSums } from "../../markets/domain/siblings.ts"
import { type NewFact, present, titleOf } from "../../writing/facts/fact.ts"
import { sumFact } from "../../writing/facts/ladders.ts"
import { numbering, wordCount } from "../../writing/domain/page.ts"

/** Words of all paragraphs with their market; leaves room for headings below 800. */
const pageWordsMax = 770
/** Sentences of the summary, and the cards after the first that it names. */
const summaryMax = 4
const namedMax = 2
/** Headlines of the context, and the words that cards leave to them and to what has no card. */
const contextMax = 2
const restWords = 110

interface Paragraph extends Pick<DigestParagraph, "market"> {
  readonly section: DigestSection
  readonly topic: string
  readonly facts: readonly [NewFact, ...ReadonlyArray<NewFact>]
}

/** Deterministic: the order of the material does not matter. */
export function digestPage(given: DigestMaterial): DigestPage {
  const material = withMarks(given)
  const cards = withMove(digestCards(material))
  const counts = countFacts(material)
  const [window, next] = windowFacts(material)
  const hasSure = cards.some(({ isSure }) => isSure === true)
  const first = cards.find(({ isSure, lead }) =>
    lead.statement.length <= digestLengths.title && !(hasSure && isSure === false)
  )
  const title = first?.lead ?? counts[0] ?? window
  const others = cards.filter((card) => card !== first).map(({ lead }) => lead).slice(0, namedMax)
  const [summed = next, ...more] = [...first?.why ?? [], ...others, ...counts]
    .filter((fact) => fact !== title).slice(0, summaryMax)
  const said = new Set([title, summed, ...more])
  const { facts, slot } = numbering()
  const [named, summary] = [slot("title", [title]), slot("summary", [summed, ...more])]
  const [heading] = named.sentences
  const about = [[window, next, ...gapFacts(material)], counts] as const
  const paragraphs = paragraphsOf(material, cards, about, said)
  const section = (name: DigestSection): ReadonlyArray<DigestParagraph> =>
    paragraphs.filter((paragraph) => paragraph.section === name)
      .map(({ facts, market, topic }) => ({
        market,
        slot: slot(topic, facts, topic === "coverage"),
      }))
  const [repriced, whales, predetermined, context, watch] = digestSections
  const shown = new Set<string>(paragraphs.flatMap(({ market }) => market?.slug ?? []))
  return {
    stated: cards.flatMap((card) =>
      card.stated !== null && (card === first || shown.has(card.market)) ? [card.stated] : []
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

/** The best move is among the first cards, which have room: a digest without one says not what repriced. */
const moveAt = 3

function withMove(cards: ReadonlyArray<DigestCard>): ReadonlyArray<DigestCard> {
  const at = cards.findIndex(({ isSure, kind }) => kind === "move" && isSure !== false)
  const move = cards[at]
  return move === undefined || at <= moveAt
    ? cards
    : cards.toSpliced(at, 1).toSpliced(moveAt, 0, move)
}

/** In the order of the page, within each section. `said`: what title and summary state. */
function paragraphsOf(
  material: DigestMaterial,
  cards: ReadonlyArray<DigestCard>,
  [coverage, counts]: readonly [ReadonlyArray<NewFact>, ReadonlyArray<NewFact>],
  said: ReadonlySet<NewFact>,
): ReadonlyArray<Paragraph> {
  const isLeft = (fact: NewFact) => !said.has(fact)
  const about = [
    ...paragraph("repriced", "counts", counts.filter(isLeft)),
    ...paragraph("watch", "coverage", coverage.filter(isLeft)),
  ]
  const room = pageWordsMax - wordsOf(about)
  const stated = new Set([...said].map(headlineOf))
  const baskets = paragraph("watch", "check", basketFacts(material))
  const rest = Math.min(restWords, wordsOf([...baskets, ...othersOf(material, new Set(), stated)]))
  const own = placedCards(cards, said, room - rest, stated)
  const placed = new Set(own.map(({ market }) => market?.slug ?? ""))
  const others = [...baskets, ...othersOf(material, placed, stated)]
  let left = room - wordsOf(own)
  const fitting = others.filter((other) => {
    const fits = wordsOf([other]) <= left
    if (fits) left -= wordsOf([other])
    return fits
  })
  return [...about, ...own, ...fitting]
}

/** What has no card: proposals, headlines and moves. */
function othersOf(
  material: DigestMaterial,
  placed: ReadonlySet<string>,
  stated: ReadonlySet<string>,
): ReadonlyArray<Paragraph> {
  return [
    ...paragraph("predetermined", "proposal", present(otherProposalsFact(material, placed))),
    ...paragraph("context", "news", contextOf(material, stated)),
    ...paragraph("repriced", "move", present(otherMovesFact(material, placed))),
  ]
}

/** Baskets in one paragraph: at most this many. */
const basketsMax = 2

/** Events with one winner, with markets of the digest, whose quotes gain together after fees. */
function basketFacts({ markets, quoted }: DigestMaterial): ReadonlyArray<NewFact> {
  const own = new Set(markets.map(({ market }) => market.id))
  return siblingSums(quoted, () => false)
    .filter(({ markets }) => markets.some(({ market }) => own.has(market.id)))
    .toSorted((a, b) => (b.basket?.gainUsd ?? 0) - (a.basket?.gainUsd ?? 0))
    .slice(0, basketsMax).flatMap((sum) => {
      const { basket, markets: [dearest] } = sum
      if (dearest === undefined || basket === null) return []
      const about = { ...dearest.market, endsAt: null, gameStartsAt: null, isNamed: true }
      return [sumFact(about, sum, basket)]
    })
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
  said: ReadonlySet<NewFact>,
  wordsMax: number,
  stated: Set<string>,
): ReadonlyArray<Paragraph> {
  let words = 0
  return cards.flatMap(({ about, details, kind, lead, openings, section, why }) => {
    const own = [...said.has(lead) ? openings.slice(0, 1) : openings, ...why]
    const [head, ...rest] = [...own, ...details].filter((fact, n, all) => {
      const key = keyOf(fact)
      const isNew = !stated.has(key) && all.findIndex((other) => keyOf(other) === key) === n
      return !said.has(fact) && (own.includes(fact) || key === "" || isNew)
    })
    if (head === undefined) return []
    const chosen = { section, topic: kind, market: about, facts: [head, ...rest] as const }
    if (words + wordsOf([chosen]) > wordsMax) return []
    words += wordsOf([chosen])
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
  { from, markets, until }: DigestMaterial,
  stated: ReadonlySet<string>,
): ReadonlyArray<NewFact> {
  // Shared words say little where a model reads the headlines.
  const isRead = markets.some((one) => one.stories.some(({ reading }) => reading !== null))
  return markets.toSorted((a, b) => a.market.slug < b.market.slug ? -1 : 1)
    .flatMap((one) => one.stories.map((story) => ({ one, story })))
    .filter(({ story: { corrected, firstAt, reading } }) =>
      !corrected && firstAt >= from && !(isRead && (reading?.bears ?? null) === null)
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

/** With the names of their markets. */
function wordsOf(paragraphs: ReadonlyArray<Paragraph>): number {
  return paragraphs.reduce(
    (sum, { facts, market }) =>
      facts.reduce((sum, { statement }) => sum + wordCount(statement), sum) +
      (market === null ? 0 : wordCount(titleOf(market).text)),
    0,
  )
}
