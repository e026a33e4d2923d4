/**
 * The shelf life of a paid answer: until when it holds, and the free call that then shows whether it
 * has changed. A product's row has the rule; the checkout adds the fields to every answer.
 *
 * @module
 */
import { Schema } from "effect"
import { described, text } from "../../core/domain/fields.ts"
import { Amount } from "../../core/domain/number.ts"
import { type EpochMs, IsoTime, isoTime, minute } from "../../core/domain/time.ts"
import { digestAgeMax, digestEvery } from "../../digest/domain/digest.ts"
import { type FeedAsOf, feedRetentionMs } from "../../feed/domain/item.ts"

const NextCall = Schema.Struct({
  path: text("Where to send it, unpaid"),
  price: described(Amount, "USD; 0 is free"),
  reason: text("What it shows"),
}).annotate({
  identifier: "NextCall",
  description: "The cheapest call that shows whether this answer has changed",
})

/** The fields that the checkout adds to the body of a paid answer. */
export const shelfLifeFields = {
  validUntil: described(IsoTime, "The answer holds until then"),
  next: NextCall,
}

/** The shelf life in a product's row. */
export interface ShelfLife {
  readonly next: typeof NextCall.Type
  /** A method, so that a row may name the fields of its body that the time follows from. */
  until(body: unknown, at: Instant): EpochMs
}

/** When a body is answered, and how often the feed is updated. */
interface Instant {
  readonly now: EpochMs
  readonly tickIntervalMs: number
}

/** The fields of an answer that has this body. */
export const shelfLifeOf = ({ next, until }: ShelfLife, body: unknown, at: Instant) => ({
  validUntil: isoTime(until(body, at)),
  next,
})

/** An answer that could have been replaced by `now` may be at any time. */
const orSoon = (until: EpochMs, now: EpochMs) => until > now ? until : now + minute

const slotAfter = (at: EpochMs, every: number) => at - at % every + every

/** Until the update after the one that the body rests on; of several types, the first that is due. */
export function untilTick(
  { asOf }: { readonly asOf: string | FeedAsOf },
  { now, tickIntervalMs }: Instant,
): EpochMs {
  const read = typeof asOf === "string" ? [asOf] : Object.values(asOf)
  const due = read.flatMap((at) => at === null ? [] : [slotAfter(Date.parse(at), tickIntervalMs)])
  return orSoon(due.length === 0 ? now : Math.min(...due), now)
}

/** The newest item holds until the next update. One asked for by its index stays as it is. */
export function untilItem(
  { asOf, data }: {
    readonly asOf?: FeedAsOf
    readonly data: { readonly createdAt: string }
  },
  at: Instant,
): EpochMs {
  return asOf === undefined
    ? orSoon(Date.parse(data.createdAt) + feedRetentionMs, at.now)
    : untilTick({ asOf }, at)
}

/** Until the digest after the newest one is due; a missing one may come for `digestAgeMax`. */
export function untilDigest(newestAt: string | undefined, now: EpochMs): EpochMs {
  const due = newestAt === undefined ? now : slotAfter(Date.parse(newestAt), digestEvery)
  const isLate = now % digestEvery < digestAgeMax - digestEvery
  return due > now || isLate ? orSoon(due, now) : slotAfter(now, digestEvery)
}

/** Until the time that the report states itself. */
export function untilReport(
  { data: { decision } }: { readonly data: { readonly decision: { readonly validUntil: string } } },
  { now }: Instant,
): EpochMs {
  return orSoon(Date.parse(decision.validUntil), now)
}
