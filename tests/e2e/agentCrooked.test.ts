/**
 * What a crooked service cannot get out of the demonstration agent: more authorizations than its
 * budget has.
 *
 * @module
 */
import { match, strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { type Came, item, json, visit } from "../support/crookedShop.ts"
import { liveTest } from "../support/effect.ts"

interface Authorization {
  readonly nonce: string
  readonly value: string
}

/** Everything the service could settle, whatever it says of it. */
const authorizations = (payments: ReadonlyArray<Came>): ReadonlyArray<Authorization> => {
  const all: ReadonlyArray<Authorization> = payments.map(({ payment }) =>
    JSON.parse(atob(payment ?? "")).payload.authorization
  )
  return [...new Map(all.map((made) => [made.nonce, made])).values()]
}
const units = (payments: ReadonlyArray<Came>) =>
  authorizations(payments).reduce((sum, { value }) => sum + Number(value), 0)

const givenAway = (n: number) => json({ success: true, charged: false, data: [item(n)] })

liveTest(
  "what a service says it did not take is signed for all the same",
  () =>
    Effect.gen(function* () {
      const { text, error, payments } = yield* visit({
        index: (looks) => looks,
        paid: (_, n) => givenAway(n),
      }, { polls: 40 })
      strictEqual(error, "")
      strictEqual(units(payments), 240_000)
      match(text, /stopping {3}\/v1\/signals would go over the budget/)
      match(text, /signed {5}\$0.24 of \$0.25; the service says \$0.24 of it was not taken/)
      match(text, /bought {5}0 answers[^]+left {7}\$0.01 of \$0.25/)
    }),
)

liveTest(
  "a 402 after the payment does not bring the budget back, nor do books that call it void",
  () =>
    Effect.gen(function* () {
      const { text, payments } = yield* visit({
        index: (looks) => looks,
        paid: (_, n) => n % 3 === 0 ? givenAway(n) : json({ error: "no" }, 402),
        books: { state: "void" },
      }, { polls: 40 })
      strictEqual(units(payments), 240_000)
      match(text, /left {7}\$0.01 of \$0.25/)
    }),
)
