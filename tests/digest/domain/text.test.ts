/**
 * The check of a draft, and the Markdown of a digest, which shows the text of the draft and nothing else.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert"
import { Schema } from "effect"
import { Digest, type DigestDraft, digestSections } from "../../../src/digest/domain/digest.ts"
import { digestBrief } from "../../../src/digest/domain/facts.ts"
import { templateDigest } from "../../../src/digest/domain/template.ts"
import {
  digestComplaints,
  digestOf,
  passagesMax,
  summaryLengthMax,
  titleLengthMax,
} from "../../../src/digest/domain/text.ts"
import { hour } from "../../../src/core/domain/time.ts"
import { anyMaterial, quiet, until } from "../../support/digest/digests.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"

const brief = digestBrief(quiet)
const valid = templateDigest(brief)
const metadata = { slot: until, createdAt: until + 30_000, narrator: "any model", venue: "Venue" }

const complaints = (draft: Partial<DigestDraft>) => digestComplaints({ ...valid, ...draft }, brief)
const section = (name: typeof digestSections[number], passages: DigestDraft["sections"]["watch"]) =>
  complaints({ sections: { ...valid.sections, [name]: passages } })

Deno.test("digestComplaints() accepts a valid draft", () => {
  equal(digestComplaints(valid, brief), [])
})

Deno.test("digestComplaints() names the passage at fault, wherever it is", () => {
  const lie = { text: "The prices of 9,999 markets were watched.", facts: ["F2"] }
  const inSections = digestSections.map((name) => ({
    where: `${name} ${valid.sections[name].length + 1}`,
    found: section(name, [...valid.sections[name], lie]),
  }))
  const places = [
    { where: "title", found: complaints({ title: lie }) },
    { where: "summary", found: complaints({ summary: lie }) },
    ...inSections,
  ]
  for (const { where, found } of places) {
    strictEqual(found.length, 1, where)
    ok(found[0]?.startsWith(`${where}: `) && found[0].includes("9,999"), found[0])
  }
})

Deno.test("digestComplaints() refuses a passage without facts, or with unknown facts", () => {
  const text = "Nothing moved."
  strictEqual(complaints({ title: { text, facts: [] } }).length, 1)
  strictEqual(complaints({ title: { text, facts: ["F999"] } }).length, 1)
  equal(complaints({ title: { text, facts: ["F6"] } }), [])
})

Deno.test("digestComplaints() lets a section cite facts of another", () => {
  const [, watched] = brief.facts
  ok(watched?.section === "repriced")
  const passage = {
    text: "The prices were watched, so there is more to watch.",
    facts: [watched.id],
  }
  equal(section("watch", [...valid.sections.watch, passage]), [])
})

Deno.test("digestComplaints() requires 400 to 800 words, both inclusive", () => {
  const words = (n: number) => "price ".repeat(n).trim()
  const draft = (n: number): DigestDraft => ({
    title: { text: "Prices", facts: ["F1"] },
    summary: { text: "Prices", facts: ["F1"] },
    sections: {
      repriced: [{ text: words(n - 299 - 4), facts: ["F1"] }],
      whales: [{ text: words(299), facts: ["F1"] }],
      predetermined: [{ text: "A price", facts: ["F1"] }],
      context: [{ text: "Price", facts: ["F1"] }],
      watch: [{ text: "Prices", facts: ["F1"] }],
    },
  })
  const lengths = (n: number) =>
    digestComplaints(draft(n), brief).filter((it) => it.startsWith("sections: "))
  equal([399, 400, 800, 801].map((n) => lengths(n).length), [1, 0, 0, 1])
  equal(lengths(399), ["sections: 399 words, not 400 to 800"])
})

Deno.test("digestComplaints() enforces its limits of characters and paragraphs", () => {
  const long = (length: number) => ({ text: "a".repeat(length), facts: ["F1"] })
  const count = (draft: Partial<DigestDraft>, what: string) =>
    complaints(draft).filter((it) => it === what).length
  for (
    const [name, max] of [["title", titleLengthMax], ["summary", summaryLengthMax]] as const
  ) {
    const what = `${name}: has more than ${max} characters`
    equal([max, max + 1].map((n) => count({ [name]: long(n) }, what)), [0, 1])
  }
  for (const name of digestSections) {
    ok(section(name, []).includes(`${name}: is empty`))
    const many = Array.from({ length: passagesMax + 1 }, () => long(1))
    const what = `${name}: has more than ${passagesMax} paragraphs`
    ok(section(name, many).includes(what) && !section(name, many.slice(1)).includes(what))
  }
})

Deno.test("digestComplaints() refuses a repeated passage", () => {
  const [first] = valid.sections.watch
  ok(first !== undefined)
  const again = section("context", [...valid.sections.context, first])
  equal(again, ["watch 1: repeats another passage of the digest"])
})

Deno.test("digestOf() matches the schema on the wire, with an id from its slot", () => {
  const digest = digestOf(valid, brief, metadata)
  equal(Schema.decodeUnknownSync(Digest)(digest), digest)
  strictEqual(digest.id, "digest-2026-11-21T08")
  strictEqual(digest.createdAt, "2026-11-21T08:00:30.000Z")
  strictEqual(digest.narrator, "any model")
  strictEqual(digest.title, valid.title.text)
  strictEqual(digest.summary, valid.summary.text)
  equal(digest.sourcesUsed, ["Venue"])
  ok(digestOf(valid, brief, { ...metadata, slot: until + 4 * hour }).id !== digest.id)
})

/** The text that the Markdown displays; fails when a mark is not escaped. */
function displayedText(markdown: string): string {
  const bare = markdown.replace(/\\[!-/:-@[-`{-~]/g, "·")
  ok(!/[\\`*_[\]<>|~$^{}]|&#?\w|!\[|www\.\p{L}|:\/\/|(?<=\p{L}):(?=\p{L})|@/iu.test(bare), bare)
  ok(!/^(?: {4}|\t|[-+=]\D|\d+[.)](?:\s|$)|#)/.test(bare), bare)
  ok(!/\n| {2}$/.test(markdown), markdown)
  return markdown.replace(/\\([!-/:-@[-`{-~])/g, "$1")
}

law(
  "digestOf() displays the text of each passage and the ids of its facts, and no link or HTML",
  anyMaterial,
  (material) => {
    const brief = digestBrief(material)
    const draft = templateDigest(brief)
    const blocks = digestOf(draft, brief, metadata).fullAnalysis.split("\n\n")
    const headings = blocks.filter((block) => /^## [A-Z][a-z ,]+$/.test(block))
    strictEqual(headings.length, digestSections.length)
    equal(
      blocks.filter((block) => !headings.includes(block)).map(displayedText),
      digestSections.flatMap((name) => draft.sections[name])
        .map(({ facts, text }) => `${text} [${facts.join(", ")}]`),
    )
  },
  { runs: sized({ short: 200, full: 3_000 }) },
)

law(
  "digestOf() lists the facts it cites, and their sources",
  anyMaterial,
  (material) => {
    const brief = digestBrief(material)
    const draft = templateDigest(brief)
    const { facts, sourcesUsed } = digestOf(draft, brief, metadata)
    const passages = digestSections.flatMap((name) => draft.sections[name])
    const used = new Set([draft.title, draft.summary, ...passages].flatMap((it) => it.facts))
    equal(facts.map(({ id }) => id), brief.facts.map(({ id }) => id).filter((id) => used.has(id)))
    const of = brief.facts.filter(({ id }) => used.has(id))
    ok(
      facts.every(({ id, statement }) =>
        of.some((it) => it.id === id && it.statement === statement)
      ),
    )
    const publishers = of.flatMap(({ source }) => source ?? [])
    const whales = of.some(({ kind }) => kind === "whale_entry") ? ["Whale calibration table"] : []
    equal(new Set(sourcesUsed), new Set(["Venue", ...whales, ...publishers]))
    strictEqual(new Set(sourcesUsed).size, sourcesUsed.length)
  },
  { runs: sized({ short: 100, full: 500 }) },
)
