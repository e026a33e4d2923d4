/**
 * The report of the service, from the records of its days.
 *
 * @module
 */
import { day, type EpochMs, isoTime, second } from "../../core/domain/time.ts"
import { type Input, inputs, isTooOld } from "../../core/domain/freshness.ts"
import { incidentDefinition, incidentsOf, newest } from "./incident.ts"
import { everyMsOf, type Part, parts, partTitles } from "./part.ts"
import {
  noSums,
  type PaymentDaySums,
  type PaymentSum,
  sumOnWire,
  sumsOnWire,
  totalOf,
} from "./paymentSums.ts"
import { countsOf, dayOf, numbersOn, type PartDayRecord } from "./runs.ts"
import { type StatusReport, sumsLateMsMax } from "./status.ts"

/** Sums of payments, and how far they reach. */
export interface PaymentRecord {
  /** Null before the first sum. */
  readonly since: EpochMs | null
  /** All changes stored before this are summed; null before the first sum. */
  readonly through: EpochMs | null
  /** A day without a change is absent. */
  readonly days: ReadonlyArray<PaymentDaySums>
}

/** The refunds that are owed now. */
export interface WaitingRefunds extends PaymentSum {
  /** Null when none waits. */
  readonly oldestAt: EpochMs | null
}

/** What a report is computed from. */
export interface StatusFacts {
  readonly now: EpochMs
  /** How many days are shown, today included. */
  readonly days: number
  readonly tickIntervalMs: number
  readonly paymentMode: "live" | "simulated"
  /** In order of their days. */
  readonly records: ReadonlyArray<PartDayRecord>
  /** When the job of each input last ended well. */
  readonly asOf: ReadonlyMap<string, EpochMs | null>
  readonly payments: PaymentRecord
  readonly waiting: WaitingRefunds
}

/** The first of so many days, of which the last is today. */
export const firstDayOf = (now: EpochMs, days: number): EpochMs => dayOf(now) - (days - 1) * day

export function statusReport(facts: StatusFacts): StatusReport {
  const firstDay = firstDayOf(facts.now, facts.days)
  const dates = Array.from({ length: facts.days }, (_, n) => firstDay + n * day)
  const byPart = Map.groupBy(facts.records, ({ part }) => part)
  return {
    success: true,
    parts: parts.map((part) => partStatus(part, byPart.get(part) ?? [], dates, facts)),
    incidents: {
      definition: incidentDefinition,
      latest: newest([...byPart.values()].flatMap(incidentsOf)),
    },
    freshness: Object.values(inputs).map((input) => target(input, facts)),
    payments: paymentStatus(facts, dates),
  }
}

const dateOf = (at: EpochMs) => isoTime(at).slice(0, 10)
const isoTimeOrNull = (at: EpochMs | null) => at === null ? null : isoTime(at)
const noRuns = { planned: 0, ok: 0, failed: 0, missing: 0 }

/** One part, from the records of its days. */
function partStatus(
  part: Part,
  records: ReadonlyArray<PartDayRecord>,
  dates: ReadonlyArray<EpochMs>,
  { tickIntervalMs }: StatusFacts,
): StatusReport["parts"][number] {
  const byDay = new Map(records.map(({ day, runs }) => [day, countsOf(runs)]))
  const known = records.find(({ runs }) => countsOf(runs) !== null)
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

function paymentStatus(
  { now, paymentMode, payments: { since, through, days }, waiting }: StatusFacts,
  dates: ReadonlyArray<EpochMs>,
): StatusReport["payments"] {
  const { sums, delivered, refundTimes, refundSecondsMax } = totalOf(days)
  const byDay = new Map(days.map(({ day, sums }) => [day, sums]))
  const isKnown = (at: EpochMs) =>
    since !== null && through !== null && at >= dayOf(since) && at <= through
  return {
    mode: paymentMode,
    // Older days are not among those shown, so they are in no sum.
    recordedSince: isoTimeOrNull(since === null ? null : Math.max(since, dates[0] ?? since)),
    behindSince: through === null || now - through <= sumsLateMsMax ? null : isoTime(through),
    total: sumsOnWire(sums),
    delivered: sumOnWire(delivered),
    waiting: { ...sumOnWire(waiting), oldestSince: isoTimeOrNull(waiting.oldestAt) },
    refundTimes,
    refundSecondsMax,
    days: dates.map((at) => ({
      date: dateOf(at),
      sums: isKnown(at) ? sumsOnWire(byDay.get(at) ?? noSums) : null,
    })),
  }
}
