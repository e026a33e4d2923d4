/**
 * Fibers capture no context of `node:async_hooks`. Every run of the tests loads the module first, as the
 * entry points do.
 *
 * @module
 */
import { strictEqual as equal } from "node:assert/strict"
import { createHook } from "node:async_hooks"
import process from "node:process"
import { Effect } from "effect"

Deno.test("a fiber that is suspended captures no asynchronous context", async () => {
  const captured: Array<string> = []
  const hook = createHook({ init: (_id, type) => captured.push(type) }).enable()
  await Effect.runPromise(Effect.repeat(Effect.promise(() => Promise.resolve()), { times: 3 }))
  hook.disable()
  equal(captured.filter((type) => type.startsWith("effect")).length, 0)
})

Deno.test("other modules of Node stay available to the packages", () => {
  equal(typeof process.getBuiltinModule("node:path").join, "function")
})
