/**
 * One start of the whole service, as the README says, for every run of the tests: a free call, a
 * purchase and a bad call. `dev.test.ts` has what takes longer.
 *
 * @module
 */
import { match, strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { liveTest } from "../support/effect.ts"
import { dataFolder, startDev } from "../support/process.ts"

liveTest(
  "task dev answers a free call, sells the newest item, and refuses a bad call",
  () =>
    Effect.gen(function* () {
      const service = yield* startDev(yield* dataFolder)
      const index = yield* service.until("/v1/index", (body) => Number(body["index"]) > 0)
      strictEqual(index["status"], "live")

      const bought = yield* service.buy("/v1/latest")
      match(bought, /402[^]*"charged": true/)

      const bad = yield* service.buy("/v1/signals?count=21")
      match(bad, /count must be a whole number from 1 to 20/)

      strictEqual(yield* service.stop, 0)
    }),
)
