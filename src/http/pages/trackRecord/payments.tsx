/**
 * How payments and refunds went.
 *
 * @module
 */
import { pageRows } from "../../../catalog/domain/pageRow.ts"
import { countsChart } from "../charts/charts.ts"
import { cite, type Cited, items } from "../cited.ts"
import { count, Figure, Table, Time, Value } from "../parts.tsx"
import { cell, columns } from "./cells.tsx"

type Status = typeof pageRows["status"]["body"]["Type"]
const source = pageRows.status.path

/** The part of the report that is shown here; its other parts change with each run. */
export const paymentsShown = (
  { payments: { mode, recordedSince, total, delivered, waiting, refundTimes, refundSecondsMax } }:
    Status,
) => ({
  payments: { mode, recordedSince, total, delivered, waiting, refundTimes, refundSecondsMax },
})
export type PaymentsShown = ReturnType<typeof paymentsShown>

/** `status` is null while it cannot be read. */
export function Payments({ status }: { status: PaymentsShown | null }) {
  if (status === null) return <Unread />
  const of = cite(source, status).at("payments")
  const total = of.at("total")
  const { charged } = total.value
  const bars = [
    { label: "Charged", number: total.at("charged"), tone: "other" },
    { label: "Delivered", number: of.at("delivered"), tone: "good" },
    { label: "Refund owed", number: total.at("owed"), tone: "bad" },
    { label: "Refunded", number: total.at("refunded"), tone: "good" },
  ] as const
  return (
    <Figure
      id="payments"
      title={title}
      caption="Each bar is a number of payments: charged, delivered, owed back, and paid back."
      svg={charged.payments === 0 ? null : countsChart({
        prefix: "payments-chart",
        title: "Payments charged, delivered, owed back and refunded",
        description: bars.map(({ label, number: { value } }) =>
          `${label}: ${count(value.payments)}.`
        ).join(" "),
        rows: bars.map(({ label, number, tone }) => ({
          label,
          parts: [{ name: "payments", count: number.value.payments, tone }],
        })),
      })}
      empty={
        <>
          <Value of={total.at("charged").at("payments")} as={count} /> payments charged yet.
        </>
      }
      note={
        <>
          {of.value.recordedSince === null ? "Nothing is counted yet. " : (
            <>
              Counted since <Time at={of.value.recordedSince} />.{" "}
            </>
          )}
          {of.value.mode === "simulated" ? "Payments are simulated: no money moves. " : null}
          <Longest of={of} />
        </>
      }
      table={<Sums of={of} />}
      method="Charged: payments that the chain showed, of paid calls and of transfers that belong to no call. Delivered: answers that were ready, less those that the buyer did not receive in time; an answer that can still be fetched counts as delivered. A refund is owed for every other charged payment, unless the chain proves afterwards that nothing was paid. Refunded: the chain confirmed it, or a person paid it. Each change counts on the day on which it was stored."
      json={source}
    />
  )
}

const title = "Was everyone paid back?"

function Unread() {
  return (
    <section class="figure" aria-labelledby="payments">
      <h2 id="payments">{title}</h2>
      <p class="empty">The service cannot read its payments now.</p>
      <p class="source">
        As JSON: <a href={source}>{source}</a>
      </p>
    </section>
  )
}

/** What waits now, and the longest that a refund took. */
function Longest({ of }: { of: Cited<PaymentsShown["payments"]> }) {
  const { refundSecondsMax, waiting } = of.value
  return (
    <>
      {refundSecondsMax === null ? null : (
        <>
          The longest time from owed to refunded was{" "}
          <Value of={of.at("refundSecondsMax")} as={count} /> seconds.{" "}
        </>
      )}
      {waiting.oldestSince === null ? "No refund waits now." : (
        <>
          <Value of={of.at("waiting").at("payments")} as={count} />{" "}
          refunds wait now, the oldest since <Time at={waiting.oldestSince} />.
        </>
      )}
    </>
  )
}

function Sums({ of }: { of: Cited<PaymentsShown["payments"]> }) {
  const total = of.at("total")
  const rows = [
    ["Charged", total.at("charged").at("payments")],
    ["Delivered", of.at("delivered").at("payments")],
    ["Refund owed", total.at("owed").at("payments")],
    ["Refund not due after all", total.at("cancelled").at("payments")],
    ["Refunded", total.at("refunded").at("payments")],
    ["Refund waiting now", of.at("waiting").at("payments")],
  ] as const
  return (
    <>
      <Table
        caption="Payments of all recorded days"
        columns={columns("State", "Payments")}
        rows={rows.map(([label, sum]) => [label, cell(sum, count)])}
      />
      <Table
        caption="Refunds by time from owed to refunded"
        columns={columns("At most, seconds", "Refunds")}
        rows={items(of.at("refundTimes")).map((row) => [
          row.value.withinSeconds === null ? "Longer" : cell(row.at("withinSeconds"), count),
          cell(row.at("refunds"), count),
        ])}
      />
    </>
  )
}
