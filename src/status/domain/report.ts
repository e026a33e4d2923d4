/**
 * The report of the service, from what is stored of its runs and payments.
 *
 * @module
 */
import { AtomicAmount, usd } from "../../core/domain/money.ts"
import { day, type EpochMs, hour, isoTime, second } from "../../core/domain/time.ts"
import { type Input, inputs, isTooOld } from "../../core/domain/freshness.ts"
import { incidentDefinition, incidentsOf, newest } from "./incident.ts"
import { everyMsOf, type Part, parts, partTitles } from "./part.ts"
import {
  countsOf,
  dayOf,
  type DayTime,
  dayTime,
  numbersOn,
  type PartDay,
  partDay,
  type StoredRuns,
} from "./runs.ts"
import { daysShown, historyDays, type StatusReport } from "./status.ts"

interface PaymentSum {
  readonly payments: number
  /** Atomic units of the token. */
  readonly amount: bigint
}

/** How payments and refunds go. */
export interface PaymentFacts {
  /** Answers that were delivered in the last 24 hours. */
  readonly delivered: PaymentSum
  /** Refunds that the chain confirmed in the last 24 hours. */
  readonly refunded: PaymentSum
  /** Refunds that are owed now; `oldestAt` is null when none is. */
  readonly owed: PaymentSum & { readonly oldestAt: EpochMs | null }
}

/** What a report is computed from. */
export interface StatusFacts {
  readonly now: EpochMs
  readonly tickIntervalMs: number
  readonly paymentMode: "live" | "simulated"
  /** A part without a stored run is absent. */
  readonly runs: ReadonlyMap<Part, StoredRuns>
  /** The stored time of days that are over. */
  readonly history: ReadonlyArray<DayTime>
  /** When the job of each input last ended well. */
  readonly asOf: ReadonlyMap<string, EpochMs | null>
  readonly payments: PaymentFacts
}

/** The first day that is shown; the last is today. */
export const firstDayOf = (now: EpochMs): EpochMs => dayOf(now) - (daysShown - 1) * day

/** The first day whose good time is shown. */
export const firstHistoryDayOf = (now: EpochMs): EpochMs => dayOf(now) - (historyDays - 1) * day

type RunFacts = Pick<StatusFacts, "now" | "tickIntervalMs" | "runs">

const datesOf = (now: EpochMs) =>
  Array.from({ length: daysShown }, (_, n) => firstDayOf(now) + n * day)

/** The days of each part, the oldest first; none of a part without a stored run. */
const daysByPart = ({ now, tickIntervalMs, runs }: RunFacts) =>
  parts.map((part): readonly [Part, ReadonlyArray<PartDay>] => {
    const stored = runs.get(part)
    const everyMs = everyMsOf(part, tickIntervalMs)
    return [
      part,
      stored === undefined
        ? []
        : datesOf(now).map((day) => partDay({ part, day, everyMs, stored, now })),
    ]
  })

/** The recorded days of the week, the oldest first; the last may be today. */
export const dayTimes = (facts: RunFacts): ReadonlyArray<DayTime> => {
  const days = daysByPart(facts).flatMap(([, days]) => days)
  return datesOf(facts.now).flatMap((date) => dayTime(days.filter(({ day }) => day === date)) ?? [])
}

export function statusReport(facts: StatusFacts): StatusReport {
  const { now, paymentMode, payments } = facts
  const byPart = daysByPart(facts)
  const freshness = Object.values(inputs).map((input) => target(input, facts))
  return {
    success: true,
    summary: summary(facts, freshness),
    parts: byPart.map(([part, days]) => partStatus(part, days, datesOf(now), facts)),
    incidents: {
      definition: incidentDefinition,
      latest: newest(byPart.flatMap(([, days]) => incidentsOf(days))),
    },
    freshness,
    payments: {
      mode: paymentMode,
      delivered: sumOnWire(payments.delivered),
      refunded: sumOnWire(payments.refunded),
      owed: { ...sumOnWire(payments.owed), oldestSince: isoTimeOrNull(payments.owed.oldestAt) },
    },
  }
}

/** The days of the week as their runs have them, and those before as they are stored. */
function summary(
  facts: StatusFacts,
  freshness: StatusReport["freshness"],
): StatusReport["summary"] {
  const week = dayTimes(facts)
  const from = week[0]?.day ?? Infinity
  const days = [...facts.history.filter(({ day }) => day < from), ...week]
  const hoursOf = (days: ReadonlyArray<DayTime>) => {
    const sum = (of: (day: DayTime) => number) =>
      Math.round(days.reduce((ms, day) => ms + of(day), 0) / hour * 10) / 10
    return {
      recordedHours: sum(({ recordedMs }) => recordedMs),
      goodHours: sum(({ goodMs }) => goodMs),
    }
  }
  const total = hoursOf(days)
  const fresh = freshness.filter(({ isFresh }) => isFresh).length
  return {
    state: fresh === freshness.length
      ? "operational"
      : fresh > 0
      ? "degraded"
      : freshness.every(({ asOf }) => asOf === null)
      ? "starting"
      : "down",
    ...total,
    goodShare: total.recordedHours === 0
      ? null
      // Rounded down: a page never says 100.0 % of a time with a fault in it.
      : Math.floor(total.goodHours / total.recordedHours * 1e3) / 1e3,
    days: days.map((time) => ({ date: dateOf(time.day), ...hoursOf([time]) })),
  }
}

const dateOf = (at: EpochMs) => isoTime(at).slice(0, 10)
const isoTimeOrNull = (at: EpochMs | null) => at === null ? null : isoTime(at)
const noRuns = { planned: 0, ok: 0, failed: 0, missing: 0 }

const sumOnWire = ({ payments, amount }: PaymentSum) => ({
  payments,
  usd: usd(AtomicAmount.make(amount)),
})

/** One part, from its days. */
function partStatus(
  part: Part,
  days: ReadonlyArray<PartDay>,
  dates: ReadonlyArray<EpochMs>,
  { tickIntervalMs }: StatusFacts,
): StatusReport["parts"][number] {
  const byDay = new Map(days.map(({ day, runs }) => [day, countsOf(runs)]))
  const known = days.find(({ runs }) => countsOf(runs) !== null)
  const unknown = known?.runs[0]?.[0] === "unknown" ? known.runs[0][1] : 0
  return {
    part,
    title: partTitles[part],
    everySeconds: everyMsOf(part, tickIntervalMs) / second,
    recordedSince: known === undefined
      ? null
      : isoTime((numbersOn(known.day, known.everyMs).from + unknown) * known.everyMs),
    total: [...byDay.values()].reduce<typeof noRuns>(
      (total, counts) =>
        counts === null ? total : {
          planned: total.planned + counts.planned,
          ok: total.ok + counts.ok,
          failed: total.failed + counts.failed,
          missing: total.missing + counts.missing,
        },
      noRuns,
    ),
    days: dates.map((at) => ({ date: dateOf(at), runs: byDay.get(at) ?? null })),
  }
}

function target(
  input: Input & { readonly job: Part },
  { now, tickIntervalMs, asOf }: StatusFacts,
): StatusReport["freshness"][number] {
  const at = asOf.get(input.job) ?? null
  return {
    name: input.name,
    part: input.job,
    limitSeconds: Math.max(input.ageMax.ticks * tickIntervalMs, input.ageMax.ms) / second,
    asOf: isoTimeOrNull(at),
    isFresh: !isTooOld(input, at, { now, tickIntervalMs }),
  }
}
