/**
 * The error of a product whose result would not be worth its price.
 *
 * @module
 */
import { Schema } from "effect"

/** There is a result, but it would not be worth its price; `message` says why. */
export class BelowThreshold extends Schema.TaggedError<BelowThreshold>()("BelowThreshold", {
  message: Schema.String,
}) {}
