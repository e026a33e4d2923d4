/**
 * What `deno task dev` has after its start, on an embedded store: a digest that it sells to the
 * unmodified reference buyer, and the same feed after a restart. `start.test.ts` has the first calls.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect } from "effect"
import { liveTest } from "../support/effect.ts"
import { dataFolder, startDev } from "../support/process.ts"

liveTest(
  "task dev sells a digest after its start, and keeps feed and digest through a restart",
  () =>
    Effect.gen(function* () {
      const dir = yield* dataFolder
      const first = yield* startDev(dir)
      // The first start writes the digest of the current slot after the first tick.
      const brief = yield* first.until("/v1/digest/brief", (body) => "data" in body)
      const index = yield* first.until("/v1/index", (body) => body["digest"] !== null)
      ok(JSON.stringify(brief).includes("createdAt"), JSON.stringify(brief))
      const written = yield* first.buy("/v1/digest")
      ok(written.includes("<- 200") && written.includes("## What repriced"), written)
      const history = yield* first.buy("/v1/digest/history?hours=4")
      ok(/"count": 1,[^]*"charged": true/.test(history), history)
      equal(yield* first.stop, 0)

      const second = yield* startDev(dir)
      const again = yield* second.until("/v1/index", () => true)
      ok(Number(again["index"]) >= Number(index["index"]), "the feed survives a restart")
      ok(again["digest"] !== null, "the digest survives a restart")
      equal(yield* second.stop, 0)
    }),
)
