/**
 * Chooses who brings payments to the chain, and who reads it, for the service and the refund worker.
 *
 * @module
 */
import { Duration, Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import * as facilitator from "../payments/facilitator/facilitator.ts"
import { bearer } from "../payments/facilitator/bearerToken.ts"
import * as signatures from "../payments/wasmSignatures.ts"
import * as simulated from "../payments/simulated/facilitator.ts"
import * as chain from "../payments/chain/chain.ts"
import type { LivePayments, Money } from "./moneySettings.ts"
import { layerLimited } from "../payments/facilitator/limit.ts"
import { defaultTiming, type PaymentTiming } from "../payments/timing.ts"

/** The facilitator, the chain and the signatures that the settings name: never simulated for live. */
export const paymentPorts = ({ payments, finality }: Money) => {
  switch (payments.kind) {
    case "simulated":
      return simulated.layer.pipe(Layer.provideMerge(signatures.layer))
    case "live":
      return Layer.mergeAll(
        layerLimited().pipe(Layer.provide(overHttp(payments.facilitator))),
        chain.layer({ rpcUrl: Redacted.value(payments.rpcUrl), finality }),
        signatures.layer,
      )
  }
}

const overHttp = ({ url, apiKey }: LivePayments["facilitator"]) =>
  Layer.unwrap(
    Effect.map(
      apiKey === null ? Effect.succeed({}) : Effect.map(
        bearer({ keyId: apiKey.id, secret: apiKey.secret, baseUrl: url }),
        (headers) => ({ headers }),
      ),
      (token) => facilitator.layer({ baseUrl: url, ...token }),
    ),
  ).pipe(Layer.provide(FetchHttpClient.layer))

/** The usual steps, made shorter as far as a shorter lease makes them: a lease outlasts its steps. */
export function scaledTiming(
  { lease, hold }: Pick<PaymentTiming, "lease" | "hold">,
): PaymentTiming {
  const share = Math.min(1, Duration.toMillis(lease) / Duration.toMillis(defaultTiming.lease))
  const shorter = (step: Duration.Duration) => Duration.times(step, share)
  const { verify, work, paidWorkTimeout, settle, prove, recover } = defaultTiming
  return {
    ...defaultTiming,
    lease,
    hold,
    verify: shorter(verify),
    work: shorter(work),
    paidWorkTimeout: shorter(paidWorkTimeout),
    settle: shorter(settle),
    prove: shorter(prove),
    // A buyer is waited for no longer before the answer is made than after.
    recover: Duration.min(recover, hold),
  }
}
