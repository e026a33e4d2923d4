/**
 * Stands between a service and its ports: every call it makes is named and handed over, to be
 * counted, hindered, or cut off for ever.
 *
 * @module
 */
import type { Effect } from "effect"
import type { Chain } from "../../../src/payments/Chain.ts"
import type { Facilitator } from "../../../src/payments/Facilitator.ts"
import type { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import type { Work } from "../../../src/payments/sale/sale.ts"

/** Told of a call before it is made, it decides what comes of it. */
export type Between = <A, E>(call: string, effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

export function storeBetween(
  store: PaymentStore["Service"],
  between: Between,
): PaymentStore["Service"] {
  return {
    claim: (...args) => between("claim", store.claim(...args)),
    find: (...args) => between("find", store.find(...args)),
    move: (held, move) => between(move.event, store.move(held, move)),
    markSent: (...args) => between("markSent", store.markSent(...args)),
    waiting: (...args) => between("waiting", store.waiting(...args)),
    insertUnmatched: (...args) => between("insertUnmatched", store.insertUnmatched(...args)),
    scanned: (...args) => between("scanned", store.scanned(...args)),
    saveScannedThrough: (...args) =>
      between("saveScannedThrough", store.saveScannedThrough(...args)),
    states: (...args) => between("states", store.states(...args)),
    liability: between("liability", store.liability),
  }
}

export function facilitatorBetween(
  { name, verify, settle }: Facilitator["Service"],
  between: Between,
): Facilitator["Service"] {
  return {
    name,
    verify: (request) => between("verify", verify(request)),
    // The event of the table of moves has the same name; this is the call.
    settle: (request) => between("settlement", settle(request)),
  }
}

export function chainBetween(chain: Chain["Service"], between: Between): Chain["Service"] {
  return {
    paymentProof: (...args) => between("proof", chain.paymentProof(...args)),
    transfers: (...args) => between("transfers", chain.transfers(...args)),
    balanceOf: (...args) => between("balanceOf", chain.balanceOf(...args)),
    isNonceUsed: (...args) => between("isNonceUsed", chain.isNonceUsed(...args)),
    hasCode: (...args) => between("hasCode", chain.hasCode(...args)),
  }
}

export function workBetween({ check, compute }: Work, between: Between): Work {
  return { check: between("check", check), compute: between("work", compute) }
}
