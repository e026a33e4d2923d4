/**
 * The facilitators and the chain of live payments, loaded only where payments are live.
 *
 * @module
 */
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import * as chain from "../payments/chain/chain.ts"
import { bearer } from "../payments/facilitator/bearerToken.ts"
import * as facilitator from "../payments/facilitator/facilitator.ts"
import { type FacilitatorSteps, failover } from "../payments/facilitator/failover.ts"
import { Facilitator } from "../payments/Facilitator.ts"
import type { LivePayments, MoneySettings } from "./moneySettings.ts"

export const livePorts = (
  { facilitator, rpcUrls }: LivePayments,
  { finality, network }: Pick<MoneySettings, "finality" | "network">,
  steps: FacilitatorSteps,
) =>
  Layer.merge(
    overHttp(facilitator, steps),
    chain.layer({ rpcUrls: Redacted.value(rpcUrls), finality, chainId: network.usdc.chainId }),
  )

/** The facilitators over HTTP. */
const overHttp = ({ urls, apiKey }: LivePayments["facilitator"], steps: FacilitatorSteps) => {
  const connect = (baseUrl: string, i: number) =>
    Effect.flatMap(connection(apiKey, baseUrl, i), facilitator.connect)
  return Layer.effect(
    Facilitator,
    Effect.map(Effect.forEach(urls, connect), (all) => failover(all, steps)),
  ).pipe(
    Layer.provide(FetchHttpClient.layer),
  )
}

/** Only the first facilitator gets the API key, which is for one account. */
const connection = Effect.fnUntraced(function* (
  apiKey: LivePayments["facilitator"]["apiKey"],
  baseUrl: string,
  i: number,
) {
  return apiKey === null || i > 0 ? { baseUrl } : {
    baseUrl,
    headers: yield* bearer({ keyId: apiKey.id, secret: apiKey.secret, baseUrl }),
  }
})
