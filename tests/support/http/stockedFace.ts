/**
 * The face over a world with something to sell on every row, and how a client reads its bodies.
 *
 * @module
 */
import { Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import { PaymentId } from "../../../src/payments/domain/payment.ts"
import { hour } from "../../../src/core/domain/time.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { makeService, makeWorld } from "./face.ts"
import { bookOf, endingMarket, pricesOver, whaleRow } from "../products.ts"

/** When every test of the interface begins. */
export const noon = Date.parse("2026-11-21T12:00:00.000Z")

/** Thirty items, a digest, a market that ends within the hour, a wallet that is judged. */
export const stocked = Effect.gen(function* () {
  yield* TestClock.setTime(noon)
  const world = yield* makeWorld(30)
  const { markets, books, series, whales } = world.shelf
  const sold = endingMarket(1, noon, { endsAt: noon + hour / 2, liquidityUsd: 1_000_000 })
  yield* Ref.set(markets, [sold])
  yield* Ref.set(books, [bookOf(sold, noon)])
  yield* Ref.set(series, pricesOver(7 * 24, noon, { from: 0.4, to: 0.6 }))
  yield* Ref.set(whales, [{ computedAt: noon, row: whaleRow() }])
  return world
})

/** The face over that world, which sells to anybody unless told otherwise. */
export const stockedService = (payments?: Layer.Layer<Payments>) =>
  Effect.flatMap(stocked, (world) => makeService(world, payments))

/** What every sale comes to. */
export const sellingAs = (sell: ReturnType<Payments["Service"]["sell"]>): Layer.Layer<Payments> =>
  Layer.mock(Payments, { sell: () => sell, idOf: ({ nonce }) => PaymentId.make(nonce) })

export interface Json {
  readonly [name: string]: Json
}

/** A body as its reader has it; made-up names are undefined. */
export const json = (response: Response): Effect.Effect<Json> =>
  Effect.promise(() => response.json())

/** What stands in a body under a name such as `data.0.market.slug`. */
export function at(body: Json, name: string): Json | undefined {
  return name.split(".").reduce<Json | undefined>(
    (inner, part) =>
      inner instanceof Object && Object.hasOwn(inner, part) ? inner[part] : undefined,
    body,
  )
}

/** The names of a list that a body does not have. */
export function missing(body: Json, names: string): ReadonlyArray<string> {
  return names.split(" ").filter((name) => name !== "" && at(body, name) === undefined)
}
