/**
 * The JSON-RPC 2.0 parts that /a2a and /mcp share: the way from a body to an answer, and errors whose
 * `data` is the documented HTTP error.
 *
 * @module
 */
import { Duration, Effect, Result } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { answer, type HeaderPair, responseTo, wholeResponse } from "./answer.ts"
import {
  bodyTooLarge,
  internalError,
  internalErrorPaid,
  prepare,
  type PreparedRefusal,
} from "./errors.ts"
import { type AgentHandler, type Body, bodyTimeout, byRequest, RequestId } from "./route.ts"

/**
 * Codes of JSON-RPC. `limited` is one of its range for servers, -32000 to -32099: the service refuses
 * for now (429, 502 to 504), and the same message may succeed later. -32603 is for a defect (500).
 */
export const rpcCodes = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  limited: -32000,
} as const

export type MessageId = string | number | null

/** A JSON-RPC error, with its HTTP status. */
export interface RpcError {
  readonly status: number
  readonly code: number
  readonly message: string
  /** The documented HTTP error, where there is one. */
  readonly data?: unknown
  readonly headers?: ReadonlyArray<HeaderPair>
}

export type Json = Readonly<Record<string, unknown>>

const wrongType = prepare({
  code: "unsupported_media_type",
  message: "Content-Type must be application/json",
})

/** Parses the posted body. When it fails, nothing has been charged. */
const readJson = (
  { headers }: HttpServerRequest.HttpServerRequest,
  body: Body,
): Effect.Effect<unknown, RpcError> =>
  Effect.gen(function* () {
    const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase()
    if (type !== "application/json") return yield* failWithRefusal(wrongType)
    if ("fault" in body) return yield* bodyFaults[body.fault]
    const json = parse(body.bytes)
    return json === undefined ? yield* parseError(400, "The body is not JSON in UTF-8") : json
  })

const parseError = (status: number, message: string) =>
  Effect.fail<RpcError>({ status, code: rpcCodes.parse, message })

/** Fails with a documented HTTP error: the same status and headers, and the error in `data`. */
export const failWithRefusal = (refusal: PreparedRefusal): Effect.Effect<never, RpcError> =>
  Effect.flatMap(
    RequestId,
    (requestId) => Effect.fail({ ...toRpcError(refusal, requestId), headers: refusal.headers }),
  )

const bodyFaults = {
  "too large": failWithRefusal(bodyTooLarge),
  late: parseError(
    408,
    `The body did not arrive within ${Duration.toSeconds(bodyTimeout)} seconds`,
  ),
  unreadable: parseError(400, "The body could not be read"),
} satisfies { [Fault in Extract<Body, { readonly fault: unknown }>["fault"]]: unknown }

function toRpcError({ status, body }: PreparedRefusal, requestId: string): RpcError {
  const { error } = JSON.parse(body(requestId))
  const name = status < 429 ? "request" : status === 500 ? "internal" : "limited"
  return { status, code: rpcCodes[name], message: error.message, data: error }
}

/** A documented HTTP error in the JSON-RPC format, for a message that was not read. */
export const asRpcRefusal = (refusal: PreparedRefusal): PreparedRefusal => ({
  ...refusal,
  body: (requestId) => errorBody(null, toRpcError(refusal, requestId)),
})

interface RpcEndpoint {
  readonly path: string
  /** Answers a message. Its failure is answered under the id of the message. */
  readonly answer: (
    json: Effect.Effect<unknown, RpcError>,
    request: HttpServerRequest.HttpServerRequest,
    id: MessageId,
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, RpcError>
  /** Headers of every answer. */
  readonly fields?: (headers: Headers) => ReadonlyArray<HeaderPair>
  /** Whether a message may have had a payment taken; true unless given. */
  readonly mayPay?: (message: Json) => boolean
}
type Headers = HttpServerRequest.HttpServerRequest["headers"]

/** The handler of an endpoint: reads the JSON of a body, and answers it, failures and defects too. */
export const rpcEndpoint =
  ({ path, answer, fields = () => [], mayPay = () => true }: RpcEndpoint): AgentHandler => (body) =>
    byRequest((request) =>
      Effect.flatMap(Effect.result(readJson(request, body)), (json) => {
        const message = objectOf(Result.getOrNull(json))
        const id = idOf(message["id"])
        return Effect.suspend(() => answer(Effect.fromResult(json), request, id)).pipe(
          Effect.catchDefect((defect) =>
            Effect.andThen(
              Effect.logError(`Cannot answer a message to ${path}`, defect),
              failWithRefusal(mayPay(message) ? internalErrorPaid : internalError),
            )
          ),
          Effect.catch((error) =>
            Effect.succeed(rpcResponse(error.status, errorBody(id, error), error.headers))
          ),
          Effect.map(HttpServerResponse.setHeaders(fields(request.headers))),
        )
      })
    )

/**
 * The response with a JSON-RPC message; without one where its text is empty. It is sent in gzip only to
 * a `request` that accepts it.
 */
export function rpcResponse(
  status: number,
  text: string,
  headers?: ReadonlyArray<HeaderPair>,
  request?: Request,
): HttpServerResponse.HttpServerResponse {
  const compress = request !== undefined
  const message = answer({ status, body: text, cache: "none", compress, headers: headers ?? [] })
  return compress ? responseTo(request, message) : wholeResponse(message)
}

function errorBody(id: MessageId, { code, message, data }: RpcError): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    id,
    error: { code, message, ...(data === undefined ? {} : { data }) },
  })
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export function objectOf(value: unknown): Json {
  return isObject(value) ? value : {}
}

function idOf(value: unknown): MessageId {
  return typeof value === "string" || Number.isSafeInteger(value) ? value as MessageId : null
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The parsed value; undefined when the bytes are not JSON in UTF-8. */
export function parse(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    return undefined
  }
}
