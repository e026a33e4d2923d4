/**
 * What every chain must show, whoever keeps it: a payment is paid by its exact pair of logs and by
 * nothing else, and void only when a safe block says so.
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

/** What was done to the chain, and whether it came about. */
export interface Done {
  readonly transaction: string
  readonly succeeded: boolean
}

/** A chain that can be acted on. Blocks are 2 s apart, each act has one, and buyer n is the payer. */
export class World extends Context.Service<World, {
  readonly transfer: (n: number, authorization: Authorization) => Effect.Effect<Done>
  readonly cancel: (n: number, nonce: Bytes32) => Effect.Effect<Done>
  readonly pass: (seconds: number) => Effect.Effect<void>
  readonly nowSeconds: Effect.Effect<bigint>
  /** The time of the newest safe block. */
  readonly safeSeconds: Effect.Effect<bigint>
}>()("bellwether/tests/World") {}

export type ChainLaw = readonly [
  name: string,
  body: () => Effect.Effect<void, unknown, Chain | World>,
]

const product = products.latest
const payTo = address(terms.payTo)
const elsewhere = address(buyer(9).address)
/** Long enough for whatever was done to be on a safe block, and to be scanned. */
const safeAfterSeconds = 60

const authorization = (n: number, changes: Partial<Authorization> = {}) =>
  authorizationFor(buyer(n), product, startSeconds, changes)

const proofOf = (expected: Authorization, transactionHint: string | null = null) =>
  Effect.flatMap(
    Chain,
    (chain) => chain.paymentProof({ ...token, ...expected, transactionHint }),
  )

/** Something else than the payment, which is not it, and what it leaves of the payment once safe. */
const impostors: ReadonlyArray<readonly [string, Partial<Authorization>, PaymentProof["proof"]]> = [
  ["a transfer to somebody else with its nonce", { to: elsewhere }, "never"],
  ["a smaller transfer with its nonce", { value: product.price - 1n }, "never"],
  ["a larger transfer with its nonce", { value: product.price + 1n }, "never"],
  ["the same transfer with another nonce", { nonce: nonce(7) }, "not_yet"],
]

export const chainLaws: ReadonlyArray<ChainLaw> = [
  [
    "a payment is proved by its transaction, first on the latest block and then on a safe one",
    Effect.fnUntraced(function* () {
      const { transfer, pass } = yield* World
      const { transaction, succeeded } = yield* transfer(0, authorization(0))
      equal(succeeded, true)
      const first = yield* proofOf(authorization(0))
      equal(first.proof === "paid" && first.at.transaction, transaction)
      equal(first.proof === "paid" && first.at.finality, "latest")
      yield* pass(safeAfterSeconds)
      equal(yield* proofOf(authorization(0)), {
        ...first,
        at: { ...(first.proof === "paid" ? first.at : null), finality: "safe" },
      })
    }),
  ],
  ...impostors.map(([what, changes, settled]): ChainLaw => [
    `${what} is not the payment, with its transaction as a hint or without`,
    Effect.fnUntraced(function* () {
      const { transfer, pass } = yield* World
      const { transaction, succeeded } = yield* transfer(0, authorization(0, changes))
      equal(succeeded, true)
      for (const hint of [null, transaction]) {
        equal((yield* proofOf(authorization(0), hint)).proof, "not_yet")
      }
      yield* pass(safeAfterSeconds)
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
      const { cancel, transfer, pass } = yield* World
      equal((yield* cancel(0, authorization(0).nonce)).succeeded, true)
      equal((yield* transfer(0, authorization(0))).succeeded, false)
      yield* pass(safeAfterSeconds)
      equal(yield* proofOf(authorization(0)), { proof: "never", reason: "spent_elsewhere" })
    }),
  ],
  [
    "an unused payment is void in the very block that is safe and later than validBefore",
    Effect.fnUntraced(function* () {
      const { pass, safeSeconds } = yield* World
      const { validBefore } = authorization(0)
      for (let step = 0; step < 90; step++) {
        const expired = (yield* safeSeconds) > validBefore
        const proof = yield* proofOf(authorization(0))
        equal(proof, expired ? { proof: "never", reason: "expired" } : { proof: "not_yet" })
        yield* pass(2)
      }
    }),
  ],
  [
    "a paid payment stays paid long after its expiry",
    Effect.fnUntraced(function* () {
      const { transfer, pass } = yield* World
      yield* transfer(0, authorization(0))
      yield* pass(1_000)
      const proof = yield* proofOf(authorization(0))
      equal(proof.proof === "paid" && proof.at.finality, "safe")
    }),
  ],
  [
    "a wrong hint changes nothing: another payment's transaction, a failed one, an unknown one, junk",
    Effect.fnUntraced(function* () {
      const { transfer, pass } = yield* World
      const other = yield* transfer(1, authorization(1))
      const paid = yield* transfer(0, authorization(0))
      const failed = yield* transfer(0, authorization(0))
      equal([other.succeeded, paid.succeeded, failed.succeeded], [true, true, false])
      yield* pass(safeAfterSeconds)
      const hints = [other.transaction, failed.transaction, `0x${"ee".repeat(32)}`, "0x", "junk"]
      for (const hint of hints) {
        const proof = yield* proofOf(authorization(0), hint)
        equal(proof.proof === "paid" && proof.at.transaction, paid.transaction)
        equal(yield* proofOf(authorization(2), hint), { proof: "not_yet" })
      }
    }),
  ],
  [
    "a scan starts at the given block, and finds nothing where nothing was paid",
    Effect.fnUntraced(function* () {
      const { transfer, pass } = yield* World
      const { transfers } = yield* Chain
      yield* transfer(0, authorization(0))
      yield* pass(safeAfterSeconds)
      const begin = yield* transfers({ asset: token.asset, to: payTo, after: null })
      equal(begin.transfers, [])
      equal(yield* scanned(begin.through), [])
      const ahead = begin.through + 1_000n
      equal(yield* transfers({ asset: token.asset, to: payTo, after: ahead }), {
        transfers: [],
        through: ahead,
      })
    }),
  ],
  [
    "a balance is the received amount minus the spent amount",
    Effect.fnUntraced(function* () {
      const { transfer } = yield* World
      const { balanceOf } = yield* Chain
      const before = yield* balanceOf(token.asset, authorization(0).from)
      yield* transfer(0, authorization(0, { to: authorization(1).from }))
      yield* transfer(1, authorization(1))
      equal(yield* balanceOf(token.asset, authorization(0).from), before - product.price)
      equal(yield* balanceOf(token.asset, authorization(1).from), before)
    }),
  ],
]

/** Everything the scan gives after a block, however many stretches that takes. */
const scanned = Effect.fnUntraced(function* (after: bigint) {
  const { transfers } = yield* Chain
  const found: Array<AuthorizedTransfer> = []
  let from = after
  for (let stretch = 0; stretch < 10_000; stretch++) {
    const read = yield* transfers({ asset: token.asset, to: payTo, after: from })
    found.push(...read.transfers)
    if (read.through === from) return found
    from = read.through
  }
  throw new Error("The scan does not come to an end")
})

const below = (limit: number) =>
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: limit - 1 }))

/** What happens on a chain: payments good and bad over few nonces, cancellations, time, scans. */
export const anyHistory = Arbitrary.array(
  Arbitrary.schema(Schema.Union([
    Schema.Struct({
      act: Schema.Literal("transfer"),
      payer: below(3),
      nonce: below(4),
      /** To us but for one in four. */
      to: below(4),
      more: Schema.Literals([0n, 1n]),
    }),
    Schema.Struct({ act: Schema.Literal("cancel"), payer: below(3), nonce: below(4) }),
    Schema.Struct({ act: Schema.Literal("pass"), seconds: below(30) }),
    Schema.Struct({ act: Schema.Literal("scan") }),
  ])),
  { minLength: 8, maxLength: 16 },
)
type History = typeof anyHistory extends Arbitrary.Arbitrary<infer A> ? A : never

interface Use {
  /** Null: cancelled. */
  readonly transfer: Authorization | null
  readonly transaction: string
  readonly atSeconds: bigint
}

/** The chain shows just what happened: to each payment, whatever the hint, and to the scan. */
export const historyLaw = Effect.fnUntraced(function* (history: History) {
  const world = yield* World
  const { transfers } = yield* Chain
  const uses = new Map<string, Use>()
  const transactions: Array<string> = []
  yield* world.pass(safeAfterSeconds)
  let cursor = (yield* transfers({ asset: token.asset, to: payTo, after: null })).through
  const seen: Array<AuthorizedTransfer> = []

  for (const step of history) {
    switch (step.act) {
      case "pass":
        yield* world.pass(step.seconds)
        break
      case "scan": {
        const read = yield* transfers({ asset: token.asset, to: payTo, after: cursor })
        seen.push(...read.transfers)
        cursor = read.through
        break
      }
      default: {
        const made = authorization(step.payer, {
          nonce: nonce(step.nonce),
          ...(step.act === "transfer" && step.to === 0 ? { to: elsewhere } : {}),
          ...(step.act === "transfer" ? { value: product.price + step.more } : {}),
        })
        const done = yield* step.act === "transfer"
          ? world.transfer(step.payer, made)
          : world.cancel(step.payer, made.nonce)
        transactions.push(done.transaction)
        if (!done.succeeded) break
        uses.set(`${made.from}:${made.nonce}`, {
          transfer: step.act === "transfer" ? made : null,
          transaction: done.transaction,
          atSeconds: yield* world.nowSeconds,
        })
      }
    }
    yield* proofsAre(uses, transactions.slice(-1))
  }
  yield* world.pass(safeAfterSeconds)
  yield* proofsAre(uses, transactions)
  seen.push(...yield* scanned(cursor))
  const ours = [...uses.values()].filter(({ transfer }) => transfer?.to === payTo)
  equal(
    seen.map(({ from, to, value, nonce, at }) => [from, to, value, nonce, at.transaction]),
    ours.map(({ transfer: t, transaction }) => [t?.from, t?.to, t?.value, t?.nonce, transaction]),
  )
  equal(seen.every(({ at }) => at.finality === "safe"), true)
})

/** Holds every payment there could have been against what happened. */
const proofsAre = Effect.fnUntraced(function* (
  uses: ReadonlyMap<string, Use>,
  hints: ReadonlyArray<string>,
) {
  const { safeSeconds } = yield* World
  const safe = yield* safeSeconds
  for (let n = 0; n < 12; n++) {
    const payment = authorization(n % 3, { nonce: nonce(Math.floor(n / 3)) })
    const expected = verdict(payment, uses.get(`${payment.from}:${payment.nonce}`), safe)
    for (const hint of [null, ...hints]) {
      const proof = yield* proofOf(payment, hint)
      equal(
        proof.proof === "paid" ? [proof.at.transaction, proof.at.finality] : proof,
        expected,
      )
    }
  }
})

function verdict(payment: Authorization, use: Use | undefined, safe: bigint) {
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
