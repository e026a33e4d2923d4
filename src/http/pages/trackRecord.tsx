/**
 * /track-record: how the published numbers did.
 *
 * @module
 */
import { cite } from "./cited.ts"
import { count, Time, Value } from "./parts.tsx"
import { type SectionProps, source, type TrackRecord } from "./trackRecord/cells.tsx"
import { Calibration, Returns, TopWallets } from "./trackRecord/entries.tsx"
import { Movers, Predetermined, Resolutions } from "./trackRecord/items.tsx"
import { ClosingLine, EntryResults, Labels } from "./trackRecord/labels.tsx"
import { pagePaths } from "./paths.ts"
import { Verdict } from "./trackRecord/verdict.tsx"

export const trackRecordMeta = {
  path: pagePaths.trackRecord,
  title: "Track record",
  description:
    "How the published entries, labels, moves and outcomes did afterwards, with intervals and methods.",
  json: [source],
} as const

const contents = [
  ["calibration", "Calibration"],
  ["returns", "Returns of copying"],
  ["labels", "Labels"],
  ["published-entries", "Published entries"],
  ["closing-line", "Later prices"],
  ["movers", "Moves"],
  ["predetermined", "Predetermined outcomes"],
  ["resolutions", "Resolution times"],
  ["wallets", "Largest wallets"],
  ["method", "Method"],
] as const

export function TrackRecordPage({ record }: { record: TrackRecord }) {
  const of = cite(source, record)
  return (
    <>
      <h1>Track record</h1>
      <p class="lead">
        How the entries of tracked wallets and the published items did afterwards. Nothing is left
        out because it lost; each section says what it covers.
      </p>
      <Coverage of={of} />
      <Verdict of={of} />
      <nav aria-label="On this page" class="contents">
        {contents.map(([id, name]) => <a key={id} href={`#${id}`}>{name}</a>)}
      </nav>
      <Calibration of={of} />
      <Returns of={of} />
      <Labels of={of} />
      <EntryResults of={of} />
      <ClosingLine of={of} />
      <Movers of={of} />
      <Predetermined of={of} />
      <Resolutions of={of} />
      <TopWallets of={of} />
      <section class="figure" aria-labelledby="method">
        <h2 id="method">Method</h2>
        <p>{record.method.reading}</p>
        <p>{record.disclaimer}</p>
      </section>
    </>
  )
}

function Coverage({ of }: SectionProps) {
  const coverage = of.at("coverage")
  const { asOf, computedAt } = of.value
  const times = [
    ["wallets read", asOf.wallets],
    ["items scored", asOf.scores],
    ["wallets judged", computedAt],
  ] as const
  return (
    <p>
      <Value of={coverage.at("resolvedEntries")} as={count} /> resolved entries of{" "}
      <Value of={coverage.at("trackedWallets")} as={count} /> tracked wallets;{" "}
      <Value of={coverage.at("cancelledEntries")} as={count} />{" "}
      more in cancelled markets count nowhere.{" "}
      {times.every(([, at]) => at === null) ? "When this was last computed is not known yet." : (
        <>
          Last times: {times.map(([name, at], n) => (
            <span key={name}>
              {n === 0 ? "" : "; "}
              {name} <Time at={at} />
            </span>
          ))}.
        </>
      )}
    </p>
  )
}
