/**
 * One start of the whole service, as the README says, for every run of the tests: a free call, a
 * purchase and a bad call. `dev.test.ts` has what takes longer.
 *
 * @module
 */
import { deepStrictEqual as equal, match, strictEqual } from "node:assert/strict"
import { Effect, Schedule } from "effect"
import { liveTest } from "../support/effect.ts"
import type { TaskView } from "../support/http/a2a.ts"
import { clientKinds, connect, payFor, submitted } from "../support/http/a2aClients.ts"
import { dataFolder, startDev } from "../support/process.ts"

/** A message as the service asks for it: again while it says that no payment was used and to try later. */
const sent = (request: () => Promise<TaskView>): Effect.Effect<TaskView> =>
  Effect.tryPromise({
    try: async () => {
      const task = await request()
      const { retryable, charged } = Object(task.data?.["error"])
      if (retryable === true && charged === false) throw new Error(task.text)
      return task
    },
    catch: String,
  }).pipe(
    Effect.retry({
      while: (error) => /The service cannot answer now|is not sold now/.test(error),
      schedule: Schedule.spaced("3 seconds"),
      times: 30,
    }),
    Effect.orDie,
  )

liveTest(
  "task dev answers a free call, sells the newest item also over A2A, and refuses a bad call",
  function* () {
    const service = yield* startDev(yield* dataFolder)
    // A tick writes its items before it ends, and until then their data is stale and is not sold.
    yield* service.until(
      "/v1/index",
      ({ index, status }) => Number(index) > 0 && status === "live",
    )

    const { stdout: bought } = yield* service.buy("/v1/latest")
    match(bought, /402[^]*"charged": true/)

    for (const kind of clientKinds) {
      const { send } = yield* Effect.promise(() => connect(kind, service.base))
      const offer = yield* sent(() => send([{ text: "get_latest" }]))
      const metadata = submitted(yield* Effect.promise(() => payFor(offer, 7)))
      const paid = yield* sent(() => send([{ text: "Paid." }], { taskId: offer.id, metadata }))
      equal([paid.state, paid.answer?.["charged"]], ["completed", true], JSON.stringify(paid))
    }

    const bad = yield* service.buy("/v1/signals?count=21")
    match(bad.stdout + bad.stderr, /count must be a whole number from 1 to 20/)

    strictEqual(yield* service.stop, 0)
  },
)
