/**
 * Limits the verifications that run at a facilitator at the same time, so that a flood of payments
 * overloads neither the facilitator nor us.
 *
 * One that gets no place in time returns `unknown` with the reason `facilitatorBusy`, and nothing is
 * charged. Settlements have places of their own, which a sale takes before it claims its payment
 * (`sell.ts`).
 *
 * @module
 */
import { Duration, Effect, Layer } from "effect"
import { makePlaces, publishDepth } from "../../core/places.ts"
import {
  Facilitator,
  facilitatorBusy,
  type FacilitatorRequest,
  type VerifyOutcome,
} from "../Facilitator.ts"

/** How many verifications may wait for each place, and for how long. */
const waitingPerPlace = 2
const waitMax = Duration.seconds(2)

const busy: VerifyOutcome = { outcome: "unknown", reason: facilitatorBusy }

/** A facilitator that verifies at most `verifications` payments at the same time. */
export const layerLimited = (
  verifications: number,
): Layer.Layer<Facilitator, never, Facilitator> =>
  Layer.effect(
    Facilitator,
    Effect.gen(function* () {
      const facilitator = yield* Facilitator
      const places = makePlaces({
        places: verifications,
        waiting: verifications * waitingPerPlace,
        waitMax,
      })
      yield* publishDepth("verifications", places)
      const verify = (request: FacilitatorRequest) =>
        places.run(busy)(facilitator.verify(request)).pipe(Effect.catch(Effect.succeed))
      return Facilitator.of({ ...facilitator, verify })
    }),
  )
