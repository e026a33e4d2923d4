/**
 * The answer to a question that is not worth its price.
 *
 * @module
 */
import { Schema } from "effect"

/** There is an answer, but it would not be worth its price; `message` says why. */
export class BelowThreshold extends Schema.TaggedError<BelowThreshold>()("BelowThreshold", {
  message: Schema.String,
}) {}
