/**
 * The limit of new settle-early sales: from five refunds for absence on and over a fifth of all.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { pauseMs, windowMs } from "../../../src/payments/domain/refundRatio.ts"
import { law } from "../../support/effect.ts"

const ages = (count: number) => Array.from({ length: count }, (_, n) => n * 1_000)

for (
  const [absent, charged, isPaused] of [
    [0, 0, false],
    [4, 4, false],
    [5, 5, true],
    [5, 24, true],
    [5, 25, false],
    [40, 200, false],
    [41, 200, true],
  ] as const
) {
  Deno.test(`pauseMs() ${isPaused ? "refuses" : "allows"} ${absent} absent of ${charged}`, () =>
    equal(pauseMs({ charged, absentAgoMs: ages(absent) }) !== null, isPaused))
}

const Age = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: windowMs - 1 }))
law(
  "pauseMs() ends when sales are allowed again, and not before",
  Arbitrary.schema(Schema.Array(Age)),
  (absentAgoMs) => {
    const charged = absentAgoMs.length
    const pause = pauseMs({ charged, absentAgoMs })
    equal(pause === null, charged < 5)
    if (pause === null) return
    ok(pause > 0 && pause <= windowMs)
    const after = (ms: number) => {
      const left = absentAgoMs.map((ago) => ago + ms).filter((ago) => ago < windowMs)
      return pauseMs({ charged: left.length, absentAgoMs: left })
    }
    equal(after(pause), null)
    ok(after(pause - 1) !== null)
  },
)
