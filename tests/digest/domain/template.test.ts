/**
 * The page of a digest: its length, what it must state, what it may not repeat, and that each sentence
 * spells values of its facts and nothing else.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert"
import { Arbitrary, Effect } from "effect"
import {
  type DigestBrief,
  type DigestPage,
  digestSections,
  type DigestSlot,
} from "../../../src/digest/domain/digest.ts"
import { contradictionsOf, laddersOf } from "../../../src/markets/domain/ladders.ts"
import { digestBrief } from "../../../src/digest/domain/facts.ts"
import { describedMoves } from "../../../src/digest/domain/moves.ts"
import { type DigestMaterial, isBelowThreshold } from "../../../src/digest/domain/material.ts"
import { digestPage } from "../../../src/digest/domain/template.ts"
import { digestOf, slotsOf } from "../../../src/digest/domain/text.ts"
import { readableName } from "../../../src/core/domain/untrusted.ts"
import { spelled } from "../../../src/writing/domain/values.ts"
import { wordCount } from "../../../src/writing/domain/page.ts"
import { anyMaterial, quiet, until } from "../../support/digest/digests.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"

const metadata = {
  slot: until,
  createdAt: until,
  narrator: "template",
  venue: "Venue",
  methodUrl: null,
}
const runs = sized({ short: 200, full: 600 })

function pageOf(material: DigestMaterial) {
  const brief = digestBrief(material)
  const page = digestPage(brief)
  return { brief, page, slots: slotsOf(page) }
}

const paragraphs = ({ sections }: DigestPage) => digestSections.flatMap((name) => sections[name])
const textOf = ({ lead, sentences }: DigestSlot) =>
  [lead ?? "", ...sentences.map(({ text }) => text)].join(" ")
const factsIn = ({ sentences }: DigestSlot) => sentences.flatMap(({ facts }) => facts)
const wordsOf = (slots: ReadonlyArray<DigestSlot>) =>
  slots.reduce((words, slot) => words + wordCount(textOf(slot)), 0)

law(
  "digestPage() has at most 800 words, headings and ids included, and states each absence of a section",
  anyMaterial,
  (material) => {
    const { brief, page } = pageOf(material)
    const absent = brief.facts.filter(({ topic }) => topic === "absence")
    const stated = paragraphs(page).flatMap(factsIn)
    for (const { id, statement } of absent) ok(stated.includes(id), statement)
    for (const name of digestSections) {
      ok(page.sections[name].length > 0 || absent.some(({ section }) => section === name), name)
    }
    equal(digestPage(brief), page)
    const words = wordCount(digestOf(page, [], brief, metadata).fullAnalysis)
    ok(words <= 800, `${words} words`)
  },
  { runs },
)

law(
  "digestPage() names moves without a headline only where they have a paragraph",
  anyMaterial,
  (material) => {
    const { brief, page } = pageOf(material)
    const named = paragraphs(page).filter(({ topic }) => topic === "unexplained")
    const stated = paragraphs(page).filter(({ topic }) => topic === "move").map(({ lead }) => lead)
    const names = brief.facts.filter(({ topic }) => topic === "unexplained").flatMap(({ names }) =>
      names
    )
    const absent = names.filter((name) => !stated.includes(name))
    for (const slot of named) {
      ok(names.some((name) => stated.includes(name)))
      for (const name of absent) {
        ok(stated.some((it) => it?.includes(name)) || !textOf(slot).includes(`“${name}”`), name)
      }
    }
  },
  { runs },
)

law("digestPage() numbers its slots, and each cites its facts only", anyMaterial, (material) => {
  const { brief, slots } = pageOf(material)
  equal(slots.map(({ id }) => id).toSorted(), [...new Set(slots.map(({ id }) => id))].toSorted())
  const ids = new Set(brief.facts.map(({ id }) => id))
  for (const { id, sentences } of slots) {
    ok(/^S\d{1,3}$/.test(id) && sentences.length > 0)
    ok(sentences.every((it) => it.facts.length > 0 && it.facts.every((id) => ids.has(id))))
  }
}, { runs })

/** The text without the values of its facts, the longest first. */
function ownWords(text: string, facts: ReadonlyArray<string>, { facts: all }: DigestBrief) {
  const values = all.filter(({ id }) => facts.includes(id)).flatMap((fact) =>
    Object.values(fact.values).map((value) => spelled(value))
  )
  return values.sort((a, b) => b.length - a.length)
    .reduce((rest, value) => rest.replaceAll(value, " ◦ "), text)
}

law(
  "digestPage() spells no figure, name or word of a stranger outside the values of the cited facts",
  anyMaterial,
  (material) => {
    const { brief, slots } = pageOf(material)
    for (const { sentences } of slots) {
      for (const { facts, text } of sentences) {
        const rest = ownWords(text, facts, brief)
        ok(!/[\p{N}“”$%]/u.test(rest.replace("close to 0 or 1", "")), `${rest}: ${text}`)
        ok(/^[A-Za-z◦ .,;:()'-]*$/.test(rest.replace("close to 0 or 1", "")), `${rest}: ${text}`)
      }
    }
  },
  { runs },
)

law("digestPage() says no sentence twice", anyMaterial, (material) => {
  const sentences = pageOf(material).slots.flatMap((slot) => slot.sentences.map(({ text }) => text))
  const repeated = sentences.filter((it, i) => sentences.indexOf(it) !== i)
  equal(repeated, [])
}, { runs })

law(
  "digestPage() has one title and two to four sentences that are no mere totals",
  anyMaterial,
  (material) => {
    const { brief, page } = pageOf(material)
    strictEqual(page.title.sentences.length, 1)
    ok(!page.title.sentences[0].text.endsWith("."))
    ok(page.title.sentences[0].text.length <= 220)
    const topics = factsIn(page.summary).map((id) => brief.facts.find((it) => it.id === id)?.topic)
    ok(!topics.includes("entries") && !topics.includes("endings"), "totals")
    return page.summary.sentences.length <= 4
  },
  { runs },
)

law("digestPage() states the record of each wallet once", anyMaterial, (material) => {
  const { brief, page } = pageOf(material)
  const records = brief.facts.filter(({ topic }) => topic === "calibration")
  const stated = paragraphs(page).flatMap(({ sentences }) =>
    sentences.flatMap(({ facts }) => facts)
  )
  return records.every(({ id }) => stated.filter((it) => it === id).length <= 1) &&
    new Set(records.map(({ subject }) => subject)).size === records.length
}, { runs })

function nameOf({ question, slug }: { readonly question: string; readonly slug: string }) {
  const name = readableName(question, 110)
  return name === "unnamed" ? slug : name
}

/** What a page must state: the moves that have news, and the contradictions between two quotes. */
function mustState(material: DigestMaterial) {
  const { page } = pageOf(material)
  const texts = paragraphs(page).map((slot) => ({ lead: slot.lead, text: textOf(slot) }))
  const moves = describedMoves(material).map(({ data }) => data.market).flatMap((market) => {
    const headlines = material.stories
      .filter(({ markets }) =>
        markets.some(({ slug, strength }) => slug === market.slug && strength !== "family")
      )
      .map(({ title }) => readableName(title, 140))
    return headlines.length === 0 ? [] : [{
      stated: texts.some(({ lead, text }) =>
        lead !== null && text.startsWith(nameOf(market)) &&
        headlines.some((headline) => text.includes(headline))
      ),
    }]
  })
  const contradictions = contradictionsOf(laddersOf(material.quoted)).map((it) => ({
    stated: texts.some(({ text }) =>
      [it.harder, it.easier].every(({ rung }) => text.includes(readableName(rung.label)))
    ),
  }))
  const words = { all: wordsOf(paragraphs(page)), itself: 0 }
  words.itself = wordsOf(paragraphs(page).filter(({ aboutItself }) => aboutItself))
  return { moves, contradictions, words }
}

const share = (list: ReadonlyArray<{ readonly stated: boolean }>) =>
  list.filter(({ stated }) => stated).length / Math.max(1, list.length)

Deno.test("digestPage() states moves with their news and contradictions, and little about itself", async () => {
  const drawn = await Effect.runPromise(
    Arbitrary.sampleEffect(anyMaterial, { count: sized({ short: 300, full: 900 }) }),
  )
  const found = drawn.map((material) => ({ ...mustState(material), material }))
  const [moves, contradictions] = [
    found.flatMap(({ moves }) => moves),
    found.flatMap(({ contradictions }) => contradictions),
  ]
  const sold = found.filter(({ material }) => !isBelowThreshold(material))
  const itself = sold.map(({ words }) => words.itself / words.all)
  const long = sold.filter(({ words }) => words.all >= 400)
  const figures = {
    moves: moves.length,
    movesStated: share(moves),
    contradictions: contradictions.length,
    contradictionsStated: share(contradictions),
    itselfMean: itself.reduce((a, b) => a + b, 0) / itself.length,
    itselfMax: Math.max(...itself),
    longItselfMax: Math.max(...long.map(({ words }) => words.itself / words.all)),
    longShare: long.length / sold.length,
    words: sold.map(({ words }) => words.all).sort((a, b) => a - b)[Math.floor(sold.length / 2)],
  }
  const found95 = figures.movesStated >= 0.95 && figures.contradictionsStated >= 0.95
  ok(found95 && figures.longItselfMax <= 0.15, JSON.stringify(figures))
})

Deno.test("digestPage() of a quiet window says in few words that nothing happened", () => {
  const { page } = pageOf(quiet)
  strictEqual(page.title.sentences[0].text, "No market moved far enough to be reported")
  equal(page.summary.sentences.map(({ text }) => text), [
    "No market moved far enough to be reported, no other headline about a market of this digest was " +
    "found, no tracked wallet opened a position and no market was found whose outcome is reported or " +
    "proposed at a contested price.",
  ])
  ok(paragraphs(page).length <= 6)
})
