/**
 * Canonical JSON: the examples of RFC 8785, and one text for each value.
 *
 * @module
 */
import { deepStrictEqual as equal, strictEqual, throws } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { canonicalJson, type CanonicalValue } from "../../../src/signing/domain/canonicalJson.ts"
import { law } from "../../support/effect.ts"

Deno.test("canonicalJson() writes the examples of RFC 8785", () => {
  strictEqual(
    canonicalJson({
      numbers: [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      string: "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      literals: [null, true, false],
    }),
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
      '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  )
  const keys = ["\u20ac", "\r", "\ufb33", "1", "\ud83d\ude00", "\u0080", "\u00f6"]
  const sorted = JSON.parse(canonicalJson(Object.fromEntries(keys.map((key) => [key, 0]))))
  equal(new Set(Object.keys(sorted)), new Set(keys))
  strictEqual(
    canonicalJson(Object.fromEntries(keys.map((key) => [key, 0]))),
    '{"\\r":0,"1":0,"\u0080":0,"\u00f6":0,"\u20ac":0,"\ud83d\ude00":0,"\ufb33":0}',
  )
})

Deno.test("canonicalJson() refuses what RFC 8785 refuses, and leaves absent fields out", () => {
  for (const value of [NaN, Infinity, "\ud800", { "\udc00": 1 }]) {
    throws(() => canonicalJson(value), RangeError)
  }
  strictEqual(canonicalJson({ b: undefined, a: -0 }), '{"a":0}')
})

law(
  "canonicalJson() does not depend on the order of keys, and parses to the same value",
  Arbitrary.schema(Schema.Record(Schema.String, Schema.Json)),
  (value) => {
    const text = JSON.stringify(value)
    if (!text.isWellFormed() || /\\u[dD][89a-fA-F]/.test(text)) return
    const canonical = canonicalJson(JSON.parse(text) as CanonicalValue)
    equal(JSON.parse(canonical), JSON.parse(text))
    strictEqual(canonicalJson(reversed(JSON.parse(text))), canonical)
  },
)

/** The same value with the keys of every object in reverse order. */
function reversed(value: CanonicalValue): CanonicalValue {
  if (Array.isArray(value)) return value.map(reversed)
  if (value === null || typeof value !== "object") return value
  const entries = Object.entries(value).toReversed()
  return Object.fromEntries(entries.map(([key, field]) => [key, reversed(field as CanonicalValue)]))
}
