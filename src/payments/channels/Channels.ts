/**
 * Sells answers from payment channels (x402's scheme `batch-settlement`), returns what is not
 * charged, and claims what is.
 *
 * A sale on a channel is: check the voucher, claim the channel, compute, deposit if the call brings
 * one, store the answer, deliver. Delivery charges the answer, in the store, and nothing else does.
 * Nothing is settled for a call. Whatever dies before the delivery leaves a row that the next call
 * replaces, and an escrow that is still the payer's.
 *
 * @module
 */
import { Context, Duration, Effect, Exit, FiberSet, Layer, Metric, Option, Schedule } from "effect"
import type { Product } from "../../catalog/domain/product.ts"
import { makePlaces } from "../../core/places.ts"
import { AtomicAmount, usd } from "../../core/domain/money.ts"
import { DeliveryJournal } from "../DeliveryJournal.ts"
import { type FailedSale, NotCharged } from "../domain/failedSale.ts"
import { type Bytes32, PaymentId } from "../domain/payment.ts"
import type { PaymentFault } from "../domain/paymentFault.ts"
import { channelRequirements, type ChannelTerms, type PaymentTerms } from "../domain/x402/terms.ts"
import { type Delivery, overloaded, unavailable, unresolved } from "../sale/responses.ts"
import type { Work } from "../sale/sale.ts"
import { Signatures } from "../Signatures.ts"
import type { PaymentTiming } from "../timing.ts"
import { ChannelContract } from "./ChannelContract.ts"
import { ChannelFacilitator } from "./ChannelFacilitator.ts"
import { ChannelStore, type Decided } from "./ChannelStore.ts"
import { claimDue, type Claimer } from "./claims.ts"
import {
  type Channel,
  type ChannelLimits,
  type ChannelOnChain,
  type Decision,
  readFreshMs,
} from "./domain/channel.ts"
import type { ChannelPayment } from "./domain/channelPayload.ts"

/** A paid request of a compute-first product, with its voucher. */
interface ChannelCall {
  readonly product: Product
  readonly payment: ChannelPayment
  /** The product and its canonical parameters. */
  readonly request: string
  /** Known only to the buyer: an Idempotency-Key or payment-identifier; null without one. */
  readonly secret: string | null
  readonly compute: Work["compute"]
}

/** An answer to deliver. `delivered` must run once it has left on an open connection. */
export interface ChannelDelivery extends Delivery {
  readonly delivered: Effect.Effect<void>
}

export interface Channels {
  readonly terms: ChannelTerms
  /** Sells the answer for this voucher, or returns what is not charged. */
  readonly sell: (call: ChannelCall) => Effect.Effect<ChannelDelivery, FailedSale>
  /** Reads the channels with unclaimed charges, claims those that are due, deletes old sales. */
  readonly claim: Effect.Effect<void>
}

/** Null where channels are switched off, as without a layer. */
export const Channels = Context.Reference<Channels | null>("bellwether/payments/Channels", {
  defaultValue: () => null,
})

interface ChannelOptions {
  readonly terms: PaymentTerms
  readonly channels: ChannelTerms
  readonly limits: ChannelLimits
  readonly timing: PaymentTiming
  readonly salesMax: number
}

export const layer = (options: ChannelOptions) => Layer.effect(Channels, make(options))

/** How many channels are read from the chain at the same time for buyers. */
const reads = { places: 32, waiting: 128, waitMax: Duration.seconds(5) }
const saleQueue = { waiting: 512, waitMax: Duration.seconds(5) }
/** As for other payments. An answer that is never marked is not charged. */
const markSchedule = { schedule: Schedule.spaced(Duration.millis(250)), times: 40 }

const calls = Metric.counter("channel_calls_total", {
  description: "Calls on payment channels, by outcome",
  incremental: true,
})

type InPlace = <A, E>(steps: Effect.Effect<A, E>) => Effect.Effect<A, E | NotCharged>

/** The dependencies of a sale. */
interface ChannelSeller extends Claimer {
  readonly timing: PaymentTiming
  readonly signatures: Signatures["Service"]
  readonly inReadPlace: InPlace
  readonly inSalePlace: InPlace
  readonly delivered: (saleId: PaymentId) => Effect.Effect<void>
}

const make = Effect.fnUntraced(function* (options: ChannelOptions) {
  const store = yield* ChannelStore
  const seller: ChannelSeller = {
    ...options,
    store,
    contract: yield* ChannelContract,
    facilitator: yield* ChannelFacilitator,
    signatures: yield* Signatures,
    inReadPlace: makePlaces(reads).run(overloaded),
    inSalePlace: makePlaces({ places: options.salesMax, ...saleQueue }).run(overloaded),
    delivered: yield* deliveryMarks(store),
  }
  return {
    terms: options.channels,
    sell: (call) =>
      Effect.onExit(
        checked(seller, call).pipe(
          Effect.andThen(
            call.payment.action.type === "refund" ? refund(seller, call) : sell(seller, call),
          ),
          Effect.catchDefect((defect) =>
            Effect.andThen(Effect.logError("A call on a channel failed", defect), unavailable)
          ),
        ),
        countEnd,
      ),
    claim: yield* claimDue(seller),
  } satisfies Channels
})

const countEnd = (exit: Exit.Exit<ChannelDelivery, FailedSale>) => {
  const error = Option.getOrUndefined(Exit.findErrorOption(exit))
  const outcome = Exit.isSuccess(exit)
    ? exit.value.replayed ? "replayed" : exit.value.receipt === null ? "not_charged" : "charged"
    : error === undefined || error._tag === "Unresolved"
    ? "unresolved"
    : error.code
  return Metric.update(Metric.withAttributes(calls, { outcome }), 1)
}

/** Marks an answer as delivered, and so charges it: in the journal at once, then in the store. */
const deliveryMarks = Effect.fnUntraced(function* (store: ChannelStore["Service"]) {
  const journal = yield* DeliveryJournal
  const fibers = yield* FiberSet.make<void>()
  yield* Effect.addFinalizer(() =>
    Effect.ignore(Effect.timeout(FiberSet.awaitEmpty(fibers), Duration.seconds(20)))
  )
  const mark = (saleId: PaymentId) =>
    Effect.asVoid(FiberSet.run(
      fibers,
      store.deliver(saleId).pipe(
        Effect.catchDefect(Effect.fail),
        Effect.retry(markSchedule),
        Effect.andThen(journal.acknowledge(saleId)),
        Effect.catch((defect) => Effect.logWarning("Cannot charge a delivered answer", defect)),
      ),
    ))
  yield* Effect.forEach(journal.pending, mark, { discard: true })
  return (saleId: PaymentId) => Effect.ensuring(journal.append(saleId), mark(saleId))
})

/** Checks what the payer signed. */
const checked = Effect.fnUntraced(function* (
  { signatures, terms }: ChannelSeller,
  { payment: { channelId, config, ceiling, signature } }: ChannelCall,
) {
  if (signatures.channelId(terms.chainId, config) !== channelId) {
    return yield* refused("invalid_terms", "channel_id_mismatch")
  }
  const signer = yield* signatures.voucherSigner(terms.chainId, channelId, ceiling, signature)
  if (Option.getOrNull(signer) !== config.payerAuthorizer) {
    return yield* refused("invalid_signature", "voucher_signature")
  }
})

/** Why a payment is refused, by the scheme's own code. */
const refused = (fault: PaymentFault, code: string, channel?: typeof NotCharged.Type["channel"]) =>
  Effect.fail(
    new NotCharged({
      code: "payment_required",
      message: `invalid_batch_settlement_evm_${code}`,
      fault,
      ...channel === undefined ? {} : { channel },
    }),
  )

/** Reads a channel from the chain. */
const readChain = ({ contract, inReadPlace }: ChannelSeller, channelId: Bytes32) =>
  inReadPlace(
    contract.read(channelId).pipe(
      Effect.catch((error) =>
        Effect.andThen(Effect.logWarning("Cannot read a channel", error), unavailable)
      ),
    ),
  )

/** The channel, read from the chain again unless the last reading is fresh and covers the voucher. */
const findChannel = Effect.fnUntraced(function* (seller: ChannelSeller, call: ChannelCall) {
  const { payment } = call
  const { channelId, config, ceiling, action } = payment
  const known = Option.getOrNull(yield* seller.store.find(channelId))
  const isEnough = known !== null && action.type === "voucher" && known.readAgoMs < readFreshMs &&
    ceiling <= known.chain.balance && known.chain.withdrawAt === 0n &&
    known.refundNonceSent === null
  if (isEnough) return known
  const reading = yield* readChain(seller, channelId)
  // Only a channel with money, or whose deposit is verified, gets a row.
  if (known === null && reading.newest.balance === 0n && action.type !== "deposit") {
    return yield* refused("insufficient_funds", "channel_not_found")
  }
  if (action.type === "deposit") yield* verifyDeposit(seller, call)
  return yield* seller.store.observe(channelId, config, reading)
})

/** The facilitator's check of a deposit: the payer's signature, balance and nonce. */
const verifyDeposit = (seller: ChannelSeller, call: ChannelCall) => {
  const deposit = depositOf(call)
  if (deposit === null) return Effect.void
  return Effect.flatMap(
    seller.facilitator.verifyDeposit(deposit, requirementsOf(seller, call)),
    (verify): Effect.Effect<void, NotCharged> => {
      switch (verify.outcome) {
        case "valid":
          return Effect.void
        case "invalid":
          return Effect.fail(
            new NotCharged({
              code: "payment_required",
              message: `The facilitator refuses the deposit: ${verify.reason}`,
              fault: "refused",
            }),
          )
        case "unknown":
          return facilitatorFailed
      }
    },
  )
}

const facilitatorFailed = Effect.fail(
  new NotCharged({
    code: "facilitator_error",
    message:
      "The facilitator did not complete it. Nothing was charged; what you deposit is yours " +
      "until an answer is delivered",
  }),
)

const requirementsOf = ({ terms, channels }: ChannelSeller, { product }: ChannelCall) =>
  channelRequirements(product, terms, channels)

function depositOf({ payment }: ChannelCall) {
  const { action, channelId, config, ceiling, signature } = payment
  return action.type === "deposit" ? { ...action, channelId, config, ceiling, signature } : null
}

const sell = Effect.fnUntraced(function* (seller: ChannelSeller, call: ChannelCall) {
  yield* findChannel(seller, call)
  const saleId = PaymentId.make(`0x${crypto.getRandomValues(new Uint8Array(32)).toHex()}`)
  // An answer that is stored stays; anything before it is forgotten.
  return yield* seller.inSalePlace(
    Effect.acquireUseRelease(
      claim(seller, call, saleId),
      (decided) => afterClaim(seller, call, saleId, decided),
      ({ decision }, exit) =>
        decision.decision !== "sell" || Exit.isSuccess(exit) && exit.value.receipt !== null
          ? Effect.void
          : seller.store.release(saleId),
    ),
  )
})

const claim = (seller: ChannelSeller, call: ChannelCall, saleId: PaymentId) => {
  const { payment: { channelId, ceiling, signature }, request, secret, product } = call
  return seller.store.claim({
    ...{ channelId, saleId, ceiling, request, voucher: signature, price: product.price },
    keyHash: secret === null ? null : seller.signatures.digest(
      `channel-key/v1:${channelId}:${JSON.stringify([request, secret])}`,
    ),
    lease: seller.timing.lease,
    deposit: depositOf(call)?.amount ?? 0n,
  }, seller.limits)
}

const afterClaim = (
  seller: ChannelSeller,
  call: ChannelCall,
  saleId: PaymentId,
  { decision, channel }: Decided,
): Effect.Effect<ChannelDelivery, FailedSale> => {
  switch (decision.decision) {
    case "sell":
      return compute(seller, call, saleId, channel)
    case "replay": {
      const { sale } = decision
      return Effect.succeed({
        paymentId: sale.saleId,
        body: sale.body,
        receipt: receiptOf(seller, channel, channel.chain, sale),
        replayed: true,
        delivered: seller.delivered(sale.saleId),
      })
    }
    default:
      return refusal(channel, decision)
  }
}

/** The error of a call that is not sold. Nothing was charged. */
function refusal(
  channel: Channel,
  decision: Exclude<Decision, { readonly decision: "sell" | "replay" }>,
) {
  switch (decision.decision) {
    case "busy":
      return busy(decision.waitMs)
    case "mismatch":
      return refused("invalid_amount", "cumulative_amount_mismatch", stateForBuyer(channel))
    case "exceeds_balance":
      return refused("insufficient_funds", "cumulative_exceeds_balance")
    case "withdrawing":
      return notSold("This channel cannot pay: its payer has begun a withdrawal")
    case "refunding":
      return notSold("A refund of this channel is under way: try again when the chain shows it")
    case "unclaimed":
      return notSold(
        "Too much is unclaimed: try again when the chain shows the claims, or pay exact",
      )
  }
}

const busy = (waitMs: number) =>
  Effect.fail(
    new NotCharged({
      code: "payment_in_progress",
      message:
        "Another call on this channel is not finished: its answer is being computed, or was " +
        "not delivered and can be fetched with its voucher, request and key",
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
      taken: false,
    }),
  )

const notSold = (message: string) =>
  Effect.fail(new NotCharged({ code: "payments_unavailable", message }))

/** What a buyer needs to sign the right ceiling, as the scheme defines it. */
function stateForBuyer({ channelId, charged, voucher, chain }: Channel) {
  return {
    channelState: stateOf(channelId, chain, charged),
    ...voucher === null
      ? {}
      : { voucherState: { signedMaxClaimable: charged.toString(), signature: voucher } },
  }
}

const stateOf = (channelId: Bytes32, chain: ChannelOnChain, charged: bigint) => ({
  channelId,
  balance: chain.balance.toString(),
  totalClaimed: chain.claimed.toString(),
  withdrawRequestedAt: Number(chain.withdrawAt),
  refundNonce: chain.refundNonce.toString(),
  chargedCumulativeAmount: charged.toString(),
})

interface Charge {
  readonly ceiling: bigint
  readonly price: bigint
  readonly deposit: bigint
  readonly depositTransaction: string | null
}

const receiptOf = (
  { terms }: ChannelSeller,
  { channelId, config }: Channel,
  chain: ChannelOnChain,
  { ceiling, price, deposit, depositTransaction }: Charge,
) => ({
  payer: config.payer,
  transaction: depositTransaction ?? "",
  network: `eip155:${terms.chainId}`,
  amount: deposit === 0n ? "" : deposit.toString(),
  extra: {
    chargedAmount: price.toString(),
    channelState: stateOf(channelId, chain, ceiling),
  },
})

/** Computes the answer, deposits what the call brings, and stores the answer. */
const compute = Effect.fnUntraced(function* (
  seller: ChannelSeller,
  call: ChannelCall,
  saleId: PaymentId,
  channel: Channel,
): Effect.fn.Return<ChannelDelivery, FailedSale> {
  const { store, timing } = seller
  const answer = yield* call.compute.pipe(
    Effect.timeoutOrElse({
      duration: timing.workTimeout,
      orElse: () =>
        Effect.fail(
          new NotCharged({
            code: "upstream_timeout",
            message: "The answer could not be computed in time",
          }),
        ),
    }),
  )
  const { body } = answer
  if (!answer.charge) {
    return { paymentId: saleId, body, receipt: null, replayed: false, delivered: Effect.void }
  }
  const { depositTransaction, chain } = yield* deposit(seller, call, channel)
  if (!(yield* store.answer(saleId, body, depositTransaction))) return yield* busy(0)
  const charge = {
    ceiling: call.payment.ceiling,
    price: call.product.price,
    deposit: depositOf(call)?.amount ?? 0n,
    depositTransaction,
  }
  return {
    paymentId: saleId,
    body,
    receipt: receiptOf(seller, channel, chain, charge),
    replayed: false,
    delivered: seller.delivered(saleId),
  }
})

/** Submits the deposit of a call, and reads the chain until it shows enough. */
const deposit = Effect.fnUntraced(function* (
  seller: ChannelSeller,
  call: ChannelCall,
  channel: Channel,
): Effect.fn.Return<
  { readonly depositTransaction: string | null; readonly chain: ChannelOnChain },
  FailedSale
> {
  const transaction = depositOf(call)
  if (transaction === null) return { depositTransaction: null, chain: channel.chain }
  const outcome = yield* seller.facilitator.submit(transaction, requirementsOf(seller, call))
  const before = channel.chain.balance
  const wanted = before + transaction.amount
  const reading = yield* readUntil(seller, channel, ({ balance }) => balance >= wanted)
  if (reading === null) {
    yield* Effect.logWarning("The chain does not show a deposit", { outcome })
    return yield* facilitatorFailed
  }
  return {
    depositTransaction: outcome.outcome === "settled" ? outcome.transaction : null,
    chain: reading,
  }
})

/** Reads a channel until the chain shows what is expected; null when it does not in time. */
const readUntil = Effect.fnUntraced(function* (
  seller: ChannelSeller,
  { channelId, config }: Channel,
  isShown: (chain: ChannelOnChain) => boolean,
) {
  const { timing, contract, store } = seller
  const reading = yield* contract.read(channelId).pipe(
    Effect.asSome,
    Effect.catch(() => Effect.succeedNone),
    Effect.repeat({
      until: (reading) => Option.isSome(reading) && isShown(reading.value.newest),
      schedule: Schedule.spaced(timing.proveInterval),
      times: timing.proveRetriesMax,
    }),
    Effect.timeoutOrElse({ duration: timing.proveTimeout, orElse: () => Effect.succeedNone }),
  )
  if (Option.isNone(reading)) return null
  const { chain } = yield* store.observe(channelId, config, reading.value)
  return isShown(chain) ? chain : null
})

/** Returns what is not charged to the payer, at the payer's request. The claim lands with it. */
const refund = Effect.fnUntraced(function* (
  seller: ChannelSeller,
  call: ChannelCall,
): Effect.fn.Return<ChannelDelivery, FailedSale> {
  const { store, facilitator, limits } = seller
  const { channelId, ceiling, signature, config, action } = call.payment
  yield* findChannel(seller, call)
  const begun = yield* store.beginRefund(channelId, ceiling, limits)
  if (begun.start === "busy") return yield* busy(begun.waitMs)
  if (begun.start === "mismatch") return yield* refusal(begun.channel, { decision: "mismatch" })
  const { channel } = begun
  const available = channel.chain.balance - channel.charged
  const asked = action.type === "refund" ? action.amount ?? available : 0n
  const amount = asked < available ? asked : available
  if (amount <= 0n) {
    yield* store.cancelRefund(channelId)
    return yield* refused("invalid_amount", "refund_no_balance")
  }
  const nonce = channel.chain.refundNonce
  const voucher = { config, ceiling, signature }
  const claims = ceiling > channel.chain.claimed ? [{ ...voucher, claimed: ceiling }] : []
  const outcome = yield* facilitator.submit(
    { type: "refund", ...voucher, channelId, amount, nonce, claims },
    requirementsOf(seller, call),
  )
  const chain = yield* readUntil(seller, channel, ({ refundNonce }) => refundNonce > nonce)
  if (chain === null) {
    if (outcome.outcome !== "declined") return yield* unresolved
    yield* store.cancelRefund(channelId)
    return yield* facilitatorFailed
  }
  return refundDelivery(
    seller,
    channel,
    chain,
    outcome.outcome === "settled" ? outcome.transaction : "",
  )
})

function refundDelivery(
  { terms }: ChannelSeller,
  { channelId, config, charged, chain: before }: Channel,
  chain: ChannelOnChain,
  transaction: string,
): ChannelDelivery {
  const amount = AtomicAmount.make(before.balance - chain.balance)
  const message = `$${usd(amount)} of the channel was returned to its payer`
  return {
    paymentId: PaymentId.make(channelId),
    body: new TextEncoder().encode(JSON.stringify({ success: true, charged: false, message })),
    receipt: {
      payer: config.payer,
      transaction,
      network: `eip155:${terms.chainId}`,
      amount: amount.toString(),
      extra: { channelState: stateOf(channelId, chain, charged) },
    },
    replayed: false,
    delivered: Effect.void,
  }
}
