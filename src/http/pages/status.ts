/**
 * /status: whether the service works now, how much of the last 90 days it did, and how payments go.
 *
 * @module
 */
import { pageRows } from "../../catalog/domain/pageRow.ts"
import { day } from "../../core/domain/time.ts"
import { daysShown, historyDays } from "../../status/domain/status.ts"
import { daysChart, type DayState } from "./charts.ts"
import { cite, type Cited, items } from "./cited.ts"
import { pagePaths } from "./paths.ts"
import { type Block, columns, type Page, type Section } from "./sections.tsx"
import { duration, hours, num, percent, say, strong, time } from "./text.tsx"

type Report = typeof pageRows["status"]["body"]["Type"]
type Summary = Report["summary"]

const json = pageRows.status.path

export const statusMeta = {
  path: pagePaths.status,
  title: "Status",
  description:
    `Whether the service works now, its good time of the last ${historyDays} days, incidents, payments and refunds.`,
  json: [json],
} as const

const states = {
  operational: ["good", "Everything works: all data is recent enough to be sold."],
  degraded: [
    "mark",
    "Partly working: some data is too old to be sold. A call that needs it is not charged.",
  ],
  down: ["bad", "Not working: the data is too old to be sold. Calls are not charged."],
  starting: ["mark", "Starting: nothing was read yet."],
} as const satisfies { [State in Summary["state"]]: unknown }

export function statusPage(status: Report): Page {
  const of = cite(json, status)
  const summary = of.at("summary")
  const [tone, sentence] = states[status.summary.state]
  return {
    title: "Status",
    blocks: [
      { state: sentence, tone },
      summary.value.goodShare === null
        ? { empty: "No run is recorded yet." }
        : say`In the last ${historyDays} days, ${
          strong(num(summary.at("goodShare"), percent))
        } of the recorded time was good: ${num(summary.at("goodHours"), hours)} of ${
          num(summary.at("recordedHours"), hours)
        } hours.`,
      ...history(summary.value),
    ],
    sections: [parts(of), incidents(of), payments(of.at("payments")), {
      id: "method",
      title: "What is counted",
      blocks: [
        `Each part of the service runs at planned times. A run that failed, did not happen or had not ended when the next was due takes its interval from the day's good time; of several parts the worst counts. A day is green while at most ${
          hours(badHours.good)
        } hours of it were bad, and red beyond ${
          hours(badHours.partly)
        }. Days are in UTC. Before the first recorded run nothing is known.`,
        { json: [json] },
      ],
    }],
  }
}

/** Bad hours up to which a day is good, and partly good. */
const badHours = { good: 0.5, partly: 4 } as const

function stateOf(time: Summary["days"][number] | undefined): DayState {
  if (time === undefined) return "unknown"
  const bad = time.recordedHours - time.goodHours
  return bad <= badHours.good ? "good" : bad <= badHours.partly ? "partly" : "bad"
}

function history({ days }: Summary): ReadonlyArray<Block> {
  const last = days.at(-1)
  if (last === undefined) return []
  const byDate = new Map(days.map((time) => [time.date, time]))
  const dates = Array.from(
    { length: historyDays },
    (_, n) =>
      new Date(Date.parse(last.date) - (historyDays - 1 - n) * day).toISOString().slice(0, 10),
  )
  const good = days.filter((time) => stateOf(time) === "good").length
  return [{
    plot: daysChart({
      title: `${good} of ${days.length} recorded days were good`,
      days: dates.map((date) => ({ date, state: stateOf(byDate.get(date)) })),
    }),
    caption:
      `The last ${historyDays} days: the taller a bar, the worse the day. A short grey bar is a day without a record.`,
  }]
}

const parts = (of: Cited<Report>): Section => ({
  id: "parts",
  title: "Parts",
  blocks: [
    {
      table: {
        caption: `Runs of the last ${daysShown} days`,
        columns: columns("Part", "Runs", "Ended well", "Failed", "Missing", "Every"),
        rows: items(of.at("parts")).map((part) => [
          part.value.title,
          num(part.at("total").at("planned")),
          num(part.at("total").at("ok")),
          num(part.at("total").at("failed")),
          num(part.at("total").at("missing")),
          num(part.at("everySeconds"), duration),
        ]),
      },
    },
    {
      table: {
        caption:
          "A paid answer is refused, and not charged, when the data that it rests on is older than its limit",
        columns: [
          { title: "Data" },
          { title: "Now" },
          { title: "Last read in full" },
          { title: "Limit", numeric: true },
        ],
        rows: items(of.at("freshness")).map((row) => [
          row.value.name,
          row.value.isFresh ? "within its limit" : "too old to be sold",
          time(row.value.asOf),
          num(row.at("limitSeconds"), duration),
        ]),
      },
    },
  ],
})

function incidents(of: Cited<Report>): Section {
  const { definition } = of.value.incidents
  const titles = new Map(of.value.parts.map(({ part, title }) => [part, title]))
  return {
    id: "incidents",
    title: "Incidents",
    blocks: [
      {
        table: {
          caption: `The newest incidents of the last ${daysShown} days`,
          columns: [
            { title: "Part" },
            { title: "From" },
            { title: "To" },
            { title: "Failed runs", numeric: true },
            { title: "Missing runs", numeric: true },
          ],
          rows: items(of.at("incidents").at("latest")).map(({ at, value: { part, from, to } }) => [
            titles.get(part) ?? part,
            time(from),
            to === null ? "not over" : time(to),
            num(at("failed")),
            num(at("missing")),
          ]),
        },
        empty: "No incident is recorded.",
      },
      { small: definition },
    ],
  }
}

function payments(of: Cited<Report["payments"]>): Section {
  const { mode, delivered, refunded, owed } = of.value
  const row = (name: string, sum: "delivered" | "refunded" | "owed") => [
    name,
    num(of.at(sum).at("payments")),
  ]
  return {
    id: "payments",
    title: "Payments and refunds",
    blocks: [
      {
        table: {
          caption: "The last 24 hours, and what is owed now",
          columns: columns("What", "Payments"),
          rows: [
            row("Answers delivered", "delivered"),
            row("Refunds that the chain confirmed", "refunded"),
            row("Refunds owed now", "owed"),
          ],
        },
      },
      `In USD: ${delivered.usd} for delivered answers, ${refunded.usd} refunded, ${owed.usd} owed now.`,
      say`${
        owed.oldestSince === null
          ? "No refund is owed now."
          : say`The oldest refund is owed since ${time(owed.oldestSince)}.`
      }${mode === "simulated" ? " Payments here are simulated: no money moved." : ""}`,
    ],
  }
}
