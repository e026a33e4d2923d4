/**
 * POST /mcp: the Model Context Protocol over streamable HTTP, one JSON message in and one out.
 *
 * This file decides who may call, which rate limit a call spends, and when a paid answer counts as
 * delivered. Nothing is stored between calls and nothing is streamed, so any replica answers any
 * call, including calls of older clients.
 *
 * @module
 */
import { Effect, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Skill, skillOf } from "../../catalog/domain/skill.ts"
import { Payments } from "../../payments/Payments.ts"
import { paths } from "../documents/addresses.ts"
import type { HeaderPair } from "../server/answer.ts"
import type { EdgeRoute } from "../server/edge.ts"
import { internalErrorPaid, type PreparedRefusal, RequestId } from "../server/errors.ts"
import {
  asRpcRefusal,
  errorBody,
  idOf,
  isObject,
  type MessageId,
  objectOf,
  readJson,
  rpcCodes,
  type RpcError,
  toRpcError,
} from "../server/jsonRpc.ts"
import { cachedRefusal, type LimitRefusal, spend } from "../server/limits.ts"
import { onDelivered, toWebHandler } from "../server/server.ts"
import type { SkillPorts } from "../skills.ts"
import { makeMcp, type Mcp } from "./protocol.ts"
import {
  callFree,
  callPaid,
  paymentKey,
  receiptKey,
  type ToolAnswer,
  type ToolCall,
  tools,
} from "./tools.ts"

const instructions =
  "Prediction-market intelligence. Poll the free get_index about every 10 minutes; when `index` has " +
  "increased, call get_signals with `since`. A paid tool called without a payment returns its x402 " +
  "payment requirements. Sign a payment that meets them, and call the tool again with it in " +
  '_meta["x402/payment"].'

interface McpOptions {
  readonly skills: SkillPorts
  readonly version: string
}

interface McpPorts {
  readonly skills: SkillPorts
  readonly payments: Payments["Service"]
  readonly mcp: Mcp
}

/** Builds the route of the endpoint. */
export const mcpRoute = Effect.fnUntraced(function* ({ skills, version }: McpOptions) {
  const { publicBaseUrl, serviceName } = skills.terms
  const mcp = makeMcp({
    ...{ name: serviceName.toLowerCase(), title: serviceName, version, websiteUrl: publicBaseUrl },
    ...{ instructions, tools },
  })
  const ports: McpPorts = { skills, mcp, payments: yield* Payments }
  const handle = yield* toWebHandler(
    respond(ports).pipe(
      Effect.catch((error: RpcError) =>
        Effect.succeed(response(error.status, errorBody(error), error.headers))
      ),
      Effect.catchDefect((defect) =>
        Effect.gen(function* () {
          yield* Effect.logError("Cannot answer a message to /mcp", defect)
          const requestId = yield* RequestId
          // Its payment may have been taken, so the error has `charged: null`.
          const error = toRpcError(internalErrorPaid, {
            code: rpcCodes.internal,
            id: null,
            requestId,
          })
          return response(error.status, errorBody(error), error.headers)
        })
      ),
    ),
  )
  const route: EdgeRoute = {
    limiter: skills.documents,
    current: null,
    paid: null,
    post: { handle, refusal: (refusal) => asRpcRefusal(codeOf(refusal))(refusal) },
  }
  return route
})

/** Answers one request. */
const respond = Effect.fnUntraced(function* ({ skills, payments, mcp }: McpPorts) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { headers } = request
  const { publicBaseUrl } = skills.terms
  const address = Option.getOrElse(request.remoteAddress, () => "unknown")
  const message = yield* Effect.catch(
    isOriginAllowed(headers["origin"], publicBaseUrl)
      ? readMessage(request)
      : Effect.fail(wrongOrigin),
    (error) => Effect.andThen(spendDocuments(skills, error, address), Effect.fail(error)),
  )
  const admitted = yield* admit(skills, message, {
    ...{ args: message.args, payment: message.payment, address },
    idempotencyKey: headers["idempotency-key"] ?? null,
  })
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const answers: Array<ToolAnswer> = []
  const call = async (work: Effect.Effect<ToolAnswer>, signal: AbortSignal) => {
    const answer = await run(work, { signal })
    answers.push(answer)
    return answer.result
  }
  const reply = yield* Effect.promise((signal) =>
    mcp({
      ...{ url: `${publicBaseUrl}${paths.mcp}`, headers, json: message.json },
      call: admitted.call === null ? null : call.bind(null, admitted.call, signal),
    })
  )
  const text = yield* Effect.promise(() => reply.text())
  for (const { limited, sold, fields } of answers) {
    if (limited !== null) return yield* overLimit(message, { refusal: limited, fields })
    if (sold !== null && hasReceipt(text)) {
      const runAfterDelivery = yield* onDelivered
      yield* runAfterDelivery(payments.sent(sold))
    }
    return response(reply.status, text, admitted.fields ?? fields)
  }
  // The protocol did not accept the message as a call, so it spends the limit of documents.
  const fields = admitted.fields ?? (yield* spendDocuments(skills, message, address))
  return response(reply.status, text, fields)
})

/**
 * Whether the response has the receipt of the payment. A protocol error instead delivers nothing.
 */
function hasReceipt(text: string): boolean {
  return JSON.parse(text).result?._meta?.[receiptKey] !== undefined
}

function response(
  status: number,
  text: string,
  headers: ReadonlyArray<HeaderPair> = [],
): HttpServerResponse.HttpServerResponse {
  const all = { ...Object.fromEntries(headers), "cache-control": "no-store" }
  return text === ""
    ? HttpServerResponse.empty({ status, headers: all })
    : HttpServerResponse.text(text, { status, headers: all, contentType: "application/json" })
}

/**
 * Whether a page of this origin may call the service at `publicBaseUrl`. A caller without an origin
 * may.
 *
 * Pages of any web origin may call: there are no cookies and no accounts, so a page can spend only
 * what its visitor signs. Other origins are refused (`null`, or not http). While the service runs
 * on this machine only, pages from other machines are refused too: they could reach it by DNS
 * rebinding.
 */
function isOriginAllowed(origin: string | undefined, publicBaseUrl: string): boolean {
  if (origin === undefined) return true
  const page = URL.parse(origin)
  if (page === null || page.origin !== origin || !/^https?:$/.test(page.protocol)) return false
  return isLoopback(page.hostname) || !isLoopback(new URL(publicBaseUrl).hostname)
}

function isLoopback(hostname: string): boolean {
  return hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname) ||
    /^(?:[^.]+\.)*localhost$/.test(hostname)
}

const wrongOrigin: RpcError = {
  ...{ status: 403, code: rpcCodes.request, id: null },
  message: "This Origin may not call the service",
}

/** A message, decoded as far as the rate limits and the payment need it. */
interface Message {
  readonly json: unknown
  readonly id: MessageId
  /** The called skill; undefined when the message is not a call of an existing tool. */
  readonly skill: Skill | undefined
  readonly args: unknown
  /** The payment of a call; undefined without one. */
  readonly payment: unknown
}

/** Reads the message of a request. Nothing has been charged when it fails. */
const readMessage = (
  request: HttpServerRequest.HttpServerRequest,
): Effect.Effect<Message, RpcError> =>
  Effect.gen(function* () {
    const json = yield* readJson(request)
    if (Array.isArray(json)) {
      return yield* refuse(
        400,
        "request",
        "Send one message per request; batches are not supported",
      )
    }
    return yield* decodeMessage(json)
  })

function decodeMessage(json: unknown): Effect.Effect<Message, RpcError> {
  const message = objectOf(json)
  const id = idOf(message["id"])
  const params = objectOf(message["params"])
  if (message["method"] === "subscriptions/listen") {
    return refuse(404, "method", "The service sends no notifications. Poll get_index", id)
  }
  if (message["method"] !== "tools/call") {
    return Effect.succeed({ json, id, skill: undefined, args: undefined, payment: undefined })
  }
  const { name, arguments: args } = params
  if (args !== undefined && !isObject(args)) {
    return refuse(400, "params", "arguments must be an object. Nothing was charged", id)
  }
  return Effect.succeed({
    ...{ json, id, args, skill: typeof name === "string" ? skillOf(name) : undefined },
    payment: objectOf(params["_meta"])[paymentKey] ?? undefined,
  })
}

function refuse(
  status: number,
  code: keyof typeof rpcCodes,
  message: string,
  id: MessageId = null,
): Effect.Effect<never, RpcError> {
  return Effect.fail({ status, code: rpcCodes[code], message, id })
}

/** The result of the rate limits: what a message may do. */
interface Admitted {
  /** The `RateLimit` headers of the limit it spent; null when its call spends one itself. */
  readonly fields: ReadonlyArray<HeaderPair> | null
  readonly call: Effect.Effect<ToolAnswer> | null
}

/**
 * Each message spends one limit: a free tool that of its row, when it is called; a paid call that
 * of invalid payments, in the checkout; every other message that of the documents.
 */
const admit = (
  ports: SkillPorts,
  message: Message,
  call: ToolCall,
): Effect.Effect<Admitted, RpcError> => {
  const { skill, payment } = message
  if (skill?.kind === "free") {
    const refusal = cachedRefusal(ports.free[skill.id].limiter, call.address)
    return refusal === null
      ? Effect.succeed({ fields: null, call: callFree(ports, skill, call) })
      : overLimit(message, refusal)
  }
  const work = skill === undefined ? null : callPaid(ports, skill, call)
  if (payment !== undefined) return Effect.succeed({ fields: null, call: work })
  return Effect.map(
    spendDocuments(ports, message, call.address),
    (fields) => ({ fields, call: work }),
  )
}

const spendDocuments = (
  { documents }: SkillPorts,
  message: Pick<Message, "id">,
  address: string,
) => Effect.catch(spend(documents, address), (refusal) => overLimit(message, refusal))

const overLimit = (
  { id }: Pick<Message, "id">,
  { refusal, fields }: LimitRefusal,
): Effect.Effect<never, RpcError> =>
  Effect.flatMap(
    RequestId,
    (requestId) =>
      Effect.fail(toRpcError(refusal, { code: codeOf(refusal), id, requestId, fields })),
  )

const codeOf = ({ status }: PreparedRefusal) =>
  status === 429 ? rpcCodes.limited : rpcCodes.internal
