/**
 * The tools in the package are those that a running service lists over /mcp; only the sentences about
 * the cost of a paid tool and the argument for a payment differ.
 *
 * @module
 */
import { deepStrictEqual as equal, doesNotMatch, match } from "node:assert/strict"
import type { Tool } from "@modelcontextprotocol/server"
import { Effect } from "effect"
import { serviceTools as packed } from "../../../packages/mcp/src/serviceTools.ts"
import { instructions, tools } from "../../../packages/mcp/src/tools.ts"
import { liveTest } from "../../support/effect.ts"
import { connect } from "../../support/http/mcp.ts"
import { servedService } from "../../support/http/servedService.ts"

/** As JSON, which has no undefined fields. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value))

liveTest("the packed tools are those of a running service", function* () {
  const { tools } = yield* connect("2 pinned", `${yield* servedService}/mcp`)
  const listed = yield* Effect.promise(tools)
  const contract = (rows: ReadonlyArray<object>) =>
    plain(rows).map(({ inputSchema, ...row }: Tool) => {
      const { payment: _, ...properties } = inputSchema.properties ?? {}
      return { ...row, inputSchema: { ...inputSchema, properties }, description: "" }
    })
  equal(contract(packed), contract(listed))
})

Deno.test("no text for the model explains how to sign", () => {
  for (const text of [instructions, ...tools.map(({ description = "" }) => description)]) {
    doesNotMatch(text, /_meta|x402\/payment|payment requirements|\bsign(?:s|ed|ature)?\b/i)
  }
})

Deno.test("each paid tool says what it costs, at most, and that this server pays", () => {
  const paid = tools.filter(({ annotations }) => annotations?.readOnlyHint === false)
  equal(paid.length, 8)
  for (const { description = "" } of paid) {
    match(description, /at most \$\d+\.\d\d/)
    match(description, /this server pays/)
  }
})
