/**
 * POST /mcp: the Model Context Protocol over streamable HTTP, one JSON message in and one out.
 *
 * The official library decides which revision a message is of, and checks its headers against it.
 * The five methods are answered here: nothing is stored between calls and nothing is streamed, so any
 * replica answers any call, of the current revision and of earlier ones.
 *
 * @module
 */
import {
  classifyInboundRequest,
  localhostAllowedOrigins,
  SUPPORTED_PROTOCOL_VERSIONS,
  validateOriginHeader,
} from "@modelcontextprotocol/server"
import { Effect, Result } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Base64 } from "effect/encoding"
import { type Skill, skillOf, unknownSkill } from "../../catalog/domain/skill.ts"
import { resendRule } from "../../catalog/domain/refusal.ts"
import { prepared } from "../../core/domain/prepared.ts"
import { version } from "../../core/domain/version.ts"
import {
  failWithRefusal,
  isObject,
  type Json,
  type MessageId,
  objectOf,
  rpcCodes,
  rpcEndpoint,
  type RpcError,
  rpcResponse,
} from "../server/jsonRpc.ts"
import { handshakeBudget, makeLimiter, type RateLimiter } from "../server/limits.ts"
import { onDelivered, spend, webOf } from "../server/route.ts"
import { simulationNotes, type Site } from "../site.ts"
import type { SkillPorts } from "../skills.ts"
import {
  callTool,
  paymentArgument,
  paymentIn,
  paymentKey,
  type ToolPayment,
  tools,
} from "./tools.ts"

/** The path of the endpoint. */
export const mcpPath = "/mcp"

/** The current revision, which has no sessions. */
const currentRevision = "2026-07-28"
/** Every supported revision, the current one first. */
export const revisions = [currentRevision, ...SUPPORTED_PROTOCOL_VERSIONS]

const instructionsOf = (site: Site) =>
  ["Signals from prediction markets, paid per call.", ...simulationNotes(site)].join(" ") +
  " Start free: call get_index about every 10 minutes; " +
  "when `index` has increased, call get_signals with `since` set to the last feedIndex you got. Free " +
  "tools share a small rate limit per client address; calls with a payment have none. A paid tool " +
  "called without a payment charges nothing and returns its price and x402 terms. To buy, sign the " +
  "terms once, and call the tool again with the same arguments and the payment in " +
  `_meta["${paymentKey}"], or, where a host cannot send _meta, as the argument ${paymentArgument}. A ` +
  "host that cannot sign pays through the stdio server " +
  `bellwether-mcp (${site.packages.stdioCommand}). ${resendRule}`

interface McpOptions {
  readonly skills: SkillPorts
  readonly site: Site
}

interface McpPorts extends SkillPorts {
  /** The limit of the messages that start a connection. */
  readonly handshakes: RateLimiter
  readonly methods: Methods
}

/** Builds the handler of the endpoint. */
export const mcpHandler = Effect.fnUntraced(function* mcpHandler(options: McpOptions) {
  const ports: McpPorts = {
    ...options.skills,
    handshakes: yield* makeLimiter("handshakes", handshakeBudget(options.site.limits.documents)),
    methods: methodsOf(options),
  }
  return rpcEndpoint({
    path: mcpPath,
    answer: (json, request, id) => answerMessage(ports, json, request, id),
  })
})

/** The messages that every client sends before it calls a tool; a refusal would break it. */
const handshakeMethods = ["initialize", "ping", "tools/list", "server/discover"]

/**
 * Answers one message. It spends one limit: the call of a tool its own (`callTool`), a handshake one
 * for those, and any other message that of the documents.
 */
const answerMessage = Effect.fnUntraced(function* answerMessage(
  ports: McpPorts,
  json: Effect.Effect<unknown, RpcError>,
  request: HttpServerRequest.HttpServerRequest,
  id: MessageId,
): Effect.fn.Return<HttpServerResponse.HttpServerResponse, RpcError> {
  const { handshakes, documents, payments, methods, terms } = ports
  const spendFor = (limiter: RateLimiter) => Effect.catch(spend(limiter), failWithRefusal)
  const message = yield* Effect.tapError(
    readMessage(request, json, id, terms.publicBaseUrl),
    () => spendFor(documents),
  )
  const { method, skill, isCurrent } = message
  if (skill !== undefined) {
    const { result, sold } = yield* callTool(ports, skill, {
      ...message,
      idempotencyKey: request.headers["idempotency-key"] ?? null,
    })
    const text = resultBody(id, methods.resultText(isCurrent, result))
    const response = rpcResponse(200, text, [], webOf(request))
    // Last: an answer that cannot be made is not delivered.
    if (sold !== null) yield* onDelivered(payments.sent(sold))
    return response
  }
  const isHandshake = message.isNotification || handshakeMethods.includes(method)
  yield* spendFor(isHandshake ? handshakes : documents)
  if (message.isNotification) return rpcResponse(202, "")
  const answer = methods.of(message)
  return typeof answer === "string"
    ? rpcResponse(200, resultBody(id, answer), [], webOf(request))
    : yield* Effect.fail(answer)
})

type Methods = ReturnType<typeof methodsOf>

/** How long a client may cache the list of tools; it changes only with a new version. */
const listCache = { ttlMs: 300_000, cacheScope: "public" } as const

/** The methods but the calls of tools that exist: each returns the text of its result. */
function methodsOf({ site }: McpOptions) {
  const { publicBaseUrl, serviceName } = site.terms
  const serverInfo = {
    name: serviceName.toLowerCase(),
    title: serviceName,
    version,
    websiteUrl: publicBaseUrl,
  }
  /** A result in the form of the revision that its message is of. */
  const resultText = (isCurrent: boolean, result: Json): string =>
    JSON.stringify(
      isCurrent
        ? {
          ...result,
          resultType: "complete",
          _meta: {
            ...objectOf(result["_meta"]),
            "io.modelcontextprotocol/serverInfo": serverInfo,
          },
        }
        : result,
    )
  const about = { capabilities: { tools: {} }, instructions: instructionsOf(site) }
  const list = prepared(() => resultText(false, { tools: tools() }))
  const currentList = prepared(() => resultText(true, { tools: tools(), ...listCache }))
  const discovered = resultText(true, {
    supportedVersions: [currentRevision],
    ...about,
    ...listCache,
  })
  const of = ({ method, params, isCurrent }: Message): string | RpcError => {
    switch (method) {
      case "tools/list":
        return isCurrent ? currentList() : list()
      case "tools/call":
        return rpcError(
          200,
          "params",
          `Nothing was charged: name ${unknownSkill(params["name"])}`,
        )
      case "server/discover":
        if (isCurrent) return discovered
        break
      case "ping":
        if (!isCurrent) return "{}"
        break
      case "initialize":
        if (!isCurrent) {
          const [newest = ""] = SUPPORTED_PROTOCOL_VERSIONS
          const requested = String(params["protocolVersion"])
          const isKnown = SUPPORTED_PROTOCOL_VERSIONS.includes(requested)
          const protocolVersion = isKnown ? requested : newest
          return resultText(false, { protocolVersion, ...about, serverInfo })
        }
    }
    return rpcError(isCurrent ? 404 : 200, "method", "The service has no such method")
  }
  return { of, resultText }
}

const resultBody = (id: MessageId, result: string) =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`

/**
 * Whether a page of this origin may call the service at `publicBaseUrl`. Any may: there are no cookies
 * and no accounts, so a page can spend only what its visitor signs. But while the service runs on this
 * machine only, pages from other machines are refused: they could reach it by DNS rebinding.
 */
function isOriginAllowed(origin: string | undefined, publicBaseUrl: string): boolean {
  const local = localhostAllowedOrigins()
  return !local.includes(new URL(publicBaseUrl).hostname) ||
    validateOriginHeader(origin, local).ok
}

/** A message whose form and headers are valid. */
interface Message {
  readonly method: string
  readonly params: Json
  readonly isNotification: boolean
  /** Whether it is of the current revision; else of an earlier one. */
  readonly isCurrent: boolean
  /** The called skill; undefined when the message is not a call of an existing tool. */
  readonly skill: Skill | undefined
  readonly args: unknown
  /** The payment of a call; null without one. */
  readonly payment: ToolPayment | null
}

/** Reads the message of a request. Nothing has been charged when it fails. */
const readMessage = Effect.fnUntraced(function* readMessage(
  request: HttpServerRequest.HttpServerRequest,
  read: Effect.Effect<unknown, RpcError>,
  id: MessageId,
  publicBaseUrl: string,
): Effect.fn.Return<Message, RpcError> {
  if (!isOriginAllowed(request.headers["origin"], publicBaseUrl)) {
    return yield* refuse(403, "request", "This Origin may not call the service")
  }
  const json = withoutNulls(yield* read)
  if (Array.isArray(json)) {
    return yield* refuse(400, "request", "Send one message per request; batches are not supported")
  }
  const message = objectOf(json)
  if ("id" in message && id === null) {
    const text = "id must be a string or an integer, not null; a notification has no id"
    return yield* refuse(400, "request", text)
  }
  const isCurrent = yield* Effect.fromResult(revisionOf(request.headers, json))
  const method = String(message["method"])
  const params = objectOf(message["params"])
  const isNotification = id === null || message["method"] === undefined
  const common = { method, params, isNotification, isCurrent }
  if (method !== "tools/call" || isNotification) {
    return { ...common, skill: undefined, args: undefined, payment: null }
  }
  const { name, arguments: args } = params
  if (args !== undefined && !isObject(args)) {
    return yield* refuse(400, "params", "arguments must be an object. Nothing was charged")
  }
  if (typeof name !== "string") {
    const text = "params must be an object with the name of a tool, as in tools/list. " +
      "Nothing was charged"
    return yield* refuse(200, "params", text)
  }
  const skill = skillOf(name)
  const stray = skill?.parameters.find((parameter) => parameter.name in params)
  if (stray !== undefined) {
    const text = `${stray.name} must be inside arguments. Nothing was charged`
    return yield* refuse(200, "params", text)
  }
  const { [paymentArgument]: _, ...own } = objectOf(args)
  const isPaid = skill?.kind === "paid"
  const payment = paymentIn(objectOf(params["_meta"]), isPaid ? objectOf(args) : {})
  return { ...common, skill, args: isPaid ? own : args, payment }
})

/** Members that may be null for none, which several SDKs send. The id and the arguments' own stay. */
const nullable = /^(params|_meta|arguments|cursor|task|progressToken|result|error)$/

/** A message without those members of it, of its parameters and of their `_meta`. */
function withoutNulls(value: unknown, depth = 0): unknown {
  if (!isObject(value) || depth > 2) return value
  const members = Object.entries(value)
    .filter(([name, member]) => member !== null || !nullable.test(name))
    .map(([name, member]) => {
      const isOpened = depth === 0 ? name === "params" : name === "_meta"
      return [name, isOpened ? withoutNulls(member, depth + 1) : member]
    })
  return Object.fromEntries(members)
}

/** Codes of the protocol: a header that contradicts its message, and a revision that is not served. */
const headerMismatch = -32020
const unsupportedRevision = -32022

/** Whether a message is of the current revision, or why its form or headers are refused. */
function revisionOf(
  headers: Readonly<Record<string, string | undefined>>,
  json: unknown,
): Result.Result<boolean, RpcError> {
  const version = headers["mcp-protocol-version"]
  const method = headers["mcp-method"]
  const found = classifyInboundRequest({
    httpMethod: "POST",
    body: json,
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(method === undefined ? {} : { mcpMethodHeader: method }),
  })
  if (found.kind === "reject") {
    const { httpStatus: status, code, message, data } = found
    return Result.fail({ status, code, message, ...(data === undefined ? {} : { data }) })
  }
  const isCurrent = found.kind === "modern"
  const requested = isCurrent ? found.classification.revision : version
  const supported = isCurrent ? [currentRevision] : revisions
  if (requested !== undefined && !supported.includes(requested)) {
    const message = `Unsupported protocol version: ${requested}`
    const data = { supported: revisions, requested }
    return Result.fail({ status: 400, code: unsupportedRevision, message, data })
  }
  if (!isCurrent || found.messageKind !== "request") return Result.succeed(isCurrent)
  const { name } = objectOf(found.message.params)
  const missing = version === undefined
    ? "MCP-Protocol-Version"
    : method === undefined
    ? "Mcp-Method"
    : found.message.method === "tools/call" && nameIn(headers["mcp-name"]) !== name
    ? "Mcp-Name"
    : null
  return missing === null ? Result.succeed(true) : Result.fail({
    status: 400,
    code: headerMismatch,
    message: `The header ${missing} is missing or differs from the message`,
  })
}

/** The value of Mcp-Name, which may be in base64. */
function nameIn(header: string | undefined): string | undefined {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(header ?? "") ?? []
  return encoded === undefined
    ? header?.trim()
    : Result.getOrUndefined(Base64.decodeString(encoded))
}

function rpcError(
  status: number,
  code: keyof typeof rpcCodes,
  message: string,
): RpcError {
  return { status, code: rpcCodes[code], message }
}

const refuse = (...error: Parameters<typeof rpcError>) => Effect.fail(rpcError(...error))
