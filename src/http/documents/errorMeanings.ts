/**
 * What each error means to a caller, and what to do: a line each, for those who read before they call.
 *
 * @module
 */
import type { RefusalCode } from "../../catalog/domain/refusal.ts"

const notUsed = "a payment that was shown was not used"

export const errorMeanings: Readonly<Record<RefusalCode, string>> = {
  invalid_parameter: `A parameter is wrong, as \`details\` says; ${notUsed}: send it again.`,
  payment_required:
    "The body is the challenge, not an error body; with a payment that is not taken, `error` says why.",
  not_found: "There is nothing at this path, or no digest yet.",
  signal_not_found: "There is no item with this index. Not charged.",
  market_not_found: "The venue has no such market. Not charged.",
  method_not_allowed: "`allowed` names the methods of this path.",
  payment_in_progress: "A call with this payment is being worked on: send it again.",
  payment_already_used:
    "This payment bought its answer. With the Idempotency-Key of the first call it is given again.",
  payment_conflict: "This payment belongs to another request.",
  payment_refunded: "This payment was given back, or will be: `refund` says. Sign a new one.",
  payload_too_large: "The body is too long.",
  uri_too_long: "Path and query are too long.",
  unsupported_media_type: "What is posted has to be application/json.",
  below_threshold: "There is too little to say for the price. Not charged, or refunded.",
  rate_limited: "Too many requests from this address. Wait for Retry-After.",
  headers_too_large: "The payment header is too long.",
  internal_error: "The service failed. `charged` says whether a payment was taken.",
  facilitator_error: "Payments cannot be checked now. Not charged.",
  venue_error: "The venue did not answer. Not charged, or refunded: `charged` says which.",
  digest_stale: "The newest digest is too old to be sold. Not charged.",
  data_stale: "The feed stands still, so it is not sold. Not charged.",
  payments_unavailable: "No payment can be taken now. Not charged.",
  settlement_unresolved:
    "It is not known yet whether the payment was taken. Send the same payment again; do not sign " +
    "another.",
  overloaded: `The service is busy; ${notUsed}, or its error says null.`,
  upstream_timeout: "The answer was not ready in time. Not charged, or refunded.",
}
