/**
 * Asks the real decision on a refund, in its own words, about what the model's worker sees.
 *
 * @module
 */
import { Schema } from "effect"
import { Address, Bytes32, PaymentId, Signature } from "../../src/payments/domain/payment.ts"
import {
  type Action,
  decide,
  type Proof as Seen,
  type Refund as RealRefund,
  type RefundSignature,
} from "../../src/payments/domain/refund.ts"
import { blockSeconds, nonceKey, payTo, type Proof, treasuries, type View } from "./chain.ts"
import type { Refund, Row } from "./database.ts"
import { proofIn } from "./proof.ts"
import type { World } from "./world.ts"

/** What is to be done, and what would be signed. */
export interface Decision {
  readonly action: Action
  readonly treasury: number
  readonly nonce: number
  readonly amount: number
}

/** How long a worker looks for a refund whose signature a backup may have forgotten. */
const forgottenSeconds = 1200

export function decideRefund(world: World, row: Row, refund: Refund, view: View): Decision {
  const { broken, kernel } = world
  const { authorization } = row
  const proof = proofIn(world, view, authorization, 0)
  const paidValue = proof.proof === "paid" ? proof.value : refund.amount
  const amount = broken.has("refund the agreed amount") ? authorization.value : paidValue
  const treasury = treasuryOf(world, refund, proof)
  const nonce = nonceOf(world, row, refund)
  const own = {
    chainId,
    asset,
    payTo: addressOf(payTo),
    treasury: addressOf(treasury),
    // The model tells the treasury of a payment itself, by the payment's block.
    term: { after: null, through: null },
    paymentId: paymentIdOf(row.key),
    nonce: bytesOf(nonce),
  }
  const debt = {
    ...{ ...own, payer: addressOf(authorization.from), amount: BigInt(amount) },
    paymentNonce: bytesOf(authorization.nonce),
    paymentValidBefore: BigInt(authorization.validBefore),
    attempts: refund.attempts,
  }
  const signed = {
    ...{ treasury: own.treasury, nonce: own.nonce, signature },
    validBefore: BigInt(refund.validBefore),
  }
  const action = decide(stateOf(refund, debt, signed), {
    ...{ own, caps, float: unlimited, signed: { lastHour: 0n, lastDay: 0n } },
    payment: paymentSeen(world, proof),
    repaid: refundSeen(world, view, row, { ...refund, treasury, nonce, amount }),
    nowSeconds: BigInt(Math.floor(kernel.now)),
  })
  return { action, treasury, nonce, amount }
}

/** The refund in the domain's union; a worker claims none that is over. */
function stateOf(
  { state }: Refund,
  debt: Omit<RealRefund, "state" | "signed">,
  signed: RefundSignature,
): RealRefund {
  if (state === "confirmed" || state === "cancelled") throw new Error(`claimed when ${state}`)
  return state === "queued" ? { ...debt, state, signed: null } : { ...debt, state, signed }
}

/** One treasury for each payment, for ever: told by the block that holds the payment. */
function treasuryOf({ rotationAt, broken, kernel }: World, refund: Refund, proof: Proof): number {
  const at = (seconds: number) => treasuries[rotationAt !== null && seconds >= rotationAt ? 1 : 0]
  if (broken.has("refund from the current key")) return at(kernel.now)
  if (broken.has("treasury kept in the row alone")) return refund.treasury ?? at(kernel.now)
  return proof.proof === "paid" ? at(proof.block * blockSeconds) : refund.treasury ?? treasuries[0]
}

/** Derived from the payment, so that whoever signs it again signs the same. */
function nonceOf(
  { random, broken, kernel }: World,
  { authorization }: Row,
  refund: Refund,
): number {
  const drawn = () => 1_048_576 + random.below(1_048_576)
  if (broken.has("random refund nonce")) {
    return kernel.now > refund.validBefore ? drawn() : refund.nonce ?? drawn()
  }
  if (broken.has("nonce kept in the row alone")) return refund.nonce ?? drawn()
  return authorization.nonce
}

function paymentSeen({ broken }: World, proof: Proof): Seen {
  if (proof.proof === "not_yet") return proof
  if (proof.proof === "never") return { proof: "never", reason: "expired" }
  return { proof: "paid", at: placeOf(proof.block, proof.safe || broken.has("refund before safe")) }
}

/** What a worker sees of a refund: its own pair of logs, and whether they can still go away. */
function refundSeen({ chain, broken }: World, view: View, row: Row, refund: Refund): Seen {
  const { treasury, nonce, amount, validBefore, queuedAt } = refund
  const key = nonceKey(treasury ?? 0, nonce ?? 0)
  const entry = chain.used(key, view.head, view)
  if (entry === undefined) {
    const until = validBefore === 0 ? queuedAt + forgottenSeconds : validBefore
    const expired = view.safe * blockSeconds >= until
    return expired ? { proof: "never", reason: "expired" } : { proof: "not_yet" }
  }
  const isSafe = entry.block <= view.safe || broken.has("confirm a refund before safe")
  const ours = entry.to === row.authorization.from && entry.value === amount
  if (ours) return { proof: "paid", at: placeOf(entry.block, isSafe) }
  return isSafe ? { proof: "never", reason: "spent_elsewhere" } : { proof: "not_yet" }
}

function placeOf(block: number, isSafe: boolean) {
  const finality = isSafe ? "safe" as const : "latest" as const
  return { transaction: "0x", block: BigInt(block), logIndex: 0, finality }
}

const unlimited = 1_000_000_000n
const caps = { perHour: unlimited, perDay: unlimited }
const chainId = 8453

/** The real words for the model's numbers; each is made once. */
function words<A>(digits: number, decode: (hex: string) => A): (number: number) => A {
  const known = new Map<number, A>()
  return (number) => {
    const word = known.get(number)
    if (word !== undefined) return word
    const made = decode(`0x${number.toString(16).padStart(digits, "0")}`)
    known.set(number, made)
    return made
  }
}

const addressOf = words(40, Schema.decodeUnknownSync(Address))
const bytesOf = words(64, Schema.decodeUnknownSync(Bytes32))
const paymentIdOf = words(64, Schema.decodeUnknownSync(PaymentId))
const asset = addressOf(0)
const signature = Schema.decodeUnknownSync(Signature)(`0x${"0".repeat(130)}`)
