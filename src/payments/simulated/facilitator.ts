/**
 * A facilitator and a chain for play money, with real signatures, the contract's rules and one
 * ledger. Tests can make both fail in the ways that real ones do.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer, Option, Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { Chain, ChainUnavailable } from "../Chain.ts"
import {
  Facilitator,
  type FacilitatorRequest,
  type SettleOutcome,
  type VerifyOutcome,
} from "../Facilitator.ts"
import { Signatures } from "../Signatures.ts"
import type { PaidAt, PaymentProof } from "../domain/payment.ts"
import { layerStore, Ledger } from "./ledger.ts"

/** Faults that real facilitators have shown. */
export type Misbehaviour =
  | "success_without_transaction"
  | "failure_after_broadcast"
  | "double_broadcast"
  | "late_broadcast"
  | "error_after_broadcast"
  | "html"
  | "garbage"
  | "silence"
  | "silence_after_broadcast"

/** The faults of the calls that the current fiber makes; they come before those of the options. */
export const CallFaults = Context.Reference<{
  readonly verify: Misbehaviour | "refusal" | null
  /** `late_cancellation`: the payer cancels the authorization, and the call says nothing. */
  readonly settle: Misbehaviour | "late_cancellation" | null
  /** The delay of a late broadcast or cancellation; null for that of the options. */
  readonly late: Duration.Duration | null
}>("bellwether/payments/CallFaults", {
  defaultValue: () => ({ verify: null, settle: null, late: null }),
})

export interface SimulationOptions {
  /** The duration of every call. */
  readonly delay?: Duration.Duration
  /** The delay of a late broadcast or cancellation. */
  readonly late?: Duration.Duration
  /** The fault of the next call; null or absent for none. */
  readonly misbehave?: (call: "verify" | "settle") => Misbehaviour | null
  /** True while the chain cannot be read. */
  readonly chainDown?: () => boolean
  /** True while the chain accepts requests and never responds. */
  readonly chainSilent?: () => boolean
  /** How many seconds after its block a transfer is safe. */
  readonly safeAfterSeconds?: number
}

const secondsPerBlock = 2n
/** A transfer is stored shortly after its block time, so the newest blocks may be incomplete. */
const completeAfterBlocks = 5n

/** Facilitator and chain on the given ledger. */
export const layerLedger = (
  options: SimulationOptions = {},
): Layer.Layer<Facilitator | Chain, never, Ledger | Signatures> =>
  Layer.effectContext(Effect.gen(function* () {
    const ledger = yield* Ledger
    const signatures = yield* Signatures
    const scope = yield* Scope.Scope
    return Context.mergeAll(
      Context.make(Facilitator, facilitator({ ledger, signatures }, scope, options)),
      Context.make(Chain, chain(ledger, options)),
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
  const { used, balance } = yield* ledger.nonceAndBalance(token.asset, from, nonce)
  if (used) return "authorization_used"
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

function facilitator(
  ports: Ports,
  scope: Scope.Scope,
  { delay = Duration.zero, late = Duration.seconds(5), misbehave = () => null }: SimulationOptions,
): Facilitator["Service"] {
  const pause = Duration.isZero(delay) ? Effect.void : Effect.sleep(delay)
  const broadcast = (request: FacilitatorRequest) => broadcastTo(ports, request)

  const settle = Effect.fnUntraced(function* (
    request: FacilitatorRequest,
  ): Effect.fn.Return<SettleOutcome> {
    yield* pause
    const faults = yield* CallFaults
    const misbehaviour = faults.settle ?? misbehave("settle")
    const soon = <A>(effect: Effect.Effect<A>) =>
      Effect.forkIn(Effect.delay(effect, faults.late ?? late), scope)
    switch (misbehaviour) {
      case null:
        return yield* broadcast(request)
      case "success_without_transaction":
        return { outcome: "settled", transaction: `0x${"00".repeat(32)}` }
      case "failure_after_broadcast":
        return yield* Effect.as(broadcast(request), declined("transaction_failed"))
      case "double_broadcast":
        return yield* Effect.andThen(broadcast(request), broadcast(request))
      case "late_broadcast":
        yield* soon(broadcast(request))
        return unknown(misbehaviour)
      case "late_cancellation":
        yield* soon(cancelOn(ports, request))
        return unknown(misbehaviour)
      case "error_after_broadcast":
        return yield* Effect.as(broadcast(request), unknown(misbehaviour))
      case "html":
      case "garbage":
        return unknown(misbehaviour)
      case "silence":
        return yield* Effect.never
      case "silence_after_broadcast":
        return yield* Effect.andThen(broadcast(request), Effect.never)
    }
  })

  const verify = Effect.fnUntraced(function* (
    request: FacilitatorRequest,
  ): Effect.fn.Return<VerifyOutcome> {
    yield* pause
    const misbehaviour = (yield* CallFaults).verify ?? misbehave("verify")
    if (misbehaviour === "silence" || misbehaviour === "silence_after_broadcast") {
      return yield* Effect.never
    }
    if (misbehaviour === "success_without_transaction") return { outcome: "valid" }
    if (misbehaviour === "refusal") return { outcome: "invalid", reason: "insufficient_funds" }
    if (misbehaviour !== null) return unknown(misbehaviour)
    const reason = (yield* requestFaultOf(ports, request)) ??
      (yield* ledgerFaultOf(ports, request))
    return reason === null ? { outcome: "valid" } : { outcome: "invalid", reason }
  })

  return Facilitator.of({ name: "simulated", verify, settle })
}

function chain(
  ledger: Ledger["Service"],
  { chainDown = () => false, chainSilent = () => false, safeAfterSeconds = 0 }: SimulationOptions,
): Chain["Service"] {
  const readable = Effect.suspend((): Effect.Effect<void, ChainUnavailable> =>
    chainDown()
      ? Effect.fail(new ChainUnavailable({ reason: "simulated" }))
      : chainSilent()
      ? Effect.never
      : Effect.void
  )
  const safeTime = Effect.map(nowSeconds, (now) => now - BigInt(safeAfterSeconds))

  const paymentProof: Chain["Service"]["paymentProof"] = Effect.fnUntraced(function* (expected) {
    yield* readable
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
    yield* readable
    const { asset, to, after } = query
    const through = (yield* safeTime) / secondsPerBlock - completeAfterBlocks
    if (after === null || through <= after) return { transfers: [], through: after ?? through }
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
    head: Effect.andThen(readable, Effect.zipWith(nowSeconds, safeTime, headAt)),
    paymentProof,
    transfers,
    isNonceUsed: (asset, from, nonce) =>
      Effect.andThen(readable, Effect.map(ledger.used(asset, from, nonce), Option.isSome)),
    // The ledger does not credit recipients, so what was received is added: the treasury needs it
    // for refunds.
    balanceOf: (_asset, holder) =>
      Effect.andThen(
        readable,
        Effect.zipWith(ledger.balance(holder), ledger.received(holder), (left, got) => left + got),
      ),
    hasCode: () => Effect.as(readable, false),
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

const unknown = (reason: string) => ({ outcome: "unknown", reason, unanswered: true }) as const
