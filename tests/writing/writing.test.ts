/**
 * Writing a page claim by claim: it is whole and on time whatever the narrator and the judge do, and holds
 * no claim that was not accepted.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Duration, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import {
  checkedClaim,
  type ClaimDraft,
  type DraftRequest,
} from "../../src/writing/domain/claims.ts"
import { type Claim, claimKinds, fillSlots } from "../../src/writing/domain/page.ts"
import type { Narrator } from "../../src/writing/Narrator.ts"
import { ModelFailed } from "../../src/writing/Model.ts"
import { writePage } from "../../src/writing/writing.ts"
import { test } from "../support/effect.ts"
import { anyInt, hostileText, oneOf } from "../support/http/hostile.ts"
import { agreeing, claimDraft, fallFact, pageOf } from "../support/writing/pages.ts"

const within = Duration.seconds(50)
const facts = [
  fallFact(1, "Alpha", 0.5, 0.3),
  fallFact(2, "Beta", 0.4, 0.2),
  fallFact(3, "Gamma", 0.8, 0.7),
]
const slots = pageOf([facts.slice(0, 2), facts.slice(2)])
const options = { use: "digest", task: "You write.", facts, slots, within } as const
const byId = new Map(facts.map((fact) => [fact.id, fact]))

interface Script {
  readonly draft: Effect.Effect<ReadonlyArray<ClaimDraft>, ModelFailed>
  readonly supported?: Narrator["Service"]["supported"]
  readonly trusted?: boolean
}

/** Ports that follow a script, and the requests that they got. */
function scripted({ draft, supported = agreeing.supported, trusted = true }: Script) {
  const requests: Array<DraftRequest> = []
  const questions: Array<ReadonlyArray<Claim>> = []
  const narrator: Narrator["Service"] = {
    name: "stub-1",
    trusted: Effect.succeed(trusted),
    draft: (request) => {
      requests.push(structuredClone(request))
      return draft
    },
    supported: (claims, facts) => {
      questions.push(claims)
      return supported(claims, facts)
    },
  }
  return { narrator, requests, questions }
}

const failing = Effect.fail(new ModelFailed({ reason: "status 500" }))
const says = (...claims: ReadonlyArray<ClaimDraft>) => Effect.succeed(claims)

/** Writes the page while the clock runs as far as needed. */
const written = Effect.fnUntraced(function* (script: Script) {
  const run = scripted(script)
  const fiber = yield* Effect.forkChild(writePage(run.narrator, options))
  yield* TestClock.adjust(within)
  return { page: yield* Fiber.join(fiber), ...run }
})

const anyClaim: Arbitrary.Arbitrary<ClaimDraft> = Arbitrary.map(
  Arbitrary.all({
    slot: oneOf(["S1", "S1", "S2", "S9"]),
    kind: oneOf(claimKinds),
    hostile: hostileText,
    text: oneOf([
      ...["{F1.market} fell by {F1.change}.", "{F2.market} fell to {F2.to}.", ""],
      ...["{F3.market} fell from {F3.from} to {F3.to}.", "{F1.market} rose by 3 cents.", "It {"],
      "{F1.market} and {F2.market} may fall together.",
    ]),
    facts: oneOf([["F1"], ["F2"], ["F1", "F2"], ["F3"], ["F99"], []]),
  }),
  ({ hostile, text, ...rest }) => ({ ...rest, text: text === "" ? hostile : text }),
)
const anyDraft = Arbitrary.array(anyClaim, { minLength: 0, maxLength: 12 })
const anyBehaviour = Arbitrary.all({ claims: anyDraft, mode: anyInt(0, 4) })
type Drawn = typeof anyBehaviour extends Arbitrary.Arbitrary<infer A> ? A : never

test("a page is whole, on time, and holds only what the checks and the judge let pass", () =>
  Effect.gen(function* () {
    const property = ({ claims: drawn, mode }: Drawn) =>
      Effect.gen(function* () {
        const isOdd = ({ text }: Claim) => text.length % 2 === 1
        const { page, requests, questions } = yield* written({
          draft: says(...drawn),
          supported: (claims) =>
            [failing, Effect.never, Effect.die("crash")][mode] ??
              Effect.delay(Effect.succeed(claims.filter(isOdd)), "49 seconds"),
        })
        ok(requests.length === 1 && questions.length <= 1)
        equal(page.slots.map(({ id }) => id), ["S1", "S2"])
        const sentences = page.slots.flatMap((slot) => slot.sentences)
        for (const fact of facts) {
          ok(
            sentences.some(({ kind, facts }) =>
              (kind === "template" || kind === "fact") && facts.includes(fact.id)
            ),
          )
        }
        const claims = sentences.filter(({ kind }) => kind !== "template")
        const allowed = drawn.flatMap((draft) =>
          Result.match(checkedClaim(draft, slots, byId), {
            onFailure: () => [],
            onSuccess: (claim) => isOdd(claim) ? [claim.text.toLowerCase()] : [],
          })
        )
        ok(claims.every(({ text }) => allowed.some((it) => text.toLowerCase().endsWith(it))))
        equal(page.accepted, claims.length)
        equal(page.narrator, claims.length > 0 ? "stub-1" : "template")
        return true
      })
    const failure = Arbitrary.formatCheckFailure(
      yield* Arbitrary.checkEffect(anyBehaviour, property, { runs: 150 }),
    )
    ok(failure === undefined, failure)
  }))

const template = fillSlots(slots, [])
for (
  const [name, draft, failed] of [
    ["drafts nothing", says(), 0],
    ["fails", failing, 1],
    ["crashes", Effect.die("crash"), 1],
    ["never answers", Effect.never, 0],
    ["writes for a slot that is not there", says({ ...claimDraft, slot: "S9" }), 0],
    ["opens a value of a fact that it does not cite", says({ ...claimDraft, facts: ["F2"] }), 0],
  ] as const
) {
  test(`a narrator that ${name} leaves the template`, () =>
    Effect.gen(function* () {
      const { page } = yield* written({ draft })
      equal(page.slots, template)
      equal([page.narrator, page.accepted, page.failed], ["template", 0, failed])
    }))
}

test("without a judge that is trusted no narrator is asked", () =>
  Effect.gen(function* () {
    const { page, requests } = yield* written({ draft: says(claimDraft), trusted: false })
    equal([page.slots, page.narrator, requests.length], [template, "template", 0])
  }))

const lie: ClaimDraft = { ...claimDraft, slot: "S2", text: "Gamma rose.", facts: ["F3"] }

test("a claim is accepted alone, and the template stays where one is refused", () =>
  Effect.gen(function* () {
    const { page } = yield* written({ draft: says(claimDraft, lie) })
    equal(page.slots.map(({ sentences }) => sentences.map(({ text }) => text)), [
      ["Alpha fell by 20 cents.", facts[1]?.statement],
      [facts[2]?.statement],
    ])
    equal([page.accepted, page.refused, page.narrator], [1, 1, "stub-1"])
  }))

test("a claim may cite facts of other sections", () =>
  Effect.gen(function* () {
    const elsewhere = { ...claimDraft, slot: "S2", facts: ["F1"] }
    const { page } = yield* written({ draft: says(elsewhere) })
    equal(page.slots[1]?.sentences.map(({ kind }) => kind), ["template", "fact"])
  }))

/** A model that needs 30 seconds for a draft and 20 for a judgement. */
const slow: Script = {
  draft: Effect.delay(says(claimDraft, lie), "30 seconds"),
  supported: (claims) => Effect.delay(Effect.succeed(claims), "20 seconds"),
}

for (
  const [product, seconds, accepted] of [
    ["report", 53, [1, 0]],
    ["report whose material came late", 45, [0, 0]],
  ] as const
) {
  test(`a slow model writes a ${product} in ${seconds} seconds, and no section is empty`, () =>
    Effect.gen(function* () {
      const within = Duration.seconds(seconds)
      const { narrator } = scripted(slow)
      const fiber = yield* Effect.forkChild(writePage(narrator, { ...options, within }))
      yield* TestClock.adjust(within)
      const page = yield* Fiber.join(fiber)
      const claims = page.slots.map(({ sentences }) =>
        sentences.filter(({ kind }) => kind !== "template").length
      )
      equal(claims, accepted)
      ok(page.slots.every(({ sentences }) => sentences.length > 0))
    }))
}
