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
  consistentFact,
  contextFact,
  countFacts,
  gapFacts,
  otherMovesFact,
  otherProposalsFact,
  windowFacts,
} from "./facts.ts"
import type { DigestMaterial } from "./material.ts"
import { contradictionsOf, laddersOf } from "../../markets/domain/ladders.ts"
import type { MarketId } from "../../markets/domain/market.ts"
import { type SiblingSum, siblingSums } from "../../markets/domain/siblings.ts"
import { type About, type NewFact, present } from "../../writing/facts/fact.ts"
import { pairFacts, sumFact } from "../../writing/facts/ladders.ts"
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
  const covering = paragraph("watch", "coverage", about.filter((fact) => !said.has(fact)))
  const room = pageWordsMax - wordsOf([...counting, ...covering])
  const stated = new Set<string>()
  const own = placedCards(cards, said, room - restWords, stated)
  const placed = new Set(own.map(({ market }) => market))
  const others = [
    ...paragraph("watch", "check", checkFacts(material, cards)),
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
  return [...counting, ...own, ...fitting, ...covering]
}

/** Contradictions between markets of the digest in one paragraph: at most this many. */
const checksMax = 2

/**
 * The one check of the digest's markets against each other: what gains at executable quotes after fees
 * and has no card, or that nothing does.
 */
function checkFacts(
  { markets, quoted }: DigestMaterial,
  cards: ReadonlyArray<DigestCard>,
): ReadonlyArray<NewFact> {
  const own = new Set(markets.map(({ market }) => market.id))
  const isOwn = ({ market: { id } }: { readonly market: { readonly id: MarketId } }) => own.has(id)
  const carded = new Set(
    cards.flatMap(({ kind, market }) => kind === "contradiction" ? [market] : []),
  )
  const ladders = laddersOf(quoted).filter(({ rungs }) => rungs.filter(isOwn).length > 0)
  const pairs = contradictionsOf(ladders).filter(({ easier, harder, size }) =>
    size !== null && (isOwn(easier) || isOwn(harder)) && !carded.has(easier.market.slug)
  ).toSorted((a, b) => (b.size?.gainUsd ?? 0) - (a.size?.gainUsd ?? 0))
  const sums = siblingSums(quoted, () => false).filter(({ markets }) => markets.some(isOwn))
  const found = [
    ...sums.flatMap((sum) => sum.basket === null ? [] : [sumFact(aboutDearest(sum), sum)]),
    ...pairs.flatMap((pair) => pairFacts(pair, false).slice(0, 1)),
  ].slice(0, checksMax)
  const isRead = carded.size === 0 && found.length === 0
  return isRead ? present(consistentFact(ladders.length + sums.length)) : found
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
