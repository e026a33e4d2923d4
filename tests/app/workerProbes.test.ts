/**
 * The readiness of the refund worker follows its sweeps and its reads of the chain.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Clock, Effect, Layer } from "effect"
import { loadWorker } from "../../src/app/moneySettings.ts"
import { probesLayer, swept, WorkerBeat } from "../../src/app/workerProbes.ts"
import { afterAnswer } from "../../src/payments/domain/paymentHealth.ts"
import { PortRecords } from "../../src/payments/observedPorts.ts"
import { clockAhead, liveTest } from "../support/effect.ts"
import { freePort } from "../support/process.ts"

const minute = 60_000

liveTest(
  "/readyz of the worker is 503 without a sweep or a chain, and /livez is not",
  () =>
    Effect.gen(function* () {
      const port = freePort()
      const env: Readonly<Record<string, string>> = {
        DATABASE_URL: "postgres://me@127.0.0.1:1/none",
        REFUND_ADMIN_PORT: String(port),
        PAYMENTS: "simulated",
      }
      const settings = yield* loadWorker((name) => env[name])
      const real = yield* Clock.Clock
      let aheadMs = 0
      const clock: Clock.Clock = {
        ...clockAhead(real, 0),
        currentTimeMillisUnsafe: () => clockAhead(real, aheadMs).currentTimeMillisUnsafe(),
        currentTimeMillis: Effect.suspend(() => clockAhead(real, aheadMs).currentTimeMillis),
      }
      const get = (path: string) =>
        Effect.promise(async () => {
          const response = await fetch(`http://127.0.0.1:${port}${path}`)
          return [response.status, await response.text()]
        })
      yield* Effect.gen(function* () {
        const records = yield* PortRecords
        const readyz = get("/readyz")
        equal(yield* readyz, [503, "no sweep of refunds has finished yet\n"])
        yield* swept("sales", [])
        equal(yield* readyz, [503, "no sweep of refunds has finished yet\n"])
        yield* swept("unmatched", [])
        records.chain = afterAnswer(yield* Clock.currentTimeMillis)
        equal(yield* readyz, [200, "ok\n"])
        aheadMs = 2 * minute
        const [status, text] = yield* readyz
        equal([status, `${text}`.replace(/12\d/, "N")], [
          503,
          "no sweep of refunds has finished for N s\n",
        ])
        aheadMs = 4 * minute
        yield* swept("sales", [])
        yield* swept("unmatched", [])
        equal(yield* readyz, [503, "the chain cannot be read\n"])
        records.chain = afterAnswer(yield* Clock.currentTimeMillis)
        equal(yield* readyz, [200, "ok\n"])
      }).pipe(
        Effect.provide(
          probesLayer(settings).pipe(
            Layer.provideMerge(Layer.merge(WorkerBeat.layer, PortRecords.layer)),
          ),
        ),
        Effect.provideService(Clock.Clock, clock),
      )
    }),
)
