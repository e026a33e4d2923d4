/**
 * Polymarket as a venue: Gamma lists markets, the CLOB has books and price histories, the Data API
 * has trades, wallets and the oracle's records.
 *
 * @module
 */
import { Effect, Layer, Semaphore } from "effect"
import { HttpClient } from "effect/http"
import { VenueClient } from "../../markets/VenueClient.ts"
import type { PolymarketUrls } from "./addresses.ts"
import { books, priceHistory } from "./clob.ts"
import { trades, walletSource } from "./data.ts"
import { bySlug, facts, listMarkets, rules } from "./gamma.ts"
import { proposals, resolutions } from "./oracle.ts"
import { defaultLimits, makeSend, type RequestLimits, type Route } from "./requests.ts"

interface PolymarketOptions extends PolymarketUrls {
  /** Replaces some of `defaultLimits`. */
  readonly limits?: Partial<RequestLimits>
}

/** `VenueClient` over the venue's public endpoints, which need no key. */
export function layer(
  options: PolymarketOptions,
): Layer.Layer<VenueClient, never, HttpClient.HttpClient> {
  const limits: RequestLimits = { ...defaultLimits, ...options.limits }
  return Layer.effect(
    VenueClient,
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const pace = limits.perTenSeconds
      // Routes of one host share its limit of requests in flight; each route has its own pace.
      const host = (url: string) =>
        Effect.map(
          Semaphore.make(limits.inFlightMax),
          (inFlight) => (perTenSeconds: number): Route => ({
            url,
            send: makeSend(client, inFlight, perTenSeconds, limits),
          }),
        )
      const gamma = yield* host(options.gammaUrl)
      const clob = yield* host(options.clobUrl)
      const data = yield* host(options.dataUrl)
      const listing = gamma(pace.facts)
      const oracle = data(pace.resolutions)
      return VenueClient.of({
        listMarkets: listMarkets(gamma(pace.listing), limits),
        bySlug: bySlug(listing),
        books: books(clob(pace.books), limits),
        priceHistory: priceHistory(clob(pace.history), limits),
        trades: trades(data(pace.trades), limits),
        facts: facts(listing, limits),
        resolutions: resolutions({ oracle, listing, page: clob(pace.page) }, limits),
        proposals: proposals(oracle, limits),
        rules: rules(listing, limits),
        wallets: walletSource(
          { activity: data(pace.activity), leaderboard: data(pace.leaderboard) },
          limits,
        ),
      })
    }),
  )
}
