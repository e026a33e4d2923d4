/**
 * The page of a digest: the best cards that have room, and what concerns the whole window. Each sentence
 * is the statement of one fact, so it is true when its fact is.
 *
 * Title and summary are the first sentences of the best cards. The page has the counts, then the cards by
 * value, each whole or not at all, until it has `pageWordsMax` words. Moves and open proposals without
 * room have a sentence together.
 *
 * @module
 */
import { type DigestCard, digestCards } from "./cards.ts"
import { digestLengths, type DigestPage, type DigestSection } from "./digest.ts"
import {
  contextFact,
  countFacts,
  entriesFact,
  gapFacts,
  otherMovesFact,
  otherProposalsFact,
  resolvedFact,
  soonFact,
} from "./facts.ts"
import type { DigestMarket, DigestMaterial, DigestStory } from "./material.ts"
import { type NewFact, present } from "../../writing/facts/fact.ts"
import { numbering, wordCount } from "../../writing/domain/page.ts"

/** Words of all paragraphs with their ids; leaves room for headings below 800. */
const pageWordsMax = 770
/** Cards of which the summary is made. */
const summaryMax = 4
/** Headlines of the context, and the words that cards leave to them and to what has no card. */
const contextMax = 4
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
  const [window, ...denominators] = counts
  const heads = [...cards.map(({ facts: [first] }) => first), ...denominators]
  const summary = heads.length === 0 ? counts : nonEmpty(heads.slice(0, summaryMax)) ?? counts
  const title = heads.find(({ statement }) => statement.length <= digestLengths.title) ?? window
  const { facts, slot } = numbering()
  const [named, summed] = [slot("title", [title]), slot("summary", summary)]
  const [heading] = named.sentences
  const paragraphs = paragraphsOf(material, cards, counts)
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
  return { facts, title: { ...named, sentences: [plain] }, summary: summed, sections }
}

/** In the order of the page, within each section. */
function paragraphsOf(
  material: DigestMaterial,
  cards: ReadonlyArray<DigestCard>,
  [window, ...counts]: Paragraph["facts"],
): ReadonlyArray<Paragraph> {
  const counting = paragraph("repriced", "counts", counts)
  const covering = paragraph("watch", "coverage", [window, ...gapFacts(material)])
  const room = pageWordsMax - wordsOf([...counting, ...covering])
  const stated = new Set<string>()
  const own = placedCards(cards, room - restWords, stated)
  const placed = new Set(own.map(({ market }) => market))
  const others = [
    ...paragraph("predetermined", "proposal", present(otherProposalsFact(material, placed))),
    ...paragraph("repriced", "move", present(otherMovesFact(material, placed))),
    ...paragraph("whales", "wallets", present(entriesFact(material, placed))),
    ...paragraph("predetermined", "resolved", present(resolvedFact(material))),
    ...paragraph("watch", "upcoming", present(soonFact(material))),
  ]
  let left = room - wordsOf(own)
  const fitting = others.filter((other) => {
    const fits = wordsOf([other]) <= left
    if (fits) left -= wordsOf([other])
    return fits
  })
  const context = paragraph("context", "news", contextOf(material, stated, left))
  return [...counting, ...own, ...fitting, ...context, ...covering]
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
  wordsMax: number,
  stated: Set<string>,
): ReadonlyArray<Paragraph & { readonly market: string }> {
  let words = 0
  return cards.flatMap(({ facts: [first, ...more], kind, market, section }) => {
    const own = new Set([...stated, headlineOf(first)])
    const isNew = (fact: NewFact) => headlineOf(fact) === "" || !own.has(headlineOf(fact))
    const facts = [first, ...more.filter(isNew)] as const
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
  wordsMax: number,
): ReadonlyArray<NewFact> {
  const stories = new Map<string, { story: DigestStory; about: Array<DigestMarket["market"]> }>()
  // Shared words say little where a model reads the headlines.
  const isRead = markets.some((one) => one.stories.some(({ reading }) => reading !== null))
  for (const { market, stories: own } of markets) {
    for (const story of own) {
      if (story.corrected || story.firstAt < from || isRead && story.reading === null) continue
      const found = stories.get(story.url) ?? { story, about: [] }
      stories.set(story.url, { story, about: [...found.about, market] })
    }
  }
  const facts = [...stories.values()]
    .sort((a, b) =>
      b.story.outlets.length - a.story.outlets.length || b.story.firstAt - a.story.firstAt ||
      (a.story.url < b.story.url ? -1 : 1)
    )
    .map(({ about, story }) =>
      contextFact(story, about.toSorted((a, b) => a.slug < b.slug ? -1 : 1), until)
    )
    .filter((fact, n, all) =>
      !stated.has(headlineOf(fact)) &&
      all.findIndex((other) => headlineOf(other) === headlineOf(fact)) === n
    )
    .slice(0, contextMax)
  let words = 0
  return facts.filter(({ statement }) => {
    const more = wordCount(statement) + 1
    if (words + more > wordsMax) return false
    words += more
    return true
  })
}

/** With the ids behind. */
function wordsOf(paragraphs: ReadonlyArray<Paragraph>): number {
  return paragraphs.flatMap(({ facts }) => facts)
    .reduce((sum, { statement }) => sum + wordCount(statement) + 1, 0)
}

function nonEmpty<A>(list: ReadonlyArray<A>): readonly [A, ...ReadonlyArray<A>] | null {
  const [first, ...rest] = list
  return first === undefined ? null : [first, ...rest]
}
