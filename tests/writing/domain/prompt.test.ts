/**
 * Prompts for claims: untrusted text stays data between the markers, and each fact has its sentence.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary } from "effect"
import { safeName } from "../../../src/core/domain/untrusted.ts"
import { claimKinds } from "../../../src/writing/domain/page.ts"
import { claimsPrompt } from "../../../src/writing/domain/prompt.ts"
import { phrase, value } from "../../../src/writing/domain/statement.ts"
import { judgePrompt } from "../../../src/writing/domain/judge.ts"
import { law } from "../../support/effect.ts"
import { anyInt, hostileText, oneOf } from "../../support/http/hostile.ts"
import { anyValue, draftRequest, factOf, fallFact, pageOf } from "../../support/writing/pages.ts"

const boundary = `BLOCK-${"0123abcd".repeat(8)}`

/** Requests of any size whose facts are hostile, and claims for them. */
const anyRequest = Arbitrary.map(
  Arbitrary.all({
    values: Arbitrary.array(anyValue, { minLength: 1, maxLength: 40 }),
    name: hostileText,
    drafts: Arbitrary.array(
      Arbitrary.all({ text: hostileText, kind: oneOf(claimKinds) }),
      { minLength: 0, maxLength: 5 },
    ),
    many: anyInt(1, 60),
  }),
  ({ values, name, drafts, many }) => {
    const facts = [
      ...values.map((value, n) => factOf(n + 1, { value })),
      ...Array.from({ length: many }, (_, n) => fallFact(100 + n, safeName(name), 0.5, 0.3)),
    ]
    const claims = drafts.map(({ text, kind }) => ({
      ...{ slot: "S1", kind, text, facts: ["F1"], values: [] },
    }))
    return { ...draftRequest, facts, slots: pageOf([facts]), claims }
  },
)

/** The lines between the two markers. */
function block(user: string): ReadonlyArray<string> {
  const lines = user.split("\n")
  const [begin = -1, end = -1, ...more] = lines.flatMap((line, n) => line === boundary ? [n] : [])
  equal(more, [])
  return lines.slice(begin + 1, end)
}

law("all data stands between the markers, one JSON value a line", anyRequest, (request) => {
  const { system, user } = claimsPrompt(request, boundary)
  const lines = block(user)
  ok(lines.every((line) => typeof JSON.parse(line) === "object" && !/[<>&`|]/.test(line)))
  const outside = user.split("\n").filter((line) => !lines.includes(line)).join("\n")
  const constant = claimsPrompt({ ...request, facts: [], slots: [] }, boundary)
  strictEqual(system, constant.system)
  strictEqual(
    outside,
    constant.user.split("\n").filter((line) => !block(constant.user).includes(line)).join("\n"),
  )
  ok(user.length < 150_000)
})

law("every fact has its id, its values and its sentence", anyRequest, (request) => {
  const data = block(claimsPrompt(request, boundary).user).map((line) => JSON.parse(line))
  for (const fact of request.facts) {
    const sent = data.find(({ id }) => id === fact.id)
    equal(Object.keys(sent.values), Object.keys(fact.values))
    ok(typeof sent.says === "string" && sent.says.length > 0, JSON.stringify(sent))
  }
})

Deno.test("a fact has its sentence with the values as slots", () => {
  const data = block(claimsPrompt(draftRequest, boundary).user).map((line) => JSON.parse(line))
  equal(data[1], {
    ...{ id: "F2", kind: "mover", about: 2, direction: "down" },
    says: "The price in {market} fell by {change}, from {from} to {to}.",
    values: { market: "Beta", change: "20 cents", from: "0.40", to: "0.20" },
  })
})

Deno.test("the words of a sentence stay words, also where they read like a value", () => {
  const no = value("outcome2", { type: "name", text: "No" })
  const { text, ...said } = phrase`No trade: “No trade” says no more of ${no}.`
  const fact = { ...factOf(1, {}), ...said, statement: text }
  const [first = ""] = block(claimsPrompt({ ...draftRequest, facts: [fact] }, boundary).user)
  strictEqual(JSON.parse(first).says, "No trade: “No trade” says no more of {outcome2}.")
})

Deno.test("a slot about the text itself is not offered", () => {
  const [one, two] = draftRequest.slots
  ok(one !== undefined && two !== undefined)
  const request = { ...draftRequest, slots: [{ ...one, aboutItself: true }, two] }
  const data = block(claimsPrompt(request, boundary).user).map((line) => JSON.parse(line))
  equal(data.slice(2), [{ slot: "S2", topic: "move", facts: "F2" }])
})

law("the judge gets claims and statements as data only", anyRequest, (request) => {
  const facts = new Map(request.facts.map((fact) => [fact.id, fact]))
  const { claims } = request
  const lines = block(judgePrompt(claims, facts, boundary).user).map((line) => JSON.parse(line))
  equal(lines.filter(({ claim }) => claim !== undefined).map(({ text }) => text), [
    ...claims.map(({ text }) => text),
  ])
})
