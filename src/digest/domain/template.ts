/**
 * The digest without a model, used when no model is configured or no draft of a model passes the check.
 *
 * It only selects, shortens and orders statements. Each statement passes the fact check by itself, so
 * the template passes it for any facts. The page is filled in this order:
 *
 * 1. Coverage and totals.
 * 2. The strongest facts, where sections take turns.
 * 3. If there is room, more facts on how to read the digest.
 *
 * @module
 */
import {
  type DigestBrief,
  type DigestDraft,
  type DigestFact,
  type DigestSection,
  digestSections,
  type DigestTopic,
} from "./digest.ts"
import { titleLengthMax } from "./text.ts"
import { wordCount } from "../../writing/domain/factCheck.ts"
import type { Passage } from "../../writing/domain/facts.ts"

/** Words of all sections: leaves room for headings and fact ids below the limit of a digest. */
const pageWordsMax = 750
/** Below this, more facts on how to read the digest are added. */
const pageWordsMin = 440
/** Characters of a paragraph, unless it is a single statement. */
const paragraphLengthMax = 1_200
/** Facts of a paragraph. The check allows 8 facts and 14 sentences; a statement has at most two. */
const paragraphFactsMax = 7
/** Statements of the summary: even with the longest names it stays below its length limit. */
const summaryStatementsMax = 4

/** How many facts of a topic appear in full; later ones use the short statement. */
const fullStatements: Readonly<Partial<Record<DigestTopic, number>>> = {
  rise: 1,
  fall: 1,
  entry: 1,
  predetermined: 1,
  upcoming: 1,
}
/** Facts that a section may add per turn. */
const perTurn: Readonly<Record<DigestSection, number>> = {
  repriced: 2,
  whales: 2,
  predetermined: 1,
  context: 1,
  watch: 1,
}
/** The paragraphs of a section in order; facts of these topics share a paragraph. */
const paragraphTopics: ReadonlyArray<ReadonlyArray<DigestTopic>> = [
  ["coverage", "count"],
  ["rise"],
  ["fall"],
  ["flow"],
  ["entry"],
  ["predetermined"],
  ["resolution"],
  ["related"],
  ["headline"],
  ["upcoming"],
  ["method"],
]

/** A fact with the statement chosen for the page. */
interface PageItem {
  readonly fact: DigestFact
  readonly text: string
}

/** A draft that passes the check whatever the facts are. */
export function templateDigest({ facts }: DigestBrief): DigestDraft {
  const page = pageOf(facts)
  const section = (section: DigestSection) =>
    paragraphsOf(page.filter(({ fact }) => fact.section === section))
  return {
    title: titleOf(facts),
    summary: summaryOf(facts),
    sections: {
      repriced: section("repriced"),
      whales: section("whales"),
      predetermined: section("predetermined"),
      context: section("context"),
      watch: section("watch"),
    },
  }
}

/** The facts on the page, in the order of their selection. */
function pageOf(facts: ReadonlyArray<DigestFact>): ReadonlyArray<PageItem> {
  const methods = facts.filter(({ topic }) => topic === "method")
  const first = digestSections.flatMap((section) =>
    methods.filter((fact) => fact.section === section).slice(0, 1)
  )
  const page = [...facts.filter(isInEveryDigest), ...first].map(inFull)
  let words = page.reduce((sum, { text }) => sum + wordCount(text), 0)
  for (const { fact, texts } of byTurns(facts)) {
    const text = texts.find((text) => words + wordCount(text) <= pageWordsMax)
    if (text === undefined) continue
    page.push({ fact, text })
    words += wordCount(text)
  }
  for (const fact of methods.filter((fact) => !first.includes(fact))) {
    if (words >= pageWordsMin) break
    page.push(inFull(fact))
    words += wordCount(fact.statement)
  }
  return page
}

function isInEveryDigest({ topic }: DigestFact): boolean {
  return topic === "coverage" || topic === "count"
}

function isEvent(fact: DigestFact): boolean {
  return !isInEveryDigest(fact) && fact.topic !== "method" && fact.topic !== "limit"
}

function inFull(fact: DigestFact): PageItem {
  return { fact, text: fact.statement }
}

/** Facts about what happened, strongest first, sections taking turns; `texts` in order of preference. */
function byTurns(facts: ReadonlyArray<DigestFact>) {
  const ranks = new Map<DigestTopic, number>()
  const happened = facts.filter(isEvent).map((fact) => {
    const rank = ranks.get(fact.topic) ?? 0
    ranks.set(fact.topic, rank + 1)
    const full = rank < (fullStatements[fact.topic] ?? 0)
    return { fact, texts: full ? [fact.statement, fact.short] : [fact.short] }
  })
  return digestSections
    .flatMap((section, place) =>
      happened.filter(({ fact }) => fact.section === section)
        .map((item, i) => ({ ...item, turn: Math.floor(i / perTurn[section]), place }))
    )
    .sort((a, b) => a.turn - b.turn || a.place - b.place)
}

/** Paragraphs of at most `paragraphLengthMax` characters, unless a single statement is longer. */
function paragraphsOf(items: ReadonlyArray<PageItem>): ReadonlyArray<Passage> {
  return paragraphTopics.flatMap((topics) => {
    const paragraphs: Array<Passage> = []
    for (const { fact, text } of items.filter(({ fact }) => topics.includes(fact.topic))) {
      const last = paragraphs.at(-1)
      if (
        last !== undefined && last.facts.length < paragraphFactsMax &&
        last.text.length + text.length < paragraphLengthMax
      ) {
        paragraphs[paragraphs.length - 1] = {
          text: `${last.text} ${text}`,
          facts: [...last.facts, fact.id],
        }
      } else paragraphs.push({ text, facts: [fact.id] })
    }
    return paragraphs
  })
}

/** Topics for the title, in order of preference. */
const titleTopics: ReadonlyArray<ReadonlyArray<DigestTopic>> = [
  ["rise", "fall"],
  ["predetermined"],
  ["entry"],
  ["resolution"],
]

function titleOf(facts: readonly [DigestFact, ...ReadonlyArray<DigestFact>]): Passage {
  const [happened] = titleTopics
    .flatMap((topics) => facts.filter(({ topic }) => topics.includes(topic)).slice(0, 1))
    .filter(({ short }) => short.length <= titleLengthMax)
  const title = happened ?? facts.find(({ topic }) => topic === "count") ?? facts[0]
  return { text: title.short.replace(/\.$/, ""), facts: [title.id] }
}

/** The totals, the second-strongest move (the strongest is in the title), and the first finding. */
function summaryOf(facts: ReadonlyArray<DigestFact>): Passage {
  const of = (...topics: ReadonlyArray<DigestTopic>) => (section: DigestSection) =>
    facts.filter((fact) => fact.section === section && topics.includes(fact.topic))
  const wanted = [
    ...of("count")("repriced").slice(0, 1),
    ...of("rise", "fall")("repriced").slice(1, 2),
    ...of("count")("whales").slice(0, 1),
    ...of("predetermined")("predetermined").slice(0, 1),
    ...of("count")("predetermined").slice(0, 1),
    ...of("count")("watch").slice(0, 1),
  ]
  const used = wanted.slice(0, summaryStatementsMax)
  return { text: used.map(({ short }) => short).join(" "), facts: used.map(({ id }) => id) }
}
