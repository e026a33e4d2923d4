/**
 * The paid routes: each is a product, how its parameters are read, and its work.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { products } from "../domain/product.ts"
import { Feed } from "../services/Feed.ts"
import { makePaywall, type PaywallOptions } from "./paywall.ts"
import { decodeQuery } from "./query.ts"

const { latest, signal, signals } = products
const readLatest = decodeQuery(latest.parameters)
const readSignal = decodeQuery(signal.parameters)
const readSignals = decodeQuery(signals.parameters)

/** Adds every paid route to the router. */
export const paidRoutes = (options: PaywallOptions) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter
      const feed = yield* Feed
      const paywall = yield* makePaywall(options)

      yield* router.add(
        "GET",
        latest.path,
        paywall(latest)({
          decode: readLatest,
          work: () =>
            Effect.map(feed.latest, ({ item, status }) => ({
              body: { status, data: item },
              charge: true,
            })),
        }),
      )
      yield* router.add(
        "GET",
        signal.path,
        paywall(signal)({
          decode: readSignal,
          work: ({ index }) =>
            index === null
              ? Effect.map(feed.latest, ({ item, status }) => ({
                body: { status, data: item },
                charge: true,
              }))
              : Effect.map(feed.byIndex(index), (item) => ({ body: { data: item }, charge: true })),
        }),
      )
      yield* router.add(
        "GET",
        signals.path,
        paywall(signals)({
          decode: readSignals,
          work: ({ since, count, type }) =>
            Effect.map(feed.page({ since, count, type }), (items) => ({
              body: {
                count: items.length,
                filters: { since, count, type: type ?? "all" },
                data: items,
              },
              charge: items.length > 0,
            })),
        }),
      )
    }),
  )
