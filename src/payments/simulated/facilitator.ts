/**
 * A facilitator and a chain for play money, with real signatures, the contract's rules and one
 * ledger.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer, Option, Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { Chain } from "../Chain.ts"
import {
  Facilitator,
  type FacilitatorRequest,
  type SettleOutcome,
  type VerifyOutcome,
} from "../Facilitator.ts"
import { Signatures } from "../Signatures.ts"
import type { PaidAt, PaymentProof } from "../domain/payment.ts"
import { layerStore, Ledger } from "./ledger.ts"

/** The faults of the calls that the current fiber makes, as a test trigger asks for them. */
export const CallFaults = Context.Reference<{
  /** The outcome of a verification, which is then not made. */
  readonly verify: VerifyOutcome | null
  /**
   * A settlement says nothing, and `unclearFor` later the payment is taken (`late_broadcast`) or its
   * payer cancels the authorization (`late_cancellation`).
   */
  readonly settle: "late_broadcast" | "late_cancellation" | null
  readonly unclearFor: Duration.Duration
}>("bellwether/payments/CallFaults", {
  defaultValue: () => ({ verify: null, settle: null, unclearFor: Duration.zero }),
})

const secondsPerBlock = 2n
/** A transfer is stored shortly after its block time, so the newest blocks may be incomplete. */
const completeAfterBlocks = 5n

/**
 * Facilitator and chain on the given ledger. A transfer is safe this many seconds after its block.
 */
export const layerLedger = (
  safeAfterSeconds = 0,
): Layer.Layer<Facilitator | Chain, never, Ledger | Signatures> =>
  Layer.effectContext(Effect.gen(function* () {
    const ledger = yield* Ledger
    const signatures = yield* Signatures
    const scope = yield* Scope.Scope
    return Context.mergeAll(
      Context.make(Facilitator, facilitator({ ledger, signatures }, scope)),
      Context.make(Chain, chain(ledger, BigInt(safeAfterSeconds))),
    )
  }))

/** Facilitator and chain on the ledger in the store. */
export const layer: Layer.Layer<Facilitator | Chain, never, SqlClient | Signatures> = layerLedger()
  .pipe(Layer.provide(layerStore))

interface Ports {
  readonly ledger: Ledger["Service"]
  readonly signatures: Signatures["Service"]
}

/**
 * Why a request is invalid in itself; null when it is valid. Only the ledger knows whether it can
 * be paid.
 */
const requestFaultOf = Effect.fnUntraced(function* (
  { signatures }: Ports,
  request: FacilitatorRequest,
) {
  const { token, authorization, signature, requirements } = request
  const now = yield* nowSeconds
  const signer = yield* signatures.signer(token, authorization, signature)
  if (Option.getOrNull(signer) !== authorization.from) return "invalid_exact_evm_signature"
  if (authorization.value.toString() !== requirements.amount) return "invalid_exact_evm_value"
  if (authorization.validAfter >= now) return "invalid_exact_evm_valid_after"
  return authorization.validBefore <= now ? "invalid_exact_evm_valid_before" : null
})

/** Why the ledger would refuse the transfer; null when it would not. */
const ledgerFaultOf = Effect.fnUntraced(function* (
  { ledger }: Ports,
  { token, authorization }: FacilitatorRequest,
) {
  const { from, nonce, value } = authorization
  // Read first: what uses the nonce in between reduces it.
  const balance = yield* ledger.balance(from)
  if (Option.isSome(yield* ledger.used(token.asset, from, nonce))) return "authorization_used"
  return balance < value ? "insufficient_funds" : null
})

/** Writes a payment to the ledger, unless it is invalid. */
const broadcastTo = Effect.fnUntraced(function* (ports: Ports, request: FacilitatorRequest) {
  const { ledger } = ports
  const { from, to, value, nonce } = request.authorization
  const { asset } = request.token
  const reason = yield* requestFaultOf(ports, request)
  if (reason !== null) return declined(reason)
  const transaction = transactionOf(ports, request)
  const blockTime = yield* nowSeconds
  const outcome = yield* ledger.transfer({
    asset,
    from,
    to,
    value,
    nonce,
    transaction,
    blockTime,
  })
  return outcome === "transferred"
    ? { outcome: "settled", transaction } satisfies SettleOutcome
    : declined(outcome)
})

/** Cancels the authorization of a payment, as its payer may do on the chain. */
const cancelOn = Effect.fnUntraced(function* (ports: Ports, request: FacilitatorRequest) {
  const { token: { asset }, authorization: { from, nonce } } = request
  const transaction = transactionOf(ports, request)
  yield* ports.ledger.cancel({ asset, from, nonce, transaction, blockTime: yield* nowSeconds })
})

const transactionOf = (
  { signatures }: Ports,
  { token: { asset }, authorization: { from, nonce } }: FacilitatorRequest,
) => signatures.digest(`simulated:${asset}:${from}:${nonce}`)

function facilitator(ports: Ports, scope: Scope.Scope): Facilitator["Service"] {
  const verify = Effect.fnUntraced(function* (
    request: FacilitatorRequest,
  ): Effect.fn.Return<VerifyOutcome> {
    const fault = (yield* CallFaults).verify
    if (fault !== null) return fault
    const reason = (yield* requestFaultOf(ports, request)) ??
      (yield* ledgerFaultOf(ports, request))
    return reason === null ? { outcome: "valid" } : { outcome: "invalid", reason }
  })

  const settle = Effect.fnUntraced(function* (
    request: FacilitatorRequest,
  ): Effect.fn.Return<SettleOutcome> {
    const { settle: fault, unclearFor } = yield* CallFaults
    if (fault === null) return yield* broadcastTo(ports, request)
    const end = fault === "late_broadcast" ? broadcastTo(ports, request) : cancelOn(ports, request)
    yield* Effect.forkIn(Effect.delay(end, unclearFor), scope)
    return { outcome: "unknown", reason: fault, unanswered: true }
  })

  return Facilitator.of({ name: "simulated", verify, settle })
}

function chain(ledger: Ledger["Service"], safeAfterSeconds: bigint): Chain["Service"] {
  const safeTime = Effect.map(nowSeconds, (now) => now - safeAfterSeconds)

  const paymentProof: Chain["Service"]["paymentProof"] = Effect.fnUntraced(function* (expected) {
    const safe = yield* safeTime
    const found = yield* ledger.used(expected.asset, expected.from, expected.nonce)
    return Option.match(found, {
      onNone: () => safe > expected.validBefore ? never("expired") : notYet,
      onSome: ({ transfer, transaction, blockTime }): PaymentProof => {
        const isSafe = blockTime <= safe
        if (transfer?.to !== expected.to || transfer.value !== expected.value) {
          return isSafe ? never("spent_elsewhere") : notYet
        }
        const finality = isSafe ? "safe" : "latest"
        return { proof: "paid", at: paidAtOf(transaction, blockTime, finality) }
      },
    })
  })

  const transfers: Chain["Service"]["transfers"] = Effect.fnUntraced(function* (query) {
    const { asset, to, after } = query
    const through = (yield* safeTime) / secondsPerBlock - completeAfterBlocks
    if (through <= after) return { transfers: [], through: after }
    const made = yield* ledger.transfersTo({
      asset,
      to,
      after: lastSecondOf(after),
      through: lastSecondOf(through),
    })
    return {
      transfers: made.map(({ from, to, value, nonce, transaction, blockTime }) => ({
        from,
        to,
        value,
        nonce,
        at: paidAtOf(transaction, blockTime, "safe"),
      })),
      through,
    }
  })

  return Chain.of({
    head: Effect.zipWith(nowSeconds, safeTime, headAt),
    paymentProof,
    transfers,
    isNonceUsed: (asset, from, nonce) => Effect.map(ledger.used(asset, from, nonce), Option.isSome),
    // The ledger does not credit recipients, so what was received is added: the treasury needs it
    // for refunds.
    balanceOf: (_asset, holder) =>
      Effect.zipWith(ledger.balance(holder), ledger.received(holder), (left, got) => left + got),
    hasCode: () => Effect.succeed(false),
    wouldSettle: () => Effect.succeed(true),
  })
}

const headAt = (now: bigint, safeTime: bigint) => ({
  number: now / secondsPerBlock,
  timestamp: now,
  safeNumber: safeTime / secondsPerBlock - completeAfterBlocks,
})

const lastSecondOf = (block: bigint) => (block + 1n) * secondsPerBlock - 1n

function paidAtOf(transaction: string, blockTime: bigint, finality: PaidAt["finality"]): PaidAt {
  return { transaction, block: blockTime / secondsPerBlock, logIndex: 0, finality }
}

const nowSeconds = Effect.map(Clock.currentTimeMillis, (ms) => BigInt(Math.floor(ms / 1_000)))

const notYet: PaymentProof = { proof: "not_yet" }

const never = (reason: "expired" | "spent_elsewhere"): PaymentProof => ({ proof: "never", reason })

const declined = (reason: string): SettleOutcome => ({ outcome: "declined", reason })
