/**
 * The report of the service, from what is stored of its runs and payments.
 *
 * @module
 */
import { AtomicAmount, usd } from "../../core/domain/money.ts"
import { day, type EpochMs, isoTime, second } from "../../core/domain/time.ts"
import { type Input, inputs, isTooOld } from "../../core/domain/freshness.ts"
import { incidentDefinition, incidentsOf, newest } from "./incident.ts"
import { everyMsOf, type Part, parts, partTitles } from "./part.ts"
import { countsOf, dayOf, numbersOn, type PartDay, partDay, type StoredRuns } from "./runs.ts"
import { daysShown, type StatusReport } from "./status.ts"

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
  /** When the job of each input last ended well. */
  readonly asOf: ReadonlyMap<string, EpochMs | null>
  readonly payments: PaymentFacts
}

/** The first day that is shown; the last is today. */
export const firstDayOf = (now: EpochMs): EpochMs => dayOf(now) - (daysShown - 1) * day

export function statusReport(facts: StatusFacts): StatusReport {
  const { now, tickIntervalMs, paymentMode, runs, payments } = facts
  const firstDay = firstDayOf(now)
  const dates = Array.from({ length: daysShown }, (_, n) => firstDay + n * day)
  const daysOf = (part: Part): ReadonlyArray<PartDay> => {
    const stored = runs.get(part)
    if (stored === undefined) return []
    const everyMs = everyMsOf(part, tickIntervalMs)
    return dates.map((day) => partDay({ part, day, everyMs, stored, now }))
  }
  const byPart = parts.map((part) => [part, daysOf(part)] as const)
  return {
    success: true,
    parts: byPart.map(([part, days]) => partStatus(part, days, dates, facts)),
    incidents: {
      definition: incidentDefinition,
      latest: newest(byPart.flatMap(([, days]) => incidentsOf(days))),
    },
    freshness: Object.values(inputs).map((input) => target(input, facts)),
    payments: {
      mode: paymentMode,
      delivered: sumOnWire(payments.delivered),
      refunded: sumOnWire(payments.refunded),
      owed: { ...sumOnWire(payments.owed), oldestSince: isoTimeOrNull(payments.owed.oldestAt) },
    },
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
