/**
 * The Markdown of a digest: it shows the sentences of the page and nothing else, whatever the names
 * contain, and without an escape.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert"
import { Schema } from "effect"
import { micromark } from "micromark"
import { gfm, gfmHtml } from "micromark-extension-gfm"
import { Digest, digestSections } from "../../../src/digest/domain/digest.ts"
import { digestBrief } from "../../../src/digest/domain/facts.ts"
import type { DigestMaterial } from "../../../src/digest/domain/material.ts"
import { digestPage } from "../../../src/digest/domain/template.ts"
import { digestOf, slotsOf } from "../../../src/digest/domain/text.ts"
import { hour } from "../../../src/core/domain/time.ts"
import { safeName } from "../../../src/core/domain/untrusted.ts"
import { spelled } from "../../../src/writing/domain/values.ts"
import { fillSlots } from "../../../src/writing/domain/page.ts"
import { anyMaterial, quiet, until } from "../../support/digest/digests.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"

const metadata = {
  slot: until,
  createdAt: until + 30_000,
  narrator: "any model",
  venue: "Venue",
  methodUrl: null,
}
const runs = sized({ short: 200, full: 1_000 })

function written(material: DigestMaterial) {
  const brief = digestBrief(material)
  const page = digestPage(brief)
  return { brief, page, digest: digestOf(page, [], brief, metadata) }
}

Deno.test("digestOf() matches the schema on the wire, with an id from its slot", () => {
  const { brief, digest, page } = written(quiet)
  equal(Schema.decodeUnknownSync(Digest)(digest), digest)
  strictEqual(digest.id, "digest-2026-11-21T08")
  strictEqual(digest.createdAt, "2026-11-21T08:00:30.000Z")
  strictEqual(digest.narrator, "any model")
  strictEqual(digest.title, page.title.sentences[0].text)
  equal(digest.sourcesUsed, ["Venue"])
  ok(digestOf(page, [], brief, { ...metadata, slot: until + 4 * hour }).id !== digest.id)
})

/** The characters and sequences that a name could use to change the document; `$` is none of them. */
const active =
  /[\\`*_[\]<>#|~^{}@]|&#?\w+;|:\/\/|(?<![\p{L}\p{N}])www\.\p{L}|\p{L}\.\p{L}{2}|:[\w+-]+:/u

law("digestOf() shows the page in Markdown that no name can change", anyMaterial, (material) => {
  const { digest, page } = written(material)
  ok(!digest.fullAnalysis.includes("\\"), "an escape")
  const blocks = digest.fullAnalysis.split("\n\n")
  const headings = blocks.filter((block) => /^## [A-Z][a-z ,]+$/.test(block))
  strictEqual(
    headings.length,
    digestSections.filter((name) => page.sections[name].length > 0).length,
  )
  const slots = digestSections.flatMap((name) => page.sections[name])
  const paragraphs = blocks.filter((block) => !headings.includes(block))
  strictEqual(paragraphs.length, slots.length)
  const html = micromark(digest.fullAnalysis, { extensions: [gfm()], htmlExtensions: [gfmHtml()] })
  equal(new Set(html.match(/<\/?[a-z][^>]*>/gi)), new Set(html.match(/<\/?(?:h2|p|strong)>/g)))
  slots.forEach(({ lead, sentences }, n) => {
    const paragraph = paragraphs[n] ?? ""
    const ids = /\((F\d+(?:, F\d+)*)\)$/.exec(paragraph)?.[1]?.split(", ") ?? []
    equal(new Set(ids), new Set(sentences.flatMap(({ facts }) => facts)))
    const text = sentences.map(({ text }) => text).join(" ")
    const start = lead === null ? "" : `**${spelled({ type: "name", text: lead })}** `
    strictEqual(paragraph, `${start}${text} (${ids.join(", ")})`)
    for (const shown of [lead ?? "", text, digest.title, digest.summary]) {
      ok(!active.test(shown), shown)
      ok(!/[\n\r]/.test(shown), shown)
    }
    ok(!/^(?:\s|[-+=>]|\d+[.)](?:\s|$))/.test(paragraph), paragraph)
  })
}, { runs })

law(
  "digestOf() leaves every name readable: its letters and digits stay",
  anyMaterial,
  (material) => {
    const { brief } = written(material)
    const letters = (text: string) => (text.match(/[\p{L}\p{N}]/gu) ?? []).join("")
    for (const { data } of material.movers) {
      const fact = brief.facts.find(({ subject, topic }) =>
        topic === "move" && subject === data.market.slug
      )
      const market = fact?.values["market"]
      const full = letters(safeName(data.market.question, 110))
      if (market?.type !== "name" || full === "" || full === letters("unnamed")) continue
      ok(letters(safeName(data.market.question)).startsWith(letters(market.text)), market.text)
    }
  },
  { runs: sized({ short: 100, full: 500 }) },
)

law("digestOf() lists the facts it cites, and their publishers", anyMaterial, (material) => {
  const { brief, digest, page } = written(material)
  const used = new Set(
    slotsOf(page).flatMap(({ sentences }) => sentences.flatMap(({ facts }) => facts)),
  )
  const of = brief.facts.filter(({ id }) => used.has(id))
  equal(digest.facts, of.map(({ id, statement }) => ({ id, statement })))
  const publishers = new Set(of.flatMap(({ source }) => source ?? []))
  const publishersUsed = digest.sourcesUsed.filter((source) =>
    source !== "Venue" && source !== "Whale calibration table"
  )
  ok([...publishers].every((source) => digest.sourcesUsed.includes(source)))
  ok(publishersUsed.every((source) => publishers.has(source)))
  strictEqual(new Set(digest.sourcesUsed).size, digest.sourcesUsed.length)
}, { runs: sized({ short: 100, full: 500 }) })

Deno.test("digestOf() takes the claims of a slot behind its bold lead, and a title without a full stop", () => {
  const { brief, page } = written(quiet)
  const [slot] = page.sections.repriced
  ok(slot !== undefined)
  const [fact] = slot.sentences[0].facts
  ok(fact !== undefined)
  const led = { ...page, sections: { ...page.sections, repriced: [{ ...slot, lead: "Harbour" }] } }
  const claim = (slot: string, text: string) => ({
    ...{ slot, text, kind: "fact" as const },
    facts: [fact],
    values: [],
  })
  const filled = fillSlots(slotsOf(led), [
    claim(slot.id, "Every price stayed the same."),
    claim("S1", "A quiet window."),
  ])
  const digest = digestOf(led, filled, brief, metadata)
  ok(digest.fullAnalysis.includes(`**Harbour** Every price stayed the same. (${fact})`))
  strictEqual(digest.title, "A quiet window")
  const long = digestOf(
    led,
    fillSlots(slotsOf(led), [claim("S1", `${"long ".repeat(50)}.`)]),
    brief,
    metadata,
  )
  strictEqual(long.title, page.title.sentences[0].text)
})

Deno.test("digestOf() ends with a link to the page about the method, when there is one", () => {
  const { brief, page, digest } = written(quiet)
  const methodUrl = "https://service.example/llms-full.txt"
  const linked = digestOf(page, [], brief, { ...metadata, methodUrl })
  strictEqual(linked.fullAnalysis, `${digest.fullAnalysis}\n\n[How digests are made](${methodUrl})`)
})
