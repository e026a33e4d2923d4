/**
 * One in-memory database for all replicas and workers: payments and refunds move together, and
 * every move is recorded.
 *
 * @module
 */
import { Effect, Layer, Option, Scheduler } from "effect"
import {
  type Payment,
  type PaymentEvent,
  type PaymentId,
  type PaymentState,
} from "../../../src/payments/domain/payment.ts"
import { recordOf } from "../../support/payments/record.ts"
import type { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import { RefundStore } from "../../../src/payments/refunds/RefundStore.ts"
import { memoryPayments } from "../../support/payments/memoryPayments.ts"
import { Debts, memoryRefunds } from "../../support/payments/memoryRefunds.ts"

/** The events of a row; null is the insert of an unmatched transfer as `refund_due`. */
export type History = ReadonlyArray<PaymentEvent | null>

export interface Database {
  readonly payments: PaymentStore["Service"]
  readonly refunds: RefundStore["Service"]
  readonly stateOf: (paymentId: PaymentId) => PaymentState | null
  readonly histories: ReadonlyMap<PaymentId, History>
  /** The moves that the store refused: no process may try one. */
  readonly refused: ReadonlyArray<string>
}

/** No other fiber runs between the steps of a transaction. */
const transaction = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provideService(effect, Scheduler.PreventSchedulerYield, true)

/** A defect of the store that the invariants must find. */
export type StoreMutant = "no unique keys" | "no keys"

/** A store that neither stores nor finds keys. */
const withoutKeys = (store: PaymentStore["Service"]): PaymentStore["Service"] => ({
  ...store,
  claim: (ticket, secretHash, lease) => store.claim(ticket, secretHash, lease),
  move: (row, move) => store.move(row, move.event === "claim" ? { ...move, keyHash: null } : move),
  findWithKey: (paymentId) =>
    Effect.map(store.find(paymentId), (payment) => ({ payment, holder: Option.none() })),
})

export const makeDatabase = Effect.fnUntraced(function* (mutant: StoreMutant | null) {
  const { store: stored, endRefund, stateOf } = memoryPayments({
    uniqueKeys: mutant !== "no unique keys",
  })
  const store = mutant === "no keys" ? withoutKeys(stored) : stored
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

  const recordingRefusals = <A>(call: string, effect: Effect.Effect<A>): Effect.Effect<A> =>
    transaction(
      Effect.tapDefect(effect, (defect) => Effect.sync(() => refused.push(`${call}: ${defect}`))),
    )

  const owe = (found: Option.Option<Payment>) => {
    if (Option.isNone(found)) return Effect.void
    const { paymentId, token, authorization, amount, paidAmount, paidAt, request } = recordOf(
      found.value,
    )
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
      queue: request === null || paidAmount !== null ? "unmatched" : "sales",
    })
  }

  const payments: PaymentStore["Service"] = {
    ...store,
    claim: (ticket, ...rest) =>
      transaction(Effect.suspend(() => {
        const isKnown = stateOf(ticket.paymentId) !== null
        return Effect.tap(store.claim(ticket, ...rest), () =>
          Effect.sync(() => {
            const isClaimed = !isKnown && stateOf(ticket.paymentId) === "claimed"
            if (isClaimed) record(ticket.paymentId, "claim")
          }))
      })),
    move: (payment, move) =>
      recordingRefusals(
        `move ${move.event} of ${payment.state}`,
        Effect.tap(store.move(payment, move), (moved) => {
          if (Option.isNone(moved)) return Effect.void
          record(payment.paymentId, move.event)
          if (move.event !== "owe") return Effect.void
          if (delivered.has(payment.paymentId)) refused.push("owe: the answer was delivered")
          return owe(moved)
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

  const move: RefundStore["Service"]["move"] = (refund, move) =>
    recordingRefusals(
      `refund ${move.event} of ${refund.state}`,
      Effect.tap(refunds.move(refund, move), (moved) =>
        Effect.sync(() => {
          const event = { confirm: "refund", cancel: "void" } as const
          if (!moved || (move.event !== "confirm" && move.event !== "cancel")) return
          endRefund(refund.paymentId, event[move.event])
          record(refund.paymentId, event[move.event])
        })),
    )
  const sign: RefundStore["Service"]["sign"] = (...args) =>
    recordingRefusals("sign", refunds.sign(...args))
  return {
    payments,
    refunds: { ...refunds, move, sign },
    stateOf,
    histories,
    refused,
  } satisfies Database
})
