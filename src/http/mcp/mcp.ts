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
import { resendRule } from "../../catalog/domain/refusal.ts"
import { Payments } from "../../payments/Payments.ts"
import { paths } from "../documents/addresses.ts"
import type { Packages } from "../documents/packages.ts"
import type { HeaderPair } from "../server/answer.ts"
import { gzipped } from "../server/encoding.ts"
import {
  internalErrorPaid,
  type PreparedRefusal,
  type Refused,
  RequestId,
} from "../server/errors.ts"
import { onDelivered } from "../server/inbound.ts"
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
import { cachedRefusal, type RateLimiter, spend } from "../server/limits.ts"
import type { AgentRoute } from "../server/route.ts"
import type { SkillPorts } from "../skills.ts"
import { makeMcp, type Mcp } from "./protocol.ts"
import {
  callFree,
  callPaid,
  callUnpaid,
  hasReceipt,
  paymentArgument,
  paymentIn,
  paymentKey,
  refusedCall,
  type ToolAnswer,
  type ToolCall,
  type ToolPayment,
  tools,
} from "./tools.ts"

const instructions = ({ specs }: Packages) =>
  "Signals from prediction markets, paid per call. Start free: call get_index about every 10 minutes; " +
  "when `index` has increased, call get_signals with `since` set to the last index you saw. Free " +
  "tools share a small rate limit per client address; calls with a payment have none. A paid tool " +
  "called without a payment charges nothing and returns its price and x402 terms. To buy, sign the " +
  "terms once, and call the tool again with the same arguments and the payment in " +
  `_meta["${paymentKey}"], or, where a host cannot send _meta, as the argument ${paymentArgument}. A ` +
  "host that cannot sign pays through the stdio server " +
  `bellwether-mcp (npx -y ${specs["bellwether-mcp"]}). ${resendRule}`

interface McpOptions {
  readonly skills: SkillPorts
  /** The limit of the messages that start a connection. */
  readonly handshakes: RateLimiter
  readonly version: string
  readonly packages: Packages
}

interface McpPorts {
  readonly skills: SkillPorts
  readonly handshakes: RateLimiter
  readonly payments: Payments["Service"]
  readonly mcp: Mcp
}

/** Builds the route of the endpoint. */
export const mcpRoute = Effect.fnUntraced(function* (options: McpOptions) {
  const { skills, handshakes, version, packages } = options
  const { publicBaseUrl, serviceName } = skills.terms
  const mcp = makeMcp({
    name: serviceName.toLowerCase(),
    title: serviceName,
    version,
    websiteUrl: publicBaseUrl,
    instructions: instructions(packages),
    tools,
  })
  const ports: McpPorts = { skills, handshakes, mcp, payments: yield* Payments }
  const handle = gzipped(
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
  const route: AgentRoute = {
    handle,
    refusal: (refusal) => asRpcRefusal(codeOf(refusal))(refusal),
  }
  return route
})

/** Answers one request. */
const respond = Effect.fnUntraced(function* (ports: McpPorts) {
  const { skills, payments } = ports
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
  const refused = knownRefusal(skills, message, address)
  if (refused !== null) {
    const { result, fields } = yield* refusedCall(refused)
    return response(200, resultText(message, result), fields)
  }
  const admitted = yield* admit(ports, message, {
    args: message.args,
    payment: message.payment,
    address,
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
    ports.mcp({
      url: `${publicBaseUrl}${paths.mcp}`,
      headers,
      json: message.json,
      call: admitted.call === null ? null : call.bind(null, admitted.call, signal),
    })
  )
  const { status, text } = reply
  for (const { sold, fields } of answers) {
    // A protocol error instead of the result delivers nothing.
    if (sold !== null && hasReceipt(objectOf(JSON.parse(text).result?._meta))) {
      yield* onDelivered(payments.sent(sold))
    }
    return response(status, text, fields)
  }
  // The protocol did not accept the message as a call, so it spends the limit of documents.
  const fields = admitted.fields ?? (yield* spendDocuments(skills, message, address))
  return response(status, text, fields)
})

/**
 * The refusal of a call whose client is known to be over its limit; null when that is not known. It
 * is answered without the library, which takes milliseconds, so that a flood stays cheap.
 */
function knownRefusal(
  { free, documents }: SkillPorts,
  { json, id, skill, payment }: Message,
  address: string,
): Refused | null {
  if (skill === undefined || payment !== null) return null
  if (id === null || objectOf(json)["jsonrpc"] !== "2.0") return null
  return cachedRefusal(skill.kind === "free" ? free[skill.id].limiter : documents, address)
}

/** The response to a call, in the form of the revision that the message is in. */
function resultText({ json, id }: Message, result: ToolAnswer["result"]): string {
  const meta = objectOf(objectOf(objectOf(json)["params"])["_meta"])
  const isCurrent = meta["io.modelcontextprotocol/protocolVersion"] !== undefined
  return JSON.stringify({
    jsonrpc: "2.0",
    id,
    result: { ...result, ...(isCurrent ? { resultType: "complete" } : {}) },
  })
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
  status: 403,
  code: rpcCodes.request,
  id: null,
  message: "This Origin may not call the service",
}

/** A message, decoded as far as the rate limits and the payment need it. */
interface Message {
  readonly json: unknown
  readonly id: MessageId
  readonly method: string
  /** The called skill; undefined when the message is not a call of an existing tool. */
  readonly skill: Skill | undefined
  readonly args: unknown
  /** The payment of a call; null without one. */
  readonly payment: ToolPayment | null
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
    return yield* decodeMessage(withoutNulls(json))
  })

/** Members that may be null for none, which several SDKs send. The id and the arguments' own stay. */
const nullable = ["params", "_meta", "arguments", "cursor", "task", "progressToken"]

/** A message without those members of it, of its parameters and of their `_meta`. */
function withoutNulls(value: unknown, depth = 0): unknown {
  if (!isObject(value) || depth > 2) return value
  const members = Object.entries(value)
    .filter(([name, member]) => member !== null || !nullable.includes(name))
    .map(([name, member]) => {
      const isOpened = depth === 0 ? name === "params" : name === "_meta"
      return [name, isOpened ? withoutNulls(member, depth + 1) : member]
    })
  return Object.fromEntries(members)
}

function decodeMessage(json: unknown): Effect.Effect<Message, RpcError> {
  const message = objectOf(json)
  const id = idOf(message["id"])
  const params = objectOf(message["params"])
  const method = String(message["method"])
  if ("id" in message && id === null) {
    const text = "id must be a string or an integer, not null; a notification has no id"
    return refuse(400, "request", text)
  }
  if (method === "subscriptions/listen") {
    return refuse(404, "method", "The service sends no notifications. Poll get_index", id)
  }
  if (method !== "tools/call") {
    return Effect.succeed({ json, id, method, skill: undefined, args: undefined, payment: null })
  }
  const { name, arguments: args } = params
  if (args !== undefined && !isObject(args)) {
    return refuse(400, "params", "arguments must be an object. Nothing was charged", id)
  }
  if (typeof name !== "string") {
    const text = "params must be an object with the name of a tool, as in tools/list. " +
      "Nothing was charged"
    return refuse(200, "params", text, id)
  }
  const skill = skillOf(name)
  const call = { json, id, method, skill }
  if (skill?.kind !== "paid") {
    return Effect.succeed({ ...call, args, payment: paymentIn(objectOf(params["_meta"]), {}) })
  }
  const { [paymentArgument]: _, ...own } = objectOf(args)
  const payment = paymentIn(objectOf(params["_meta"]), objectOf(args))
  return Effect.succeed({ ...call, args: own, payment })
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

/** The messages that every client sends before it calls a tool; a refusal would break it. */
const handshake = /^(?:initialize|ping|tools\/list|server\/discover|notifications\/.*)$/

/**
 * Each message spends one limit: a free tool that of its row, and an unpaid call that of the
 * documents, when it is called; a paid call that of invalid payments, in the checkout; a handshake
 * one of its own; every other message that of the documents.
 */
const admit = (
  { skills, handshakes }: McpPorts,
  message: Message,
  call: ToolCall,
): Effect.Effect<Admitted, RpcError> => {
  const { skill, method } = message
  const { payment, address } = call
  if (skill !== undefined) {
    return Effect.succeed({
      fields: null,
      call: skill.kind === "free"
        ? callFree(skills, skill, call)
        : payment === null
        ? callUnpaid(skills, skill, call)
        : callPaid(skills, skill, call, payment),
    })
  }
  const spent = handshake.test(method)
    ? Effect.catch(spend(handshakes, address), (refusal) => overLimit(message, refusal))
    : spendDocuments(skills, message, address)
  return Effect.map(spent, (fields) => ({ fields, call: null }))
}

const spendDocuments = (
  { documents }: SkillPorts,
  message: Pick<Message, "id">,
  address: string,
) => Effect.catch(spend(documents, address), (refusal) => overLimit(message, refusal))

const overLimit = (
  { id }: Pick<Message, "id">,
  { refusal, fields }: Refused,
): Effect.Effect<never, RpcError> =>
  Effect.flatMap(
    RequestId,
    (requestId) =>
      Effect.fail(toRpcError(refusal, { code: codeOf(refusal), id, requestId, fields })),
  )

const codeOf = ({ status }: PreparedRefusal) =>
  status === 429 ? rpcCodes.limited : rpcCodes.internal
