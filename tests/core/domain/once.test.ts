/**
 * once(): the value is made at the first call, and never again.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { once } from "../../../src/core/domain/once.ts"

for (const value of [1, null, undefined, false]) {
  Deno.test(`once() makes ${value} at its first call only`, () => {
    let calls = 0
    const get = once(() => {
      calls++
      return value
    })
    equal(calls, 0)
    equal([get(), get(), calls], [value, value, 1])
  })
}
