/**
 * Sockets are served while fibers are busy.
 *
 * @module
 */
import { ok } from "node:assert/strict"
import { Effect } from "effect"
import { fairScheduler } from "../../src/app/fairScheduler.ts"

/** Work between two yields. */
const sliceMs = 5
/** Requests one after another, and the most slices of work between the first and the last. */
const requests = 20
const slicesMax = 200

const slice = Effect.sync(() => {
  for (const began = performance.now(); performance.now() - began < sliceMs;);
})

Deno.test("requests are answered while a fiber computes and yields", async () => {
  let answered = 0
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => (answered++, new Response()),
  )
  const client = new Deno.Command(Deno.execPath(), {
    args: [
      "eval",
      `for (let n = 0; n < ${requests}; n++) {
        await (await fetch("http://127.0.0.1:${server.addr.port}")).text()
      }`,
    ],
  }).output()
  let slices = 0
  const busy = Effect.repeat(Effect.andThen(slice, Effect.yieldNow), {
    while: () => {
      if (answered > 0) slices++
      return answered < requests && slices < slicesMax
    },
  })
  await Effect.runPromise(busy, { scheduler: fairScheduler })
  ok(slices < slicesMax, `${answered} answers`)
  await client
  await server.shutdown()
})
