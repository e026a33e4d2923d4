/**
 * prepared() makes a value again only for other inputs, and preparedFor() once for each object.
 *
 * @module
 */
import { deepStrictEqual as equal, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { prepared, preparedFor } from "../../../src/core/domain/prepared.ts"
import { law } from "../../support/effect.ts"

const calls = Arbitrary.schema(
  Schema.Array(Schema.Array(Schema.Literals([0, 1, ""])).check(Schema.isMaxLength(2))),
)

law(
  "prepared() makes a value exactly when the inputs are not those of the last call",
  calls,
  (calls) => {
    const made: Array<ReadonlyArray<unknown>> = []
    const value = prepared((...inputs: ReadonlyArray<unknown>) => {
      made.push(inputs)
      return { inputs }
    })
    let last: object | null = null
    for (const [at, inputs] of calls.entries()) {
      const isSame = at > 0 && JSON.stringify(calls[at - 1]) === JSON.stringify(inputs)
      const now = value(...inputs)
      equal(now.inputs, inputs)
      strictEqual(now === last, isSame)
      last = now
    }
  },
)

Deno.test("preparedFor() makes one value for each object", () => {
  const value = preparedFor((of: object) => ({ of }))
  const [a, b] = [{}, {}]
  strictEqual(value(a), value(a))
  strictEqual(value(a).of, a)
  strictEqual(value(b).of, b)
})
