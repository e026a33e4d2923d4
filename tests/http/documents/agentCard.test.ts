/**
 * The agent card: the rules of A2A 0.3.0, its paths, and its agreement with the catalog.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { agentCard } from "../../../src/http/documents/cards.ts"
import { type Json, objectIn, send } from "../../support/http/a2a.ts"
import { test } from "../../support/effect.ts"
import { makeService, makeWorld } from "../../support/http/httpService.ts"
import { terms } from "../../support/payments/terms.ts"

const card = agentCard({ terms, version: "1.0.0" })
Deno.test("the agent card has the fields of 0.3.0, and none of other versions", () => {
  const required: ReadonlyArray<readonly [string, unknown]> = [
    ["protocolVersion", "0.3.0"],
    ["version", "1.0.0"],
    ["url", `${terms.publicBaseUrl}/a2a`],
    ["preferredTransport", "JSONRPC"],
    ["additionalInterfaces", [{ url: `${terms.publicBaseUrl}/a2a`, transport: "JSONRPC" }]],
    ["supportsAuthenticatedExtendedCard", false],
    ["defaultInputModes", ["application/json", "text/plain"]],
    ["defaultOutputModes", ["application/json"]],
  ]
  const fields: Json = { ...card }
  for (const [name, value] of required) equal(fields[name], value, name)
  ok(card.name !== "" && card.description !== "")
  for (const name of ["supportedInterfaces", "securitySchemes", "security", "signatures"]) {
    ok(!(name in card), name)
  }
  const { streaming, pushNotifications, stateTransitionHistory, extensions } = card.capabilities
  equal([streaming, pushNotifications, stateTransitionHistory], [false, false, false])
  equal(extensions.map(({ uri, required }) => [uri, required]), [
    ["https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2", false],
    ["https://github.com/google-a2a/a2a-x402/v0.1", false],
  ])
})

test("every example of the agent card is a valid message", () =>
  Effect.gen(function* () {
    const face = yield* makeService(yield* makeWorld(3))
    let n = 0
    for (const { id, examples } of card.skills) {
      for (const text of examples) {
        const headers = { "x-forwarded-for": `203.0.113.${n++}` }
        const { task, code } = yield* send(face, [{ kind: "text", text }], {}, headers)
        strictEqual(code, null, text)
        const { resource } = objectIn(task.metadata["x402.payment.required"])
        ok(task.state === "completed" || objectIn(resource)["url"] !== undefined, `${id}: ${text}`)
      }
    }
  }))
