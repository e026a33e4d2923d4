/**
 * A misspelt parameter is refused with the nearest name over every transport, and leaves the payment
 * unused. Without a payment the price says that it is wrong, and so it does for a wrong value.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok } from "node:assert/strict"
import { Effect, Result } from "effect"
import { Base64 } from "effect/encoding"
import { exampleOf, unknownNames } from "../../src/catalog/domain/parameter.ts"
import { products } from "../../src/catalog/domain/product.ts"
import { type Skill, skills } from "../../src/catalog/domain/skill.ts"
import { type Handle, objectIn, rpc } from "../support/http/a2a.ts"
import { a2aService, pricesTaken, signed } from "../support/http/a2aService.ts"
import { currentRequest } from "../support/http/mcp.ts"
import { passing } from "../support/payments/sales.ts"
import { headerOf } from "../support/payments/terms.ts"
import { marketTest } from "../support/http/paidService.ts"

/** Misspellings of a name: a letter less, one more, two in the other order, and another case. */
const misspellings = (name: string): ReadonlyArray<string> => [
  name.slice(1),
  `${name}s`,
  `${name.charAt(1)}${name.charAt(0)}${name.slice(2)}`,
  name.toUpperCase(),
]

/** Each wrong name of a skill, with the name that an error must propose; null where none exists. */
function wrongNames({ parameters }: Skill): ReadonlyArray<readonly [string, string | null]> {
  return parameters.length === 0
    ? [["index", null]]
    : parameters.flatMap(({ name }) => misspellings(name).map((wrong) => [wrong, name] as const))
}

Deno.test("a name that is near no parameter gets the list of them, and no guess", () => {
  const faults = unknownNames(products.signals.parameters, ["foo", "feedIndex"], "query")
  ok(faults.every(({ message }) => /: use since, count, type$/.test(message)))
})

type Json = Record<string, unknown>
type AnyJson = Json & Record<"error" | "result", Json>

/** The JSON of an answer. */
const jsonOf = (response: Response): Effect.Effect<AnyJson> => Effect.promise(() => response.json())

/** The error of a called tool. */
const toolError = Effect.fnUntraced(function* (
  service: Handle,
  name: string,
  args: Json,
  meta: Json = {},
) {
  const init = currentRequest("tools/call", { name, arguments: args }, { meta })
  const { result } = yield* jsonOf(yield* service.get("/mcp", init))
  return objectIn(objectIn(result["structuredContent"])["error"])
})

const expected = (near: string | null) =>
  near === null ? /this call has none/ : new RegExp(`did you mean ${near}\\?`)

for (const skill of skills) {
  if (skill.kind !== "paid") continue
  marketTest(
    `${skill.path}: a misspelt parameter is 400 with the nearest name, and pays for nothing`,
    function* () {
      const { service } = yield* a2aService
      for (const [wrong, near] of wrongNames(skill)) {
        // Within the limit of wrong calls for each minute.
        yield* passing(20)
        const wire: Effect.Success<ReturnType<typeof signed>> = yield* signed(skill.product)
        const headers: Record<string, string> = { "payment-signature": headerOf(wire) }
        const query = new URLSearchParams(
          Object.entries({ ...exampleOf(skill.parameters), [wrong]: "1" })
            .map(([name, value]) => [name, String(value)]),
        )
        const url: string = `${skill.path}?${query}`
        const { error }: AnyJson = yield* jsonOf(yield* service.get(url, { headers }))
        equal([error["status"], error["charged"]], [400, false])
        match(String(error["message"]), expected(near))
        match(String(error["hint"]), /was not used/)

        const unpaid: Response = yield* service.get(url)
        equal(unpaid.status, 402)
        match(String((yield* jsonOf(unpaid)).error), expected(near))
        const header = Base64.decodeString(unpaid.headers.get("payment-required") ?? "")
        match(JSON.parse(Result.getOrThrow(header)).error, expected(near))

        for (const meta of [{}, { "x402/payment": wire }]) {
          const error: Json = yield* toolError(service, skill.name, { [wrong]: 1 }, meta)
          match(String(error["message"]), expected(near))
          equal(error["charged"], false)
        }
      }
      equal(yield* pricesTaken, 0n)
    },
  )
}

for (
  const [path, tool, args, fault] of [
    ["/v1/signal", "get_signal", { index: "abc" }, /index must be an integer .*: got "abc"/],
    ["/v1/resolving", "get_resolving", { withinHours: -3 }, /withinHours must be .*: got "-3"/],
    ["/v1/research", "get_research", {}, /market must .*: it is missing/],
  ] as const
) {
  marketTest(`${path}: the price for ${JSON.stringify(args)} says what is wrong`, function* () {
    const { service } = yield* a2aService
    const query = new URLSearchParams(
      Object.entries(args).map(([name, value]) => [name, String(value)]),
    )
    const unpaid: Response = yield* service.get(`${path}?${query}`)
    equal(unpaid.status, 402)
    match(String((yield* jsonOf(unpaid)).error), fault)
    const header = Base64.decodeString(unpaid.headers.get("payment-required") ?? "")
    // A call without any value may be a catalog's, which reads there how to call.
    const inTerms = Object.keys(args).length === 0 ? /^Payment required$/ : fault
    match(JSON.parse(Result.getOrThrow(header)).error, inTerms)

    const init = currentRequest("tools/call", { name: tool, arguments: args }, {})
    const { result } = yield* jsonOf(yield* service.get("/mcp", init))
    const offer = objectIn(result["structuredContent"])
    match(String(offer["error"]), inTerms)
    ok(Array.isArray(offer["accepts"]), "it has the terms all the same")
    match(JSON.stringify(result["content"]), /correct the call first/)
  })
}

marketTest(
  "a misspelt parameter of a free row is refused where the row has parameters",
  function* () {
    const { service } = yield* a2aService
    for (const skill of skills) {
      if (skill.kind !== "free") continue
      const [[wrong, near] = ["", null]] = wrongNames(skill)
      const response = yield* service.get(`${skill.path}?${wrong}=1`)
      yield* passing(120)
      if (near === null) {
        ok(response.status !== 400, `${skill.path} ignores what it does not know`)
      } else {
        equal(response.status, 400)
        match(String((yield* jsonOf(response)).error["message"]), expected(near))
      }
      const error = yield* toolError(service, skill.name, { [wrong]: 1 })
      match(String(error["message"]), expected(near))
    }
  },
)

marketTest("over A2A a misspelt parameter opens no task", function* () {
  const { service } = yield* a2aService
  for (const skill of skills) {
    const [[wrong, near] = ["", null]] = wrongNames(skill)
    const data = { skill: skill.name, params: { [wrong]: 1 } }
    const message = {
      kind: "message",
      role: "user",
      messageId: crypto.randomUUID(),
      parts: [{ kind: "data", data }],
    }
    const { code, data: details } = yield* rpc(service, "message/send", { message })
    equal(code, -32602)
    match(JSON.stringify(details), expected(near))
    yield* passing(2)
  }
})

/** The answer to parts of one A2A message. */
const sendParts = (service: Handle, parts: ReadonlyArray<Json>) =>
  rpc(service, "message/send", {
    message: { kind: "message", role: "user", messageId: crypto.randomUUID(), parts },
  })

marketTest("a parameter outside params is refused by name over A2A and MCP", function* () {
  const { service } = yield* a2aService
  const data = { skill: "get_signals", since: 41 }
  for (
    const parts of [
      [{ kind: "data", data }],
      [{ kind: "text", text: JSON.stringify(data) }],
      [{ kind: "data", data: { skill: "get_signals" } }, { kind: "data", data: { since: 41 } }],
      [{ kind: "text", text: "get_signals" }, { kind: "data", data: { since: 41 } }],
    ]
  ) {
    const { code, data: details } = yield* sendParts(service, parts)
    equal(code, -32602)
    match(JSON.stringify(details), /\.since".*inside params/)
  }
  const init = currentRequest("tools/call", { name: "get_signals", arguments: {}, since: 41 }, {})
  const { error } = yield* jsonOf(yield* service.get("/mcp", init))
  match(String(error["message"]), /^since must be inside arguments/)
})

marketTest("an unknown skill is answered with the nearest name over A2A and MCP", function* () {
  const { service } = yield* a2aService
  for (const name of ["getSignals", "get_signal_s"]) {
    const { data } = yield* sendParts(service, [{ kind: "data", data: { skill: name } }])
    match(JSON.stringify(data), /did you mean get_signals\?/)
    const init = currentRequest("tools/call", { name, arguments: {} }, {})
    const { error } = yield* jsonOf(yield* service.get("/mcp", init))
    match(String(error["message"]), /did you mean get_signals\?/)
  }
})

marketTest("x402Version is allowed together with the parameters of every product", function* () {
  const { service } = yield* a2aService
  const headers = { "payment-signature": headerOf(yield* signed(products.latest)) }
  const { status } = yield* service.get("/v1/latest?x402Version=1", { headers })
  equal([status, yield* pricesTaken], [200, products.latest.price as bigint])
})
