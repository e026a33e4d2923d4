/**
 * The refund worker: sweeps over what is owed, and takes each refund as far as it can be taken now.
 *
 * For each refund: claim it, ask the chain, decide, sign, relay. A signature is stored before it leaves
 * the worker; what a facilitator says is a hint; only the chain confirms. Whatever cannot be known now
 * (a chain that cannot be read, a facilitator without a clear answer) is asked again later.
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
  decide,
  type Evidence,
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

/** How long everything about a refund may take, and when it is worked on again. */
export interface RefundTiming {
  /** Longer than everything that one refund may wait for while it is worked on. */
  readonly lease: Duration.Duration
  /** How long a signature runs. */
  readonly validity: Duration.Duration
  readonly chainPatience: Duration.Duration
  readonly settlePatience: Duration.Duration
  readonly storePatience: Duration.Duration
  /** Until the chain is asked again whether a block is safe. */
  readonly proveAgain: Duration.Duration
  /** Until a facilitator or a chain without a clear answer is asked again. */
  readonly unknownAgain: Duration.Duration
  /** After the first decline; it doubles with every further one, up to the second. */
  readonly declinedAgainMin: Duration.Duration
  readonly declinedAgainMax: Duration.Duration
  /** Until caps and the float are checked again. */
  readonly shortAgain: Duration.Duration
  /** Until the chain is asked about a refund that only a person can help. */
  readonly stuckAgain: Duration.Duration
  /** How long a worker that is stopped goes on with what it is at. */
  readonly drain: Duration.Duration
}

export const defaultRefundTiming: RefundTiming = {
  lease: Duration.seconds(120),
  validity: Duration.minutes(10),
  chainPatience: Duration.seconds(10),
  settlePatience: Duration.seconds(30),
  storePatience: Duration.seconds(5),
  proveAgain: Duration.seconds(15),
  unknownAgain: Duration.seconds(30),
  declinedAgainMin: Duration.seconds(15),
  declinedAgainMax: Duration.minutes(10),
  shortAgain: Duration.minutes(5),
  stuckAgain: Duration.hours(1),
  drain: Duration.seconds(15),
}

/** Refunds worked on at once by one worker. */
const concurrency = 4
/** Refunds that each of these takes on in one sweep at most. */
const jobsMax = 250
/** The shortest lease within which a chain and a facilitator can be asked. */
const leaseMin = Duration.seconds(20)
/** From before the first block: a signature counts at once. */
const validAfter = 0n
/** What a facilitator is told that a payer has; ours runs longer. */
const maxTimeoutSeconds = 120
/** Most refunds are signed, and have run out, within this long after they are owed. */
const forgottenSeconds = 20n * 60n
/** How far back a chain looks for the use of a signature at once; and how many such looks there are. */
const lookSeconds = 30n * 60n
const looksMax = 2_000n
const doublingsMax = 16

/** The usual steps, made shorter as far as a shorter lease makes them: a lease outlasts its steps. */
export function refundTimingWithin(asked: Duration.Duration): RefundTiming {
  const usual = defaultRefundTiming
  const lease = Duration.max(asked, leaseMin)
  const share = Math.min(1, Duration.toMillis(lease) / Duration.toMillis(usual.lease))
  return {
    ...usual,
    lease,
    chainPatience: Duration.times(usual.chainPatience, share),
    settlePatience: Duration.times(usual.settlePatience, share),
    storePatience: Duration.times(usual.storePatience, share),
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
    store: storeWithDeadline("The refund store", yield* RefundStore, timing.storePatience),
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
  const next = Effect.uninterruptibleMask(Effect.fnUntraced(function* (restore) {
    if (yield* Ref.get(stopping)) return Option.none()
    const [claim] = yield* ports.store.claimDue(timing.lease, 1)
    if (claim === undefined) return Option.none()
    if (Result.isFailure(claim)) return Option.some(yield* defect(claim.failure))
    const work = workOn(ports, claim.success)
    const fiber = yield* FiberSet.run(fibers, Effect.interruptible(work))
    return Option.some(yield* restore(Fiber.join(fiber)))
  }))

  const several = Effect.gen(function* () {
    const outcomes: Array<RefundOutcome> = []
    while (outcomes.length < jobsMax) {
      const outcome = yield* next
      if (Option.isNone(outcome)) break
      outcomes.push(outcome.value)
    }
    return outcomes
  })

  const sweep = Effect.map(
    Effect.all(Array.from({ length: concurrency }, () => several), { concurrency: "unbounded" }),
    (outcomes) => outcomes.flat(),
  )

  return RefundWorker.of({ sweep })
})

/** Takes a claimed refund as far as it can be taken now. It never fails. */
function workOn(ports: Ports, refund: ClaimedRefund): Effect.Effect<RefundOutcome> {
  return evidenceOf(ports, refund).pipe(
    Effect.flatMap((evidence) => perform(ports, refund, evidence, decide(refund, evidence))),
    Effect.catchTag(
      "ChainUnavailable",
      ({ reason }) =>
        postpone(ports, refund, `chain unavailable: ${reason}`, ports.timing.unknownAgain),
    ),
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) => defect(refund, cause),
    ),
  )
}

/** What becomes of a refund that cannot be worked on: its lease runs out, and it is claimed again. */
const defect = Effect.fnUntraced(
  function* (refund: ClaimedRefund | UnreadableRefund, cause: unknown = refund) {
    const { paymentId, state } = refund
    yield* Effect.annotateLogs(Effect.logError("Cannot work on a refund", cause), { paymentId })
    const to: RefundOutcome = { paymentId, from: state, to: state, reason: "defect", known: false }
    return to
  },
)

/** Everything the decision on a refund rests on, as the chain and the store show it now. */
const evidenceOf = Effect.fnUntraced(function* (ports: Ports, refund: ClaimedRefund) {
  const { token, payTo, caps, timing, store, chain, signatures, treasury } = ports
  const { chainId, asset, payer, paymentNonce, amount: value } = refund
  const identity = { chainId, asset, from: payer, nonce: paymentNonce }
  const nonce = signatures.refundNonce(identity)
  const nowSeconds = yield* epochSeconds
  const seen = yield* Effect.all({
    payment: chain.paymentProof({
      ...{ ...identity, value, to: refund.payTo },
      validBefore: refund.paymentValidBefore,
      transactionHint: refund.paidTransaction,
    }),
    repaid: chain.paymentProof({
      ...{ chainId, asset, value, nonce, from: treasury.address, to: payer },
      validBefore: refund.signed?.validBefore ?? forgottenUntil(refund, nowSeconds),
      transactionHint: refund.transactionHint,
    }),
    float: chain.balanceOf(token.asset, treasury.address),
  }, { concurrency: "unbounded" }).pipe(withDeadline(timing.chainPatience))
  if (Option.isNone(seen)) return yield* new ChainUnavailable({ reason: "no answer in time" })
  const paymentId = signatures.paymentId(identity)
  const term = yield* termOf(ports)
  const own = { ...token, payTo, treasury: treasury.address, term, paymentId, nonce }
  const signed = yield* store.signedForOthers(refund.paymentId)
  return { own, ...seen.value, nowSeconds, signed, caps } satisfies Evidence
})

/** The treasury's term, which begins when the store first sees it. */
const termOf = Effect.fnUntraced(
  function* ({ token, payTo, timing, store, chain, treasury }: Ports) {
    const known = yield* store.term(treasury.address)
    if (Option.isSome(known)) return known.value
    const query = { asset: token.asset, to: payTo, after: null }
    const head = yield* withDeadline(timing.chainPatience)(chain.transfers(query))
    if (Option.isNone(head)) return yield* new ChainUnavailable({ reason: "no answer in time" })
    yield* store.enter(treasury.address, head.value.through)
    return yield* Effect.orDie(Effect.flatMap(store.term(treasury.address), Effect.fromOption))
  },
)

function perform(ports: Ports, refund: ClaimedRefund, evidence: Evidence, action: Action) {
  switch (action.act) {
    case "sign":
      return sign(ports, refund, evidence)
    case "relay":
      return relay(ports, refund, action.signed)
    case "confirm": {
      const { treasury, nonce } = evidence.own
      return end(ports, refund, { event: "confirm", treasury, nonce, at: action.at })
    }
    case "cancel":
      return end(ports, refund, { event: "cancel", reason: action.reason })
    case "stick": {
      const again = ports.timing.stuckAgain
      return end(ports, refund, { event: "stick", reason: action.reason, again })
    }
    case "wait": {
      // Keep the reason why it needs review.
      const reason = action.reason === "needs_review"
        ? refund.lastReason ?? "needs_review"
        : action.reason
      return postpone(ports, refund, reason, ports.timing[waits[action.reason]])
    }
  }
}

const sign = Effect.fnUntraced(function* (ports: Ports, refund: ClaimedRefund, evidence: Evidence) {
  const { token, caps, timing, store, treasury } = ports
  const { own, nowSeconds } = evidence
  const until = nowSeconds + BigInt(Math.ceil(Duration.toSeconds(timing.validity)))
  // A clock that was set back must not bring an older signature's end.
  const validBefore = refund.signed === null || until > refund.signed.validBefore
    ? until
    : refund.signed.validBefore + 1n
  const unsigned = { treasury: own.treasury, nonce: own.nonce, validBefore }
  const signature = yield* treasury.sign(token, authorizationOf(refund, unsigned))
  const signed: RefundSignature = { ...unsigned, signature }
  const stored = yield* store.sign(refund, signed, caps)
  if (stored === "lost") return outcome(refund, refund.state, "lost")
  if (stored === "over_caps") return yield* postpone(ports, refund, stored, timing.shortAgain)
  const relayed = yield* relay(ports, { ...refund, state: "signed", signed }, signed)
  return { ...relayed, from: refund.state }
})

/** Shows a stored signature to the facilitator. */
const relay = Effect.fnUntraced(
  function* (ports: Ports, refund: ClaimedRefund, signed: RefundSignature) {
    const { token, timing, facilitator } = ports
    const said = yield* facilitator.settle(requestOf(token, refund, signed)).pipe(
      withDeadline(timing.settlePatience),
      Effect.map(Option.getOrElse((): SettleOutcome => silence)),
      Effect.catchDefect(Effect.fnUntraced(function* (defect) {
        yield* Effect.logError("The facilitator's adapter failed", defect)
        return silence
      })),
    )
    switch (said.outcome) {
      case "settled": {
        const { transaction: transactionHint } = said
        const again = timing.proveAgain
        return yield* end(ports, refund, { event: "broadcast", transactionHint, again })
      }
      case "declined": {
        const again = declinedAgain(timing, refund.attempts)
        return yield* postpone(ports, refund, `declined: ${said.reason}`, again, true)
      }
      case "unknown":
        return yield* postpone(ports, refund, `unknown: ${said.reason}`, timing.unknownAgain)
    }
  },
)

function postpone(
  ports: Ports,
  refund: ClaimedRefund,
  reason: string,
  again: Duration.Duration,
  declined = false,
) {
  return end(ports, refund, { event: "postpone", reason, again, declined })
}

/** Makes the move that ends this worker's lease. */
const end = Effect.fnUntraced(
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
function forgottenUntil(
  { owedAtSeconds, fence }: Pick<ClaimedRefund, "owedAtSeconds" | "fence">,
  nowSeconds: bigint,
): bigint {
  const age = nowSeconds > owedAtSeconds ? nowSeconds - owedAtSeconds : 0n
  const looks = age / lookSeconds + 1n
  const look = BigInt(Math.max(fence - 1, 0)) % (looks < looksMax ? looks : looksMax)
  return owedAtSeconds + forgottenSeconds + look * lookSeconds
}

/** How long a refund waits for what it waits for. */
const waits = {
  payment_not_safe: "proveAgain",
  refund_not_safe: "proveAgain",
  expiring: "proveAgain",
  needs_review: "stuckAgain",
  over_caps: "shortAgain",
  float_too_low: "shortAgain",
  of_another_treasury: "shortAgain",
} as const satisfies Readonly<Record<WaitReason, keyof RefundTiming>>

/** Longer with every decline, within bounds. */
function declinedAgain(timing: RefundTiming, attempts: number): Duration.Duration {
  const doubled = Duration.times(timing.declinedAgainMin, 2 ** Math.min(attempts, doublingsMax))
  return Duration.min(doubled, timing.declinedAgainMax)
}

const silence: SettleOutcome = { outcome: "unknown", reason: "silence" }

const epochSeconds = Effect.map(Clock.currentTimeMillis, (ms) => BigInt(Math.floor(ms / 1_000)))

function outcome(
  { paymentId, state, lastReason }: ClaimedRefund,
  to: RefundState,
  reason: string | null,
): RefundOutcome {
  return { paymentId, from: state, to, reason, known: state === to && reason === lastReason }
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
