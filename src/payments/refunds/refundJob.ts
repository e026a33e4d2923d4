/**
 * One refund, worked on once: prove, decide, sign, relay.
 *
 * A signature is stored before anybody sees it; what a facilitator says is a hint; only the chain
 * confirms. Whatever cannot be known now (a chain that cannot be read, a facilitator that says nothing
 * clear) is asked again later.
 *
 * @module
 */
import { Cause, Clock, Duration, Effect, Option } from "effect"
import type { Address, TokenDomain } from "../domain/payment.ts"
import {
  type Action,
  type Caps,
  decide,
  type Evidence,
  refundReaches,
  type RefundState,
} from "../domain/refund.ts"
import { Chain, ChainUnavailable } from "../Chain.ts"
import { Facilitator, type FacilitatorRequest, type SettleOutcome } from "../Facilitator.ts"
import {
  type ClaimedRefund,
  type RefundMove,
  type RefundSignature,
  RefundStore,
} from "./RefundStore.ts"
import { declinedAgain, defaultRefundTiming, type RefundTiming, waitFor } from "./refundTiming.ts"
import { Signatures } from "../Signatures.ts"
import { Treasury } from "./Treasury.ts"
import { withDeadline } from "../../core/deadline.ts"

/** What was done to one refund. */
export interface RefundOutcome {
  readonly paymentId: string
  readonly from: RefundState
  /** Where it was left, as far as this worker knows: another one may hold it by now. */
  readonly to: RefundState
  /** Why it did not come to its end yet; null when nothing is in its way. */
  readonly reason: string | null
  /** True when nothing was different the last time. */
  readonly known: boolean
}

export interface RefundOptions {
  /** What is refunded, and whom it was paid to: refunds of anything else are nobody's. */
  readonly token: TokenDomain
  readonly payTo: Address
  readonly caps: Caps
  readonly timing?: RefundTiming
}

/** From before the first block: a signature counts at once. */
const validAfter = 0n

/** Makes what takes a claimed refund as far as it can be taken now. It never fails. */
export const refundJob = Effect.fnUntraced(function* (options: RefundOptions) {
  const { token, payTo, caps, timing = defaultRefundTiming } = options
  const store = yield* RefundStore
  const chain = yield* Chain
  const facilitator = yield* Facilitator
  const signatures = yield* Signatures
  const treasury = yield* Treasury
  const prompt = promptly(timing.storePatience)

  const term = Effect.suspend(() => prompt(store.term(treasury.address)))
  /** The treasury's term, which begins when the store first sees it. */
  const termFrom = Effect.gen(function* () {
    const known = yield* term
    if (Option.isSome(known)) return known.value
    const query = { asset: token.asset, to: payTo, after: null }
    const head = yield* withDeadline(timing.chainPatience)(chain.transfers(query))
    if (Option.isNone(head)) return yield* new ChainUnavailable({ reason: "no answer in time" })
    yield* prompt(store.enter(treasury.address, head.value.through))
    return yield* Effect.orDie(Effect.flatMap(term, Effect.fromOption))
  })

  const evidenceOf = Effect.fnUntraced(function* (refund: ClaimedRefund) {
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
        validBefore: refund.validBefore ?? forgottenUntil(refund, nowSeconds),
        transactionHint: refund.transactionHint,
      }),
      float: chain.balanceOf(token.asset, treasury.address),
    }, { concurrency: "unbounded" }).pipe(withDeadline(timing.chainPatience))
    if (Option.isNone(seen)) return yield* new ChainUnavailable({ reason: "no answer in time" })
    const paymentId = signatures.paymentId(identity)
    const term = yield* termFrom
    const own = { ...token, payTo, treasury: treasury.address, term, paymentId, nonce }
    const signed = yield* prompt(store.signedBeside(refund.paymentId))
    return { own, ...seen.value, nowSeconds, signed, caps } satisfies Evidence
  })

  /** Makes the move that ends this worker's turn. */
  const end = Effect.fnUntraced(function* (refund: ClaimedRefund, move: RefundMove) {
    const moved = yield* prompt(store.move(refund, move))
    if (!moved) return outcome(refund, refund.state, "lost")
    const to = move.event === "postpone" ? refund.state : refundReaches[move.event]
    return outcome(refund, to, "reason" in move ? move.reason : null)
  })

  const postpone = (
    refund: ClaimedRefund,
    reason: string,
    again: Duration.Duration,
    declined = false,
  ) => end(refund, { event: "postpone", reason, again, declined })

  const relay = Effect.fnUntraced(function* (refund: ClaimedRefund, signed: RefundSignature) {
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
        return yield* end(refund, { event: "broadcast", transactionHint, again: timing.proveAgain })
      }
      case "declined":
        return yield* postpone(
          refund,
          `declined: ${said.reason}`,
          declinedAgain(timing, refund.attempts),
          true,
        )
      case "unknown":
        return yield* postpone(refund, `unknown: ${said.reason}`, timing.unknownAgain)
    }
  })

  const sign = Effect.fnUntraced(function* (refund: ClaimedRefund, { own, nowSeconds }: Evidence) {
    const until = nowSeconds + BigInt(Math.ceil(Duration.toSeconds(timing.validity)))
    // A clock that was set back must not bring an older signature's end.
    const validBefore = refund.validBefore === null || until > refund.validBefore
      ? until
      : refund.validBefore + 1n
    const unsigned = { treasury: own.treasury, nonce: own.nonce, validBefore }
    const signature = yield* treasury.sign(token, authorizationOf(refund, unsigned))
    const signed: RefundSignature = { ...unsigned, signature }
    const stored = yield* prompt(store.sign(refund, signed, caps))
    if (stored === "lost") return outcome(refund, refund.state, "lost")
    if (stored === "over_caps") return yield* postpone(refund, stored, timing.shortAgain)
    return { ...(yield* relay({ ...refund, state: "signed" }, signed)), from: refund.state }
  })

  const perform = (refund: ClaimedRefund, evidence: Evidence, action: Action) => {
    switch (action.act) {
      case "sign":
        return sign(refund, evidence)
      case "relay": {
        const { treasury, nonce, validBefore, signature } = refund
        return treasury === null || nonce === null || validBefore === null || signature === null
          ? Effect.die("A refund is out that was never signed")
          : relay(refund, { treasury, nonce, validBefore, signature })
      }
      case "confirm": {
        const { treasury, nonce } = evidence.own
        return end(refund, { event: "confirm", treasury, nonce, at: action.at })
      }
      case "cancel":
        return end(refund, { event: "cancel", reason: action.reason })
      case "stick":
        return end(refund, { event: "stick", reason: action.reason, again: timing.stuckAgain })
      case "wait":
        return postpone(
          refund,
          // Why it is stuck is not forgotten.
          action.reason === "stuck" ? refund.lastReason ?? action.reason : action.reason,
          waitFor(timing, action.reason),
        )
    }
  }

  return (refund: ClaimedRefund): Effect.Effect<RefundOutcome> =>
    evidenceOf(refund).pipe(
      Effect.flatMap((evidence) => perform(refund, evidence, decide(refund, evidence))),
      Effect.catchTag("ChainUnavailable", ({ reason }) =>
        postpone(refund, `chain unavailable: ${reason}`, timing.unknownAgain)),
      // Its lease runs out, and somebody tries again.
      Effect.catchCauseIf(
        (cause) =>
          !Cause.hasInterruptsOnly(cause),
        Effect.fnUntraced(function* (cause) {
          const { paymentId } = refund
          yield* Effect.annotateLogs(Effect.logError("Cannot work on a refund", cause), {
            paymentId,
          })
          return outcome(refund, refund.state, "defect")
        }),
      ),
    )
})

/** Most refunds are signed, and have run out, within this long after they are owed. */
const forgottenSeconds = 20n * 60n
/** How far back a chain looks for the use of a signature at once; and how many such looks there are. */
const lookSeconds = 30n * 60n
const looksMax = 2_000n

/**
 * When a signature would have run out that a store which came back from a backup has forgotten: at
 * first soon after the refund was owed, and with every further look half an hour later, until now. A
 * chain that does not find its use there tells at least whether its nonce is used at all.
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

/** A refund is a payment like any other, from us to the one who paid. */
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

/** What a facilitator is told that a payer has; ours runs longer. */
const maxTimeoutSeconds = 120

/** An answer of the store in time, or none at all. */
const promptly = (patience: Duration.Duration) => <A>(effect: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.flatMap(
    withDeadline(patience)(effect),
    Option.match({
      onNone: () => Effect.die("The refund store does not answer"),
      onSome: (value) => Effect.succeed(value),
    }),
  )
