/**
 * Numbers on the wire: their ranges.
 *
 * @module
 */
import { Schema } from "effect"

/** A whole number, at least 0. */
export const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** A share or a probability, 0 to 1. */
export const Rate = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/** USD per share of an outcome, 0 to 1. */
export const Price = Rate

/** An amount, at least 0. */
export const Amount = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
