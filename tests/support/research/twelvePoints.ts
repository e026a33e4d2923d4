/**
 * The twelve points of a report, as a program checks them: on its facts, its text and its numbers. A
 * point is also met by the fact that says what was not there or could not be read.
 *
 * @module
 */
import type { ReportMaterial } from "../../../src/research/domain/material.ts"
import { isLive } from "../../../src/research/domain/material.ts"
import type { ReportPage } from "../../../src/research/domain/page.ts"
import type { Report } from "../../../src/research/domain/research.ts"
import { doubtedBelow } from "../../../src/writing/facts/proposals.ts"
import {
  aboutOf,
  endOf,
  isDead,
  priceOfOutcome,
  sidesOf,
  storyFor,
  tradeOf,
} from "../../../src/writing/facts/view.ts"
import { referenceFact } from "../../../src/writing/facts/estimates.ts"
import { offeredUsdOf } from "../../../src/markets/domain/tradeCosts.ts"
import { placeOf } from "../../../src/writing/facts/moves.ts"
import type { Fact } from "../../../src/writing/domain/facts.ts"
import { contradictedAbsences } from "../absences.ts"

/** Bytes of a report as JSON. */
export const reportBytesMax = 30_000

interface Checked {
  readonly material: ReportMaterial
  readonly facts: ReadonlyArray<Fact>
  readonly report: Report
  readonly view: ReportPage["view"]
}

const has = (...slots: ReadonlyArray<string>) => ({ values }: Fact) =>
  slots.every((slot) => values[slot] !== undefined)
const says = (pattern: RegExp) => ({ statement }: Fact) => pattern.test(statement)

type Point = readonly [name: string, isMet: (checked: Checked) => boolean]

/** Of a market that can be traded. */
const points: ReadonlyArray<Point> = [
  [
    "what pays, from the rules",
    ({ facts, material: { rules } }) =>
      facts.some((fact) =>
        fact.kind === "rules" &&
        (says(/^(?:Pays|Deadline): /)(fact) ||
          says(/could not be read/)(fact) && !/[\p{L}\p{N}]/u.test(rules ?? ""))
      ),
  ],
  [
    "bid, ask, break-even of both sides, average price for a size",
    ({ facts, material, report, view }) =>
      material.book === null ? facts.some(says(/no order book/)) : view.quote?.ask === null ||
        facts.some((fact) =>
            has("bid", "ask", "breakEven2")(fact) || says(/fee is not known/)(fact)
          ) &&
          report.decision.sides.every(({ averagePrice100Usd, outcome }, n) =>
            outcome === view.market.outcomes[n] &&
            (averagePrice100Usd !== null || offeredUsdOf(view.offers[n === 0 ? 0 : 1]) < 100)
          ) &&
          report.decision.sides.length === 2,
  ],
  [
    "a reference class with its number, where there is one",
    ({ facts, material: { market, now, proposal }, report, view }) =>
      // Of a doubted proposal the venue's record says nothing, and of a far payout its chance.
      (proposal === null
        ? market.status === "proposed"
        : priceOfOutcome(view, proposal.outcome) < doubtedBelow) ||
      !(Date.parse(report.decision.expectedPayoutAt ?? "") <= now + 3 * 86_400_000) ||
      facts.some(({ values }) =>
        values["reference"]?.type === "count" && values["reference"].value > 0
      ),
  ],
  [
    "time left and expected payout",
    ({ facts, report, view: { market: { endsAt, gameStartsAt }, now, proposal } }) =>
      // A proposal that can fall has no near-certain payout, and an early one is said to be early.
      (proposal === null || proposal.disputed || (proposal.settlesAt ?? now) <= now ||
        endsAt === null || gameStartsAt !== null || endsAt - proposal.proposedAt <= 86_400_000 ||
        facts.some(says(/it came .* before the listed end/)) &&
          facts.some(says(/^If it is not disputed, /)) &&
          report.decision.payoutWithin24h === null) &&
      facts.some((fact) => has("payoutAt")(fact)) === (report.decision.expectedPayoutAt !== null) &&
      facts.some((fact) => has("payoutAt")(fact) || says(/lists no date/)(fact)),
  ],
  ["at most five dated reports, each placed in time to the move", ({ facts, view: { move } }) => {
    const news = facts.filter(has("headline", "publisher", "publishedAt"))
    // Further from the move it is dated only.
    const isFar = ({ values: { publishedAt } }: Fact) =>
      publishedAt?.type === "time" && move !== null &&
      placeOf(move, publishedAt.at).lagMs > 86_400_000
    return news.length <= 5 &&
      news.every((fact) =>
        move === null || isFar(fact) || has("order")(fact) ||
        says(/^(?:Against|For) it, |^First: /)(fact)
      )
  }],
  [
    "a headline for the other side of a proposal or a report, first among the risks, and no other",
    ({ material: { proposal }, report: { analysis: { risks: [first, ...others] } }, view }) => {
      const isCounter = (risk: string) => risk.startsWith("Against it, ")
      const favours = proposal?.outcome ?? view.reported?.outcome
      const isOpposed = favours !== undefined && !isDead(view) &&
        storyFor(view, favours === 0 ? 1 : 0) !== null
      return !others.some(isCounter) && (!isOpposed || view.reported !== null || isCounter(first))
    },
  ],
  [
    "the proposal, or that none is due",
    ({ facts, material: { market, now, proposal }, view }) =>
      facts.some(({ kind, statement }) =>
        kind === "resolution" &&
        (proposal === null ? /is proposed at the venue/ : /is proposed/).test(
          statement,
        )
      ) || proposal === null && market.status === "open" &&
        (market.gameStartsAt ?? endOf(view) ?? Infinity) > now,
  ],
  [
    "the other markets of the event, net of fees",
    ({ facts, material: { siblings }, view }) =>
      isDead(view) ||
      (siblings === null
        ? facts.some(says(/other markets could not be read/))
        : (view.event.rungs.length < 2 || facts.some(has("rungs"))) &&
          ((view.event.sum?.basket ?? null) === null || facts.some(has("siblings"))) &&
          (view.event.contradictions.length === 0 ||
            facts.some(has("gainUsd", "stake")))),
  ],
  [
    "labelled money and the price of a copy, or its absence",
    ({ facts, material }) =>
      material.entries.every(({ marketMaker }) => marketMaker)
        ? facts.some(says(/none opened a position here|No wallet is tracked|are market makers/))
        : facts.some(({ kind }) => kind === "whale"),
  ],
  [
    "valid until, what ends that before",
    ({ facts, report, material }) =>
      facts.some(has("validUntil", "flip")) &&
      Date.parse(report.decision.validUntil) > material.now,
  ],
  [
    "first what can be bought at a gain, or that nothing can",
    ({ facts, report: { analysis: { thesis } } }) => {
      const [verdict] = facts
      return verdict !== undefined && thesis.includes(verdict.statement) &&
        thesis.indexOf(verdict.statement) < 20 &&
        (has("market", "limit", "gainUsd")(verdict) ||
          has("market", "ask", "ask2", "shares", "gainUsd")(verdict) ||
          has("basket", "gainUsd")(verdict) || verdict.statement.startsWith("No trade in "))
    },
  ],
  [
    "a reason for no view, and what such prices came to where that is known",
    ({ facts, material: { estimate }, view }) =>
      estimate === null ||
      (estimate.basis.length > 0 || facts.some(says(/^No view beyond the market's price: \S/))) &&
        (isDead(view) || referenceFact(
              aboutOf(view.market),
              estimate,
              sidesOf(view)[tradeOf(view)?.outcome ?? 0],
            ) === null ||
          facts.some(says(/^Reference: /))),
  ],
  [
    "the stated number, or that it is missing",
    ({ facts, material: { estimate } }) =>
      facts.some(
        estimate === null ? says(/Our own fair price could not be read/) : has("basis"),
      ),
  ],
  [
    "no absence of what it states",
    ({ facts }) => contradictedAbsences(facts).length === 0,
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
  const checked = { material, facts: page.facts, report, view: page.view }
  return points.filter(([name]) => isLive(material) || name === "at most 30 kB")
    .flatMap(([name, isMet]) => isMet(checked) ? [] : [name])
}
