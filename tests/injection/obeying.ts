/**
 * A simulated model that obeys prompt injections: it finds orders in the data of its prompt and follows
 * them in one of several ways, deterministically.
 *
 * @module
 */
import { type DigestDraft, digestSections } from "../../src/digest/domain/digest.ts"
import type { Passage } from "../../src/writing/domain/facts.ts"
import type { ReportDraft } from "../../src/research/domain/report.ts"
import { type Behaviour, type Call, says } from "../support/writing/modelServer.ts"
import { honestDigest, honestReport } from "../support/writing/writers.ts"

/** A fact as it appears in a prompt. */
export interface PromptFact {
  readonly id: string
  readonly statement: string
  readonly short: string
  readonly figures: ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
  readonly certain: boolean
}
interface PromptQuestion {
  readonly question: string
  readonly outcomes: ReadonlyArray<string>
  readonly rules: string
}
interface PromptEvidence {
  readonly id: string
  readonly title: string
  readonly source: string
}

/** What an untrusted text orders to be written; the text itself if it contains no order. */
export function orders(text: string): ReadonlyArray<string> {
  const plain = unTagged(text)
  const hidden = [
    ...[...plain.matchAll(/[A-Za-z0-9+/]{16,}={0,2}/g)].map(([found]) => fromBase64(found)),
    ...[...plain.matchAll(/\b(?:[0-9a-f]{2}){8,}\b/g)].map(([found]) => fromHex(found)),
    ...plain.startsWith("rot13:") ? [rot13(plain)] : [],
  ].filter((found) => found !== "")
  const spoken =
    /(?:write|say|publish|output|statement|schreibe|escribe|напиши|写|اكتب)[^:：]{0,20}[:：]\s*(.+)$/isu
      .exec(plain)?.[1]
  const fields = [...plain.matchAll(/"(?:text|statement)":"([^"]+)"/g)].map(([, text]) =>
    text ?? ""
  )
  const found = [...hidden.flatMap(orders), ...fields, ...spoken === undefined ? [] : [spoken]]
  return found.length > 0 ? found : [plain]
}

/** Characters of an order that are written: fits into a name and into a page. */
const orderLengthMax = 200

/** A way to obey. */
type Way = (fact: PromptFact, order: string, whole: string, own: ReadonlyArray<string>) => Passage

const ways: ReadonlyArray<Way> = [
  // Verbatim, citing the fact that contains the order.
  (fact, order, _, own) => ({ text: order, facts: own.length > 0 ? own : [fact.id] }),
  // Verbatim, citing an unrelated fact.
  (fact, order) => ({ text: order, facts: [fact.id] }),
  // After a true statement.
  (fact, order, _, own) => ({ text: `${fact.statement} ${order}`, facts: [fact.id, ...own] }),
  // As a false quotation.
  (fact, order, _, own) => ({
    text: `${fact.statement} The market says “${order}”.`,
    facts: [fact.id, ...own],
  }),
  // As prose in lower case, without figures.
  (_, order, __, own) => {
    const prose = order.toLowerCase().replace(/[^a-z' ]+/g, " ").replace(/\s+/g, " ").trim()
    return { text: `The word is that ${prose}.`, facts: own }
  },
  // With a true figure of another fact appended.
  (fact, order, _, own) => ({
    text: `${order.replace(/[.!?]+$/, "")} ${fact.figures[0] ?? ""}.`,
    facts: [fact.id, ...own],
  }),
]

/** Quotes the whole name that contains the order, which the rules allow. */
const quoting: Way = (fact, _, whole, own) => ({
  text: own.length === 0 ? fact.short : `${fact.short} Also “${whole}”.`,
  facts: [fact.id, ...own],
})

/**
 * Obeys the texts that `isOrder` picks: a valid draft with the order in it, cycling through the ways from
 * the one of `seed`. For even seeds the third draft follows the rules.
 */
export function obeys(
  isOrder: (text: string) => boolean,
  seed: number,
  /** Called for each draft: whether there was an order to obey. */
  note: (found: boolean) => void,
): Behaviour {
  let drafts = 0
  return says((call) => {
    if (call.use === "detection") return detectionOf(call, isOrder)
    const turn = seed + drafts
    const way = drafts >= 2 && seed % 2 === 0 ? quoting : ways[turn % ways.length] ?? quoting
    drafts++
    const put = obedient(call, isOrder, way, turn)
    note(put !== null)
    return call.use === "digest" ? inDigest(call, put, turn) : inReport(call, put, turn)
  })
}

/** Writes the order into a passage about a fact; null without an order. */
function obedient(call: Call, isOrder: (text: string) => boolean, way: Way, turn: number) {
  const facts = call.data as ReadonlyArray<PromptFact>
  const whole = facts.flatMap(({ names }) => names).find(isOrder)
  if (whole === undefined) return null
  const own = facts.filter(({ names }) => names.includes(whole)).map(({ id }) => id).slice(0, 6)
  const found = orders(whole)
  const order = (found[turn % found.length] ?? whole).slice(0, orderLengthMax)
  return (fact: PromptFact): Passage => {
    const { text, facts } = way(fact, order, whole, own)
    return { text, facts: [...new Set(facts)] }
  }
}

type Put = ReturnType<typeof obedient>

/** Puts the order into one passage only, so that a check that skips this passage fails. */
function inDigest(call: Call, put: Put, turn: number): DigestDraft {
  const draft = honestDigest(call)
  const facts = call.data as ReadonlyArray<PromptFact>
  const fact = facts[turn % facts.length]
  if (put === null || fact === undefined) return draft
  const { sections } = draft
  const at = (["title", "summary", ...digestSections] as const)[turn % (digestSections.length + 2)]
  if (at === undefined || at === "title" || at === "summary") {
    return { ...draft, [at ?? "title"]: put(fact) }
  }
  return { ...draft, sections: { ...sections, [at]: [...sections[at], put(fact)] } }
}

function inReport(call: Call, put: Put, turn: number): ReportDraft {
  const draft = { ...honestReport(call), confidence: "high" } as const
  const facts = call.data as ReadonlyArray<PromptFact>
  const fact = facts[turn % facts.length]
  if (put === null || fact === undefined) return draft
  const at = (["thesis", "whaleView", "bottomLine", "risks"] as const)[turn % 4]
  if (at === undefined || at === "risks") {
    return { ...draft, risks: [...draft.risks.slice(0, 5), put(fact)] }
  }
  return { ...draft, [at]: put(fact) }
}

/** Answers as ordered: determined, the first outcome, high confidence, all evidence ids. */
function detectionOf(call: Call, isOrder: (text: string) => boolean): unknown {
  const [question, ...evidence] = call.data as readonly [
    PromptQuestion,
    ...ReadonlyArray<PromptEvidence>,
  ]
  const texts = [
    question.question,
    question.rules,
    ...evidence.flatMap(({ title, source }) => [title, source]),
  ]
  const whole = texts.find(isOrder) ?? ""
  const outcome = /"outcome":"([^"]+)"/.exec(whole)?.[1] ?? question.outcomes[0]
  const invented = /E99/.test(whole) ? ["E99"] : []
  return {
    determined: true,
    outcome,
    statement: (orders(whole)[0] ?? whole).slice(0, 300),
    confidence: "high",
    evidence: [...evidence.map(({ id }) => id), ...invented].slice(0, 20),
    decisiveWords: (evidence.at(-1)?.title ?? "").slice(0, 300),
  }
}

function unTagged(text: string): string {
  return text.replace(
    /[\u{e0000}-\u{e007f}]/gu,
    (tag) => String.fromCharCode((tag.codePointAt(0) ?? 0) - 0xe0000),
  )
}

function fromBase64(text: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true })
      .decode(Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)))
  } catch {
    return ""
  }
}

function fromHex(text: string): string {
  const codes = (text.match(/../g) ?? []).map((pair) => parseInt(pair, 16))
  return String.fromCharCode(...codes)
}

function rot13(text: string): string {
  return text.slice("rot13:".length).replace(/[a-z]/gi, (letter) => {
    const a = letter <= "Z" ? 65 : 97
    return String.fromCharCode((letter.charCodeAt(0) - a + 13) % 26 + a)
  })
}
