/**
 * Decision cards: their value in USD, and their order.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { ranked, valueOf } from "../../../src/writing/domain/cards.ts"
import { law } from "../../support/effect.ts"

const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const cards = Arbitrary.schema(
  Schema.Array(Schema.Struct({
    kind: Schema.Literals(["contradiction", "proposal", "report", "wallet", "move", "price"]),
    market: Schema.Literals(["a", "b", "c"]),
    valueUsd: int(0, 3),
  })).check(Schema.isMaxLength(6)),
)

law("ranked() is by value, and does not depend on the order of the cards", cards, (found) => {
  const order = ranked(found)
  ok(order.every(({ valueUsd }, n) => valueUsd <= (order[n - 1]?.valueUsd ?? Infinity)))
  equal(ranked(found.toReversed()), order)
})

const offers = Arbitrary.schema(
  Schema.Struct({ edge: int(-50, 50), ask: int(1, 99), offeredUsd: int(0, 5_000) }),
)

law("valueOf() is a gain on at most 1,000 USD, and nothing without an edge", offers, (of) => {
  const { edge, ask, offeredUsd } = of
  const value = valueOf({ edge: edge / 100, ask: ask / 100, offeredUsd })
  if (edge <= 0 || offeredUsd === 0) return strictEqual(value, 0)
  ok(value > 0 && value <= edge / ask * 1_000 + 1e-9)
  strictEqual(valueOf({ edge: edge / 100, ask: null, offeredUsd }), 0)
})
