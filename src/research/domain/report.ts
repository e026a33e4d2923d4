/**
 * The reasons why there is no research report.
 *
 * @module
 */
import { Schema } from "effect"

/** The slug is neither a market's nor that of an event with a live market. */
export class MarketNotFound extends Schema.TaggedError<MarketNotFound>()("MarketNotFound", {
  slug: Schema.String,
}) {}

/** The slug is that of an event with several live markets. */
export class MarketAmbiguous extends Schema.TaggedError<MarketAmbiguous>()("MarketAmbiguous", {
  slug: Schema.String,
  /** Slugs of its live markets, up to a limit. */
  markets: Schema.Array(Schema.String),
}) {}

/** The venue did not deliver the data that a report needs, or the report was not finished in time. */
export class VenueFailed extends Schema.TaggedError<VenueFailed>()("VenueFailed", {
  message: Schema.String,
}) {}

/** The venue was not asked for an unknown slug: this replica asked for too many in a minute. */
export class LookupsExhausted extends Schema.TaggedError<LookupsExhausted>()("LookupsExhausted", {
  /** True when one client, or one IPv6 /48, asked for its part of them. */
  ofClient: Schema.Boolean,
  retryAfterSeconds: Schema.Int,
}) {}
