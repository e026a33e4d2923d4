/**
 * The port to the channel contract. What it shows decides what is sold and claimed; a facilitator's
 * report does not.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { ChainUnavailable } from "../Chain.ts"
import type { Bytes32 } from "../domain/payment.ts"
import type { ChannelOnChain } from "./domain/channel.ts"

/** A channel as of the newest block, and as of a block that can no longer be reorganised away. */
export interface ChannelReading {
  readonly newest: ChannelOnChain
  readonly safe: ChannelOnChain
}

export class ChannelContract extends Context.Service<ChannelContract, {
  /** Reads a channel; one that was never used has zeros. */
  readonly read: (channelId: Bytes32) => Effect.Effect<ChannelReading, ChainUnavailable>
}>()("bellwether/payments/ChannelContract") {}
