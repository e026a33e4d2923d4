/**
 * Simulated models that write from the facts in a prompt: like the template, freely, or with a lie.
 *
 * @module
 */
import type { DigestDraft, DigestFact } from "../../../src/digest/domain/digest.ts"
import { digestSections } from "../../../src/digest/domain/digest.ts"
import { templateDigest } from "../../../src/digest/domain/template.ts"
import { titleLengthMax } from "../../../src/digest/domain/text.ts"
import { wordCount } from "../../../src/writing/domain/factCheck.ts"
import type { Fact, Passage } from "../../../src/writing/domain/facts.ts"
import type {
  Confidence,
  ReportBrief,
  ReportDraft,
  ReportFact,
} from "../../../src/research/domain/report.ts"
import { templateReport } from "../../../src/research/domain/template.ts"
import { type Behaviour, type Call, says } from "./modelServer.ts"

/** Writes what the template writes for the facts in the prompt. */
export const writesByTemplate: Behaviour = says((call) =>
  call.use === "digest" ? honestDigest(call) : honestReport(call)
)

export function honestDigest(call: Call): DigestDraft {
  const [first, ...others] = factsOf<DigestFact>(call)
  return templateDigest({ from: 0, until: 0, facts: [first, ...others] })
}

export function honestReport(call: Call): ReportDraft {
  const confidenceMax = /allowed: (low|medium|high)\./.exec(call.user)?.[1] as Confidence
  return templateReport({ facts: factsOf<ReportFact>(call), confidenceMax })
}

/** The facts of a prompt, with the fields that a prompt omits. */
function factsOf<F extends Fact>(call: Call): readonly [F, ...ReadonlyArray<F>] {
  const [first, ...others] = (call.data as ReadonlyArray<F>)
    .map((fact) => ({ ...fact, links: [], source: null }))
  if (first === undefined) throw new Error("a prompt without facts")
  return [first, ...others]
}

/** Sentences of plain words that state no fact. */
const asides = [
  "This is worth a closer look.",
  "The reason is not known.",
  "It may mean little by itself.",
  "So much for what was seen.",
  "The picture is still open.",
  "How long it lasts is another question.",
]
const pageWords = { enough: 480, most: 700 }

/** Writes differently from the template: other facts, with sentences of its own in between. */
export const writesFreely: Behaviour = says((call) =>
  call.use === "digest" ? freeDigest(call) : freeReport(call)
)

function freeDigest(call: Call): DigestDraft {
  const facts = factsOf<DigestFact>(call)
  const [first] = facts
  const aside = (n: number) => asides[(n + call.index) % asides.length] ?? ""
  let words = 0
  const section = (name: DigestFact["section"]): ReadonlyArray<Passage> => {
    const own = facts.filter((fact) => fact.section === name && fact.topic !== "limit")
    const passages: Array<Passage> = []
    for (const [n, fact] of own.entries()) {
      const share = words < pageWords.enough * (digestSections.indexOf(name) + 1) / 5 + 60
      if (n > 0 && (!share || passages.length >= 9)) break
      const text = n % 3 === 0 ? `${aside(n)} ${fact.statement}` : `${fact.statement} ${aside(n)}`
      if (words + wordCount(text) > pageWords.most) break
      words += wordCount(text)
      passages.push({ text, facts: [fact.id] })
    }
    return passages.length > 0
      ? passages
      : [{ text: `${aside(digestSections.indexOf(name))} ${first.statement}`, facts: [first.id] }]
  }
  const title = facts.find(({ short }) => short.length <= titleLengthMax) ?? first
  return {
    title: { text: title.short.replace(/\.$/, ""), facts: [title.id] },
    summary: { text: `${first.statement} ${aside(1)}`, facts: [first.id] },
    sections: {
      repriced: section("repriced"),
      whales: section("whales"),
      predetermined: section("predetermined"),
      context: section("context"),
      watch: section("watch"),
    },
  }
}

function freeReport(call: Call): ReportDraft {
  const facts = factsOf<ReportFact>(call)
  const [first] = facts
  const aside = (n: number) => asides[(n + call.index) % asides.length] ?? ""
  const passage = (part: ReportFact["part"], n: number): Passage => {
    const fact = facts.findLast((fact) => fact.part === part) ?? first
    return { text: `${aside(n)} ${fact.statement}`, facts: [fact.id] }
  }
  return {
    thesis: passage("thesis", 0),
    whaleView: passage("whales", 1),
    risks: [passage("risks", 2), { text: `${first.statement} ${aside(3)}`, facts: [first.id] }],
    confidence: "high" satisfies ReportBrief["confidenceMax"],
    bottomLine: passage("bottom", 4),
  }
}

/** Changes a valid passage; `other` is an id of another fact. */
type Lie = (passage: Passage, other: string) => Passage

export const lies: Readonly<Record<string, Lie>> = {
  "changes a figure": ({ text, facts }) => ({
    text: text.replace(/\d/, (digit) => String((Number(digit) + 3) % 10)),
    facts,
  }),
  "adds a figure": ({ text, facts }) => ({ text: `${text} It was at 0.91737 before.`, facts }),
  "invents a market": ({ text, facts }) => ({
    text: `${text} So did “Will Acme merge with Globex?”.`,
    facts,
  }),
  "names a wallet": ({ text, facts }) => ({ text: `${text} It was 0xdeadbeef.`, facts }),
  "adds a link": ({ text, facts }) => ({ text: `${text} See https://evil.example/x.`, facts }),
  "is certain": ({ text, facts }) => ({ text: `${text} This is guaranteed.`, facts }),
  "counts in words": ({ text, facts }) => ({
    text: `${text} It is twice as high elsewhere.`,
    facts,
  }),
  "says what no fact says": () => ({ text: "The reason is not known.", facts: ["F999"] }),
  "cites another fact": ({ text }, other) => ({ text, facts: [other] }),
  "cites an unknown fact": ({ text }) => ({ text, facts: ["F999"] }),
  "cites nothing": ({ text }) => ({ text, facts: [] }),
}

/** Writes what the template writes, with a lie in the first passage. */
export const writesLie = (lie: Lie): Behaviour =>
  says((call) => {
    const other = factsOf(call).at(-1)?.id ?? "F1"
    if (call.use === "report") {
      const draft = honestReport(call)
      return { ...draft, thesis: lie(draft.thesis, other) }
    }
    const draft = honestDigest(call)
    return { ...draft, title: lie(draft.title, other) }
  })
