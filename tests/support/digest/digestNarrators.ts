/**
 * Narrators of digests for tests: one that works, and faulty ones.
 *
 * @module
 */
import { Effect } from "effect"
import type { ClaimDraft, DraftRequest } from "../../../src/writing/domain/claims.ts"
import { ModelFailed } from "../../../src/writing/Model.ts"
import { Narrator } from "../../../src/writing/Narrator.ts"
import { agreeing } from "../writing/pages.ts"

/** What a narrator does on a call. The claims of `lies` and `omits` are refused. */
export type NarratorBehaviour = "writes" | "fails" | "crashes" | "hangs" | "lies" | "omits"

/** A narrator whose behaviour is chosen for each call; `onCall` receives the request. */
export const narrator = (
  behaviour: Effect.Effect<NarratorBehaviour>,
  onCall: (request: DraftRequest) => void = () => {},
): Narrator["Service"] =>
  Narrator.of({
    ...agreeing,
    name: "a model",
    draft: Effect.fnUntraced(function* (request) {
      onCall(request)
      switch (yield* behaviour) {
        case "writes":
          return claimsOf(request)
        case "fails":
          return yield* new ModelFailed({ reason: "no answer" })
        case "crashes":
          return yield* Effect.die("the narrator crashed")
        case "hangs":
          return yield* Effect.never
        case "lies":
          return claimsOf(request).map((claim) => ({
            ...claim,
            text: "98,765,432 USD were moved.",
          }))
        case "omits":
          return claimsOf(request).slice(0, 1)
            .map((claim) => ({ ...claim, text: "Nothing moved.", facts: [] }))
      }
    }),
  })

/** In each paragraph behind the summary, the statement of its first fact that no earlier one states. */
function claimsOf({ facts, slots }: DraftRequest): ReadonlyArray<ClaimDraft> {
  const stated = new Set<string>()
  return slots.slice(2).filter(({ aboutItself }) => !aboutItself).flatMap((slot) => {
    const fact = facts.find(({ id, statement }) =>
      slot.sentences.some(({ facts }) => facts.includes(id)) && !stated.has(statement)
    )
    if (fact === undefined) return []
    stated.add(fact.statement)
    return [{ slot: slot.id, kind: "fact", text: fact.statement, facts: [fact.id] }]
  })
}
