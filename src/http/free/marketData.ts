/**
 * The body of /markets/{slug}.json: the public facts and the price path of a market that the feed
 * has published.
 *
 * Each slug is looked up in the store at most once between two ticks, known and unknown ones alike.
 * After a tick, a known slug has its last answer until the new one is read.
 *
 * @module
 */
import { Clock, Effect, Option } from "effect"
import type { pageRows } from "../../catalog/domain/pageRow.ts"
import { type EpochMs, isoTime, minute } from "../../core/domain/time.ts"
import type { PublishedMarket } from "../../feed/domain/publishedMarket.ts"
import { PublishedMarkets } from "../../feed/PublishedMarkets.ts"
import type { SeriesPoint } from "../../markets/domain/market.ts"
import { type Answer, answer } from "../server/answer.ts"
import type { RouteResult } from "../server/route.ts"
import { prepare } from "../server/errors.ts"
import { makeStoreReads } from "./storeReads.ts"

/** An answer is kept this long where no tick ends it: another replica may have run the tick. */
const ageMsMax = minute
/** The most markets and the most unknown slugs that are kept; the oldest is dropped first. */
const knownMax = 200
const unknownMax = 5_000
type MarketBody = typeof pageRows["market"]["body"]["Type"]

export interface MarketData {
  /** The answer of a slug in lower case: 404 for an unpublished one, null if it cannot be read now. */
  readonly answerOf: (slug: string) => RouteResult | Promise<RouteResult>
  /** Lets every slug be looked up again; run it after each tick. */
  readonly clear: Effect.Effect<void>
}

interface Kept<Result = RouteResult> {
  readonly at: EpochMs
  readonly result: Result
}

/** The look-ups since the last tick. */
interface Lookups {
  /** The known slugs with a new answer. */
  readonly fresh: Set<string>
  readonly unknown: Map<string, Kept>
  readonly waiting: Map<string, Promise<RouteResult>>
}

const noLookups = (): Lookups => ({ fresh: new Set(), unknown: new Map(), waiting: new Map() })

export const makeMarketData = Effect.gen(function* () {
  const markets = yield* PublishedMarkets
  const clock = yield* Clock.Clock
  const inTime = makeStoreReads("Cannot read a published market")
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  /** The last answers of known slugs; they outlive ticks. */
  const known = new Map<string, Kept<Answer>>()
  let lookups = noLookups()

  const lookUp = (slug: string): Effect.Effect<RouteResult> =>
    inTime(Effect.map(
      markets.bySlug(slug),
      Option.match({ onNone: () => unpublished, onSome: marketAnswer }),
    ))

  /** Keeps what was found. A page is made again only for another answer. */
  const kept = (slug: string, found: RouteResult, { fresh, unknown }: Lookups): RouteResult => {
    const at = clock.currentTimeMillisUnsafe()
    if (found === null) return null
    if (!("bytes" in found)) {
      known.delete(slug)
      keep(unknown, unknownMax, slug, { at, result: found })
      return found
    }
    const last = known.get(slug)?.result
    const result = last?.etag === found.etag ? last : found
    keep(known, knownMax, slug, { at, result })
    fresh.add(slug)
    return result
  }

  /** A look-up that a tick overtook is answered and not kept. */
  const answerNew = (slug: string, from: Lookups): Promise<RouteResult> =>
    run(lookUp(slug))
      .then((found) => from === lookups ? kept(slug, found, from) : found)
      .finally(() => from.waiting.delete(slug))

  const data: MarketData = {
    answerOf: (slug) => {
      const { fresh, unknown, waiting } = lookups
      const isYoung = ({ at }: Kept) => clock.currentTimeMillisUnsafe() - at <= ageMsMax
      const last = known.get(slug) ?? unknown.get(slug)
      const young = last !== undefined && isYoung(last) ? last.result : null
      if (young !== null && (fresh.has(slug) || unknown.has(slug))) return young
      const underway = waiting.get(slug)
      if (underway !== undefined) return young ?? underway
      const found = answerNew(slug, lookups)
      waiting.set(slug, found)
      return young ?? found
    },
    clear: Effect.sync(() => (lookups = noLookups())),
  }
  return data
})

function keep<A>(kept: Map<string, A>, max: number, slug: string, value: A): void {
  // Deleted first, so that the newest is last.
  kept.delete(slug)
  if (kept.size >= max) kept.delete(kept.keys().next().value ?? slug)
  kept.set(slug, value)
}

const unpublished = prepare({
  code: "not_found",
  message: "The feed has no item about a market of this name",
  hint: "/signals.json lists the newest items with the names of their markets.",
})

function marketAnswer(published: PublishedMarket): Answer {
  const { market, status, listed, volume24hUsd, path, items } = published
  const { volumeUsd, liquidityUsd, ...named } = market
  const body: MarketBody = {
    success: true,
    ...named,
    status,
    outcome: market.outcomes[0],
    bestBid: listed?.bestBid ?? null,
    bestAsk: listed?.bestAsk ?? null,
    volumeUsd,
    volume24hUsd,
    liquidityUsd,
    path: path.map(pathPoint),
    items: items.map(({ feedIndex, type, createdAt }) => ({ feedIndex, type, createdAt })),
  }
  return answer({ body: JSON.stringify(body), cache: "page" })
}

/** A stored mid on the wire. */
export const pathPoint = ({ at, mid }: SeriesPoint) => ({ at: isoTime(at), mid })
