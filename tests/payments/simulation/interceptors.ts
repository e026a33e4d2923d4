/**
 * Wraps the ports of a service, so that a test can record, delay or stop every call by its name.
 *
 * @module
 */
import type { Effect } from "effect"
import type { Chain } from "../../../src/payments/Chain.ts"
import type { Facilitator } from "../../../src/payments/Facilitator.ts"
import type { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import type { Work } from "../../support/payments/sales.ts"

/** Gets each call by its name before it is made, and returns what the service gets. */
export type Intercept = <A, E>(call: string, effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

export function interceptStore(
  store: PaymentStore["Service"],
  intercept: Intercept,
): PaymentStore["Service"] {
  return {
    ...store,
    claim: (...args) => intercept("claim", store.claim(...args)),
    find: (...args) => intercept("find", store.find(...args)),
    findWithKey: (...args) => intercept("findWithKey", store.findWithKey(...args)),
    findByKey: (...args) => intercept("findByKey", store.findByKey(...args)),
    move: (payment, move) => intercept(move.event, store.move(payment, move)),
    markSent: (...args) => intercept("markSent", store.markSent(...args)),
    waiting: (...args) => intercept("waiting", store.waiting(...args)),
    insertUnmatched: (...args) => intercept("insertUnmatched", store.insertUnmatched(...args)),
    scanned: (...args) => intercept("scanned", store.scanned(...args)),
    saveScannedThrough: (...args) =>
      intercept("saveScannedThrough", store.saveScannedThrough(...args)),
    states: (...args) => intercept("states", store.states(...args)),
    liability: intercept("liability", store.liability),
  }
}

export function interceptFacilitator(
  facilitator: Facilitator["Service"],
  intercept: Intercept,
): Facilitator["Service"] {
  return {
    ...facilitator,
    verify: (request) => intercept("verify", facilitator.verify(request)),
    // `settle` is the name of a move; this is the facilitator's call.
    settle: (request) => intercept("settlement", facilitator.settle(request)),
  }
}

export function interceptChain(chain: Chain["Service"], intercept: Intercept): Chain["Service"] {
  return {
    head: intercept("head", chain.head),
    paymentProof: (...args) => intercept("proof", chain.paymentProof(...args)),
    transfers: (...args) => intercept("transfers", chain.transfers(...args)),
    balanceOf: (...args) => intercept("balanceOf", chain.balanceOf(...args)),
    isNonceUsed: (...args) => intercept("isNonceUsed", chain.isNonceUsed(...args)),
    hasCode: (...args) => intercept("hasCode", chain.hasCode(...args)),
    wouldSettle: (...args) => intercept("wouldSettle", chain.wouldSettle(...args)),
  }
}

export function interceptWork({ check, compute }: Work, intercept: Intercept): Work {
  return { check: intercept("check", check), compute: intercept("work", compute) }
}
