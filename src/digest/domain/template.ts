/**
 * The digest by rules: what is written without a model, and whenever a model's draft will not do.
 *
 * It chooses, shortens and orders statements, and adds no word of its own: each is a sound passage by
 * itself, so that what it writes passes the check whatever happened. First comes how much was seen
 * and what it sums up to; then the strongest of each section by turns, until the page is full; then,
 * where little happened, more of how to read it.
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

/** Words of all sections: headings and the ids of facts stay within what a digest may have, too. */
const pageWordsMax = 750
/** Below it there is room for more of how to read a digest. */
const pageWordsMin = 440
/** Characters of a paragraph, unless it is one statement: a screen, not a wall. */
const paragraphLengthMax = 1_200
/** Facts of a paragraph: the check allows one more, and two sentences of each. */
const paragraphFactsMax = 7
/** Statements of the summary: with the longest names well within what it may have. */
const summaryStatementsMax = 4

/** Facts that are told in full, by topic; those after them are told in short. */
const inFull: Readonly<Partial<Record<DigestTopic, number>>> = {
  rise: 1,
  fall: 1,
  entry: 1,
  predetermined: 1,
  upcoming: 1,
}
/** What a section tells in each turn: what repriced and who bought come first. */
const perTurn: Readonly<Record<DigestSection, number>> = {
  repriced: 2,
  whales: 2,
  predetermined: 1,
  context: 1,
  watch: 1,
}
/** The paragraphs of a section, in their order: facts of these topics stand together. */
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

/** A fact as the page tells it. */
interface Told {
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

/** What is told, in the order in which it found a place. */
function pageOf(facts: ReadonlyArray<DigestFact>): ReadonlyArray<Told> {
  const methods = facts.filter(({ topic }) => topic === "method")
  const first = digestSections.flatMap((section) =>
    methods.filter((fact) => fact.section === section).slice(0, 1)
  )
  const page = [...facts.filter(isFrame), ...first].map(inWhole)
  let words = page.reduce((sum, { text }) => sum + wordCount(text), 0)
  for (const { fact, texts } of byTurns(facts)) {
    const text = texts.find((text) => words + wordCount(text) <= pageWordsMax)
    if (text === undefined) continue
    page.push({ fact, text })
    words += wordCount(text)
  }
  for (const fact of methods.filter((fact) => !first.includes(fact))) {
    if (words >= pageWordsMin) break
    page.push(inWhole(fact))
    words += wordCount(fact.statement)
  }
  return page
}

/** What every digest says of itself. */
function isFrame({ topic }: DigestFact): boolean {
  return topic === "coverage" || topic === "count"
}

function hasHappened(fact: DigestFact): boolean {
  return !isFrame(fact) && fact.topic !== "method" && fact.topic !== "limit"
}

function inWhole(fact: DigestFact): Told {
  return { fact, text: fact.statement }
}

/** What happened, the strongest first and the sections by turns, and how each may be told. */
function byTurns(facts: ReadonlyArray<DigestFact>) {
  const ranks = new Map<DigestTopic, number>()
  const happened = facts.filter(hasHappened).map((fact) => {
    const rank = ranks.get(fact.topic) ?? 0
    ranks.set(fact.topic, rank + 1)
    const full = rank < (inFull[fact.topic] ?? 0)
    return { fact, texts: full ? [fact.statement, fact.short] : [fact.short] }
  })
  return digestSections
    .flatMap((section, place) =>
      happened.filter(({ fact }) => fact.section === section)
        .map((it, i) => ({ ...it, turn: Math.floor(i / perTurn[section]), place }))
    )
    .sort((a, b) => a.turn - b.turn || a.place - b.place)
}

/** Paragraphs of at most `paragraphLengthMax` characters, unless a single statement is longer. */
function paragraphsOf(told: ReadonlyArray<Told>): ReadonlyArray<Passage> {
  return paragraphTopics.flatMap((topics) => {
    const paragraphs: Array<Passage> = []
    for (const { fact, text } of told.filter(({ fact }) => topics.includes(fact.topic))) {
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

/** What the window was about: its strongest move, else what else happened. */
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

/** The sums of moves and entries, the second move beside the one of the title, what exists already. */
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
  const told = wanted.slice(0, summaryStatementsMax)
  return { text: told.map(({ short }) => short).join(" "), facts: told.map(({ id }) => id) }
}
