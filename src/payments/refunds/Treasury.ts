/**
 * The port to the one key that moves money: what refunds are paid from.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Address, Authorization, Signature, TokenDomain } from "../domain/payment.ts"

export class Treasury extends Context.Service<Treasury, {
  readonly address: Address
  /** Signs a transfer out of the treasury. Whoever holds the signature can bring it to the chain. */
  readonly sign: (token: TokenDomain, authorization: Authorization) => Effect.Effect<Signature>
}>()("bellwether/services/Treasury") {}
