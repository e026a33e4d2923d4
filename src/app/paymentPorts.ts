/**
 * Chooses the facilitator, the chain and the signatures for the service and the refund worker.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import * as observed from "../payments/observedPorts.ts"
import * as signatures from "../payments/wasmSignatures.ts"
import * as simulated from "../payments/simulated/facilitator.ts"
import type { FacilitatorSteps } from "../payments/facilitator/failover.ts"
import type { MoneySettings } from "./moneySettings.ts"

/**
 * The ports that the settings select, and the records of their calls. Live settings never lead to
 * simulated ports. Several facilitators share the time of `steps`.
 */
export const paymentPorts = (settings: MoneySettings, steps: FacilitatorSteps) =>
  Layer.merge(observed.layerFacilitator, observed.layerChain).pipe(
    Layer.provideMerge(observed.PortRecords.layer),
    Layer.provide(outsidePorts(settings, steps)),
    Layer.provideMerge(signatures.layer),
  )

const outsidePorts = (settings: MoneySettings, steps: FacilitatorSteps) => {
  const { payments } = settings
  switch (payments.kind) {
    case "simulated":
      return simulated.layer
    case "live":
      return Layer.unwrap(Effect.map(
        Effect.promise(() => import("./livePorts.ts")),
        ({ livePorts }) => livePorts(payments, settings, steps),
      ))
  }
}
