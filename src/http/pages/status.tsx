/**
 * /status: how the parts of the service ran in the last week, and how payments and refunds go.
 *
 * @module
 */
import { pageRows } from "../../catalog/domain/pageRow.ts"
import { daysChart } from "./charts/charts.ts"
import { cite, type Cited, items } from "./cited.ts"
import { daysShown } from "../../status/domain/status.ts"
import { count, Figure, Table, Time, Value } from "./parts.tsx"
import { pagePaths } from "./paths.ts"

type Status = typeof pageRows["status"]["body"]["Type"]
type PartStatus = Status["parts"][number]
type Payments = Status["payments"]

const json = pageRows.status.path

export const statusMeta = {
  path: pagePaths.status,
  title: "Status",
  description:
    "How the parts of the service ran in the last 7 days, incidents, and how payments and refunds go.",
  json: [json],
} as const

export function StatusPage({ status }: { status: Status }) {
  const of = cite(json, status)
  return (
    <>
      <h1>Status</h1>
      <p class="lead">
        The service reads the market in planned runs. This page shows which of them ended well in
        the last {daysShown}{" "}
        days, and how payments and refunds go. It is computed from the service's own store.
      </p>
      <Freshness of={of} />
      {items(of.at("parts")).map((part) => <Part key={part.value.part} part={part} />)}
      <Incidents of={of} />
      <PaymentsSection of={of.at("payments")} />
    </>
  )
}

function Freshness({ of }: { of: Cited<Status> }) {
  return (
    <section class="figure" aria-labelledby="freshness">
      <h2 id="freshness">Age of the data</h2>
      <p>
        A paid answer is refused when the data that it rests on is older than its limit. It is then
        not charged, or refunded in full.
      </p>
      <Table
        caption="Limits, and the data now"
        columns={[
          { title: "Data" },
          { title: "Limit in seconds", numeric: true },
          { title: "Last read in full" },
          { title: "Now" },
        ]}
        rows={items(of.at("freshness")).map((row) => [
          row.value.name,
          <Value key="limit" of={row.at("limitSeconds")} as={count} />,
          <Time key="asOf" at={row.value.asOf} />,
          row.value.isFresh ? "within its limit" : "too old to be sold",
        ])}
      />
    </section>
  )
}

function Part({ part }: { part: Cited<PartStatus> }) {
  const { title, days, recordedSince } = part.value
  const known = items(part.at("days")).filter(({ value }) => value.runs !== null)
  const bad = known.filter(({ value: { runs } }) => runs !== null && runs.ok < runs.planned)
  const total = part.at("total")
  return (
    <Figure
      id={`part-${part.value.part}`}
      title={title}
      caption={
        <>
          <Value of={total.at("ok")} as={count} /> of <Value of={total.at("planned")} as={count} />
          {" "}
          planned runs ended well since <Time at={recordedSince} />;{" "}
          <Value of={total.at("failed")} as={count} /> failed and{" "}
          <Value of={total.at("missing")} as={count} /> did not happen or did not end.
        </>
      }
      svg={recordedSince === null ? null : daysChart({
        prefix: `days-${part.value.part}`,
        title: `${title}: the last ${days.length} days`,
        description:
          `On ${known.length - bad.length} of ${known.length} recorded days, every planned run ` +
          "ended well.",
        days: days.map(({ date, runs }) => ({
          date,
          state: runs === null ? "unknown" : runs.ok === runs.planned ? "ok" : "failed",
        })),
      })}
      empty="No run is recorded."
      table={
        <Table
          caption={`${title}: days with a run that did not end well`}
          columns={[
            { title: "Day" },
            { title: "Planned", numeric: true },
            { title: "Ended well", numeric: true },
            { title: "Failed", numeric: true },
            { title: "Missing", numeric: true },
          ]}
          rows={bad.toReversed().map((day) => {
            const runs = day.at("runs")
            return [
              <time key="day" datetime={day.value.date}>{day.value.date}</time>,
              <Value key="planned" of={runs.at("planned")} as={count} />,
              <Value key="ok" of={runs.at("ok")} as={count} />,
              <Value key="failed" of={runs.at("failed")} as={count} />,
              <Value key="missing" of={runs.at("missing")} as={count} />,
            ]
          })}
        />
      }
      method={
        <>
          One run is planned every <Value of={part.at("everySeconds")} as={count} />{" "}
          seconds. A run that did not happen, or has not ended when the next one is due, is missing.
          Days are in UTC. Runs are kept for a week; what was before the oldest is not known.
        </>
      }
      json={json}
    />
  )
}

function Incidents({ of }: { of: Cited<Status> }) {
  const { definition, latest } = of.value.incidents
  const titles = new Map(of.value.parts.map(({ part, title }) => [part, title]))
  return (
    <section class="figure" aria-labelledby="incidents">
      <h2 id="incidents">Incidents</h2>
      <p>{definition}</p>
      {latest.length === 0 ? <p class="empty">No incident is recorded.</p> : (
        <Table
          caption="The newest incidents"
          columns={[
            { title: "Part" },
            { title: "From" },
            { title: "To" },
            { title: "Failed runs", numeric: true },
            { title: "Missing runs", numeric: true },
          ]}
          rows={items(of.at("incidents").at("latest")).map((incident) => [
            titles.get(incident.value.part) ?? incident.value.part,
            <Time key="from" at={incident.value.from} />,
            incident.value.to === null ? "not over" : <Time key="to" at={incident.value.to} />,
            <Value key="failed" of={incident.at("failed")} as={count} />,
            <Value key="missing" of={incident.at("missing")} as={count} />,
          ])}
        />
      )}
      <p class="source">
        As JSON: <a href={json}>{json}</a>
      </p>
    </section>
  )
}

function PaymentsSection({ of }: { of: Cited<Payments> }) {
  const { mode, delivered, refunded, owed } = of.value
  const cell = (sum: "delivered" | "refunded" | "owed") => (
    <Value key={sum} of={of.at(sum).at("payments")} as={count} />
  )
  return (
    <section class="figure" aria-labelledby="payments">
      <h2 id="payments">Payments and refunds</h2>
      <p>
        Counted now, over the last 24 hours. A refund of which the chain has shown the transfer is
        confirmed. {mode === "simulated" ? "Payments here are simulated: no money moved." : null}
      </p>
      <Table
        caption="Answers delivered, refunds confirmed, and refunds owed now"
        columns={[{ title: "What" }, { title: "Payments", numeric: true }]}
        rows={[
          ["Answers delivered", cell("delivered")],
          ["Refunds confirmed", cell("refunded")],
          ["Refunds owed now", cell("owed")],
        ]}
      />
      <p>
        In USD: {delivered.usd} for delivered answers, {refunded.usd} refunded, {owed.usd} owed now.
      </p>
      {owed.oldestSince === null ? <p>No refund is owed now.</p> : (
        <p>
          The oldest refund is owed since <Time at={owed.oldestSince} />.
        </p>
      )}
      <p class="source">
        As JSON: <a href={json}>{json}</a>
      </p>
    </section>
  )
}
