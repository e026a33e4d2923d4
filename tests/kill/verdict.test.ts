/**
 * The judge of the kill loop sees what it is there to see.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { type Ledger, type Moved, refundNonceOf } from "./ledger.ts"
import { type Exchange, keyOf, type Transcript } from "./transcript.ts"
import { judge } from "./verdict.ts"

const payer = `0x${"11".repeat(20)}`
const nonce = `0x${"22".repeat(32)}`
const paid: Moved = {
  from: payer,
  to: `0x${"33".repeat(20)}`,
  nonce,
  value: 10_000n,
  transaction: `0x${"44".repeat(32)}`,
  block: 7n,
}
const repaid: Moved = {
  from: `0x${"55".repeat(20)}`,
  to: payer,
  nonce: refundNonceOf(payer, nonce),
  value: 10_000n,
  transaction: `0x${"66".repeat(32)}`,
  block: 9n,
}
const answer: Exchange = {
  by: "buyer",
  product: "latest",
  atMs: 0,
  status: 200,
  code: null,
  charged: true,
  bodyHash: "a body",
  sound: true,
  transaction: paid.transaction,
  retryAfterSeconds: 0,
  block: 8n,
}
const refusal = (status: number, code: string, charged: boolean): Exchange => ({
  ...answer,
  ...{ status, code, charged, bodyHash: null, sound: false, transaction: null, block: null },
})
const lost: Exchange = { ...refusal(0, "lost", false), status: null, charged: null }

function record(exchanges: ReadonlyArray<Exchange>, secret: string | null = null): Transcript {
  return {
    ...{ story: "steady", product: "latest", header: "", payer, nonce, value: paid.value, secret },
    exchanges,
  }
}

function ledger(changes: Partial<Ledger> = {}): Ledger {
  return { paid: [paid], repaid: [], totals: { in: 0n, out: 0n }, ...changes }
}

function judged(
  exchanges: ReadonlyArray<Exchange>,
  { repaid = [], secret = null, handedOver = false }: {
    readonly repaid?: ReadonlyArray<Moved>
    readonly secret?: string | null
    readonly handedOver?: boolean
  } = {},
) {
  return judge({
    ledger: ledger({ repaid }),
    transcripts: [record(exchanges, secret)],
    handedOver: new Set(handedOver ? [keyOf({ payer, nonce })] : []),
  })
}

const sums = ({ charged, delivered, refunded, both, open }: ReturnType<typeof judge>) => [
  ...[charged, delivered, refunded, both, open],
]

Deno.test("judge() counts what was received, what was given back, both and neither", () => {
  equal(sums(judged([answer])), [1, 1, 0, 0, 0])
  equal(sums(judged([lost], { repaid: [repaid] })), [1, 0, 1, 0, 0])
  equal(sums(judged([answer], { repaid: [repaid] })), [1, 1, 1, 1, 0])
  equal(sums(judged([lost])), [1, 0, 0, 0, 1])
  equal(judged([answer]).faults, [])
  equal(judged([lost], { repaid: [repaid] }).faults, [])
  equal(judged([lost]).faults.length, 1)
})

Deno.test("judge() takes the seller's note for a delivery only where nothing can be fetched again", () => {
  equal(sums(judged([lost], { handedOver: true })), [1, 1, 0, 0, 0])
  equal(judged([lost], { handedOver: true }).unheard, 1)
  equal(sums(judged([lost], { handedOver: true, secret: "one" })), [1, 0, 0, 0, 1])
})

const wrongs: ReadonlyArray<readonly [string, ReturnType<typeof judge>]> = [
  ["refunded twice", judged([lost], { repaid: [repaid, { ...repaid, block: 10n }] })],
  ["refunded to another", judged([lost], { repaid: [{ ...repaid, to: repaid.from }] })],
  ["another sum", judged([lost], { repaid: [{ ...repaid, value: 1n }] })],
  ["refund of no payment", judged([answer], { repaid: [{ ...repaid, nonce }] })],
  ["two answers", judged([answer, { ...answer, bodyHash: "another body" }])],
  ["two products", judged([answer, { ...answer, product: "signal" }])],
  ["to a thief", judged([answer, { ...answer, by: "thief" }])],
  ["an answer that is none", judged([{ ...answer, sound: false }], { handedOver: true })],
  ["before it paid", judged([{ ...answer, block: 6n }])],
  ["another transaction", judged([{ ...answer, transaction: repaid.transaction }])],
  [
    "asked for another payment",
    judged([refusal(402, "payment_required", false)], { handedOver: true }),
  ],
  ["never was", judged([refusal(410, "payment_refunded", true)], { handedOver: true })],
  ["paid by nobody we know", judge({ ledger: ledger(), transcripts: [], handedOver: new Set() })],
  [
    "never paid",
    judge({ ledger: ledger({ paid: [] }), transcripts: [record([answer])], handedOver: new Set() }),
  ],
]

for (const [what, { faults }] of wrongs) {
  Deno.test(`judge() finds a fault: ${what}`, () => {
    ok(faults.some((fault) => fault.includes(what)), faults.join("\n"))
  })
}

Deno.test("judge() finds no fault where a payment that was refused is given back", () => {
  const refused = [refusal(402, "payment_required", false)]
  equal(judged(refused, { repaid: [repaid] }).faults, [])
  equal(judged([refusal(410, "payment_refunded", true)], { repaid: [repaid] }).faults, [])
})
