/**
 * /status: how the parts of the service ran, and how payments and refunds went, over 90 days.
 *
 * @module
 */
import { pageRows } from "../../catalog/domain/pageRow.ts"
import { countsChart, daysChart } from "./charts/charts.ts"
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
    "How the parts of the service ran, how payments and refunds went, and incidents, over 90 days.",
  json: [json],
} as const

/** How many days with a failed or missing run are listed for each part. */
const badDaysMax = 14

export function StatusPage({ status }: { status: Status }) {
  const of = cite(json, status)
  return (
    <>
      <h1>Status</h1>
      <p class="lead">
        The service reads the market in planned runs. This page shows which of them ended well in
        the last {daysShown}{" "}
        days, and how payments and refunds went. It is computed from the service's own store.
      </p>
      <Freshness of={of} />
      {items(of.at("parts")).map((part) => <Part key={part.value.part} part={part} />)}
      <Incidents of={of} />
      <PaymentsFigure of={of.at("payments")} />
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
      empty="No run is recorded yet."
      table={
        <Table
          caption={`${title}: the newest ${badDaysMax} days with a run that did not end well`}
          columns={[
            { title: "Day" },
            { title: "Planned", numeric: true },
            { title: "Ended well", numeric: true },
            { title: "Failed", numeric: true },
            { title: "Missing", numeric: true },
          ]}
          rows={bad.toReversed().slice(0, badDaysMax).map((day) => {
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
          seconds. A run that did not happen, or had not ended an hour after its day, is missing.
          Days are in UTC, and a finished day is never changed. A day before the record began is not
          known.
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

const sumRows = [
  ["charged", "Charged"],
  ["answered", "Answer ready"],
  ["undelivered", "Of these, never received"],
  ["owed", "Refund owed"],
  ["cancelled", "Refund not due after all"],
  ["refunded", "Refunded"],
] as const

function PaymentsFigure({ of }: { of: Cited<Payments> }) {
  const { mode, recordedSince, behindSince, total, delivered } = of.value
  const sums = of.at("total")
  return (
    <Figure
      id="payments"
      title={mode === "simulated" ? "Payments and refunds (simulated)" : "Payments and refunds"}
      caption={
        <>
          <Value of={sums.at("charged").at("payments")} as={count} /> payments were charged,{" "}
          <Value of={of.at("delivered").at("payments")} as={count} /> answers were delivered, and
          {" "}
          <Value of={sums.at("refunded").at("payments")} as={count} /> of{" "}
          <Value of={sums.at("owed").at("payments")} as={count} /> owed refunds were paid, since
          {" "}
          <Time at={recordedSince} />.{" "}
          {mode === "simulated" ? "Payments here are simulated: no money moved." : null}
        </>
      }
      svg={countsChart({
        prefix: "payments",
        title: "Charged payments and what became of them",
        description: `${total.charged.payments} charged, ${delivered.payments} delivered, ` +
          `${total.refunded.payments} refunded.`,
        rows: [
          {
            label: "Charged",
            parts: [{ name: "charged", count: total.charged.payments, tone: "other" }],
          },
          {
            label: "Became of them",
            parts: [
              { name: "delivered", count: delivered.payments, tone: "good" },
              { name: "refunded", count: total.refunded.payments, tone: "open" },
            ],
          },
        ],
      })}
      empty={
        <>
          No payment yet, recorded since <Time at={recordedSince} />.
        </>
      }
      table={<PaymentTables of={of} />}
      method={
        <>
          Each change of a payment counts on the UTC day on which it was stored, so a late refund
          counts on its own day and a past day is never changed. A charged payment is a transfer
          that the chain showed: of a paid call, or one that belongs to no call, which is refunded.
          Delivered are the answers that were ready, less those that the buyer never received.{" "}
          {behindSince === null ? null : (
            <>
              Changes after <Time at={behindSince} /> are not counted yet.
            </>
          )}
        </>
      }
      json={json}
    />
  )
}

function PaymentTables({ of }: { of: Cited<Payments> }) {
  const { total, delivered, waiting } = of.value
  const sums = of.at("total")
  return (
    <>
      <Table
        caption="Payments of all recorded days together"
        columns={[
          { title: "What" },
          { title: "Payments", numeric: true },
        ]}
        rows={[
          ...sumRows.map(([kind, title]) => [
            title,
            <Value key="payments" of={sums.at(kind).at("payments")} as={count} />,
          ]),
          [
            "Delivered",
            <Value key="payments" of={of.at("delivered").at("payments")} as={count} />,
          ],
          [
            "Refund owed now",
            <Value key="payments" of={of.at("waiting").at("payments")} as={count} />,
          ],
        ]}
      />
      <p>
        In USD: {total.charged.usd} charged, {delivered.usd} for delivered answers,{" "}
        {total.refunded.usd} refunded, {waiting.usd} owed now.
      </p>
      <Table
        caption="Time from owed to refunded"
        columns={[{ title: "Time" }, { title: "Refunds", numeric: true }]}
        rows={items(of.at("refundTimes")).map((row) => [
          row.value.withinSeconds === null ? "longer" : (
            <>
              up to <Value of={row.at("withinSeconds")} as={count} /> seconds
            </>
          ),
          <Value key="refunds" of={row.at("refunds")} as={count} />,
        ])}
      />
      {of.value.refundSecondsMax === null ? null : (
        <p>
          The longest took <Value of={of.at("refundSecondsMax")} as={count} /> seconds.
        </p>
      )}
    </>
  )
}
