/**
 * How the service's own items and forecasts did: movers, predetermined outcomes, resolution times.
 *
 * @module
 */
import { hour } from "../../../core/domain/time.ts"
import { driftLimits } from "../../../track-record/domain/moverDrift.ts"
import { forecastsEveryMs, forecastsMax } from "../../../track-record/domain/resolutionForecasts.ts"
import { countsChart, intervalChart } from "../charts/charts.ts"
import { type Cited, type CitedNumber, total } from "../cited.ts"
import { count, Figure, percent, Table, Value } from "../parts.tsx"
import { cell, cents, columns, ends, score, type SectionProps, source } from "./cells.tsx"
import type { TrackRecord } from "./cells.tsx"

const horizons = [
  { key: "after1h", when: "An hour later" },
  { key: "after6h", when: "Six hours later" },
  { key: "after24h", when: "A day later" },
] as const
const states = [
  { key: "contested", state: "contested" },
  { key: "converged", state: "converged" },
] as const

export function Movers({ of }: SectionProps) {
  const movers = of.at("movers")
  const drift = movers.at("drift")
  const rows = horizons.flatMap(({ key, when }) =>
    states.map((state) => ({
      label: `${when}, ${state.state}`,
      score: drift.at(key).at(state.key),
    }))
  )
  const known = rows.filter(({ score }) => score.value.meanDrift !== null)
  return (
    <Figure
      id="movers"
      title="Did published moves go on or go back?"
      caption="Each line is the mean drift of the price after a mover was published, in the direction of the move, with its 95 % interval; zero is what a fair price does."
      svg={known.length === 0 ? null : intervalChart({
        prefix: "movers-chart",
        title: "Drift of the price after a published move",
        description: known.map(({ label, score: { value } }) =>
          `${label}: ${cents(value.meanDrift)}, ${count(value.moves)} movers.`
        ).join(" "),
        rows: known.map(({ label, score: { value } }) => ({
          label,
          value: value.meanDrift,
          low: value.driftLow,
          high: value.driftHigh,
        })),
        baseline: { value: 0, label: "fair price" },
        form: cents,
      })}
      empty={
        <>
          No drift is known yet: it needs {driftLimits.eventsMin} independent events. Judged so far:
          {" "}
          <Value of={movers.at("judgedAfter1h")} as={count} /> movers after an hour,{" "}
          <Value of={movers.at("judgedAfter6h")} as={count} /> after six hours,{" "}
          <Value of={movers.at("judgedAfter24h")} as={count} /> after a day.
        </>
      }
      note="A high share of moves that kept half is no evidence by itself: at a fair price most moves keep half for an hour. Only the difference to the martingale's share is evidence."
      table={
        <>
          <Drift rows={rows} />
          <Persistence of={of} />
        </>
      }
      method={"Drift is the later price minus the published one, in the direction of the move, in cents per share. " +
        `Contested: the price was between ${driftLimits.convergedLow} and ` +
        `${driftLimits.convergedHigh}; converged: at or beyond these. ` +
        "The martingale's share is the share of the same moves that would have kept half if each later change were less the mean drift. The intervals are clustered by event and by UTC day with Student's quantile; two events of 50 cents, one in each direction, are added to the variance, so that an interval without a jump so far does not exclude jumps. They assume that moves of different events and days are independent."}
      json={source}
    />
  )
}

type DriftScore = TrackRecord["movers"]["drift"]["after1h"]["contested"]

function Drift(
  { rows }: { rows: ReadonlyArray<{ label: string; score: Cited<DriftScore> }> },
) {
  return (
    <Table
      caption="Drift in cents per share, and the share of moves that kept at least half"
      columns={columns(
        ...["After publication", "Movers", "Events", "Mean drift", "95 % interval"] as const,
        ...["Kept half", "Martingale"] as const,
      )}
      rows={rows.map(({ label, score }) => [
        label,
        cell(score.at("moves"), count),
        cell(score.at("events"), count),
        cell(score.at("meanDrift"), cents),
        ends(score.at("driftLow"), score.at("driftHigh"), cents),
        cell(score.at("shareKept"), percent),
        cell(score.at("martingaleShareKept"), percent),
      ])}
    />
  )
}

function Persistence({ of }: SectionProps) {
  const movers = of.at("movers")
  const rows: ReadonlyArray<readonly [string, ...ReadonlyArray<CitedNumber>]> = [
    [
      "An hour later",
      movers.at("judgedAfter1h"),
      movers.at("persistedAfter1h"),
      movers.at("unknownAfter1h"),
    ],
    [
      "Six hours later",
      movers.at("judgedAfter6h"),
      movers.at("persistedAfter6h"),
      movers.at("unknownAfter6h"),
    ],
    [
      "A day later",
      movers.at("judgedAfter24h"),
      movers.at("persistedAfter24h"),
      movers.at("unknownAfter24h"),
    ],
  ]
  return (
    <>
      <Table
        caption="All published movers"
        columns={columns("After publication", "Judged", "Kept half", "Price unknown")}
        rows={rows.map(([label, ...numbers]) => [
          label,
          ...numbers.map((number) => cell(number, count)),
        ])}
      />
      <p>
        <Value of={movers.at("emitted")} as={count} />{" "}
        movers were published. Each is judged, or its price unknown, once that time has passed; the
        others still wait for it.
      </p>
    </>
  )
}

type Kind = TrackRecord["predetermined"]["byKind"]["evidence"]

const outcomesOf = (kind: Cited<Kind>) => ({
  right: kind.at("correct"),
  wrong: total([kind.at("resolved")], [kind.at("correct")]),
  split: kind.at("uneven"),
  cancelled: kind.at("cancelled"),
  open: total([kind.at("emitted")], [
    kind.at("resolved"),
    kind.at("uneven"),
    kind.at("cancelled"),
  ]),
})

export function Predetermined({ of }: SectionProps) {
  const { byKind } = { byKind: of.at("predetermined").at("byKind") }
  const kinds = [
    { label: "Evidence", kind: byKind.at("evidence") },
    { label: "Contested proposals", kind: byKind.at("contestedProposal") },
  ].map(({ label, kind }) => ({ label, kind, outcomes: outcomesOf(kind) }))
  const record = byKind.at("contestedProposal").at("record")
  return (
    <Figure
      id="predetermined"
      title="Were predetermined outcomes paid?"
      caption="Each bar divides the published items of one kind into right (the outcome was paid), wrong, without a result (split or cancelled) and open."
      svg={of.value.predetermined.emitted === 0 ? null : countsChart({
        prefix: "predetermined-chart",
        title: "Predetermined outcomes, right and wrong",
        description: kinds.map(({ label, outcomes: { right, wrong, open } }) =>
          `${label}: ${count(right.value)} right, ${count(wrong.value)} wrong, ${
            count(open.value)
          } open.`
        ).join(" "),
        rows: kinds.map(({ label, outcomes: { right, wrong, split, cancelled, open } }) => ({
          label,
          parts: [
            { name: "right", count: right.value, tone: "good" },
            { name: "wrong", count: wrong.value ?? 0, tone: "bad" },
            { name: "no result", count: split.value + cancelled.value, tone: "other" },
            { name: "open", count: open.value ?? 0, tone: "open" },
          ],
        })),
      })}
      empty={
        <>
          <Value of={of.at("predetermined").at("resolved")} as={count} /> resolved yet.
        </>
      }
      table={
        <>
          <Table
            caption="Published items by kind"
            columns={columns(
              ...["Kind", "Published", "Right", "Wrong", "Split", "Cancelled", "Open"] as const,
            )}
            rows={kinds.map(({ label, kind, outcomes }) => [
              label,
              cell(kind.at("emitted"), count),
              cell(outcomes.right, count),
              cell(outcomes.wrong, count),
              cell(outcomes.split, count),
              cell(outcomes.cancelled, count),
              cell(outcomes.open, count),
            ])}
          />
          <Table
            caption="Contested proposals that were upheld: the proposed outcome was paid in full"
            columns={columns("Kind", "Judged", "Upheld", "Share", "95 % interval (Wilson)")}
            rows={[[
              "Contested proposals",
              cell(record.at("proposals"), count),
              cell(record.at("upheld"), count),
              cell(record.at("upheldRate"), percent),
              ends(record.at("upheldRateLow"), record.at("upheldRateHigh"), percent),
            ]]}
          />
        </>
      }
      method="Evidence: a headline or the venue's proposal said that the outcome was decided. Contested proposals: outcomes that were proposed at the venue while their price still showed doubt; they do not claim to be decided. Every published item counts. An item is right when its outcome was paid in full. In the share that was upheld, a split payout and a cancelled market count as not upheld. Its interval is Wilson's at the 95 % level and treats proposals as independent."
      json={source}
    />
  )
}

export function Resolutions({ of }: SectionProps) {
  const resolutions = of.at("resolutions")
  const forecasts = [
    { label: "This service", brier: resolutions.at("brier") },
    { label: "Share that resolved", brier: resolutions.at("baseRateBrier") },
    { label: "End date alone", brier: resolutions.at("endDateBrier") },
  ]
  return (
    <Figure
      id="resolutions"
      title="Do markets resolve when we expect it?"
      caption="Each point is the Brier score of a forecast that a market resolves within 24 hours: lower is better, and 0.25 is a coin flip."
      svg={resolutions.value.judged === 0 ? null : intervalChart({
        prefix: "resolutions-chart",
        title: "Brier score of the forecast and of two simple ones",
        description: forecasts.map(({ label, brier }) => `${label}: ${score(brier.value)}.`)
          .join(" "),
        rows: forecasts.map(({ label, brier }) => ({
          label,
          value: brier.value,
          low: null,
          high: null,
        })),
        baseline: { value: 0.25, label: "a coin flip" },
        form: score,
      })}
      empty={
        <>
          <Value of={resolutions.at("judged")} as={count} /> forecasts judged yet, of{" "}
          <Value of={resolutions.at("forecasts")} as={count} /> stored.
        </>
      }
      note={
        <>
          From <Value of={resolutions.at("judged")} as={count} /> judged forecasts, of which{" "}
          <Value of={resolutions.at("resolvedWithin24h")} as={count} />{" "}
          markets had resolved. The uncertainty of these scores is not known: many forecasts are
          about the same market, and no interval is computed.
        </>
      }
      table={
        <>
          <Table
            caption="Brier score: mean squared error of the probability, 0 to 1"
            columns={columns("Forecast", "Brier score")}
            rows={forecasts.map(({ label, brier }) => [label, cell(brier, score)])}
          />
          <Table
            caption="Stored forecasts"
            columns={columns("Forecasts", "Stored", "Judged", "Resolved in time", "Unknown")}
            rows={[[
              "All",
              cell(resolutions.at("forecasts"), count),
              cell(resolutions.at("judged"), count),
              cell(resolutions.at("resolvedWithin24h"), count),
              cell(resolutions.at("unknown"), count),
            ]]}
          />
        </>
      }
      method={`Every ${forecastsEveryMs / hour} hours up to ${forecastsMax} forecasts are stored ` +
        "and judged by the venue's resolution a day later. “Share that resolved” always says the share of the judged markets that resolved in time, which is known only afterwards, so it is a favoured baseline. “End date alone” says 1 when the market's end date is within 24 hours or past, else 0. Unknown: the venue gave no time of the resolution, or did not answer."}
      json={source}
    />
  )
}
