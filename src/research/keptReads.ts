/**
 * What a check before payment reads at the venue, kept for the report that is paid for: the report then
 * needs no second answer of the venue, which might fail after the charge.
 *
 * @module
 */
import { Clock, Duration, Effect } from "effect"
import { type EpochMs, leftMs } from "../core/domain/time.ts"
import type { Market, MarketId } from "../markets/domain/market.ts"
import { readRequired, type ReportPorts, type RequiredOfVenue } from "./reading.ts"

/** A check reads again after this long. */
const checkAgeMax = Duration.toMillis(Duration.seconds(15))
/** Longer than `checkAgeMax` and all steps from a check to its report: place, settlement and proof. */
export const keptFor = Duration.minutes(1)
/** Each may have the ticks of a week, about half a megabyte. */
const keptMax = 64

/** Keeps reads in this process, the oldest first. */
export function keptReads(ports: Pick<ReportPorts, "markets" | "venue">) {
  const kept = new Map<MarketId, { readonly at: EpochMs; readonly read: RequiredOfVenue }>()
  const youngerThan = (ageMax: number, { id }: Market, now: EpochMs) => {
    const found = kept.get(id)
    return found !== undefined && leftMs(found.at, ageMax, now) > 0 ? found.read : null
  }
  return {
    /** Fails where a report would fail now. */
    check: Effect.fnUntraced(function* (market: Market) {
      const now = yield* Clock.currentTimeMillis
      if (youngerThan(checkAgeMax, market, now) !== null) return
      const read = yield* readRequired(ports, market)
      kept.delete(market.id)
      kept.set(market.id, { at: yield* Clock.currentTimeMillis, read })
      for (const [id, { at }] of kept) {
        if (kept.size <= keptMax && leftMs(at, Duration.toMillis(keptFor), now) > 0) break
        kept.delete(id)
      }
    }),
    /** What a check has kept, else read now. */
    read: Effect.fnUntraced(function* (market: Market) {
      const now = yield* Clock.currentTimeMillis
      return youngerThan(Duration.toMillis(keptFor), market, now) ??
        (yield* readRequired(ports, market))
    }),
  }
}
