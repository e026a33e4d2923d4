/**
 * Bounds what a facilitator is asked at once, so that a flood of payments cannot drown it or us.
 *
 * A question beyond the bound is answered `unknown` at once, which charges nobody; a settlement waits
 * for its turn, since its intent is stored and those who may settle are bounded already.
 *
 * @module
 */
import { Effect, Layer, Semaphore } from "effect"
import { Facilitator, type FacilitatorRequest, type VerifyOutcome } from "../Facilitator.ts"

interface FacilitatorLimit {
  /** Calls at the facilitator at once, of both kinds. */
  readonly inFlight: number
  /** Verifications that may wait for one of these calls to end. */
  readonly waiting: number
}

const defaultLimit: FacilitatorLimit = { inFlight: 32, waiting: 64 }

const overloaded: VerifyOutcome = { outcome: "unknown", reason: "overloaded" }

/** The facilitator below, asked within bounds. */
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
