/**
 * The refund worker: processes each due refund as far as is possible now.
 *
 * For each refund: claim it, read the chain, choose the next action, sign, relay. A signature is
 * stored before it leaves the worker. The facilitator's response is a hint; only the chain
 * confirms. When something is unknown (an unavailable chain, an unclear response), the refund is
 * tried again later.
 *
 * @module
 */
import { Cause, Clock, Context, Duration, Effect, Layer, Metric, Option, Result } from "effect"
import type { Address, TokenDomain } from "../domain/payment.ts"
import {
  type Action,
  type Caps,
  nextAction,
  type QueueName,
  type Refund,
  type RefundInputs,
  type RefundOutcome,
  type RefundSignature,
  type RefundState,
  refundStep,
  type WaitReason,
} from "../domain/refund.ts"
import { Chain, inTime } from "../Chain.ts"
import { Facilitator, type FacilitatorRequest, type SettleOutcome } from "../Facilitator.ts"
import { type RefundMove, RefundStore, type UnreadableRefund } from "./RefundStore.ts"
import { inUsdc } from "../observedPorts.ts"
import { Signatures } from "../Signatures.ts"
import { scaled } from "../timing.ts"
import { Treasury } from "./Treasury.ts"
import { storeWithDeadline, withDeadline } from "../../core/deadline.ts"

export class RefundWorker extends Context.Service<RefundWorker, {
  /**
   * Processes all due refunds of a queue, updates the metrics of its caps, and returns the outcomes.
   * Any number of workers may sweep at once. Dies when the store fails. A refund whose worker stops is
   * claimed again when its lease expires.
   */
  readonly sweep: (queue: QueueName) => Effect.Effect<ReadonlyArray<RefundOutcome>>
}>()("bellwether/payments/RefundWorker") {
  static readonly layer = (options: RefundOptions) => Layer.effect(RefundWorker, make(options))
}

interface RefundOptions {
  /** The token to refund, and the payee of the payments. Refunds of anything else stay unpaid. */
  readonly token: TokenDomain
  readonly payTo: Address
  readonly caps: Readonly<Record<QueueName, Caps>>
  readonly timing?: RefundTiming
}

/** The timeouts of a refund's steps, and the delays before it is tried again. */
export const defaultRefundTiming = {
  /** Longer than all waits of one attempt together. */
  lease: Duration.seconds(120),
  /** How long a signature is valid. */
  validity: Duration.minutes(10),
  chainTimeout: Duration.seconds(10),
  settleTimeout: Duration.seconds(30),
  storeTimeout: Duration.seconds(5),
  /** Delay before the chain is read again for a safe block. */
  proofRetryDelay: Duration.seconds(15),
  /** Delay after an unclear response of the facilitator or the chain. */
  unknownRetryDelay: Duration.seconds(30),
  /** Delay after the first decline. It doubles with each further one, up to the maximum. */
  declinedRetryDelayMin: Duration.seconds(15),
  declinedRetryDelayMax: Duration.minutes(10),
  /** Delay before the caps and the treasury's balance are checked again. */
  shortageRetryDelay: Duration.minutes(5),
  /** Delay before the chain is read for a refund that needs review. */
  reviewRetryDelay: Duration.hours(1),
}
export type RefundTiming = Readonly<typeof defaultRefundTiming>

/** Concurrent refunds of one worker, by queue. */
const concurrency: Readonly<Record<QueueName, number>> = { sales: 4, unmatched: 1 }
/** Maximum number of refunds per fiber and sweep. */
const refundsPerFiberMax = 250
/** The shortest lease that leaves time to call the chain and the facilitator. */
const leaseMin = Duration.seconds(20)
/** The start of a signature's validity: it is valid at once. */
const validAfter = 0n
/** The timeout in the payment requirements; our signatures are valid for longer. */
const maxTimeoutSeconds = 120
const doublingsMax = 16

/** The timing of refunds for a given lease. */
export const scaledRefundTiming = (lease: Duration.Duration): RefundTiming =>
  scaled(defaultRefundTiming, Duration.max(lease, leaseMin), [
    "chainTimeout",
    "settleTimeout",
    "storeTimeout",
  ])

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
    ...options,
    timing,
    store: storeWithDeadline("The refund store", yield* RefundStore, timing.storeTimeout),
    chain: yield* Chain,
    facilitator: yield* Facilitator,
    signatures: yield* Signatures,
    treasury: yield* Treasury,
  }
  // A claim that fails does not interrupt the refunds of the other fibers: each ends first.
  const sweep = (queue: QueueName) =>
    Effect.all(
      Array.from(
        { length: concurrency[queue] },
        () => Effect.exit(processUntilNoneIsDue(ports, queue)),
      ),
      { concurrency: "unbounded" },
    ).pipe(
      Effect.flatMap(Effect.all),
      Effect.map((outcomes) => outcomes.flat()),
      Effect.tap(measureCaps(ports.store, queue, ports.caps[queue])),
    )
  return RefundWorker.of({ sweep })
})

/** Processes due refunds, one after the other. */
const processUntilNoneIsDue = Effect.fnUntraced(function* (ports: Ports, queue: QueueName) {
  const outcomes: Array<RefundOutcome> = []
  while (outcomes.length < refundsPerFiberMax) {
    const [claim] = yield* ports.store.claimDue(queue, ports.timing.lease, 1)
    if (claim === undefined) break
    const work = Result.isSuccess(claim)
      ? processRefund(ports, claim.success)
      : failedOutcome(claim.failure)
    outcomes.push(yield* work)
  }
  return outcomes
})

const capUsed = Metric.gauge("refund_cap_used_usdc", {
  description: "Refunds signed in the last hour or day, in USDC, by window and queue",
})
const cap = Metric.gauge("refund_cap_usdc", {
  description: "The most that is refunded in an hour or a day, in USDC, by window and queue",
})

/**
 * Updates the gauges of a queue's caps: here, because the service's login cannot read when a refund was
 * signed.
 */
const measureCaps = Effect.fnUntraced(
  function* (store: RefundStore["Service"], queue: QueueName, caps: Caps) {
    const sums = yield* store.signedSums(queue, caps, null)
    const windows = [
      ["hour", sums.lastHour, caps.perHour],
      ["day", sums.lastDay, caps.perDay],
    ] as const
    for (const [window, used, max] of windows) {
      const labels = { window, queue }
      yield* Metric.update(Metric.withAttributes(capUsed, labels), inUsdc(used))
      yield* Metric.update(Metric.withAttributes(cap, labels), inUsdc(max))
    }
  },
)

/** Processes a claimed refund as far as is possible now. Never fails. */
function processRefund(ports: Ports, refund: Refund): Effect.Effect<RefundOutcome> {
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

/** The outcome of a refund that cannot be processed. Its lease expires, and it is claimed again. */
const failedOutcome = Effect.fnUntraced(
  function* (refund: Refund | UnreadableRefund, cause: unknown = refund) {
    const { paymentId, state } = refund
    yield* Effect.annotateLogs(Effect.logError("Cannot process a refund", cause), { paymentId })
    const failed: RefundOutcome = {
      paymentId,
      from: state,
      to: state,
      reason: "defect",
      unchanged: false,
    }
    return failed
  },
)

/** Reads from the chain and the store everything that `nextAction` needs. */
const readInputs = Effect.fnUntraced(function* (ports: Ports, refund: Refund) {
  const { token, payTo, timing, store, chain, signatures, treasury } = ports
  const caps = ports.caps[refund.queue]
  const { chainId, asset, payer, paymentNonce, amount: value } = refund
  const identity = { chainId, asset, from: payer, nonce: paymentNonce }
  const nonce = signatures.refundNonce(identity)
  const nowSeconds = yield* epochSeconds
  const readProofs = Effect.gen(function* () {
    const paymentProof = yield* chain.paymentProof({
      ...identity,
      value,
      to: refund.payTo,
      validBefore: refund.paymentValidBefore,
      transactionHint: refund.paidTransaction,
    })
    const refundProof = yield* chain.paymentProof({
      chainId,
      asset,
      value,
      nonce,
      from: treasury.address,
      to: payer,
      validBefore: refund.signed?.validBefore ?? nowSeconds,
      // A store that was restored from a backup may have lost the row or its signature.
      ...(paymentProof.proof === "paid" ? { since: paymentProof.at.block } : {}),
      transactionHint: refund.transactionHint,
    })
    return { paymentProof, refundProof }
  })
  const readBalance = chain.balanceOf(token.asset, treasury.address)
  const reads = Effect.all([readProofs, readBalance], { concurrency: "unbounded" })
  const [proofs, treasuryBalance] = yield* inTime(timing.chainTimeout)(reads)
  const paymentId = signatures.paymentId(identity)
  const blockRange = yield* blockRangeOf(ports)
  const expected = { ...token, payTo, treasury: treasury.address, blockRange, paymentId, nonce }
  const signedSums = yield* store.signedSums(refund.queue, caps, refund.paymentId)
  const reserved = refund.queue === "sales" ? 0n : yield* store.reserved(refund.paymentId)
  const sums = { reserved, signedSums, caps }
  return { expected, ...proofs, treasuryBalance, nowSeconds, ...sums } satisfies RefundInputs
})

/** The treasury's block range. A new treasury is added at the current safe block. */
const blockRangeOf = Effect.fnUntraced(
  function* ({ timing, store, chain, treasury }: Ports) {
    const known = yield* store.blockRange(treasury.address)
    if (Option.isSome(known)) return known.value
    const { safeNumber } = yield* inTime(timing.chainTimeout)(chain.head)
    yield* store.addTreasury(treasury.address, safeNumber)
    return yield* Effect.orDie(
      Effect.flatMap(store.blockRange(treasury.address), Effect.fromOption),
    )
  },
)

function perform(ports: Ports, refund: Refund, inputs: RefundInputs, action: Action) {
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
      // The original reason stays in the row.
      const reason = action.reason === "needs_review"
        ? refund.lastReason ?? "needs_review"
        : action.reason
      return postpone(ports, refund, reason, ports.timing[retryDelayByReason[action.reason]])
    }
  }
}

const sign = Effect.fnUntraced(
  function* (ports: Ports, refund: Refund, inputs: RefundInputs) {
    const { token, timing, store, treasury } = ports
    const { expected, nowSeconds, caps } = inputs
    const until = nowSeconds + BigInt(Math.ceil(Duration.toSeconds(timing.validity)))
    // Each new signature must expire later than the one before, even when the clock was set back.
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

/** Sends a stored signature to the facilitator. */
const relay = Effect.fnUntraced(
  function* (ports: Ports, refund: Refund, signed: RefundSignature) {
    const { token, timing, facilitator } = ports
    const settlement = yield* facilitator.settle(requestOf(token, refund, signed)).pipe(
      withDeadline(timing.settleTimeout),
      Effect.map(Option.getOrElse((): SettleOutcome => noResponse)),
      Effect.catchDefect(Effect.fnUntraced(function* (defect) {
        yield* Effect.logError("The facilitator's adapter failed", defect)
        return noResponse
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
  refund: Refund,
  reason: string,
  retryAfter: Duration.Duration,
  declined = false,
) {
  return endLease(ports, refund, { event: "postpone", reason, retryAfter, declined })
}

const endLease = Effect.fnUntraced(
  function* ({ store }: Ports, refund: Refund, move: RefundMove) {
    const moved = yield* store.move(refund, move)
    if (!moved) return outcome(refund, refund.state, "lost")
    const to = move.event === "postpone"
      ? refund.state
      : Result.getOrThrow(refundStep(refund.state, move.event))
    return outcome(refund, to, "reason" in move ? move.reason : null)
  },
)

/** The delay for each reason to wait. */
const retryDelayByReason = {
  payment_not_safe: "proofRetryDelay",
  refund_not_safe: "proofRetryDelay",
  expiring: "proofRetryDelay",
  needs_review: "reviewRetryDelay",
  over_caps: "shortageRetryDelay",
  float_too_low: "shortageRetryDelay",
  of_another_treasury: "shortageRetryDelay",
} as const satisfies Readonly<Record<WaitReason, keyof RefundTiming>>

function declinedRetryDelay(timing: RefundTiming, attempts: number): Duration.Duration {
  const doubled = Duration.times(
    timing.declinedRetryDelayMin,
    2 ** Math.min(attempts, doublingsMax),
  )
  return Duration.min(doubled, timing.declinedRetryDelayMax)
}

const noResponse: SettleOutcome = { outcome: "unknown", reason: "silence" }

const epochSeconds = Effect.map(Clock.currentTimeMillis, (ms) => BigInt(Math.floor(ms / 1_000)))

function outcome(
  { paymentId, state, lastReason }: Refund,
  to: RefundState,
  reason: string | null,
): RefundOutcome {
  return { paymentId, from: state, to, reason, unchanged: state === to && reason === lastReason }
}

function authorizationOf(refund: Refund, signed: Omit<RefundSignature, "signature">) {
  const { treasury: from, nonce, validBefore } = signed
  return { from, to: refund.payer, value: refund.amount, validAfter, validBefore, nonce }
}

/** To the facilitator a refund is an ordinary payment from us to the payer. */
function requestOf(
  token: TokenDomain,
  refund: Refund,
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
