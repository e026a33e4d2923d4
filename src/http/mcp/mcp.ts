/**
 * POST /mcp: the Model Context Protocol over streamable HTTP, one JSON message in and one out.
 *
 * What is decided here is what every transport of ours decides: who may call, whose budget a call
 * spends, and when an answer that was paid for counts as delivered. Nothing is stored between two calls
 * and nothing is streamed, so any replica answers any call, those of older clients too.
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
  "Prediction-market intelligence. Poll get_index, which is free, about every 10 minutes; when " +
  "`index` has moved, call get_signals with `since`. A paid tool called without a payment answers " +
  'with its terms (x402): sign them, and call it again with the payment in _meta["x402/payment"].'

interface McpOptions {
  readonly skills: SkillPorts
  readonly version: string
}

interface McpPorts {
  readonly skills: SkillPorts
  readonly payments: Payments["Service"]
  readonly mcp: Mcp
}

/** The endpoint as a route of the edge; make it once. */
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
    mayCall(headers["origin"], publicBaseUrl) ? readMessage(request) : Effect.fail(wrongOrigin),
    (error) => Effect.andThen(spendDocuments(skills, error, address), Effect.fail(error)),
  )
  const admitted = yield* admit(skills, message, {
    ...{ given: message.given, payment: message.payment, address },
    idempotencyKey: headers["idempotency-key"] ?? null,
  })
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const answers: Array<ToolAnswer> = []
  const call = async (work: Effect.Effect<ToolAnswer>, signal: AbortSignal) => {
    const answer = await run(work, { signal })
    answers.push(answer)
    return answer.result
  }
  const answered = yield* Effect.promise((signal) =>
    mcp({
      ...{ url: `${publicBaseUrl}${paths.mcp}`, headers, json: message.json },
      call: admitted.call === null ? null : call.bind(null, admitted.call, signal),
    })
  )
  const text = yield* Effect.promise(() => answered.text())
  for (const { limited, sold, fields } of answers) {
    if (limited !== null) return yield* overBudget(message, { refusal: limited, fields })
    if (sold !== null && hasReceipt(text)) {
      const runAfterDelivery = yield* onDelivered
      yield* runAfterDelivery(payments.sent(sold))
    }
    return response(answered.status, text, admitted.fields ?? fields)
  }
  // What the protocol did not take as a call spends the budget of any other message.
  const fields = admitted.fields ?? (yield* spendDocuments(skills, message, address))
  return response(answered.status, text, fields)
})

/** Whether an answer has the receipt of its payment: an error in its place delivers nothing. */
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
 * Whether a page of this origin may call the service at `publicBaseUrl`; a caller without one may.
 *
 * A page of any origin may, as everywhere here: there are no cookies and no accounts, so a page can do
 * nothing that its visitor's money does not sign. What is refused is an origin that names no page
 * (`null`, a scheme that is not the web's), and, while the service is on this machine only, every page
 * that is not: such a page gets here by a name that was made to point at this machine.
 */
function mayCall(origin: string | undefined, publicBaseUrl: string): boolean {
  if (origin === undefined) return true
  const page = URL.parse(origin)
  if (page === null || page.origin !== origin || !/^https?:$/.test(page.protocol)) return false
  return isOfThisMachine(page.hostname) || !isOfThisMachine(new URL(publicBaseUrl).hostname)
}

function isOfThisMachine(hostname: string): boolean {
  return hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname) ||
    /^(?:[^.]+\.)*localhost$/.test(hostname)
}

const wrongOrigin: RpcError = {
  ...{ status: 403, code: rpcCodes.request, id: null },
  message: "Origin is none that may call this service",
}

/** A message, as far as it is understood before the protocol is spoken. */
interface Message {
  readonly json: unknown
  readonly id: MessageId
  /** The skill that is called, where the message is a call of a tool that exists. */
  readonly skill: Skill | undefined
  readonly given: unknown
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
      return yield* refuse(400, "request", "Send one message a request: batches are not taken")
    }
    return yield* understand(json)
  })

function understand(json: unknown): Effect.Effect<Message, RpcError> {
  const message = objectOf(json)
  const id = idOf(message["id"])
  const params = objectOf(message["params"])
  if (message["method"] === "subscriptions/listen") {
    return refuse(404, "method", "Nothing is pushed from here: poll get_index", id)
  }
  if (message["method"] !== "tools/call") {
    return Effect.succeed({ json, id, skill: undefined, given: undefined, payment: undefined })
  }
  const { name, arguments: given } = params
  if (given !== undefined && !isObject(given)) {
    return refuse(400, "params", "arguments must be an object. Nothing was charged", id)
  }
  return Effect.succeed({
    ...{ json, id, given, skill: typeof name === "string" ? skillOf(name) : undefined },
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

/** What a message may do. */
interface Admitted {
  /** The fields of the budget it spent; null when its call spends one, or is counted where it sells. */
  readonly fields: ReadonlyArray<HeaderPair> | null
  readonly call: Effect.Effect<ToolAnswer> | null
}

/**
 * Each message spends one budget: a free tool that of its row, once it is called; a call with a payment
 * that of invalid payments, where it is sold; every other message the documents'.
 */
const admit = (
  ports: SkillPorts,
  message: Message,
  call: ToolCall,
): Effect.Effect<Admitted, RpcError> => {
  const { skill, payment } = message
  if (skill?.kind === "free") {
    const flooded = cachedRefusal(ports.free[skill.id].limiter, call.address)
    return flooded === null
      ? Effect.succeed({ fields: null, call: callFree(ports, skill, call) })
      : overBudget(message, flooded)
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
) => Effect.catch(spend(documents, address), (spent) => overBudget(message, spent))

const overBudget = (
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
