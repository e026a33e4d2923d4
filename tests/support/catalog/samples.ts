/**
 * The published samples with their types, and values like them at another time.
 *
 * @module
 */
import { Schema } from "effect"
import { freeRows } from "../../../src/catalog/domain/freeRow.ts"
import { sampleBody } from "../../../src/catalog/domain/sample.ts"
import samples from "../../../src/catalog/domain/samples.json" with { type: "json" }
import { day, type EpochMs, hour, isoTime, minute } from "../../../src/core/domain/time.ts"
import { FeedItem } from "../../../src/feed/domain/item.ts"
import { everyMsOf, type Part, parts } from "../../../src/status/domain/part.ts"
import { firstDayOf, statusReport } from "../../../src/status/domain/report.ts"
import { dayOf, numbersOn, type StoredRuns } from "../../../src/status/domain/runs.ts"
import type { StatusReport } from "../../../src/status/domain/status.ts"
import type { Scorecard } from "../../../src/track-record/domain/scorecard.ts"

/** One item of each type. */
export const sampleItems = Schema.decodeUnknownSync(Schema.Tuple(FeedItem.members))(
  sampleBody.feedItems,
)

/** The proof of the first item against the last. */
export const { head: sampleHead, path: samplePath } = Schema.decodeUnknownSync(
  freeRows.feed_proof.body,
)(samples.feed_proof)

const trackRecord = Schema.decodeUnknownSync(freeRows.track_record.body)(samples.track_record)

export function sampleScorecard(computedAt: EpochMs): Scorecard {
  const { success: _, ...scorecard } = trackRecord
  return { ...scorecard, computedAt: isoTime(computedAt) }
}

const tickMs = 10 * minute

/** The report of a week-old service that missed three ticks today. */
export function sampleStatus(at: EpochMs): StatusReport {
  const since = firstDayOf(at) + hour
  const runs = parts.map((part): [Part, StoredRuns] => {
    const everyMs = everyMsOf(part, tickMs)
    const ok = (from: number, through: number) => ({ outcome: "ok", from, through }) as const
    const [first, now] = [Math.floor(since / everyMs), Math.floor(at / everyMs)]
    const { from } = numbersOn(dayOf(at), everyMs)
    const ended = part === "tick"
      ? [ok(first, from + 8), ok(from + 12, now - 1)]
      : [ok(first, now - 1)]
    return [part, { since, ended }]
  })
  const sum = (payments: number) => ({ payments, amount: BigInt(payments) * 20_000n })
  return statusReport({
    now: at,
    tickIntervalMs: tickMs,
    paymentMode: "simulated",
    runs: new Map(runs),
    history: Array.from({ length: 20 }, (_, n) => ({
      day: firstDayOf(at) - (20 - n) * day,
      recordedMs: day,
      goodMs: n === 8 ? 20 * hour : day,
    })),
    asOf: new Map(parts.map((part) => [part, at - minute])),
    payments: { delivered: sum(39), refunded: sum(1), owed: { ...sum(0), oldestAt: null } },
  })
}
