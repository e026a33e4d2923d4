/**
 * The page of a report: its facts, and for each part a slot with the sentences of the template.
 *
 * @module
 */
import type { Fact } from "../../writing/domain/facts.ts"
import type { Sentence, Slot } from "../../writing/domain/page.ts"
import { asideLines } from "./asides.ts"
import { bottomLines, confidenceOf } from "./conclusion.ts"
import type { Line } from "./lines.ts"
import type { ReportMaterial } from "./material.ts"
import type { Confidence } from "./report.ts"
import { riskLines } from "./risks.ts"
import { hedgeLines } from "./siblingLines.ts"
import { thesisLines } from "./thesis.ts"
import { whaleLines } from "./whaleView.ts"

export interface ReportPage {
  /** `F1`, `F2`, … in the order of the text; then facts that no sentence of the template states. */
  readonly facts: ReadonlyArray<Fact>
  readonly thesis: Slot
  readonly whaleView: Slot
  /** The most important first, a slot each. */
  readonly risks: readonly [Slot, ...ReadonlyArray<Slot>]
  /** By rule; no narrator changes it. */
  readonly confidence: Confidence
  /** The start of the bottom line, which no narrator changes: a hedged pair, and the confidence. */
  readonly bottomOpening: Slot
  readonly bottomLine: Slot
}

/** Deterministic: the same material gives the same page. */
export function reportPage(material: ReportMaterial): ReportPage {
  const facts: Array<Fact> = []
  const numbered = (line: Line): Fact => {
    const fact = { id: `F${facts.length + 1}`, ...line }
    facts.push(fact)
    return fact
  }
  type Numbered = readonly [Fact, ...ReadonlyArray<Fact>]
  const part = ([first, ...rest]: readonly [Line, ...ReadonlyArray<Line>]): Numbered => [
    numbered(first),
    ...rest.map(numbered),
  ]
  const thesis = part(thesisLines(material))
  const whales = part(whaleLines(material))
  const [firstRisk, ...otherRisks] = part(riskLines(material))
  const { confidence, reason } = confidenceOf(material)
  const [hedge] = hedgeLines(material)
  const opened = part(hedge === undefined ? [reason] : [hedge, reason])
  const bottom = part(bottomLines(material))
  const asides = asideLines(material).map(numbered)
  const [opening] = thesis
  const of = (kinds: ReadonlyArray<Fact["kind"]>) =>
    asides.filter(({ kind }) => kinds.includes(kind))
  const risk = (fact: Fact, n: number) =>
    slot(n + 3, "risk", [fact], fact === opening ? [] : thesis)
  const risks = [risk(firstRisk, 0), ...otherRisks.map((fact, n) => risk(fact, n + 1))] as const
  const [firstSlot, ...otherSlots] = risks
  const last = risks.length + 3
  return {
    facts,
    thesis: slot(1, "thesis", thesis, of(["news", "price", "book"])),
    whaleView: slot(2, "whales", whales, [opening, ...of(["whale"])]),
    risks: [firstSlot, ...otherSlots],
    confidence,
    bottomOpening: { ...slot(last, "confidence", opened, []), aboutItself: true },
    bottomLine: slot(last + 1, "bottomLine", bottom, [
      ...thesis,
      ...whales,
      firstRisk,
      ...otherRisks,
    ]),
  }
}

/** All slots in the order of the text. */
export function slotsOf(page: ReportPage): ReadonlyArray<Slot> {
  return [page.thesis, page.whaleView, ...page.risks, page.bottomOpening, page.bottomLine]
}

/** A slot with a sentence for each of its own facts; a claim may also cite the `other` ones. */
function slot(
  number: number,
  topic: string,
  [first, ...rest]: readonly [Fact, ...ReadonlyArray<Fact>],
  other: ReadonlyArray<Fact>,
): Slot {
  return {
    id: `S${number}`,
    topic,
    facts: [first, ...rest, ...other].map(({ id }) => id),
    sentences: [sentence(first), ...rest.map(sentence)],
    aboutItself: false,
  }
}

function sentence({ id, statement }: Fact): Sentence {
  return { text: statement, facts: [id] }
}
