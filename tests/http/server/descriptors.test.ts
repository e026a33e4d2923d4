/**
 * A process that runs out of file descriptors: its open connections go on, it says so, and it
 * listens again when descriptors are free.
 *
 * @module
 */
import { match, strictEqual } from "node:assert/strict"
import { Effect, Fiber, Schedule } from "effect"
import { liveTest } from "../../support/effect.ts"
import { killAndWait } from "../../support/process.ts"

const descriptorsMax = 96
const connectionsMax = 2 * descriptorsMax

/** A process of `listening.ts` with few descriptors; `output` waits for a line of its log. */
const listening = Effect.gen(function* () {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      new Deno.Command("bash", {
        args: [
          "-c",
          `ulimit -n ${descriptorsMax}; exec "$0" run --lock=tests/deno.lock -A --no-check tests/support/http/listening.ts`,
          Deno.execPath(),
        ],
        stdout: "piped",
      }).spawn()
    ),
    (child) => Effect.promise(() => killAndWait(child)),
  )
  let text = ""
  const chunks = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  yield* Effect.addFinalizer(() => Effect.promise(() => chunks.cancel()))
  const output = (pattern: RegExp) =>
    Effect.promise(async () => {
      for (;;) {
        const found = pattern.exec(text)
        if (found !== null) return found[1] ?? ""
        const { value, done } = await chunks.read()
        if (done) throw new Error(`the process ended: ${text}`)
        text += value
      }
    })
  return { output }
})

liveTest("a process without descriptors keeps its connections, and listens again", function* () {
  const { output } = yield* listening
  const port = Number(yield* output(/listening on (\d+)/))
  // Each request opens a connection.
  const client = yield* Effect.acquireRelease(
    Effect.sync(() => Deno.createHttpClient({ poolMaxIdlePerHost: 0 })),
    (client) => Effect.sync(() => client.close()),
  )
  const get = (path: string) =>
    Effect.tryPromise(async () =>
      await (await fetch(`http://127.0.0.1:${port}${path}`, { client })).text()
    )
  const slow = yield* Effect.forkScoped(get("/slow"))
  yield* Effect.repeat(get("/isSlowPending"), { until: (text) => text === "true" })

  const connections: Array<Deno.Conn> = []
  for (let n = 0; n < connectionsMax; n++) {
    yield* Effect.tryPromise(() => Deno.connect({ hostname: "127.0.0.1", port })).pipe(
      Effect.map((connection) => connections.push(connection)),
      Effect.ignore,
    )
  }
  yield* output(/(The listener on port \d+ failed: .*Too many open files)/)
  for (const connection of connections) connection.close()

  const again = Effect.retry(get("/"), Schedule.spaced("100 millis"))
  match(yield* Effect.timeout(again, "20 seconds"), /^http_listener_restarts_total [1-9]/m)
  yield* get("/release")
  strictEqual(yield* Fiber.join(slow), "slow")
})
