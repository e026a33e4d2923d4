/**
 * The refund worker: sweeps over what is owed, and takes each refund as far as it can be taken now.
 *
 * For each refund: claim it, ask the chain, nextAction, sign, relay. A signature is stored before it leaves
 * the worker; what a facilitator says is a hint; only the chain confirms. Whatever cannot be known now
 * (a chain that cannot be read, a facilitator without a clear answer) is asked retryAfter later.
 *
 * @module
 */
import {
  Cause,
  Clock,
  Context,
  Duration,
  Effect,
  Fiber,
  FiberSet,
  Layer,
  Option,
  Ref,
  Result,
} from "effect"
import type { Address, TokenDomain } from "../domain/payment.ts"
import {
  type Action,
  type Caps,
  nextAction,
  type RefundInputs,
  type RefundOutcome,
  type RefundSignature,
  type RefundState,
  refundStep,
  type WaitReason,
} from "../domain/refund.ts"
import { Chain, ChainUnavailable } from "../Chain.ts"
import { Facilitator, type FacilitatorRequest, type SettleOutcome } from "../Facilitator.ts"
import {
  type ClaimedRefund,
  type RefundMove,
  RefundStore,
  type UnreadableRefund,
} from "./RefundStore.ts"
import { Signatures } from "../Signatures.ts"
import { Treasury } from "./Treasury.ts"
import { storeWithDeadline, withDeadline } from "../../core/deadline.ts"

export class RefundWorker extends Context.Service<RefundWorker, {
  /**
   * Works on everything that is due, until nothing is, and returns what became of it. Any number of
   * workers may sweep at once. Dies when the store does not say what is due.
   */
  readonly sweep: Effect.Effect<ReadonlyArray<RefundOutcome>>
}>()("bellwether/payments/RefundWorker") {
  static readonly layer = (options: RefundOptions) => Layer.effect(RefundWorker, make(options))
}

interface RefundOptions {
  /** What is refunded, and whom it was paid to: refunds of anything else stay unpaid. */
  readonly token: TokenDomain
  readonly payTo: Address
  readonly caps: Caps
  readonly timing?: RefundTiming
}

/** How long everything about a refund may take, and when it is worked on retryAfter. */
export interface RefundTiming {
  /** Longer than everything that one refund may wait for while it is worked on. */
  readonly lease: Duration.Duration
  /** How long a signature runs. */
  readonly validity: Duration.Duration
  readonly chainTimeout: Duration.Duration
  readonly settleTimeout: Duration.Duration
  readonly storeTimeout: Duration.Duration
  /** Until the chain is asked retryAfter whether a block is safe. */
  readonly proofRetryDelay: Duration.Duration
  /** Until a facilitator or a chain without a clear answer is asked retryAfter. */
  readonly unknownRetryDelay: Duration.Duration
  /** After the first decline; it doubles with every further one, up to the second. */
  readonly declinedRetryDelayMin: Duration.Duration
  readonly declinedRetryDelayMax: Duration.Duration
  /** Until caps and the float are checked retryAfter. */
  readonly shortageRetryDelay: Duration.Duration
  /** Until the chain is asked about a refund that only a person can help. */
  readonly reviewRetryDelay: Duration.Duration
  /** How long a worker that is stopped goes on with what it is at. */
  readonly drain: Duration.Duration
}

export const defaultRefundTiming: RefundTiming = {
  lease: Duration.seconds(120),
  validity: Duration.minutes(10),
  chainTimeout: Duration.seconds(10),
  settleTimeout: Duration.seconds(30),
  storeTimeout: Duration.seconds(5),
  proofRetryDelay: Duration.seconds(15),
  unknownRetryDelay: Duration.seconds(30),
  declinedRetryDelayMin: Duration.seconds(15),
  declinedRetryDelayMax: Duration.minutes(10),
  shortageRetryDelay: Duration.minutes(5),
  reviewRetryDelay: Duration.hours(1),
  drain: Duration.seconds(15),
}

/** Refunds worked on at once by one worker. */
const concurrency = 4
/** Refunds that each of these takes on in one sweep at most. */
const refundsPerFiberMax = 250
/** The shortest lease within which a chain and a facilitator can be asked. */
const leaseMin = Duration.seconds(20)
/** From before the first block: a signature counts at once. */
const validAfter = 0n
/** What a facilitator is told that a payer has; ours runs longer. */
const maxTimeoutSeconds = 120
/** Most refunds are signed, and have run out, within this long after they are owed. */
const lostSignatureSeconds = 20n * 60n
/** How far back a chain looks for the use of a signature at once; and how many such looks there are. */
const lookupSeconds = 30n * 60n
const lookupsMax = 2_000n
const doublingsMax = 16

/** The usual steps, made shorter as far as a shorter lease makes them: a lease outlasts its steps. */
export function scaledRefundTiming(wantedLease: Duration.Duration): RefundTiming {
  const base = defaultRefundTiming
  const lease = Duration.max(wantedLease, leaseMin)
  const share = Math.min(1, Duration.toMillis(lease) / Duration.toMillis(base.lease))
  return {
    ...base,
    lease,
    chainTimeout: Duration.times(base.chainTimeout, share),
    settleTimeout: Duration.times(base.settleTimeout, share),
    storeTimeout: Duration.times(base.storeTimeout, share),
  }
}

/** The ports and the options that work on a refund needs. */
interface Ports extends Required<RefundOptions> {
  readonly store: RefundStore["Service"]
  readonly chain: Chain["Service"]
  readonly facilitator: Facilitator["Service"]
  readonly signatures: Signatures["Service"]
  readonly treasury: Treasury["Service"]
}

const make = Effect.fnUntraced(function* (options: RefundOptions) {
  const { timing = defaultRefundTiming } = options
  const ports: Ports = {
    ...{ ...options, timing },
    store: storeWithDeadline("The refund store", yield* RefundStore, timing.storeTimeout),
    chain: yield* Chain,
    facilitator: yield* Facilitator,
    signatures: yield* Signatures,
    treasury: yield* Treasury,
  }
  const stopping = yield* Ref.make(false)
  const fibers = yield* FiberSet.make<RefundOutcome, never>()
  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      Ref.set(stopping, true),
      Effect.ignore(Effect.timeout(FiberSet.awaitEmpty(fibers), timing.drain)),
    )
  )

  /** Works on one refund in a fiber of this service: the caller may go, the work comes to its end. */
  const workOnNext = Effect.uninterruptibleMask(Effect.fnUntraced(function* (restore) {
    if (yield* Ref.get(stopping)) return Option.none()
    const [claim] = yield* ports.store.claimDue(timing.lease, 1)
    if (claim === undefined) return Option.none()
    if (Result.isFailure(claim)) return Option.some(yield* failedOutcome(claim.failure))
    const work = workOn(ports, claim.success)
    const fiber = yield* FiberSet.run(fibers, Effect.interruptible(work))
    return Option.some(yield* restore(Fiber.join(fiber)))
  }))

  const workUntilNoneIsDue = Effect.gen(function* () {
    const outcomes: Array<RefundOutcome> = []
    while (outcomes.length < refundsPerFiberMax) {
      const outcome = yield* workOnNext
      if (Option.isNone(outcome)) break
      outcomes.push(outcome.value)
    }
    return outcomes
  })

  const sweep = Effect.map(
    Effect.all(Array.from({ length: concurrency }, () => workUntilNoneIsDue), {
      concurrency: "unbounded",
    }),
    (outcomes) => outcomes.flat(),
  )

  return RefundWorker.of({ sweep })
})

/** Takes a claimed refund as far as it can be taken now. It never fails. */
function workOn(ports: Ports, refund: ClaimedRefund): Effect.Effect<RefundOutcome> {
  return readInputs(ports, refund).pipe(
    Effect.flatMap((inputs) => perform(ports, refund, inputs, nextAction(refund, inputs))),
    Effect.catchTag(
      "ChainUnavailable",
      ({ reason }) =>
        postpone(ports, refund, `chain unavailable: ${reason}`, ports.timing.unknownRetryDelay),
    ),
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) => failedOutcome(refund, cause),
    ),
  )
}

/** What becomes of a refund that cannot be worked on: its lease runs out, and it is claimed retryAfter. */
const failedOutcome = Effect.fnUntraced(
  function* (refund: ClaimedRefund | UnreadableRefund, cause: unknown = refund) {
    const { paymentId, state } = refund
    yield* Effect.annotateLogs(Effect.logError("Cannot work on a refund", cause), { paymentId })
    const to: RefundOutcome = {
      paymentId,
      from: state,
      to: state,
      reason: "defect",
      unchanged: false,
    }
    return to
  },
)

/** Everything the decision on a refund rests on, as the chain and the store show it now. */
const readInputs = Effect.fnUntraced(function* (ports: Ports, refund: ClaimedRefund) {
  const { token, payTo, caps, timing, store, chain, signatures, treasury } = ports
  const { chainId, asset, payer, paymentNonce, amount: value } = refund
  const identity = { chainId, asset, from: payer, nonce: paymentNonce }
  const nonce = signatures.refundNonce(identity)
  const nowSeconds = yield* epochSeconds
  const seen = yield* Effect.all({
    paymentProof: chain.paymentProof({
      ...{ ...identity, value, to: refund.payTo },
      validBefore: refund.paymentValidBefore,
      transactionHint: refund.paidTransaction,
    }),
    refundProof: chain.paymentProof({
      ...{ chainId, asset, value, nonce, from: treasury.address, to: payer },
      validBefore: refund.signed?.validBefore ?? lostSignatureExpiry(refund, nowSeconds),
      transactionHint: refund.transactionHint,
    }),
    treasuryBalance: chain.balanceOf(token.asset, treasury.address),
  }, { concurrency: "unbounded" }).pipe(withDeadline(timing.chainTimeout))
  if (Option.isNone(seen)) return yield* new ChainUnavailable({ reason: "no answer in time" })
  const paymentId = signatures.paymentId(identity)
  const blockRange = yield* blockRangeOf(ports)
  const expected = { ...token, payTo, treasury: treasury.address, blockRange, paymentId, nonce }
  const signedSums = yield* store.signedForOthers(refund.paymentId)
  return { expected, ...seen.value, nowSeconds, signedSums, caps } satisfies RefundInputs
})

/** The treasury's blockRange, which begins when the store first sees it. */
const blockRangeOf = Effect.fnUntraced(
  function* ({ token, payTo, timing, store, chain, treasury }: Ports) {
    const known = yield* store.blockRange(treasury.address)
    if (Option.isSome(known)) return known.value
    const query = { asset: token.asset, to: payTo, after: null }
    const head = yield* withDeadline(timing.chainTimeout)(chain.transfers(query))
    if (Option.isNone(head)) return yield* new ChainUnavailable({ reason: "no answer in time" })
    yield* store.addTreasury(treasury.address, head.value.through)
    return yield* Effect.orDie(
      Effect.flatMap(store.blockRange(treasury.address), Effect.fromOption),
    )
  },
)

function perform(ports: Ports, refund: ClaimedRefund, inputs: RefundInputs, action: Action) {
  switch (action.kind) {
    case "sign":
      return sign(ports, refund, inputs)
    case "relay":
      return relay(ports, refund, action.signed)
    case "confirm": {
      const { treasury, nonce } = inputs.expected
      return endLease(ports, refund, { event: "confirm", treasury, nonce, at: action.at })
    }
    case "cancel":
      return endLease(ports, refund, { event: "cancel", reason: action.reason })
    case "require_review": {
      const retryAfter = ports.timing.reviewRetryDelay
      return endLease(ports, refund, { event: "require_review", reason: action.reason, retryAfter })
    }
    case "wait": {
      // Why it is stuck is not forgotten.
      const reason = action.reason === "stuck" ? refund.lastReason ?? "stuck" : action.reason
      return postpone(ports, refund, reason, ports.timing[retryDelayByReason[action.reason]])
    }
  }
}

const sign = Effect.fnUntraced(
  function* (ports: Ports, refund: ClaimedRefund, inputs: RefundInputs) {
    const { token, caps, timing, store, treasury } = ports
    const { expected, nowSeconds } = inputs
    const until = nowSeconds + BigInt(Math.ceil(Duration.toSeconds(timing.validity)))
    // A clock that was set back must not bring an older signature's end.
    const validBefore = refund.signed === null || until > refund.signed.validBefore
      ? until
      : refund.signed.validBefore + 1n
    const unsigned = { treasury: expected.treasury, nonce: expected.nonce, validBefore }
    const signature = yield* treasury.sign(token, authorizationOf(refund, unsigned))
    const signed: RefundSignature = { ...unsigned, signature }
    const stored = yield* store.sign(refund, signed, caps)
    if (stored === "lost") return outcome(refund, refund.state, "lost")
    if (stored === "over_caps") {
      return yield* postpone(ports, refund, stored, timing.shortageRetryDelay)
    }
    const relayed = yield* relay(ports, { ...refund, state: "signed", signed }, signed)
    return { ...relayed, from: refund.state }
  },
)

/** Shows a stored signature to the facilitator. */
const relay = Effect.fnUntraced(
  function* (ports: Ports, refund: ClaimedRefund, signed: RefundSignature) {
    const { token, timing, facilitator } = ports
    const settlement = yield* facilitator.settle(requestOf(token, refund, signed)).pipe(
      withDeadline(timing.settleTimeout),
      Effect.map(Option.getOrElse((): SettleOutcome => noAnswer)),
      Effect.catchDefect(Effect.fnUntraced(function* (defect) {
        yield* Effect.logError("The facilitator's adapter failed", defect)
        return noAnswer
      })),
    )
    switch (settlement.outcome) {
      case "settled": {
        const { transaction: transactionHint } = settlement
        const retryAfter = timing.proofRetryDelay
        return yield* endLease(ports, refund, { event: "broadcast", transactionHint, retryAfter })
      }
      case "declined": {
        const retryAfter = declinedRetryDelay(timing, refund.attempts)
        return yield* postpone(ports, refund, `declined: ${settlement.reason}`, retryAfter, true)
      }
      case "unknown":
        return yield* postpone(
          ports,
          refund,
          `unknown: ${settlement.reason}`,
          timing.unknownRetryDelay,
        )
    }
  },
)

function postpone(
  ports: Ports,
  refund: ClaimedRefund,
  reason: string,
  retryAfter: Duration.Duration,
  declined = false,
) {
  return endLease(ports, refund, { event: "postpone", reason, retryAfter, declined })
}

/** Makes the move that ends this worker's lease. */
const endLease = Effect.fnUntraced(
  function* ({ store }: Ports, refund: ClaimedRefund, move: RefundMove) {
    const moved = yield* store.move(refund, move)
    if (!moved) return outcome(refund, refund.state, "lost")
    const to = move.event === "postpone"
      ? refund.state
      : Result.getOrThrow(refundStep(refund.state, move.event))
    return outcome(refund, to, "reason" in move ? move.reason : null)
  },
)

/**
 * When a signature would have run out that a store which came back from a backup has forgotten: at
 * first soon after the refund was owed, and with every further look half an hour later, until now. A
 * chain that does not find its use there can at least tell whether its nonce is used at all.
 */
function lostSignatureExpiry(
  { owedAtSeconds, fence }: Pick<ClaimedRefund, "owedAtSeconds" | "fence">,
  nowSeconds: bigint,
): bigint {
  const age = nowSeconds > owedAtSeconds ? nowSeconds - owedAtSeconds : 0n
  const lookups = age / lookupSeconds + 1n
  const lookup = BigInt(Math.max(fence - 1, 0)) % (lookups < lookupsMax ? lookups : lookupsMax)
  return owedAtSeconds + lostSignatureSeconds + lookup * lookupSeconds
}

/** How long a refund waits for what it waits for. */
const retryDelayByReason = {
  payment_not_safe: "proofRetryDelay",
  refund_not_safe: "proofRetryDelay",
  expiring: "proofRetryDelay",
  stuck: "reviewRetryDelay",
  over_caps: "shortageRetryDelay",
  float_too_low: "shortageRetryDelay",
  of_another_treasury: "shortageRetryDelay",
} as const satisfies Readonly<Record<WaitReason, keyof RefundTiming>>

/** Longer with every decline, within bounds. */
function declinedRetryDelay(timing: RefundTiming, attempts: number): Duration.Duration {
  const doubled = Duration.times(
    timing.declinedRetryDelayMin,
    2 ** Math.min(attempts, doublingsMax),
  )
  return Duration.min(doubled, timing.declinedRetryDelayMax)
}

const noAnswer: SettleOutcome = { outcome: "unknown", reason: "silence" }

const epochSeconds = Effect.map(Clock.currentTimeMillis, (ms) => BigInt(Math.floor(ms / 1_000)))

function outcome(
  { paymentId, state, lastReason }: ClaimedRefund,
  to: RefundState,
  reason: string | null,
): RefundOutcome {
  return { paymentId, from: state, to, reason, unchanged: state === to && reason === lastReason }
}

function authorizationOf(refund: ClaimedRefund, signed: Omit<RefundSignature, "signature">) {
  const { treasury: from, nonce, validBefore } = signed
  return { from, to: refund.payer, value: refund.amount, validAfter, validBefore, nonce }
}

/** A refund is a payment like any other, from us to its payer. */
function requestOf(
  token: TokenDomain,
  refund: ClaimedRefund,
  signed: RefundSignature,
): FacilitatorRequest {
  return {
    token,
    authorization: authorizationOf(refund, signed),
    signature: signed.signature,
    requirements: {
      scheme: "exact",
      network: `eip155:${token.chainId}`,
      amount: refund.amount.toString(),
      asset: token.asset,
      payTo: refund.payer,
      maxTimeoutSeconds,
      extra: { name: token.name, version: token.version },
    },
  }
}
