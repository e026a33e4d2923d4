/**
 * The whole service as its users run it: `deno task dev` as a process on an embedded store. It is
 * called over HTTP, sells to the unmodified reference buyer, stops and restarts.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect } from "effect"
import { liveTest } from "../support/effect.ts"
import { removeFolder, startDev } from "../support/process.ts"

liveTest(
  "task dev has movers and a digest after its start, and sells both to the reference buyer",
  () =>
    Effect.gen(function* () {
      const dir = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          await Deno.mkdir(".data", { recursive: true })
          return Deno.makeTempDir({ dir: ".data", prefix: "e2e-" })
        }),
        removeFolder,
      )
      const first = yield* startDev(dir)
      const index = yield* first.until("/v1/index", (body) => Number(body["index"]) > 0)
      equal(index["status"], "live")

      const bought = yield* first.buy("/v1/latest")
      ok(bought.includes("402"), bought)
      ok(bought.includes('"charged": true'), bought)

      // The first start writes the digest of the current slot after the first tick.
      const brief = yield* first.until("/v1/digest/brief", (body) => "data" in body)
      const { digest } = yield* first.until("/v1/index", (body) => body["digest"] !== null)
      ok(JSON.stringify(brief).includes("createdAt") && digest !== null, JSON.stringify(brief))
      const written = yield* first.buy("/v1/digest")
      ok(written.includes("<- 200") && written.includes("## What repriced"), written)
      const history = yield* first.buy("/v1/digest/history?hours=4")
      ok(/"count": 1,[^]*"charged": true/.test(history), history)

      const bad = yield* first.buy("/v1/signals?count=21")
      ok(bad.includes("count must be a whole number from 1 to 20"), bad)

      equal(yield* first.stop, 0)

      const second = yield* startDev(dir)
      const again = yield* second.until("/v1/index", () => true)
      ok(Number(again["index"]) >= Number(index["index"]), "the feed survives a restart")
      ok(again["digest"] !== null, "the digest survives a restart")
      equal(yield* second.stop, 0)
    }),
)
