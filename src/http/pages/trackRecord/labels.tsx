/**
 * Which wallets have a label, and how published entries by label did afterwards.
 *
 * @module
 */
import type { Child } from "hono/jsx"
import { scoredEntriesMax, scoredEventsMin } from "../../../track-record/domain/entryScore.ts"
import { falseDiscoveryRateMax } from "../../../whales/domain/label.ts"
import { countsChart, intervalChart } from "../charts/charts.ts"
import { type Cited, items } from "../cited.ts"
import { count, Figure, percent, signedPercent, Table, Value } from "../parts.tsx"
import {
  cell,
  cents,
  columns,
  meanCells,
  meanRow,
  type SectionProps,
  source,
  type TrackRecord,
} from "./cells.tsx"

export function Labels({ of }: SectionProps) {
  const coverage = of.at("coverage")
  const counts = of.at("labels")
  const { follow, fade, neutral } = counts.value
  return (
    <Figure
      id="labels"
      title="How many wallets have a label?"
      caption="The bar divides the judged wallets into follow (better than their prices), fade (worse) and neutral (no difference shown)."
      svg={coverage.value.labeledWallets === 0 ? null : countsChart({
        prefix: "labels-chart",
        title: "Judged wallets by label",
        description: `${count(follow)} follow, ${count(fade)} fade, ${count(neutral)} neutral.`,
        rows: [{
          label: "Wallets",
          parts: [
            { name: "follow", count: follow, tone: "good" },
            { name: "fade", count: fade, tone: "bad" },
            { name: "neutral", count: neutral, tone: "other" },
          ],
        }],
      })}
      empty={
        <>
          <Value of={coverage.at("labeledWallets")} as={count} /> wallets judged yet.
        </>
      }
      note={
        <>
          <Value of={coverage.at("labeledWallets")} as={count} /> of{" "}
          <Value of={coverage.at("trackedWallets")} as={count} />{" "}
          tracked wallets are judged. Neutral is the expected label: most wallets buy at fair
          prices.
        </>
      }
      table={<LabelCounts of={of} />}
      method={
        <>
          A wallet to follow or to fade passes a test of fair prices that stays valid however often
          it is repeated (an e-value), corrected over all judged wallets at a false discovery rate
          of{" "}
          {percent(falseDiscoveryRateMax)}. The test assumes that events are independent. A label
          needs <Value of={of.at("method").at("minimumResolved")} as={count} /> resolved entries in
          {" "}
          <Value of={of.at("method").at("minimumEvents")} as={count} />{" "}
          events and a complete history. A label describes the past of a wallet; the next section
          shows what came after it.
        </>
      }
      json={source}
    />
  )
}

function LabelCounts({ of }: SectionProps) {
  const counts = of.at("labels")
  const leftOut = of.at("coverage").at("leftOut")
  return (
    <>
      <Table
        caption="Judged wallets by label"
        columns={columns("Label", "Wallets")}
        rows={[
          ["Follow", cell(counts.at("follow"), count)],
          ["Fade", cell(counts.at("fade"), count)],
          ["Neutral", cell(counts.at("neutral"), count)],
        ]}
      />
      <Table
        caption="Tracked wallets that are not judged, by the first reason"
        columns={columns("Reason", "Wallets")}
        rows={[
          ["History not read yet", cell(leftOut.at("unread"), count)],
          ["History not complete at the venue", cell(leftOut.at("truncated"), count)],
          ["Too few resolved entries or events", cell(leftOut.at("tooFew"), count)],
        ]}
      />
    </>
  )
}

type Entries = TrackRecord["whaleEntries"]
type Label = keyof Entries

const titles: Readonly<Record<Label, string>> = {
  follow: "Follow",
  fade: "Fade",
  neutral: "Neutral",
  none: "No label",
}
const labels = ["follow", "fade", "neutral", "none"] as const

/** The scores of the labels, of those with a published entry. */
const scoresOf = (of: SectionProps["of"]) =>
  labels.map((label) => ({ title: titles[label], score: of.at("whaleEntries").at(label) }))
const publishedOnly = (scores: ReturnType<typeof scoresOf>) =>
  scores.filter(({ score }) => score.value.published > 0)

export function EntryResults({ of }: SectionProps) {
  const scores = scoresOf(of)
  const known = scores.filter(({ score }) => score.value.roiAtAsk !== null)
  return (
    <Figure
      id="published-entries"
      title="How did published entries do?"
      caption="Each line is the return per USD, with its 95 % interval, on buying at the price offered when the entry was published, by the label that was published with it."
      svg={known.length === 0 ? null : intervalChart({
        prefix: "published-entries-chart",
        title: "Return of published entries at the offered price, by label",
        description: known.map(({ title, score: { value } }) =>
          `${title}: ${signedPercent(value.roiAtAsk?.value ?? null)}, ${count(value.resolved)} ` +
          "resolved entries."
        ).join(" "),
        rows: known.map(({ title, score }) => meanRow(title, score.at("roiAtAsk"))),
        baseline: { value: 0, label: "no gain, no loss" },
        form: signedPercent,
      })}
      empty={<Published scores={scores} />}
      note={
        <>
          These entries were published before their markets resolved, so this is out of sample. Only
          the newest {count(scoredEntriesMax)}{" "}
          published entries are counted. A fade entry counts as a purchase of the other outcome.
          Without skill the return is about minus the fee and half of the spread.
        </>
      }
      table={
        <>
          <ResultsByLabel scores={scores} />
          {publishedOnly(scores).map(({ title, score }) => (
            <ResultsByDelay key={title} title={title} score={score} />
          ))}
        </>
      }
      method={"Equal stakes at the best ask published with the entry plus the taker fee, held to the payout. The second group of tables uses the mean price of 100 USD in the order book at that delay; only entries that the book could fill have a return there, so rows are not about the same entries. The intervals are clustered by event with Student's quantile, and never narrower than they would be at fair prices with the entries of an event fully dependent. They assume that events are independent. " +
        `A figure needs ${scoredEventsMin} independent events; below that it is not known. ` +
        "No correction is made for the number of rows: of many intervals at the 95 % level some miss the true value by chance."}
      json={source}
    />
  )
}

/** What is there instead of a chart. */
function Published({ scores }: { scores: ReturnType<typeof scoresOf> }) {
  const sums = scores.map(({ title, score }): Child => (
    <li key={title}>
      {title}: <Value of={score.at("resolved")} as={count} /> resolved yet, of{" "}
      <Value of={score.at("published")} as={count} /> published
    </li>
  ))
  return (
    <>
      No label has enough resolved entries for a return yet.
      <ul>{sums}</ul>
    </>
  )
}

function ResultsByLabel({ scores }: { scores: ReturnType<typeof scoresOf> }) {
  return (
    <Table
      caption="Published entries by label; return per USD at the published ask, after the fee"
      columns={columns(
        ...["Label", "Published", "Without a book", "Cancelled", "Resolved", "Events"] as const,
        ...["Return", "95 % interval"] as const,
      )}
      rows={scores.map(({ title, score }) => [
        title,
        cell(score.at("published"), count),
        cell(score.at("withoutBook"), count),
        cell(score.at("cancelled"), count),
        cell(score.at("resolved"), count),
        cell(score.at("events"), count),
        ...meanCells(score.at("roiAtAsk"), signedPercent),
      ])}
    />
  )
}

function ResultsByDelay({ title, score }: { title: string; score: Cited<Entries[Label]> }) {
  return (
    <Table
      caption={`${title}: the same return on 100 USD, by minutes after publication`}
      columns={columns(
        "Minutes later",
        "Filled",
        "Too thin",
        "Read too late",
        "No book",
        "Resolved",
        "Events",
        "Return",
        "95 % interval",
      )}
      rows={items(score.at("byDelay")).map((row) => [
        cell(row.at("delayMinutes"), count),
        cell(row.at("priced"), count),
        cell(row.at("unfillable"), count),
        cell(row.at("missed"), count),
        cell(row.at("withoutBook"), count),
        cell(row.at("resolved"), count),
        cell(row.at("events"), count),
        ...meanCells(row.at("roi"), signedPercent),
      ])}
    />
  )
}

const times = [
  ["after1h", "an hour later"],
  ["after24h", "a day later"],
  ["last", "last price"],
] as const

export function ClosingLine({ of }: SectionProps) {
  const scores = scoresOf(of)
  const lines = publishedOnly(scores).flatMap(({ title, score }) =>
    times.map(([time, when]) => ({
      label: `${title}, ${when}`,
      line: score.at("closingLine").at(time),
    }))
  )
  const known = lines.filter(({ line }) => line.value.fromEntryPrice !== null)
  return (
    <Figure
      id="closing-line"
      title="Did prices move towards the published entries?"
      caption="Each line is the mean change from the wallet's entry price to a later price, with its 95 % interval, in cents per share; above zero, the price went the way of the label."
      svg={known.length === 0 ? null : intervalChart({
        prefix: "closing-line-chart",
        title: "Later price minus entry price, by label",
        description: known.map(({ label, line: { value } }) =>
          `${label}: ${cents(value.fromEntryPrice?.value ?? null)}, ${
            count(value.entries)
          } entries.`
        ).join(" "),
        rows: known.map(({ label, line }) => meanRow(label, line.at("fromEntryPrice"))),
        baseline: { value: 0, label: "no change" },
        form: cents,
      })}
      empty={<Later scores={scores} />}
      note="The change from the wallet's entry price is not a follower's gain: a buyer pays the ask that was published with it. The table has both."
      table={lines.length === 0 ? <Later scores={scores} /> : (
        <Table
          caption="Later price minus an earlier one, cents per share"
          columns={columns(
            ...["Label, later price", "Entries", "Events", "Unknown"] as const,
            ...["From the entry price", "95 % interval", "From the ask", "95 % interval "] as const,
          )}
          rows={lines.map(({ label, line }) => [
            label,
            cell(line.at("entries"), count),
            cell(line.at("events"), count),
            cell(line.at("unknown"), count),
            ...meanCells(line.at("fromEntryPrice"), cents),
            ...meanCells(line.at("fromAsk"), cents),
          ])}
        />
      )}
      method={"The later price is the middle of the book an hour or a day after publication (after the resolution: the payout), or the last middle before the resolution. Entries without such a price are counted as unknown. For a fade, prices are those of the other outcome. The intervals are clustered by event with Student's quantile, " +
        `assume independent events, and need ${scoredEventsMin} of them. The last price is known only for resolved markets.`}
      json={source}
    />
  )
}

function Later({ scores }: { scores: ReturnType<typeof scoresOf> }) {
  const published = publishedOnly(scores)
  if (published.length === 0) return <p>No published entry yet.</p>
  return (
    <>
      Too few independent events for an interval yet. Known prices a day later:{" "}
      {published.map(({ title, score }, at) => (
        <span key={title}>
          {at === 0 ? "" : ", "}
          {title.toLowerCase()}{" "}
          <Value of={score.at("closingLine").at("after24h").at("entries")} as={count} />
        </span>
      ))}
      .
    </>
  )
}
