/**
 * One database in memory under all replicas and workers: payments and refunds move together, and every
 * move is written down.
 *
 * @module
 */
import { Effect, Layer, Option, Scheduler } from "effect"
import {
  type Payment,
  type PaymentEvent,
  type PaymentId,
  type PaymentState,
  recordOf,
} from "../../../src/payments/domain/payment.ts"
import type { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import { RefundStore } from "../../../src/payments/refunds/RefundStore.ts"
import { memoryPayments } from "../../support/payments/memoryPayments.ts"
import { Debts, memoryRefunds } from "../../support/payments/memoryRefunds.ts"

/**
 * The states of a row so far: null stands for the insert of an unmatched transfer in `refund_due`.
 */
export type History = ReadonlyArray<PaymentEvent | null>

export interface Database {
  readonly payments: PaymentStore["Service"]
  readonly refunds: RefundStore["Service"]
  readonly stateOf: (paymentId: PaymentId) => PaymentState | null
  readonly histories: ReadonlyMap<PaymentId, History>
  /** The moves that the tables refused: no code may even try one. */
  readonly refused: ReadonlyArray<string>
}

/** Nothing comes between the steps of a transaction. */
const transaction = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provideService(effect, Scheduler.PreventSchedulerYield, true)

export const makeDatabase = Effect.gen(function* () {
  const { store, endRefund, stateOf } = memoryPayments()
  const memory = yield* Layer.build(memoryRefunds().layer)
  const refunds = yield* Effect.provideContext(RefundStore, memory)
  const debts = yield* Effect.provideContext(Debts, memory)
  const histories = new Map<PaymentId, Array<PaymentEvent | null>>()
  const refused: Array<string> = []
  const delivered = new Set<PaymentId>()

  const record = (paymentId: PaymentId, event: PaymentEvent | null) => {
    const history = histories.get(paymentId)
    if (history === undefined) histories.set(paymentId, [event])
    else history.push(event)
  }

  const judged = <A>(call: string, effect: Effect.Effect<A>): Effect.Effect<A> =>
    transaction(
      Effect.tapDefect(effect, (defect) => Effect.sync(() => refused.push(`${call}: ${defect}`))),
    )

  const owe = (found: Option.Option<Payment>) => {
    if (Option.isNone(found)) return Effect.void
    const { paymentId, token, authorization, amount, paidAmount, paidAt } = recordOf(found.value)
    return debts.owe({
      paymentId,
      chainId: token.chainId,
      asset: token.asset,
      payer: authorization.from,
      payTo: authorization.to,
      amount: paidAmount ?? amount,
      paymentNonce: authorization.nonce,
      paymentValidBefore: authorization.validBefore,
      paidTransaction: paidAt?.transaction ?? null,
    })
  }

  const payments: PaymentStore["Service"] = {
    ...store,
    claim: (ticket, ...rest) =>
      transaction(
        Effect.tap(store.claim(ticket, ...rest), ({ claimed }) =>
          Effect.sync(() => claimed && record(ticket.paymentId, "claim"))),
      ),
    move: (held, move) =>
      judged(
        `move ${move.event} of ${held.state}`,
        Effect.tap(store.move(held, move), (row) => {
          if (Option.isNone(row)) return Effect.void
          record(held.paymentId, move.event)
          if (move.event !== "owe") return Effect.void
          if (delivered.has(held.paymentId)) refused.push("owe: the answer was delivered")
          return owe(row)
        }),
      ),
    markSent: (paymentId) =>
      transaction(
        Effect.tap(
          store.markSent(paymentId),
          () => Effect.sync(() => stateOf(paymentId) === "answered" && delivered.add(paymentId)),
        ),
      ),
    insertUnmatched: (transfer) =>
      transaction(Effect.tap(store.insertUnmatched(transfer), (inserted) => {
        if (!inserted) return Effect.void
        record(transfer.paymentId, null)
        return Effect.flatMap(store.find(transfer.paymentId), owe)
      })),
  }

  const move: RefundStore["Service"]["move"] = (held, move) =>
    judged(
      `refund ${move.event} of ${held.state}`,
      Effect.tap(refunds.move(held, move), (moved) =>
        Effect.sync(() => {
          const event = { confirm: "refund", cancel: "void" } as const
          if (!moved || (move.event !== "confirm" && move.event !== "cancel")) return
          endRefund(held.paymentId, event[move.event])
          record(held.paymentId, event[move.event])
        })),
    )
  const sign: RefundStore["Service"]["sign"] = (...args) => judged("sign", refunds.sign(...args))
  return {
    payments,
    refunds: { ...refunds, move, sign },
    stateOf,
    histories,
    refused,
  } satisfies Database
})
