/**
 * What /status.json answers: how the scheduled parts of the service ran, by UTC day, and how payments go.
 *
 * @module
 */
import { Schema } from "effect"
import { described, success, text } from "../../core/domain/fields.ts"
import { Count, Rate } from "../../core/domain/number.ts"
import { IsoTime } from "../../core/domain/time.ts"
import { incidentsMax } from "./incident.ts"
import { Part } from "./part.ts"

/** How many days are shown, today included: the slots of jobs are kept for a week. */
export const daysShown = 7

/** How many days have their good time, today included. */
export const historyDays = 90

const UtcDay = Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/)).annotate({
  description: "A day in UTC",
})

const RunCounts = Schema.Struct({
  planned: described(Count, "Runs that were due; ok, failed and missing together"),
  ok: described(Count, "Runs that ended well"),
  failed: described(Count, "Runs that ended with an error, or read nothing"),
  missing: described(Count, "Runs that did not happen, or did not end"),
}).annotate({ identifier: "RunCounts" })

const PartDay = Schema.Struct({
  date: UtcDay,
  runs: Schema.NullOr(RunCounts).annotate({
    description: "Null for a day before the oldest stored run: not known",
  }),
}).annotate({ identifier: "PartDay" })

const PartStatus = Schema.Struct({
  part: described(Part, "Its name in this report"),
  title: text("What the part does, in a few words"),
  everySeconds: described(Count, "The planned time between two runs, now"),
  recordedSince: described(
    Schema.NullOr(IsoTime),
    "The first run that is counted; null before the first",
  ),
  total: described(RunCounts, "All days together"),
  days: Schema.Array(PartDay).check(Schema.isMaxLength(daysShown)).annotate({
    description: `The last ${daysShown} days, the oldest first; today is not over`,
  }),
}).annotate({ identifier: "PartStatus" })

const hoursOf = (description: string) =>
  described(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)), description)
const goodTime = {
  recordedHours: hoursOf("Hours of which the runs are known"),
  goodHours: hoursOf("Hours of these in which the runs of every part ended well"),
}

const Summary = Schema.Struct({
  state: Schema.Literals(["operational", "degraded", "down", "starting"]).annotate({
    description:
      "operational: everything is recent enough to be sold; degraded: some is not; down: " +
      "nothing is; starting: nothing was read yet",
  }),
  ...goodTime,
  goodShare: described(Schema.NullOr(Rate), "goodHours divided by recordedHours; null without any"),
  days: Schema.Array(Schema.Struct({ date: UtcDay, ...goodTime }))
    .check(Schema.isMaxLength(historyDays)).annotate({
      description: "The recorded ones, the oldest first; today is not over",
    }),
}).annotate({ identifier: "StatusSummary" })

const Incident = Schema.Struct({
  part: described(Part, "Which part did not work"),
  from: described(IsoTime, "When the first of its runs was due"),
  to: described(
    Schema.NullOr(IsoTime),
    "When the next run that ended well was due; null if there is none yet",
  ),
  failed: RunCounts.fields.failed,
  missing: RunCounts.fields.missing,
}).annotate({ identifier: "Incident" })

const FreshnessTarget = Schema.Struct({
  name: text("What paid answers rest on"),
  part: described(Part, "Which part reads it"),
  limitSeconds: described(Count, "Answers that rest on it are not sold when it is older"),
  asOf: described(
    Schema.NullOr(IsoTime),
    "When it was last read in full; null if not in the last week",
  ),
  isFresh: described(Schema.Boolean, "Whether it is sold now"),
}).annotate({ identifier: "FreshnessTarget" })

const Sum = Schema.Struct({
  payments: described(Count, "How many"),
  usd: described(
    Schema.String.check(Schema.isPattern(/^\d+\.\d{2,6}$/)),
    "Their amounts together, in USD",
  ),
}).annotate({ identifier: "PaymentSum" })

const PaymentStatus = Schema.Struct({
  mode: Schema.Literals(["live", "simulated"]).annotate({
    description: "simulated: no money moved",
  }),
  delivered: described(Sum, "Paid answers that were delivered in the last 24 hours"),
  refunded: described(Sum, "Refunds that the chain confirmed in the last 24 hours"),
  owed: Schema.Struct({
    ...Sum.fields,
    oldestSince: described(
      Schema.NullOr(IsoTime),
      "Since when the oldest of them is owed; null if none is",
    ),
  }).annotate({ description: "Refunds that are owed now and not confirmed" }),
}).annotate({ identifier: "PaymentStatus" })

/**
 * The record of the service, as /status.json answers it. It has no time of its own, so that it changes
 * only when a run is due or something was stored.
 */
export const StatusReport = Schema.Struct({
  success,
  summary: described(Summary, `The service now, and the good time of the last ${historyDays} days`),
  parts: Schema.Array(PartStatus).annotate({ description: "The scheduled parts of the service" }),
  incidents: described(
    Schema.Struct({
      definition: text("What counts as an incident"),
      latest: Schema.Array(Incident).check(Schema.isMaxLength(incidentsMax)).annotate({
        description: `The newest ${incidentsMax}, the newest first`,
      }),
    }),
    "When a part did not work",
  ),
  freshness: Schema.Array(FreshnessTarget).annotate({
    description: "How old the inputs of paid answers may be, and are",
  }),
  payments: described(PaymentStatus, "How payments and refunds go"),
}).annotate({ identifier: "StatusReport" })
export type StatusReport = typeof StatusReport.Type
