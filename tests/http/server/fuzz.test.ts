/**
 * Random requests: no 5xx, no hang, every answer in the documented shape.
 *
 * @module
 */
import { ok, strictEqual } from "node:assert/strict"
import { Effect, Random } from "effect"
import { liveTest } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"
import { makeService, makeWorld } from "../../support/http/httpService.ts"
import { requestDrawer } from "../../support/http/fuzz.ts"
import { market } from "../../support/payments/sales.ts"
import { faultOf } from "../../support/http/shape.ts"

const requests = sized({ short: 2_000, full: 10_000 })
const seed = "fuzz-1"

liveTest(
  `none of ${requests} random requests gets a 5xx, a hang or an undocumented answer (seed ${seed})`,
  () =>
    Effect.gen(function* () {
      const service = yield* makeService(yield* makeWorld(50), market())
      const { draw } = yield* requestDrawer
      const seen = new Map<number, number>()
      for (let n = 0; n < requests; n++) {
        // Free answers are read again by a timer, and timers wait for a turn of the event loop.
        if (n % 50 === 0) yield* Effect.sleep(0)
        const { path, target, method, headers } = yield* draw
        const response = yield* service.get(target, { method, headers }).pipe(
          Effect.timeoutOrElse({
            duration: "5 seconds",
            orElse: () => Effect.die(`request ${n} hangs: ${method} ${target}`),
          }),
        )
        ok(response.status < 500, `request ${n}: ${method} ${target} is ${response.status}`)
        strictEqual(
          yield* faultOf(new URL(`http://any${path}`).pathname, method, response),
          null,
          `request ${n}: ${method} ${target} is ${response.status}`,
        )
        seen.set(response.status, (seen.get(response.status) ?? 0) + 1)
      }
      // Each status must occur often enough; a run of 404s only would prove nothing.
      for (const status of [200, 204, 400, 402, 404, 405, 414, 422, 431]) {
        ok(
          (seen.get(status) ?? 0) > requests / 5_000,
          `only ${seen.get(status)} answers were ${status}`,
        )
      }
    }).pipe(Random.withSeed(seed)),
)
