/**
 * What a reader should take from the track record, in words with their uncertainty.
 *
 * @module
 */
import type { Child } from "hono/jsx"
import type { CitedNumber } from "../cited.ts"
import { count, percent, Range, signedPercent, Value } from "../parts.tsx"
import { cents, score, type SectionProps } from "./cells.tsx"

export function Verdict({ of }: SectionProps) {
  return (
    <>
      <dl class="verdicts">
        <Copying of={of} />
        <Proof of={of} />
        <Moves of={of} />
        <Outcomes of={of} />
        <Timing of={of} />
      </dl>
      <p class="quiet">
        An interval at the 95 % level misses the true value in about one of twenty cases, if its
        assumptions hold. It holds for one figure at one time: who looks at many figures, or every
        day, sees more misses. The assumptions are under each chart.
      </p>
    </>
  )
}

function Answer({ question, verdict, children }: {
  question: string
  verdict: Child
  children?: Child
}) {
  return (
    <div>
      <dt>{question}</dt>
      <dd>
        <strong>{verdict}</strong> {children}
      </dd>
    </div>
  )
}

/** Which side of zero an interval is on; null while it is not known. */
function reading(
  { low, high }: { readonly low: CitedNumber; readonly high: CitedNumber },
  words: { readonly above: string; readonly below: string; readonly neither: string },
): string | null {
  if (low.value === null || high.value === null) return null
  return low.value > 0 ? words.above : high.value < 0 ? words.below : words.neither
}

/** A figure with its interval, as it ends a sentence. */
function Estimate({ value, low, high, as }: {
  value: CitedNumber
  low: CitedNumber
  high: CitedNumber
  as: (value: number | null) => string
}) {
  return value.value === null ? <Value of={value} as={as} /> : (
    <>
      <Value of={value} as={as} /> (95 % interval <Range low={low} high={high} as={as} />)
    </>
  )
}

function Copying({ of }: SectionProps) {
  const overall = of.at("overall")
  const ends = { low: overall.at("followRoiLow"), high: overall.at("followRoiHigh") }
  const question = "Does copying every tracked wallet pay?"
  if (overall.value.followRoiCostWeighted === null) {
    return <Answer question={question} verdict="Not known yet: no counted entry has resolved." />
  }
  return (
    <Answer
      question={question}
      verdict={reading(ends, {
        above: "It gained, on paper.",
        below: "No, it lost.",
        neither: "No gain and no loss is shown.",
      }) ?? "Not known yet."}
    >
      Return per USD:{" "}
      <Estimate value={overall.at("followRoiCostWeighted")} {...ends} as={signedPercent} />, from
      {" "}
      <Value of={of.at("coverage").at("resolvedEntries")} as={count} />{" "}
      resolved entries, as certain as <Value of={overall.at("effectiveEntries")} as={count} />{" "}
      independent ones. This assumes the prices that the wallets paid; a follower pays more.
    </Answer>
  )
}

function Proof({ of }: SectionProps) {
  const labels = of.at("labels")
  const { follow, fade } = labels.value
  const entries = of.at("whaleEntries").at("follow")
  const roi = entries.at("roiAtAsk")
  const question = "Which wallets are proven better or worse than their prices?"
  if (of.value.coverage.labeledWallets === 0) {
    return (
      <Answer
        question={question}
        verdict="Not known yet: no wallet has enough resolved entries to be judged."
      />
    )
  }
  return (
    <Answer
      question={question}
      verdict={follow + fade === 0 ? "None." : (
        <>
          <Value of={labels.at("follow")} as={count} /> better (follow),{" "}
          <Value of={labels.at("fade")} as={count} /> worse (fade).
        </>
      )}
    >
      Of <Value of={of.at("coverage").at("labeledWallets")} as={count} />{" "}
      judged wallets. Return per USD of entries that were published with the label follow, at the
      offered price:{" "}
      <Estimate
        value={roi.at("value")}
        low={roi.at("low")}
        high={roi.at("high")}
        as={signedPercent}
      />, from <Value of={entries.at("resolved")} as={count} /> resolved entries in{" "}
      <Value of={entries.at("events")} as={count} /> events.
    </Answer>
  )
}

function Moves({ of }: SectionProps) {
  const drift = of.at("movers").at("drift")
  const after = (key: "after1h" | "after24h") => {
    const score = drift.at(key).at("contested")
    return {
      score,
      value: score.at("meanDrift"),
      ends: { low: score.at("driftLow"), high: score.at("driftHigh") },
    }
  }
  const [hour, day] = [after("after1h"), after("after24h")]
  const question = "Do published moves continue?"
  if (hour.value.value === null && day.value.value === null) {
    return (
      <Answer
        question={question}
        verdict="Not known yet: too few independent events have been judged."
      >
        Judged after an hour: <Value of={hour.score.at("moves")} as={count} /> movers of{" "}
        <Value of={hour.score.at("events")} as={count} /> events.
      </Answer>
    )
  }
  const words = (when: string) => ({
    above: `Prices went on, ${when}.`,
    below: `No, prices went back, ${when}.`,
    neither: `No drift is shown ${when}.`,
  })
  return (
    <Answer
      question={question}
      verdict={reading(day.ends, words("after a day")) ??
        reading(hour.ends, words("after an hour")) ?? "Not known yet."}
    >
      Drift of contested movers per share, which is zero at a fair price. After an hour:{" "}
      <Estimate value={hour.value} {...hour.ends} as={cents} />, from{" "}
      <Value of={hour.score.at("moves")} as={count} /> movers in{" "}
      <Value of={hour.score.at("events")} as={count} /> events. After a day:{" "}
      <Estimate value={day.value} {...day.ends} as={cents} />, from{" "}
      <Value of={day.score.at("moves")} as={count} /> movers in{" "}
      <Value of={day.score.at("events")} as={count} /> events.
    </Answer>
  )
}

function Outcomes({ of }: SectionProps) {
  const byKind = of.at("predetermined").at("byKind")
  const evidence = byKind.at("evidence")
  const record = byKind.at("contestedProposal").at("record")
  const question = "Were predetermined outcomes right?"
  if (evidence.value.resolved === 0 && record.value === null) {
    return <Answer question={question} verdict="Not known yet: no published item has a result." />
  }
  return (
    <Answer
      question={question}
      verdict={evidence.value.resolved === 0 ? "Not known yet." : (
        <>
          <Value of={evidence.at("correct")} as={count} /> of{" "}
          <Value of={evidence.at("resolved")} as={count} /> were paid.
        </>
      )}
    >
      Resolved: <Value of={evidence.at("resolved")} as={count} /> of{" "}
      <Value of={evidence.at("emitted")} as={count} />{" "}
      published items with evidence; no interval is computed. Contested proposals, a weaker kind,
      that were upheld:{" "}
      <Estimate
        value={record.at("upheldRate")}
        low={record.at("upheldRateLow")}
        high={record.at("upheldRateHigh")}
        as={percent}
      />
      <Judged of={record.at("proposals")} />.
    </Answer>
  )
}

/** Nothing where no record exists: the figure before it says so. */
const Judged = ({ of }: { of: CitedNumber }) =>
  of.value === null ? null : (
    <>
      , from <Value of={of} as={count} /> judged
    </>
  )

function Timing({ of }: SectionProps) {
  const resolutions = of.at("resolutions")
  const { brier, baseRateBrier, endDateBrier } = resolutions.value
  const isBest = brier !== null && brier < Math.min(baseRateBrier ?? 1, endDateBrier ?? 1)
  const question = "Do markets resolve when we expect it?"
  if (brier === null) {
    return <Answer question={question} verdict="Not known yet: no forecast has been judged." />
  }
  return (
    <Answer
      question={question}
      verdict={isBest
        ? "The score is better than both baselines."
        : "The score is not better than both baselines."}
    >
      Brier score, lower is better: <Value of={resolutions.at("brier")} as={score} />, from{" "}
      <Value of={resolutions.at("judged")} as={count} />{" "}
      judged forecasts. Always saying the share that resolved:{" "}
      <Value of={resolutions.at("baseRateBrier")} as={score} />. By the end date alone:{" "}
      <Value of={resolutions.at("endDateBrier")} as={score} />. The uncertainty of the differences
      is not known.
    </Answer>
  )
}
