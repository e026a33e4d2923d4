/**
 * The page of a digest: the best cards that have room, and what concerns the whole window. Each sentence
 * is the statement of one fact, so it is true when its fact is.
 *
 * Each fact is stated once: the title is the decision of the best card that came about in the window, the
 * summary says why and names the next best, the paragraphs have the rest. The page has the counts, then
 * the cards, each whole or not at all, until it has `pageWordsMax` words. Moves and open proposals without
 * room have a sentence together.
 *
 * @module
 */
import { type DigestCard, digestCards } from "./cards.ts"
import { digestLengths, type DigestPage, type DigestSection } from "./digest.ts"
import {
  contextFact,
  countFacts,
  gapFacts,
  otherMovesFact,
  otherProposalsFact,
  windowFacts,
} from "./facts.ts"
import type { DigestMaterial } from "./material.ts"
import { type SiblingSum, siblingSums } from "../../markets/domain/siblings.ts"
import { type About, type NewFact, present } from "../../writing/facts/fact.ts"
import { sumFact } from "../../writing/facts/ladders.ts"
import { numbering, wordCount } from "../../writing/domain/page.ts"

/** Words of all paragraphs with their ids; leaves room for headings below 800. */
const pageWordsMax = 770
/** Sentences of the summary. */
const summaryMax = 4
/** Headlines of the context, and the words that cards leave to them and to what has no card. */
const contextMax = 3
const restWords = 185

interface Paragraph {
  readonly section: DigestSection
  readonly topic: string
  readonly facts: readonly [NewFact, ...ReadonlyArray<NewFact>]
  /** Whether it is about the digest, and not about markets. */
  readonly aboutItself: boolean
}

/** Deterministic: the order of the material does not matter. */
export function digestPage(material: DigestMaterial): DigestPage {
  const cards = digestCards(material)
  const counts = countFacts(material)
  const [window, validity] = windowFacts(material)
  const news = cards.filter(({ isNew }) => isNew)
  const lead = news.find(({ decision: { statement } }) => statement.length <= digestLengths.title)
  const title = lead?.decision ?? counts[0] ?? window
  const others = news.filter((card) => card !== lead).slice(0, summaryMax - 1)
  const sums = [...present(lead?.why ?? null), ...others.map(({ decision }) => decision), ...counts]
    .filter((fact) => fact !== title).slice(0, summaryMax)
  const [first = validity, ...more] = sums
  const { facts, slot } = numbering()
  const [named, summed] = [slot("title", [title]), slot("summary", [first, ...more])]
  const [heading] = named.sentences
  const said = new Set([title, first, ...more])
  const about = [window, validity, ...gapFacts(material)]
  const paragraphs = paragraphsOf(material, cards, [counts, about], said)
  const section = (name: DigestSection) =>
    paragraphs.filter((paragraph) => paragraph.section === name)
      .map(({ topic, facts, aboutItself }) => slot(topic, facts, aboutItself))
  const sections = {
    repriced: section("repriced"),
    whales: section("whales"),
    predetermined: section("predetermined"),
    context: section("context"),
    watch: section("watch"),
  }
  const plain = { ...heading, text: heading.text.replace(/\.$/, "") }
  const markets = new Map(
    [...material.quoted, ...material.markets].map(({ market: { id, slug } }) => [slug, id]),
  )
  return { facts, markets, title: { ...named, sentences: [plain] }, summary: summed, sections }
}

/** In the order of the page, within each section. `about`: the digest itself; `said`: what title and summary state. */
function paragraphsOf(
  material: DigestMaterial,
  cards: ReadonlyArray<DigestCard>,
  [counts, about]: readonly [ReadonlyArray<NewFact>, ReadonlyArray<NewFact>],
  said: ReadonlySet<NewFact>,
): ReadonlyArray<Paragraph> {
  const counting = paragraph("repriced", "counts", counts.filter((fact) => !said.has(fact)))
  const covering = paragraph("repriced", "coverage", about.filter((fact) => !said.has(fact)))
  const room = pageWordsMax - wordsOf([...counting, ...covering])
  const stated = new Set<string>()
  const own = placedCards(cards, said, room - restWords, stated)
  const placed = new Set(own.map(({ market }) => market))
  const others = [
    ...paragraph("watch", "check", basketFacts(material)),
    ...paragraph("predetermined", "proposal", present(otherProposalsFact(material, placed))),
    ...paragraph("repriced", "move", present(otherMovesFact(material, placed))),
    ...paragraph("context", "news", contextOf(material, stated)),
  ]
  let left = room - wordsOf(own)
  const fitting = others.filter((other) => {
    const fits = wordsOf([other]) <= left
    if (fits) left -= wordsOf([other])
    return fits
  })
  return [...covering, ...counting, ...own, ...fitting]
}

/** Baskets in one paragraph: at most this many. */
const basketsMax = 2

/** Events with one winner, with markets of the digest, whose quotes gain together after fees. */
function basketFacts({ markets, quoted }: DigestMaterial): ReadonlyArray<NewFact> {
  const own = new Set(markets.map(({ market }) => market.id))
  return siblingSums(quoted, () => false)
    .filter(({ basket, markets }) =>
      basket !== null && markets.some(({ market }) => own.has(market.id))
    )
    .toSorted((a, b) => (b.basket?.gainUsd ?? 0) - (a.basket?.gainUsd ?? 0))
    .slice(0, basketsMax).map((sum) => sumFact(aboutDearest(sum), sum))
}

function aboutDearest({ markets: [dearest] }: SiblingSum): About {
  const { slug = "", question = "", outcomes = ["", ""] as const } = dearest?.market ?? {}
  return { slug, question, outcomes, isNamed: true }
}

/** None without a fact. */
function paragraph(
  section: DigestSection,
  topic: string,
  [first, ...rest]: ReadonlyArray<NewFact>,
): ReadonlyArray<Paragraph> {
  const aboutItself = topic === "coverage"
  return first === undefined ? [] : [{ section, topic, facts: [first, ...rest], aboutItself }]
}

/** The cards that have room, the best first. Adds their headlines to `stated`. */
function placedCards(
  cards: ReadonlyArray<DigestCard>,
  said: ReadonlySet<NewFact>,
  wordsMax: number,
  stated: Set<string>,
): ReadonlyArray<Paragraph & { readonly market: string }> {
  let words = 0
  return cards.flatMap((card) => {
    const { decision, kind, market, section, shared, why } = card
    const isSaid = said.has(decision)
    const [first, ...rest] = card.details(isSaid)
    const [head, ...own] = isSaid ? [first, ...rest] as const : [decision, first, ...rest] as const
    const more = [...own, ...present(why).filter((fact) => !said.has(fact)), ...shared]
    const isNew = (fact: NewFact) => headlineOf(fact) === "" || !stated.has(headlineOf(fact))
    const facts = [head, ...more.filter(isNew)] as const
    const chosen = { section, topic: kind, market, facts, aboutItself: false }
    if (words + wordsOf([chosen]) > wordsMax) return []
    words += wordsOf([chosen])
    for (const fact of facts) stated.add(headlineOf(fact, ["headline", "cause"]))
    return [chosen]
  })
}

/** The headline that a fact quotes; empty for none. That of a cause belongs to its card. */
function headlineOf({ values }: NewFact, slots: ReadonlyArray<string> = ["headline"]): string {
  const [value] = slots.flatMap((slot) => values[slot] ?? [])
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
      !corrected && firstAt >= from && !(isRead && reading === null)
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

/** With the ids of facts and markets behind. */
function wordsOf(paragraphs: ReadonlyArray<Paragraph>): number {
  return paragraphs.map(({ facts }) => facts).reduce((sum, facts) => {
    const words = facts.reduce((sum, { statement }) => sum + wordCount(statement) + 1, 0)
    return sum + words + 2 * new Set(facts.map(({ subject }) => subject)).size
  }, 0)
}
