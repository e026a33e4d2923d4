/**
 * A process that listens with the service's own listener and prints its port. A test starts it with
 * few file descriptors. `/slow` waits for `/release`; other paths return the metrics.
 *
 * @module
 */
import { Duration, Effect } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { listen } from "../../../src/http/server/server.ts"

const released = Promise.withResolvers<void>()
let isSlowPending = false

const program = Effect.gen(function* () {
  const context = yield* Effect.context<never>()
  const { port } = yield* listen(
    { hostname: "127.0.0.1", port: 0, drain: Duration.seconds(1) },
    async (request) => {
      switch (new URL(request.url).pathname) {
        case "/slow":
          isSlowPending = true
          await released.promise
          return new Response(request.signal.aborted ? "aborted" : "slow")
        case "/isSlowPending":
          return new Response(String(isSlowPending))
        case "/release":
          released.resolve()
          return new Response("released")
        default:
          return new Response(await Effect.runPromiseWith(context)(PrometheusMetrics.format()))
      }
    },
  )
  yield* Effect.log(`listening on ${port}`)
  yield* Effect.never
})

await Effect.runPromise(Effect.scoped(program))
