/**
 * What several endpoints of the chain say together. A fact that decides about money counts only when
 * all of them say it. A difference near the newest block is lag, and the answer is the one that
 * decides nothing; a difference about blocks that each of them calls safe is a contradiction.
 *
 * @module
 */
import { Result } from "effect"
import type { PaymentProof } from "./payment.ts"
import type { ChainHead } from "./paymentHealth.ts"

/** What one endpoint says of a payment, and its newest safe block at that time. */
export interface ProofAsOf {
  readonly proof: PaymentProof
  readonly asOf: bigint
}

/** What all say, or how they contradict each other: that names no endpoint and no payment. */
export type Agreed<A> = Result.Result<A, string>

/** Blocks that an endpoint may be behind the others: 30 seconds of Base. */
export const lagBlocksMax = 15n
/** Safe blocks that it may be behind: ten minutes, because they become safe many at once. */
export const safeLagBlocksMax = 300n

/** The oldest of the newest blocks, unless one endpoint is too far behind. */
export function agreedHead(heads: ReadonlyArray<ChainHead>): Agreed<ChainHead> {
  const oldest = heads.reduce((a, b) => b.number < a.number ? b : a)
  const safe = heads.map(({ safeNumber }) => safeNumber)
  const lag = spread(heads.map(({ number }) => number))
  if (lag > lagBlocksMax) return Result.fail(`their newest blocks are ${lag} blocks apart`)
  const safeLag = spread(safe)
  return safeLag > safeLagBlocksMax
    ? Result.fail(`their newest safe blocks are ${safeLag} blocks apart`)
    : Result.succeed({ ...oldest, safeNumber: least(safe) })
}

/** The least of one or more numbers. */
export const least = (numbers: ReadonlyArray<bigint>) => numbers.reduce((a, b) => b < a ? b : a)

const spread = (numbers: ReadonlyArray<bigint>) =>
  numbers.reduce((a, b) => b > a ? b : a) - least(numbers)

const notYet: PaymentProof = { proof: "not_yet" }

/**
 * The proof that all endpoints give: paid at one place of the chain, safe only when each says so,
 * or never paid, for one reason. `not_yet` while one has not reached the block of another's proof.
 */
export function agreedProof(answers: ReadonlyArray<ProofAsOf>): Agreed<PaymentProof> {
  const [first, ...others] = answers
  if (first === undefined) return Result.succeed(notYet)
  if (others.every(({ proof }) => saysTheSame(first.proof, proof))) {
    const least = answers.find(({ proof }) => saysLeast(proof))
    return Result.succeed((least ?? first).proof)
  }
  const final = answers.filter(({ proof }) => isFinal(proof))
  const contradicts = final.some((one) =>
    answers.some((other) =>
      !saysTheSame(one.proof, other.proof) &&
      (isFinal(other.proof) || other.asOf >= provedBy(one))
    )
  )
  return contradicts
    ? Result.fail("one has a safe proof of a payment, and another does not")
    : Result.succeed(notYet)
}

/** Whether a proof is the weaker one of two that name the same outcome. */
const saysLeast = (proof: PaymentProof) =>
  proof.proof === "not_yet" ? proof.reverted !== true : !isFinal(proof)

/** Whether a proof is about safe blocks: it cannot change any more. */
const isFinal = (proof: PaymentProof) =>
  proof.proof === "never" || (proof.proof === "paid" && proof.at.finality === "safe")

/** The safe block from which on every honest endpoint gives this final proof. */
const provedBy = ({ proof, asOf }: ProofAsOf) => proof.proof === "paid" ? proof.at.block : asOf

/** Whether two proofs name the same outcome, at the same place of the chain. */
function saysTheSame(one: PaymentProof, other: PaymentProof): boolean {
  if (one.proof === "never" && other.proof === "never") return one.reason === other.reason
  if (one.proof === "paid" && other.proof === "paid") {
    return one.at.transaction === other.at.transaction && one.at.block === other.at.block &&
      one.at.logIndex === other.at.logIndex
  }
  return one.proof === other.proof
}
