/**
 * The laws of the `Chain` port: a payment is paid by its exact pair of logs and by nothing else,
 * and void only when a safe block proves it.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Arbitrary, Context, Effect, Schema } from "effect"
import {
  address,
  type Authorization,
  Bytes32,
  type PaymentProof,
} from "../../../src/payments/domain/payment.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { type AuthorizedTransfer, Chain } from "../../../src/payments/Chain.ts"
import { buyer } from "../../support/payments/buyers.ts"
import { startSeconds } from "../../support/payments/sales.ts"
import { authorizationFor, nonce, terms, token } from "../../support/payments/terms.ts"

/** A transaction on the chain, and whether it succeeded. */
export interface TransactionResult {
  readonly transaction: string
  readonly succeeded: boolean
}

/**
 * Control of a chain. Blocks are 2 s apart, each transaction has its own block, and buyer n is the
 * payer.
 */
export class ChainControl extends Context.Service<ChainControl, {
  readonly transfer: (n: number, authorization: Authorization) => Effect.Effect<TransactionResult>
  readonly cancel: (n: number, nonce: Bytes32) => Effect.Effect<TransactionResult>
  readonly advance: (seconds: number) => Effect.Effect<void>
  readonly nowSeconds: Effect.Effect<bigint>
  /** The time of the newest safe block. */
  readonly safeSeconds: Effect.Effect<bigint>
}>()("bellwether/tests/ChainControl") {}

export type ChainLaw = readonly [
  name: string,
  body: () => Effect.Effect<void, unknown, Chain | ChainControl>,
]

const product = products.latest
const payTo = address(terms.payTo)
const elsewhere = address(buyer(9).address)
/** After this time every earlier transaction is in a safe block, and can be scanned. */
const safeAfterSeconds = 60

const authorization = (n: number, changes: Partial<Authorization> = {}) =>
  authorizationFor(buyer(n), product, startSeconds, changes)

const proofOf = (expected: Authorization, transactionHint: string | null = null) =>
  Effect.flatMap(
    Chain,
    (chain) => chain.paymentProof({ ...token, ...expected, transactionHint }),
  )

/** Transactions that are not the payment, and the payment's proof once they are safe. */
const otherTransactions: ReadonlyArray<
  readonly [string, Partial<Authorization>, PaymentProof["proof"]]
> = [
  ["a transfer to another payee with its nonce", { to: elsewhere }, "never"],
  ["a smaller transfer with its nonce", { value: product.price - 1n }, "never"],
  ["a larger transfer with its nonce", { value: product.price + 1n }, "never"],
  ["the same transfer with another nonce", { nonce: nonce(7) }, "not_yet"],
]

export const chainLaws: ReadonlyArray<ChainLaw> = [
  [
    "a payment is proved by its transaction, first on the latest block and then on a safe one",
    Effect.fnUntraced(function* () {
      const { transfer, advance } = yield* ChainControl
      const { transaction, succeeded } = yield* transfer(0, authorization(0))
      equal(succeeded, true)
      const first = yield* proofOf(authorization(0))
      equal(first.proof === "paid" && first.at.transaction, transaction)
      equal(first.proof === "paid" && first.at.finality, "latest")
      yield* advance(safeAfterSeconds)
      equal(yield* proofOf(authorization(0)), {
        ...first,
        at: { ...(first.proof === "paid" ? first.at : null), finality: "safe" },
      })
    }),
  ],
  ...otherTransactions.map(([what, changes, settled]): ChainLaw => [
    `${what} is not the payment, with its transaction as a hint or without`,
    Effect.fnUntraced(function* () {
      const { transfer, advance } = yield* ChainControl
      const { transaction, succeeded } = yield* transfer(0, authorization(0, changes))
      equal(succeeded, true)
      for (const hint of [null, transaction]) {
        equal((yield* proofOf(authorization(0), hint)).proof, "not_yet")
      }
      yield* advance(safeAfterSeconds)
      for (const hint of [null, transaction]) {
        const proof = yield* proofOf(authorization(0), hint)
        equal(proof.proof, settled)
        equal(proof.proof === "never" && proof.reason, settled === "never" && "spent_elsewhere")
      }
    }),
  ]),
  [
    "a cancelled nonce is proved never paid once its block is safe",
    Effect.fnUntraced(function* () {
      const { cancel, transfer, advance } = yield* ChainControl
      equal((yield* cancel(0, authorization(0).nonce)).succeeded, true)
      equal((yield* transfer(0, authorization(0))).succeeded, false)
      yield* advance(safeAfterSeconds)
      equal(yield* proofOf(authorization(0)), { proof: "never", reason: "spent_elsewhere" })
    }),
  ],
  [
    "an unused payment is void from the first safe block later than validBefore",
    Effect.fnUntraced(function* () {
      const { advance, safeSeconds } = yield* ChainControl
      const { validBefore } = authorization(0)
      for (let step = 0; step < 90; step++) {
        const expired = (yield* safeSeconds) > validBefore
        const proof = yield* proofOf(authorization(0))
        equal(proof, expired ? { proof: "never", reason: "expired" } : { proof: "not_yet" })
        yield* advance(2)
      }
    }),
  ],
  [
    "a paid payment is still paid long after its expiry",
    Effect.fnUntraced(function* () {
      const { transfer, advance } = yield* ChainControl
      yield* transfer(0, authorization(0))
      yield* advance(1_000)
      const proof = yield* proofOf(authorization(0))
      equal(proof.proof === "paid" && proof.at.finality, "safe")
    }),
  ],
  [
    "a wrong hint changes nothing: another payment's transaction, a failed one, an unknown one, junk",
    Effect.fnUntraced(function* () {
      const { transfer, advance } = yield* ChainControl
      const other = yield* transfer(1, authorization(1))
      const paid = yield* transfer(0, authorization(0))
      const failed = yield* transfer(0, authorization(0))
      equal([other.succeeded, paid.succeeded, failed.succeeded], [true, true, false])
      yield* advance(safeAfterSeconds)
      const hints = [other.transaction, failed.transaction, `0x${"ee".repeat(32)}`, "0x", "junk"]
      for (const hint of hints) {
        const proof = yield* proofOf(authorization(0), hint)
        equal(proof.proof === "paid" && proof.at.transaction, paid.transaction)
        equal((yield* proofOf(authorization(2), hint)).proof, "not_yet")
      }
    }),
  ],
  [
    "a scan starts after its cursor, and finds nothing where nothing was paid",
    Effect.fnUntraced(function* () {
      const { transfer, advance } = yield* ChainControl
      const { head, transfers } = yield* Chain
      yield* transfer(0, authorization(0))
      yield* advance(safeAfterSeconds)
      const { safeNumber } = yield* head
      equal(yield* scanAll(safeNumber), [])
      const ahead = safeNumber + 1_000n
      equal(yield* transfers({ asset: token.asset, to: payTo, after: ahead }), {
        transfers: [],
        through: ahead,
      })
    }),
  ],
  [
    "a balance is the received amount minus the spent amount",
    Effect.fnUntraced(function* () {
      const { transfer } = yield* ChainControl
      const { balanceOf } = yield* Chain
      const before = yield* balanceOf(token.asset, authorization(0).from)
      yield* transfer(0, authorization(0, { to: authorization(1).from }))
      yield* transfer(1, authorization(1))
      equal(yield* balanceOf(token.asset, authorization(0).from), before - product.price)
      equal(yield* balanceOf(token.asset, authorization(1).from), before)
    }),
  ],
]

/** Every transfer that scans find after a block. */
const scanAll = Effect.fnUntraced(function* (after: bigint) {
  const { transfers } = yield* Chain
  const found: Array<AuthorizedTransfer> = []
  let from = after
  for (let scans = 0; scans < 10_000; scans++) {
    const read = yield* transfers({ asset: token.asset, to: payTo, after: from })
    found.push(...read.transfers)
    if (read.through === from) return found
    from = read.through
  }
  throw new Error("The scan does not end")
})

const below = (limit: number) =>
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: limit - 1 }))

/** Steps on a chain: matching and other transfers with few nonces, cancellations, time, scans. */
export const anyHistory = Arbitrary.array(
  Arbitrary.schema(Schema.Union([
    Schema.Struct({
      action: Schema.Literal("transfer"),
      payer: below(3),
      nonce: below(4),
      /** To another payee when 0, otherwise to us. */
      to: below(4),
      extraAtomic: Schema.Literals([0n, 1n]),
    }),
    Schema.Struct({ action: Schema.Literal("cancel"), payer: below(3), nonce: below(4) }),
    Schema.Struct({ action: Schema.Literal("advance"), seconds: below(30) }),
    Schema.Struct({ action: Schema.Literal("scan") }),
  ])),
  { minLength: 8, maxLength: 16 },
)
type History = typeof anyHistory extends Arbitrary.Arbitrary<infer A> ? A : never

interface NonceUse {
  /** Null for a cancellation. */
  readonly transfer: Authorization | null
  readonly transaction: string
  readonly atSeconds: bigint
}

/** Proofs and scans match the history, with every hint. */
export const historyLaw = Effect.fnUntraced(function* (history: History) {
  const control = yield* ChainControl
  const { head, transfers } = yield* Chain
  const uses = new Map<string, NonceUse>()
  const transactions: Array<string> = []
  yield* control.advance(safeAfterSeconds)
  let cursor = (yield* head).safeNumber
  const found: Array<AuthorizedTransfer> = []

  for (const step of history) {
    switch (step.action) {
      case "advance":
        yield* control.advance(step.seconds)
        break
      case "scan": {
        const read = yield* transfers({ asset: token.asset, to: payTo, after: cursor })
        found.push(...read.transfers)
        cursor = read.through
        break
      }
      default: {
        const signed = authorization(step.payer, {
          nonce: nonce(step.nonce),
          ...(step.action === "transfer" && step.to === 0 ? { to: elsewhere } : {}),
          ...(step.action === "transfer" ? { value: product.price + step.extraAtomic } : {}),
        })
        const result = yield* step.action === "transfer"
          ? control.transfer(step.payer, signed)
          : control.cancel(step.payer, signed.nonce)
        transactions.push(result.transaction)
        if (!result.succeeded) break
        uses.set(`${signed.from}:${signed.nonce}`, {
          transfer: step.action === "transfer" ? signed : null,
          transaction: result.transaction,
          atSeconds: yield* control.nowSeconds,
        })
      }
    }
    yield* checkProofs(uses, transactions.slice(-1))
  }
  yield* control.advance(safeAfterSeconds)
  yield* checkProofs(uses, transactions)
  found.push(...yield* scanAll(cursor))
  const ours = [...uses.values()].filter(({ transfer }) => transfer?.to === payTo)
  equal(
    found.map(({ from, to, value, nonce, at }) => [from, to, value, nonce, at.transaction]),
    ours.map(({ transfer: t, transaction }) => [t?.from, t?.to, t?.value, t?.nonce, transaction]),
  )
  equal(found.every(({ at }) => at.finality === "safe"), true)
})

/** What happens to a nonce while the chain is not read, around and after its payment's expiry. */
export const anyLateUse = Arbitrary.schema(Schema.Struct({
  /** `transfer`: by another authorization with the same nonce, which expires later. */
  use: Schema.Literals(["cancel", "transfer", "none"]),
  elsewhere: Schema.Boolean,
  /** Seconds after the expiry; negative before it. */
  afterSeconds: Schema.Int.check(Schema.isBetween({ minimum: -40, maximum: 1_000 })),
  thenSeconds: Schema.Int.check(Schema.isBetween({ minimum: 60, maximum: 200 })),
}))

type LateUse = typeof anyLateUse extends Arbitrary.Arbitrary<infer A> ? A : never

/** Reads until a search of 500 blocks ends, at 3 blocks per range and 16 ranges per read. */
const lateReadsMax = 20

/** A use that was not seen when it happened is proved by the reads after it, whenever it was. */
export const lateUseLaw = Effect.fnUntraced(function* (
  { use, elsewhere: isElsewhere, afterSeconds, thenSeconds }: LateUse,
) {
  const { cancel, transfer, advance, nowSeconds } = yield* ChainControl
  const payment = authorization(0)
  yield* advance(Number(payment.validBefore - (yield* nowSeconds)) + afterSeconds)
  const twin = { validBefore: payment.validBefore + 10_000n, ...(isElsewhere && { to: elsewhere }) }
  const result = use === "none"
    ? null
    : yield* use === "cancel" ? cancel(0, payment.nonce) : transfer(0, authorization(0, twin))
  equal(result?.succeeded ?? true, true)
  yield* advance(thenSeconds)
  const proof = yield* Effect.retry(proofOf(payment), { times: lateReadsMax })
  equal(
    proof.proof === "paid" ? [proof.at.transaction, proof.at.finality] : proof,
    use === "none"
      ? { proof: "never", reason: "expired" }
      : use === "transfer" && !isElsewhere
      ? [result?.transaction, "safe"]
      : { proof: "never", reason: "spent_elsewhere" },
  )
  // The outcome is found again at once.
  equal(yield* proofOf(payment), proof)
})

/** Compares the proof of every payment of the history with the expected one. */
const checkProofs = Effect.fnUntraced(function* (
  uses: ReadonlyMap<string, NonceUse>,
  hints: ReadonlyArray<string>,
) {
  const { safeSeconds } = yield* ChainControl
  const safe = yield* safeSeconds
  for (let n = 0; n < 12; n++) {
    const payment = authorization(n % 3, { nonce: nonce(Math.floor(n / 3)) })
    const expected = expectedProof(payment, uses.get(`${payment.from}:${payment.nonce}`), safe)
    for (const hint of [null, ...hints]) {
      const proof = yield* proofOf(payment, hint)
      // A hint that failed says so; it decides nothing.
      const { reverted: _, ...plain } = { reverted: undefined, ...proof }
      equal(
        proof.proof === "paid" ? [proof.at.transaction, proof.at.finality] : plain,
        expected,
      )
    }
  }
})

function expectedProof(payment: Authorization, use: NonceUse | undefined, safe: bigint) {
  if (use === undefined) {
    return safe > payment.validBefore ? { proof: "never", reason: "expired" } : { proof: "not_yet" }
  }
  const isSafe = use.atSeconds <= safe
  return use.transfer?.to === payment.to && use.transfer.value === payment.value
    ? [use.transaction, isSafe ? "safe" : "latest"]
    : isSafe
    ? { proof: "never", reason: "spent_elsewhere" }
    : { proof: "not_yet" }
}
