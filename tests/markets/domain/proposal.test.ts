/**
 * The words about a proposal, which every product shares.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { proposalAge, proposalWords } from "../../../src/markets/domain/proposal.ts"
import { day, hour, minute } from "../../../src/core/domain/time.ts"
import { law } from "../../support/effect.ts"

const now = 1_795_312_521_385
const units = new Map([["minute", minute], ["hour", hour], ["day", day]])

const anyAge = Arbitrary.schema(Schema.Struct({
  ageMs: Schema.Int.check(Schema.isBetween({ minimum: -hour, maximum: 40 * day })),
  disputed: Schema.Boolean,
}))

law("proposalWords() never states a longer time without a dispute than has passed", anyAge, ({
  ageMs,
  disputed,
}) => {
  const proposal = { proposedAt: now - ageMs, disputed }
  const words = proposalWords(proposal, now)
  if (disputed) return ok(words === "proposed, and disputed")
  const age = proposalAge(proposal, now)
  ok(words === `proposed, undisputed for ${age}`)
  if (ageMs < minute) return ok(age === "less than a minute")
  const [, count = "", unit = ""] = /^(\d+) (minute|hour|day)s?$/.exec(age) ?? []
  const unitMs = units.get(unit) ?? 0
  ok(Number(count) * unitMs <= ageMs && ageMs < (Number(count) + 1) * unitMs)
})

Deno.test("proposalWords() in examples", () => {
  const words = (ageMs: number) => proposalWords({ proposedAt: now - ageMs, disputed: false }, now)
  equal([minute, 59 * minute, hour, 119 * minute, 26 * hour, 48 * hour, 95 * hour].map(words), [
    ...["proposed, undisputed for 1 minute", "proposed, undisputed for 59 minutes"],
    ...["proposed, undisputed for 1 hour", "proposed, undisputed for 1 hour"],
    ...["proposed, undisputed for 26 hours", "proposed, undisputed for 2 days"],
    "proposed, undisputed for 3 days",
  ])
})
