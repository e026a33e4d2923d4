/**
 * The twelve points of a report, as a program checks them: on its facts, its text and its numbers. A
 * point is also met by the fact that says what was not there or could not be read.
 *
 * @module
 */
import { readableName } from "../../../src/core/domain/untrusted.ts"
import type { ReportMaterial } from "../../../src/research/domain/material.ts"
import { isLive } from "../../../src/research/domain/material.ts"
import { isDoubted } from "../../../src/research/domain/cards.ts"
import { movementOf } from "../../../src/research/domain/movement.ts"
import { siblingView } from "../../../src/research/domain/siblings.ts"
import type { ReportPage } from "../../../src/research/domain/page.ts"
import type { Report } from "../../../src/research/domain/research.ts"
import type { Fact } from "../../../src/writing/domain/facts.ts"

/** Bytes of a report as JSON. */
export const reportBytesMax = 30_000

interface Checked {
  readonly material: ReportMaterial
  readonly facts: ReadonlyArray<Fact>
  readonly report: Report
}

const has = (...slots: ReadonlyArray<string>) => ({ values }: Fact) =>
  slots.every((slot) => values[slot] !== undefined)
const says = (pattern: RegExp) => ({ statement }: Fact) => pattern.test(statement)
const without = (material: ReportMaterial) => material.book === null

type Point = readonly [name: string, isMet: (checked: Checked) => boolean]

/** Of a market that can be traded. */
const points: ReadonlyArray<Point> = [
  [
    "what pays, quoted from the rules",
    ({ facts, material: { rules } }) =>
      facts.some((fact) =>
        fact.kind === "rules" &&
        (has("clause")(fact) || says(/could not be read/)(fact) && (rules ?? "").trim().length < 3)
      ),
  ],
  [
    "bid, ask, break-even of both sides, average price for a size",
    ({ facts, material, report }) =>
      without(material) ? facts.some(says(/no order book/)) : facts.some(has("bid")) &&
        facts.filter((fact) => has("ask", "breakEven")(fact) || has("gain", "loss")(fact))
            .length >= new Set(material.market.outcomes.map((name) => readableName(name))).size &&
        facts.some((fact) => has("size1")(fact) || has("size")(fact) || has("offered")(fact)) &&
        report.decision.sides.length === 2,
  ],
  [
    "a reference class with its number",
    ({ facts }) =>
      facts.some(({ values }) =>
        values["reference"]?.type === "count" && values["reference"].value > 0
      ),
  ],
  [
    "time left and expected payout",
    ({ facts, report }) =>
      facts.some((fact) => has("payoutAt")(fact)) === (report.decision.expectedPayoutAt !== null) &&
      facts.some((fact) => has("payoutAt")(fact) || says(/lists no date/)(fact)),
  ],
  ["at most five dated reports, each placed in time to the move", ({ facts, material }) => {
    const news = facts.filter(has("headline", "publisher", "publishedAt"))
    const isMoved = movementOf(material).main !== null
    return news.length <= 5 &&
      news.every((fact) => !isMoved || has("order")(fact) || says(/report/)(fact))
  }],
  [
    "the strongest counter-evidence, first among the risks",
    ({ material, report: { analysis: { risks: [first, ...others] } } }) => {
      const isCounter = (risk: string) => /^(?:Against it: |Traders still price )/.test(risk)
      return !others.some(isCounter) && (!isDoubted(material) || isCounter(first))
    },
  ],
  [
    "the proposal, and how often such are disputed",
    ({ facts, material: { proposal } }) =>
      facts.some(({ kind, statement }) =>
        kind === "resolution" &&
        (proposal === null ? /is proposed at the venue/ : /The venue's proposal is /).test(
          statement,
        )
      ) && facts.some((fact) => has("disputed")(fact) || has("overturned")(fact)),
  ],
  [
    "the other markets of the event, net of fees",
    ({ facts, material: { siblings, ...material } }) => {
      if (siblings === null) return facts.some(says(/other markets could not be read/))
      const { rungs, sum, contradictions } = siblingView({ ...material, siblings })
      return (rungs.length < 2 || facts.some(has("rungs"))) &&
        (sum === null || facts.some(has("siblings"))) &&
        (contradictions.length === 0 || facts.some(has("gainUsd", "stake")))
    },
  ],
  [
    "labelled money and the price of a copy, or its absence",
    ({ facts, material }) =>
      material.entries.every(({ marketMaker }) => marketMaker)
        ? facts.some(says(/none opened a position here|No wallet is tracked|are market makers/))
        : facts.some(({ kind }) => kind === "whale"),
  ],
  [
    "valid until, what ends that before, the cheapest next call",
    ({ facts, report, material }) =>
      facts.some(has("validUntil", "why", "flip")) && facts.some(has("call")) &&
      Date.parse(report.decision.validUntil) > material.now,
  ],
  [
    "the stated number, or that it is missing",
    ({ facts, material: { estimate } }) =>
      facts.some(
        estimate === null
          ? says(/Our own chance .* could not be read/)
          : has("probability", "basis"),
      ),
  ],
  [
    "at most 30 kB",
    ({ report }) => new TextEncoder().encode(JSON.stringify(report)).length <= reportBytesMax,
  ],
]

/** The points that a report misses, by name; a market that has ended has nothing to decide. */
export function missedPoints(
  material: ReportMaterial,
  page: ReportPage,
  report: Report,
): ReadonlyArray<string> {
  const checked = { material, facts: page.facts, report }
  return points.filter(([name]) => isLive(material) || name === "at most 30 kB")
    .flatMap(([name, isMet]) => isMet(checked) ? [] : [name])
}
