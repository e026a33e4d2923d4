/**
 * Claims what channels have charged, before their payers could withdraw it: by time, by the amount
 * at risk, and at once when a withdrawal is seen (`isDue`).
 *
 * A facilitator submits the claims. Only a safe block of the chain shows that one has landed; until
 * then it is sent again. Claims are cumulative, so a repeated one changes nothing.
 *
 * @module
 */
import { Effect, Metric } from "effect"
import { AtomicAmount } from "../../core/domain/money.ts"
import { channelRequirements, type ChannelTerms, type PaymentTerms } from "../domain/x402/terms.ts"
import type { ChannelContract } from "./ChannelContract.ts"
import type { ChannelFacilitator, ChannelTransaction } from "./ChannelFacilitator.ts"
import type { ChannelStore } from "./ChannelStore.ts"
import {
  type Channel,
  type ChannelLimits,
  claimableOf,
  isDue,
  unclaimedOf,
} from "./domain/channel.ts"

/** How many channels one round reads, and how many of them at the same time. */
const channelsMax = 200
const readsMax = 8
/** How many channels are claimed in one transaction. */
const batchMax = 25

const unclaimedUnits = Metric.gauge("channels_unclaimed_units", {
  description: "Atomic units charged on payment channels and not claimed, with open sales",
})
const lostUnits = Metric.gauge("channels_lost_units", {
  description: "Atomic units charged on payment channels whose escrow is gone, in the last round",
})

/** The terms and dependencies of claims. */
export interface Claimer {
  readonly store: ChannelStore["Service"]
  readonly contract: ChannelContract["Service"]
  readonly facilitator: ChannelFacilitator["Service"]
  readonly terms: PaymentTerms
  readonly channels: ChannelTerms
  readonly limits: ChannelLimits
}

/** Makes the round of reading and claiming. */
export const claimDue = (claimer: Claimer) =>
  Effect.sync(() => {
    /** True when something was claimed that was not transferred to the receiver yet. */
    let isUnsettled = true
    return Effect.gen(function* () {
      const { store } = claimer
      const channels = yield* readAgain(claimer)
      const total = yield* store.total
      yield* Metric.update(unclaimedUnits, Number(total))
      const lost = channels.reduce((sum, channel) => sum + lostOf(channel), 0n)
      yield* Metric.update(lostUnits, Number(lost))
      const due = channels.filter((channel) => isDue(channel, total, claimer.limits))
      for (let i = 0; i < due.length; i += batchMax) {
        isUnsettled = (yield* claimAll(claimer, due.slice(i, i + batchMax))) || isUnsettled
      }
      if (due.length > 0 && isUnsettled) isUnsettled = !(yield* settle(claimer))
      yield* store.prune
    })
  })

/** What was charged and cannot be claimed any more. */
const lostOf = (channel: Channel) => {
  const left = unclaimedOf(channel) - (claimableOf(channel) - channel.chain.claimed)
  return left > 0n ? left : 0n
}

/** Reads the channels with unclaimed charges; one that cannot be read now is as it was. */
const readAgain = ({ store, contract }: Claimer) =>
  Effect.flatMap(store.unclaimed(channelsMax), (channels) =>
    Effect.forEach(
      channels,
      (channel) =>
        contract.read(channel.channelId).pipe(
          Effect.flatMap((reading) => store.observe(channel.channelId, channel.config, reading)),
          Effect.catch((error) =>
            Effect.as(Effect.logWarning("Cannot read a channel", error), channel)
          ),
        ),
      { concurrency: readsMax },
    ))

/** Claims channels in one transaction, or each alone when the facilitator declines that. */
const claimAll = (
  claimer: Claimer,
  channels: ReadonlyArray<Channel>,
): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    yield* claimer.store.claimSent(channels.map(({ channelId }) => channelId))
    const claims = channels.flatMap((channel) =>
      channel.voucher === null ? [] : [{
        config: channel.config,
        ceiling: channel.charged,
        signature: channel.voucher,
        claimed: claimableOf(channel),
      }]
    )
    const outcome = yield* submit(claimer, { type: "claim", claims })
    if (outcome.outcome === "settled") return true
    yield* Effect.logWarning("Channels were not claimed", { count: claims.length, outcome })
    if (outcome.outcome !== "declined" || channels.length < 2) return false
    const each = yield* Effect.forEach(channels, (channel) => claimAll(claimer, [channel]))
    return each.includes(true)
  })

/** Transfers what was claimed to the receiver. It can be repeated, and anyone may do it. */
const settle = (claimer: Claimer) =>
  Effect.map(
    submit(claimer, {
      type: "settle",
      receiver: claimer.terms.payTo,
      token: claimer.terms.asset,
    }),
    ({ outcome }) => outcome === "settled",
  )

const submit = ({ facilitator, terms, channels }: Claimer, transaction: ChannelTransaction) =>
  facilitator.submit(
    transaction,
    channelRequirements(
      { price: AtomicAmount.make(0n), settlementOrder: "compute-first" },
      terms,
      channels,
    ),
  )
