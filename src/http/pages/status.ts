/**
 * /status: whether the service works now, how much of the last 90 days it did, and how payments go.
 *
 * @module
 */
import { day } from "../../core/domain/time.ts"
import { daysShown, historyDays } from "../../status/domain/status.ts"
import type { PageBodies } from "../free/pageData.ts"
import { daysChart, type DayState } from "./charts.tsx"
import type { Block, Page, Section } from "./sections.tsx"
import { duration, hours, num, percent, say, strong, time } from "./text.tsx"

type Report = PageBodies["status"]
type Summary = Report["summary"]

const states = {
  operational: ["good", "Everything works: all data is recent enough to be sold."],
  degraded: [
    "mark",
    "Partly working: some data is too old to be sold. A call that needs it is not charged.",
  ],
  down: ["bad", "Not working: the data is too old to be sold. Calls are not charged."],
  starting: ["mark", "Starting: nothing was read yet."],
} as const satisfies { [State in Summary["state"]]: unknown }

export function statusPage(report: Report): Page {
  const { state, goodShare, goodHours, recordedHours, days } = report.summary
  const [tone, sentence] = states[state]
  return {
    name: "Status",
    description:
      `Whether the service works now, its good time of the last ${historyDays} days, incidents, payments and refunds.`,
    blocks: [
      { state: sentence, tone },
      goodShare === null
        ? { empty: "No run is recorded yet." }
        : say`In the last ${historyDays} days, ${
          strong(num(goodShare, percent))
        } of the recorded time was good: ${num(goodHours, hours)} of ${
          num(recordedHours, hours)
        } hours.`,
      ...history(days),
    ],
    sections: [freshness(report), incidents(report), payments(report.payments)],
  }
}

/** Bad hours up to which a day is good, and partly good. */
const badHours = { good: 0.5, partly: 4 } as const

function stateOf(time: Summary["days"][number] | undefined): DayState {
  if (time === undefined) return "unknown"
  const bad = time.recordedHours - time.goodHours
  return bad <= badHours.good ? "good" : bad <= badHours.partly ? "partly" : "bad"
}

function history(days: Summary["days"]): ReadonlyArray<Block> {
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
      `The last ${historyDays} days in UTC: the taller a bar, the worse the day; a short grey one is a day without a record. A run that failed, did not happen or had not ended when the next was due takes its interval from the good time; of several parts the worst counts. Green has at most ${badHours.good} bad hours, red more than ${badHours.partly}.`,
  }]
}

const freshness = ({ freshness }: Report): Section => ({
  id: "data",
  title: "Data",
  blocks: [{
    table: {
      caption:
        "A paid answer is refused, and not charged, when the data that it rests on is older than its limit",
      columns: ["Data", "Now", "Last read in full", "Limit"],
      rows: freshness.map(({ name, isFresh, asOf, limitSeconds }) => [
        name,
        isFresh ? "within its limit" : "too old to be sold",
        time(asOf),
        num(limitSeconds, duration),
      ]),
    },
  }],
})

function incidents({ incidents: { latest, definition }, parts }: Report): Section {
  const titles = new Map(parts.map(({ part, title }) => [part, title]))
  return {
    id: "incidents",
    title: "Incidents",
    blocks: [
      {
        table: {
          caption: `The newest incidents of the last ${daysShown} days`,
          columns: ["Part", "From", "To", "Failed runs", "Missing runs"],
          rows: latest.map(({ part, from, to, failed, missing }) => [
            titles.get(part) ?? part,
            time(from),
            to === null ? "not over" : time(to),
            num(failed),
            num(missing),
          ]),
        },
        empty: "No incident is recorded.",
      },
      definition,
    ],
  }
}

function payments({ delivered, refunded, owed }: Report["payments"]): Section {
  return {
    id: "payments",
    title: "Payments and refunds",
    blocks: [
      {
        table: {
          caption: "The last 24 hours, and what is owed now",
          columns: ["What", "Payments"],
          rows: [
            ["Answers delivered", num(delivered.payments)],
            ["Refunds that the chain confirmed", num(refunded.payments)],
            ["Refunds owed now", num(owed.payments)],
          ],
        },
      },
      `In USD: ${delivered.usd} for delivered answers, ${refunded.usd} refunded, ${owed.usd} owed now.`,
      ...(owed.oldestSince === null
        ? []
        : [say`The oldest refund is owed since ${time(owed.oldestSince)}.`]),
    ],
  }
}
