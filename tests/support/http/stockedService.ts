/**
 * The service over a world with something to sell on every route, and readers for its JSON bodies.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { PaymentId } from "../../../src/payments/domain/payment.ts"
import { hour } from "../../../src/core/domain/time.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { Slug } from "../../../src/markets/domain/market.ts"
import { makeService, makeWorld } from "./httpService.ts"
import { endingMarket, stock } from "../products.ts"

/** The test clock's time at the start. */
export const noon = Date.parse("2026-11-21T12:00:00.000Z")

/** Thirty items, the newest of traded markets, a digest, a market that ends within the hour, a wallet with a label. */
export const stocked = Effect.gen(function* () {
  yield* TestClock.setTime(noon)
  const world = yield* makeWorld(30)
  const sold = endingMarket(1, noon, {
    ...{ gameStartsAt: noon - 5 * hour, endsAt: noon + hour / 2, liquidityUsd: 1_000_000 },
    eventSlug: "nba-osprey-kestrel",
  })
  const moved = [28, 29, 30].map((n) =>
    endingMarket(n, noon, { slug: Slug.make(`number-${n}`), endsAt: null })
  )
  yield* stock(world.productPorts, noon, [sold, ...moved], [sold])
  return world
})

/** The service over that world; by default every payment is accepted. */
export const stockedService = (payments?: Layer.Layer<Payments>) =>
  Effect.flatMap(stocked, (world) => makeService(world, payments))

/** Payments whose every sale ends with the given result. */
export const sellingAs = (sell: ReturnType<Payments["Service"]["sell"]>): Layer.Layer<Payments> =>
  Layer.mock(Payments, { sell: () => sell, idOf: ({ nonce }) => PaymentId.make(nonce) })

export interface Json {
  readonly [name: string]: Json
}

/** The JSON body of a response. */
export const json = (response: Response): Effect.Effect<Json> =>
  Effect.promise(() => response.json())

/** The value at a dotted name such as `data.0.market.slug`; undefined when it is absent. */
export function at(body: Json, name: string): Json | undefined {
  return name.split(".").reduce<Json | undefined>(
    (inner, part) =>
      inner instanceof Object && Object.hasOwn(inner, part) ? inner[part] : undefined,
    body,
  )
}

/** The names, separated by spaces, that a body does not have. */
export function missing(body: Json, names: string): ReadonlyArray<string> {
  return names.split(" ").filter((name) => name !== "" && at(body, name) === undefined)
}
