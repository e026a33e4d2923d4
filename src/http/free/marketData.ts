/**
 * The body of /markets/{slug}.json: the public facts and the price path of a market that the feed
 * has published.
 *
 * Each slug is looked up in the store at most once between two ticks, known and unknown ones alike.
 *
 * @module
 */
import { Cache, Effect, Exit, Option } from "effect"
import { forgetAfterStepBack } from "../../core/cachedFor.ts"
import { isoTime, minute } from "../../core/domain/time.ts"
import type { PublishedMarket } from "../../feed/domain/publishedMarket.ts"
import { PublishedMarkets } from "../../feed/PublishedMarkets.ts"
import type { SeriesPoint } from "../../markets/domain/market.ts"
import { type Answer, answer } from "../server/answer.ts"
import type { RouteResult } from "../server/route.ts"
import { prepare } from "../server/errors.ts"
import { makeStoreReads } from "./reads.ts"

/** An answer is kept this long where no tick ends it: another replica may have run the tick. */
const ageMsMax = minute
/** The most slugs that are kept. */
const slugsMax = 500
export type MarketBody = ReturnType<typeof marketBody>

export interface MarketData {
  /** The answer of a slug in lower case: 404 for an unpublished one, null if it cannot be read now. */
  readonly answerOf: (slug: string) => Effect.Effect<RouteResult>
  /** Lets every slug be looked up again; run it after each tick. */
  readonly clear: Effect.Effect<void>
}

export const makeMarketData = Effect.gen(function* () {
  const markets = yield* PublishedMarkets
  const inTime = makeStoreReads("Cannot read a published market")
  const answers = yield* Cache.makeWith(
    (slug: string): Effect.Effect<RouteResult> =>
      inTime(Effect.map(
        markets.bySlug(slug),
        Option.match({ onNone: () => unpublished, onSome: marketAnswer }),
      )),
    {
      capacity: slugsMax,
      timeToLive: (exit) => Exit.isSuccess(exit) && exit.value !== null ? ageMsMax : 0,
    },
  )
  const clear = Cache.invalidateAll(answers)
  const whileTimeGoesOn = forgetAfterStepBack(clear)
  const data: MarketData = {
    answerOf: (slug) => whileTimeGoesOn(Cache.get(answers, slug)),
    clear,
  }
  return data
})

const unpublished = prepare({
  code: "not_found",
  message: "The feed has no item about a market of this name",
  hint: "/signals.json lists the newest items with the names of their markets.",
})

const marketAnswer = (published: PublishedMarket): Answer =>
  answer({ body: JSON.stringify(marketBody(published)), cache: "page" })

function marketBody({ market, status, listed, volume24hUsd, path, items }: PublishedMarket) {
  const { volumeUsd, liquidityUsd, ...named } = market
  return {
    success: true,
    ...named,
    /** As last listed; null if it is not stored. */
    status,
    outcome: market.outcomes[0],
    /** As last listed; null without a book. */
    bestBid: listed?.bestBid ?? null,
    bestAsk: listed?.bestAsk ?? null,
    volumeUsd,
    volume24hUsd,
    liquidityUsd,
    path: path.map(pathPoint),
    items: items.map(({ feedIndex, type, createdAt }) => ({ feedIndex, type, createdAt })),
  }
}

/** A stored mid on the wire. */
const pathPoint = ({ at, mid }: SeriesPoint) => ({ at: isoTime(at), mid })
