/**
 * Limits the calls to a facilitator, so that a flood of payments overloads neither the facilitator
 * nor us.
 *
 * A verification over the limit returns `unknown` at once, and nothing is charged. A settlement
 * waits instead, because its intent is already stored, and the number of sales is limited
 * elsewhere.
 *
 * @module
 */
import { Effect, Layer, Semaphore } from "effect"
import { Facilitator, type FacilitatorRequest, type VerifyOutcome } from "../Facilitator.ts"

interface FacilitatorLimit {
  /** Concurrent calls, verifications and settlements together. */
  readonly inFlight: number
  /** How many verifications may wait. */
  readonly waiting: number
}

const defaultLimit: FacilitatorLimit = { inFlight: 32, waiting: 64 }

const overloaded: VerifyOutcome = { outcome: "unknown", reason: "overloaded" }

/** A facilitator whose calls are limited. */
export const layerLimited = (
  { inFlight, waiting }: FacilitatorLimit = defaultLimit,
): Layer.Layer<Facilitator, never, Facilitator> =>
  Layer.effect(
    Facilitator,
    Effect.gen(function* () {
      const facilitator = yield* Facilitator
      const calls = yield* Semaphore.make(inFlight)
      let verifying = 0
      let settling = 0

      const verify = (request: FacilitatorRequest) =>
        Effect.suspend(() => {
          if (verifying + settling >= inFlight + waiting) return Effect.succeed(overloaded)
          verifying++
          return calls.withPermit(facilitator.verify(request)).pipe(
            Effect.ensuring(Effect.sync(() => verifying--)),
          )
        })

      const settle = (request: FacilitatorRequest) =>
        Effect.suspend(() => {
          settling++
          return calls.withPermit(facilitator.settle(request)).pipe(
            Effect.ensuring(Effect.sync(() => settling--)),
          )
        })

      return Facilitator.of({ name: facilitator.name, verify, settle })
    }),
  )
