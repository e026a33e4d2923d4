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
import type { DigestMaterial } from "../../../src/digest/domain/material.ts"
import { digestPage } from "../../../src/digest/domain/page.ts"
import { digestOf, slotsOf } from "../../../src/digest/domain/text.ts"
import { hour } from "../../../src/core/domain/time.ts"
import { readableName } from "../../../src/core/domain/untrusted.ts"
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
  const page = digestPage(material)
  return { page, digest: digestOf(page, [], metadata) }
}

Deno.test("digestOf() matches the schema on the wire, with an id from its slot", () => {
  const { digest, page } = written(quiet)
  equal(Schema.decodeUnknownSync(Digest)(digest), digest)
  strictEqual(digest.id, "digest-2026-11-21T08")
  strictEqual(digest.createdAt, "2026-11-21T08:00:30.000Z")
  strictEqual(digest.narrator, "any model")
  strictEqual(digest.title, page.title.sentences[0].text)
  equal(digest.sourcesUsed, ["Venue"])
  ok(digestOf(page, [], { ...metadata, slot: until + 4 * hour }).id !== digest.id)
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
  equal(
    new Set(html.match(/<\/?[a-z][^>]*>/gi)),
    new Set(html.match(/<\/?(?:h2|p|strong|ul|li)>/g)),
  )
  strictEqual(digest.paragraphs.length, slots.length)
  slots.forEach(({ market, slot: { sentences } }, n) => {
    const paragraph = paragraphs[n] ?? ""
    const text = sentences.map(({ text }) => text).join(" ")
    const heading = market === null
      ? /^(?:(?:Moved|Other doubted proposals|In the next 24 hours|Named before):\n)?(?=- )/
      : /^\*\*“.*?”\*\*(?: \((?:\d{4}-\d\d-\d\d|“[^“”]*”|[^()“”]*)\))?(?: \((?:new|as before|named before|before: [^()]*)\))?: /
    // Without what our own Markdown adds, the sentences of the page are left.
    const bare = paragraph.replace(heading, "").replaceAll(/\n- |^- /g, " ")
      .replaceAll(/\*\*(?:(?:[A-Z][a-z]+ ?){1,2}[a-z ]*: )?(.*?)\*\* ?/g, "$1 ")
    const plain = (it: string) => it.replaceAll(/[ :]+/g, "")
    const labels =
      /(?:Moved|Moves|Reported|Proposal|News|Payout|Price so far|Price now|Wallets|Other markets|Pays|Trade|Record):/g
    strictEqual(plain(bare.replaceAll(labels, "")), plain(text.replaceAll(labels, "")))
    strictEqual(
      paragraph.includes(`**“${readableName(market?.question ?? "")}”**`),
      market !== null,
    )
    const { facts, marketId, slug } = digest.paragraphs[n] ?? {}
    equal([slug, marketId], [market?.slug ?? null, market?.id ?? null])
    equal(new Set(facts), new Set(sentences.flatMap(({ facts }) => facts)))
    for (const shown of [text, digest.title, digest.summary]) {
      ok(!active.test(shown), shown)
      ok(!/[\n\r]/.test(shown), shown)
    }
    ok(!/^(?:\s|[+=>]|\d+[.)](?:\s|$))/m.test(paragraph), paragraph)
  })
}, { runs })

law(
  "digestOf() lists the facts it cites, each with its market, and their publishers",
  anyMaterial,
  (material) => {
    const { digest, page } = written(material)
    const used = new Set(
      slotsOf(page).flatMap(({ sentences }) => sentences.flatMap(({ facts }) => facts)),
    )
    const of = page.facts.filter(({ id }) => used.has(id))
    equal(digest.facts.map(({ id }) => id), of.map(({ id }) => id))
    equal(digest.facts.map(({ about }) => about), of.map(({ subject }) => subject))
    const publishers = new Set(
      of.flatMap(({ values: { publisher } }) => publisher?.type === "name" ? [publisher.text] : []),
    )
    equal(
      new Set(
        digest.sourcesUsed.filter((it) => it !== "Venue" && it !== "Whale calibration table"),
      ),
      publishers,
    )
  },
  { runs: sized({ short: 100, full: 500 }) },
)

Deno.test("digestOf() takes the claims of a slot, and a title that fits, without a full stop", () => {
  const { page } = written(quiet)
  const [{ slot } = {}] = page.sections.watch
  const [id] = slot?.sentences[0].facts ?? []
  ok(slot !== undefined && id !== undefined)
  const claim = (slot: string, text: string) => ({
    ...{ slot, text, kind: "fact" as const },
    facts: [id],
    values: [],
  })
  const digestWith = (...claims: ReadonlyArray<ReturnType<typeof claim>>) =>
    digestOf(page, fillSlots(slotsOf(page), claims), metadata)
  const digest = digestWith(
    claim(slot.id, "Every price stayed."),
    claim(page.title.id, "A quiet window."),
  )
  ok(digest.fullAnalysis.includes("Every price stayed."))
  strictEqual(digest.title, "A quiet window")
  const long = digestWith(claim("S1", `${"long ".repeat(60)}.`))
  strictEqual(long.title, page.title.sentences[0].text)
})

Deno.test("digestOf() ends with a link to the page about the method, when there is one", () => {
  const { page, digest } = written(quiet)
  const methodUrl = "https://service.example/llms-full.txt"
  const linked = digestOf(page, [], { ...metadata, methodUrl })
  strictEqual(linked.fullAnalysis, `${digest.fullAnalysis}\n\n[How digests are made](${methodUrl})`)
})
