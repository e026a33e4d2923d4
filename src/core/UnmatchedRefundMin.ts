/**
 * The smallest unmatched transfer that is refunded, in atomic units. A smaller one costs its sender less
 * than its refund costs us: it waits in its queue, and no total counts it as owed.
 *
 * @module
 */
import { Context } from "effect"

export const UnmatchedRefundMin = Context.Reference<bigint>("bellwether/core/UnmatchedRefundMin", {
  defaultValue: () => 10_000n,
})
