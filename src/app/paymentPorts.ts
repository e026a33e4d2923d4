/**
 * Chooses the facilitator, the chain and the signatures for the service and the refund worker.
 *
 * @module
 */
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import * as facilitator from "../payments/facilitator/facilitator.ts"
import * as observed from "../payments/observedPorts.ts"
import { bearer } from "../payments/facilitator/bearerToken.ts"
import * as signatures from "../payments/wasmSignatures.ts"
import * as simulated from "../payments/simulated/facilitator.ts"
import * as chain from "../payments/chain/chain.ts"
import type { LivePayments, MoneySettings } from "./moneySettings.ts"

/**
 * The ports that the settings select, and the records of their calls. Live settings never lead to
 * simulated ports.
 */
export const paymentPorts = (settings: MoneySettings) =>
  Layer.merge(observed.layerFacilitator, observed.layerChain).pipe(
    Layer.provideMerge(observed.PortRecords.layer),
    Layer.provide(outsidePorts(settings)),
    Layer.provideMerge(signatures.layer),
  )

const outsidePorts = ({ payments, finality }: MoneySettings) => {
  switch (payments.kind) {
    case "simulated":
      return simulated.layer
    case "live":
      return Layer.merge(
        overHttp(payments.facilitator),
        chain.layer({ rpcUrl: Redacted.value(payments.rpcUrl), finality }),
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
