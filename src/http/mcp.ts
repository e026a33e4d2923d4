/**
 * POST /mcp: the Model Context Protocol over streamable HTTP, one JSON message in and one out.
 *
 * What is decided here is what every transport of ours decides: who may call, whose budget a call
 * spends, and when an answer that was paid for counts as handed over. Nothing is kept between two
 * calls and nothing is streamed, so any replica answers any call, those of older clients too.
 *
 * @module
 */
import type { CallToolResult } from "@modelcontextprotocol/server"
import { Effect, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Payments } from "../services/Payments.ts"
import type { HeaderPair } from "./answer.ts"
import type { EdgeRoute } from "./edge.ts"
import { type PreparedRefusal, RequestId } from "./errors.ts"
import { spend, type Spent } from "./limits.ts"
import { errorBody, type Refused, rpcCodes, toRefused } from "./jsonRpc.ts"
import { type Asked, readMessage } from "./mcpMessage.ts"
import { mayCall } from "./mcpOrigin.ts"
import { makeMcp } from "./mcpServer.ts"
import { callFree, callPaid, receiptKey, type ToolAnswer, tools } from "./mcpTools.ts"
import { internalError, overloaded } from "./refusals.ts"
import { toWebHandler, whenHandedOver } from "./server.ts"
import { askFree, type SkillPorts } from "./skills.ts"

/** Where the endpoint is. */
export const mcpPath = "/mcp"

const instructions =
  "Prediction-market intelligence. Poll get_index, which is free, about every 10 minutes; when " +
  "`index` has moved, call get_signals with `since`. A paid tool called without a payment answers " +
  'with its terms (x402): sign them, and call it again with the payment in _meta["x402/payment"].'

export interface McpOptions {
  readonly skills: SkillPorts
  readonly version: string
}

/** The endpoint as a route of the edge; make it once. */
export const mcpRoute = Effect.fnUntraced(function* ({ skills, version }: McpOptions) {
  const payments = yield* Payments
  const { publicBaseUrl, serviceName } = skills.terms
  const mcp = makeMcp({
    ...{ name: serviceName.toLowerCase(), title: serviceName, version, websiteUrl: publicBaseUrl },
    ...{ instructions, tools },
  })

  const answered = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { headers } = request
    if (!mayCall(headers["origin"], publicBaseUrl)) return yield* Effect.fail(wrongOrigin)
    const asked = yield* readMessage(request)
    const address = Option.getOrElse(request.remoteAddress, () => "unknown")
    const { fields, call } = yield* admit(skills, asked, {
      address,
      idempotencyKey: headers["idempotency-key"] ?? null,
    })

    const run = Effect.runPromiseWith(yield* Effect.context<never>())
    const told: Array<ToolAnswer> = []
    const made = async (signal: AbortSignal): Promise<Response> => {
      const answer = async (work: Effect.Effect<ToolAnswer>): Promise<CallToolResult> => {
        const made = await run(work, { signal })
        told.push(made)
        return made.result
      }
      return await mcp({
        ...{ url: `${publicBaseUrl}${mcpPath}`, headers, json: asked.json, signal },
        call: call === null ? null : () => answer(call),
      })
    }
    const response = yield* Effect.promise(made)
    const text = yield* Effect.promise(() => response.text())
    for (const { limited, sold } of told) {
      if (limited !== null) return yield* refused(limited, asked, rpcCodes.limited)
      if (sold !== null && showsReceipt(text)) {
        const handedOver = yield* whenHandedOver
        yield* handedOver(payments.sent(sold))
      }
    }
    return respond(response.status, text, fields)
  })

  const handle = yield* toWebHandler(answered.pipe(
    Effect.catch((error: Refused) =>
      Effect.succeed(respond(error.status, errorBody(error), error.headers))
    ),
    Effect.catchDefect((defect) =>
      Effect.gen(function* () {
        yield* Effect.logError("Cannot answer a message to /mcp", defect)
        const requestId = yield* RequestId
        const error = toRefused(internalError, { code: rpcCodes.internal, id: null, requestId })
        return respond(error.status, errorBody(error), error.headers)
      })
    ),
  ))
  return {
    limiter: skills.documents,
    current: null,
    paid: null,
    post: { handle, overloaded: busy },
  } satisfies EdgeRoute as EdgeRoute
})

const wrongOrigin: Refused = {
  ...{ status: 403, code: rpcCodes.request, id: null },
  message: "Origin is none that may call this service",
}

/** Said when so much waits already that a message is not even read. */
const busy: PreparedRefusal = {
  ...overloaded,
  body: (requestId) =>
    errorBody(toRefused(overloaded, { code: rpcCodes.internal, id: null, requestId })),
}

/** What a message may do: the fields of the budget it spent, and its call. */
interface Admitted {
  readonly fields: ReadonlyArray<HeaderPair>
  readonly call: Effect.Effect<ToolAnswer> | null
}

/** Takes from the budget of what is asked. A call that shows a payment is counted where it is sold. */
const admit = (
  ports: SkillPorts,
  asked: Asked,
  { address, idempotencyKey }: {
    readonly address: string
    readonly idempotencyKey: string | null
  },
): Effect.Effect<Admitted, Refused> => {
  const { skill, given, payment } = asked
  const call = { given, payment, idempotencyKey, address }
  const spent = (error: Spent) =>
    refused(
      error.refusal,
      asked,
      error.refusal.status === 429 ? rpcCodes.limited : rpcCodes.internal,
      error.fields,
    )
  if (skill?.kind === "free") {
    return askFree(ports, skill.id, address).pipe(
      Effect.map((free) => ({ fields: free.fields, call: callFree(skill, call, free) })),
      Effect.catch(spent),
    )
  }
  const work = skill === undefined ? null : callPaid(ports, skill, call)
  if (work !== null && payment !== undefined) return Effect.succeed({ fields: [], call: work })
  return spend(ports.documents, address).pipe(
    Effect.map((fields) => ({ fields, call: work })),
    Effect.catch(spent),
  )
}

const refused = (
  refusal: PreparedRefusal,
  { id }: Asked,
  code: number,
  fields: ReadonlyArray<HeaderPair> = [],
): Effect.Effect<never, Refused> =>
  Effect.flatMap(
    RequestId,
    (requestId) => Effect.fail(toRefused(refusal, { code, id, requestId, fields })),
  )

/** Whether an answer has the receipt of its payment in it: an error in its stead hands nothing over. */
function showsReceipt(text: string): boolean {
  return JSON.parse(text).result?._meta?.[receiptKey] !== undefined
}

function respond(
  status: number,
  text: string,
  headers: ReadonlyArray<HeaderPair> = [],
): HttpServerResponse.HttpServerResponse {
  const all = { ...Object.fromEntries(headers), "cache-control": "no-store" }
  return text === ""
    ? HttpServerResponse.empty({ status, headers: all })
    : HttpServerResponse.text(text, { status, headers: all, contentType: "application/json" })
}
