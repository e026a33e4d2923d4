/**
 * The adapter of Polymarket with scripted responses, on the TestClock.
 *
 * @module
 */
import { Clock, Effect, Fiber, Layer, Result } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import type { EpochMs } from "../../../src/core/domain/time.ts"
import { VenueClient, type VenueUnavailable } from "../../../src/markets/VenueClient.ts"
import type { RequestLimits } from "../../../src/venues/polymarket/requests.ts"
import { layer } from "../../../src/venues/polymarket/venue.ts"
import { scriptedClient } from "./polymarket.ts"

export type Answer = Parameters<typeof scriptedClient>[0]

/** Runs `use` on the venue, from `at` on; returns the requested URLs and their times too. */
export const withVenueAt = (at: EpochMs) =>
<A>(
  answer: Answer,
  use: (venue: VenueClient["Service"]) => Effect.Effect<A, VenueUnavailable>,
  limits: Partial<RequestLimits> = {},
) =>
  Effect.gen(function* () {
    const requested: Array<URL> = []
    const times: Array<number> = []
    const client = scriptedClient((url, body) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        requested.push(url)
        times.push(now)
        const answered = answer(url, body)
        return Effect.isEffect(answered) ? answered : Effect.succeed(answered)
      })
    )
    const urls = { gammaUrl: "http://gamma", clobUrl: "http://clob", dataUrl: "http://data/v2" }
    yield* TestClock.setTime(at)
    const running = yield* Effect.flatMap(VenueClient, use).pipe(
      Effect.provide(
        layer({ ...urls, limits }).pipe(
          Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
        ),
      ),
      Effect.result,
      Effect.forkChild,
    )
    yield* TestClock.adjust("2 hours")
    return { result: yield* Fiber.join(running), requested, times }
  })

/** Why it failed. */
export function reason(result: Result.Result<unknown, VenueUnavailable>): string {
  return Result.isFailure(result) ? result.failure.reason : "none"
}

/** Equal as JSON. */
export function equal(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`got ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`)
  }
}
