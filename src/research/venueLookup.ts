/**
 * Asks the venue for a market that the store does not know, before it is called unknown.
 *
 * Unknown slugs are remembered for a while, and the number of lookups is limited on each replica, so
 * that invented slugs cannot make the service flood the venue. Found markets are stored.
 *
 * @module
 */
import { Clock, Duration, Effect } from "effect"
import { CallClient } from "../core/CallClient.ts"
import { type EpochMs, leftMs } from "../core/domain/time.ts"
import type { Market } from "../markets/domain/market.ts"
import type { MarketStore } from "../markets/MarketStore.ts"
import type { VenueClient } from "../markets/VenueClient.ts"
import { LookupsExhausted, MarketNotFound, nearSlugs, VenueFailed } from "./domain/report.ts"

/** Less than the ten seconds of a check before payment. */
export const lookupTimeout = Duration.seconds(6)
/** A new market is in the listing by the next tick, so a short memory is enough. */
export const unknownFor = Duration.minutes(2)
/** Remembered slugs: at most those of the limit below. */
const unknownMax = 1_000
/** Lookups of one replica in a minute: two requests each, a tenth of what the listing may send. */
export const lookupsMax = 20
/** Of these, one client and one IPv6 /48 may take so many. */
export const lookupsOfClientMax = 3
const lookupsOfSiteMax = 6
const lookupsWindow = Duration.minutes(1)
/** Markets among which the one that was meant is looked for. */
const likelyMax = 500

interface Asked {
  readonly at: EpochMs
  readonly by: typeof CallClient.Service
}

/** The markets of a slug that the store does not know; never empty. */
export const venueLookup = ({ venue, markets }: {
  readonly venue: VenueClient["Service"]
  readonly markets: MarketStore["Service"]
}) => {
  /** What is remembered of each unknown slug, and since when: the oldest first. */
  const unknown = new Map<string, { readonly at: EpochMs; readonly error: MarketNotFound }>()
  let asked: ReadonlyArray<Asked> = []

  /** Takes one lookup of the limits. */
  const admit = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const by = yield* CallClient
    const windowMs = Duration.toMillis(lookupsWindow)
    asked = asked.filter(({ at }) => leftMs(at, windowMs, now) > 0)
    const limits: ReadonlyArray<readonly [ReadonlyArray<Asked>, number]> = [
      [asked.filter((one) => by !== null && one.by?.client === by.client), lookupsOfClientMax],
      [
        asked.filter((one) => by !== null && by.site !== null && one.by?.site === by.site),
        lookupsOfSiteMax,
      ],
      [asked, lookupsMax],
    ]
    const usedUp = limits.find(([used, max]) => used.length >= max)
    if (usedUp !== undefined) {
      const [used] = usedUp
      const waitMs = (used[0]?.at ?? now) + windowMs - now
      return yield* new LookupsExhausted({
        ofClient: used !== asked,
        retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
      })
    }
    asked = [...asked, { at: now, by }]
  })

  const remember = (slug: string, error: MarketNotFound, now: number) => {
    unknown.delete(slug)
    unknown.set(slug, { at: now, error })
    const [oldest] = unknown.keys()
    if (unknown.size > unknownMax && oldest !== undefined) unknown.delete(oldest)
  }

  return Effect.fn("Research.lookUp")(function* (slug: string) {
    const name = slug.toLowerCase()
    const now = yield* Clock.currentTimeMillis
    const known = unknown.get(name)
    if (known !== undefined && leftMs(known.at, Duration.toMillis(unknownFor), now) > 0) {
      return yield* known.error
    }
    yield* admit
    const { rows } = yield* venue.bySlug(slug).pipe(
      Effect.timeout(lookupTimeout),
      Effect.mapError(() => new VenueFailed({ message: "The venue did not answer" })),
    )
    const [first, ...rest] = rows.filter(({ status }) => status === "open" || status === "proposed")
    if (first === undefined) {
      const likely = yield* markets.mostLiquid(likelyMax, now)
      const near = nearSlugs(slug, likely.map((market) => market.slug))
      const error = new MarketNotFound({ slug, near })
      remember(name, error, now)
      return yield* error
    }
    const found: readonly [Market, ...ReadonlyArray<Market>] = [first, ...rest]
    yield* markets.save(found, now)
    return found
  })
}
