/**
 * JSON-RPC 2.0 over POST, as far as /a2a and /mcp share it: a body that is JSON, and errors whose `data`
 * is the documented error of the same cause.
 *
 * @module
 */
import { Duration, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { HeaderPair } from "./answer.ts"
import { bodyTooLarge, prepare, type PreparedRefusal, RequestId } from "./errors.ts"
import { bodyTimeout } from "./bodyReader.ts"
import { type Body, RequestBody } from "./server.ts"

/** Codes of JSON-RPC; and ours, for a budget that is spent. */
export const rpcCodes = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  limited: -32000,
} as const

export type MessageId = string | number | null

/** Why a message is not answered: its status, and an error of JSON-RPC. */
export interface Refused {
  readonly status: number
  readonly code: number
  readonly message: string
  readonly id: MessageId
  /** What the documented body of the same error says, where there is one. */
  readonly data?: unknown
  readonly headers?: ReadonlyArray<HeaderPair>
}

export type Json = Readonly<Record<string, unknown>>

const wrongType = prepare({
  code: "unsupported_media_type",
  message: "Content-Type must be application/json",
})

/** The JSON of what was posted. Nothing has been charged when it fails. */
export const readJson = (
  request: HttpServerRequest.HttpServerRequest,
): Effect.Effect<unknown, Refused> =>
  Effect.gen(function* () {
    const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase()
    if (type !== "application/json") return yield* refusedAs(wrongType, rpcCodes.request)
    const body = yield* RequestBody
    if (body === null || "fault" in body) return yield* notHere(body?.fault ?? "unreadable")
    const json = parse(body.bytes)
    return json === undefined ? yield* unread(400, "The body is not JSON in UTF-8") : json
  })

const notHere = (fault: Extract<Body, { readonly fault: unknown }>["fault"]) => {
  switch (fault) {
    case "too large":
      return refusedAs(bodyTooLarge, rpcCodes.request)
    case "late":
      return unread(408, `The body was not here within ${Duration.toSeconds(bodyTimeout)} seconds`)
    case "unreadable":
      return unread(400, "The body could not be read")
  }
}

const unread = (status: number, message: string) =>
  Effect.fail<Refused>({ status, code: rpcCodes.parse, message, id: null })

const refusedAs = (refusal: PreparedRefusal, code: number) =>
  Effect.flatMap(
    RequestId,
    (requestId) => Effect.fail(toRpcError(refusal, { code, id: null, requestId })),
  )

/** A documented error as one of JSON-RPC: the same status and headers, the same error in `data`. */
export function toRpcError(
  { status, headers, body }: PreparedRefusal,
  { code, id, requestId, fields = [] }: {
    readonly code: number
    readonly id: MessageId
    readonly requestId: string
    readonly fields?: ReadonlyArray<HeaderPair>
  },
): Refused {
  const { error } = JSON.parse(body(requestId))
  return { status, code, message: error.message, id, data: error, headers: [...headers, ...fields] }
}

/** A documented error of a message that was not even read. */
export const asRpcRefusal = (code: number) => (refusal: PreparedRefusal): PreparedRefusal => ({
  ...refusal,
  body: (requestId) => errorBody(toRpcError(refusal, { code, id: null, requestId })),
})

/** The body of an error. */
export function errorBody({ id, code, message, data }: Omit<Refused, "status">): string {
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

export function idOf(value: unknown): MessageId {
  return typeof value === "string" || Number.isSafeInteger(value) ? value as MessageId : null
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The value of JSON; undefined when it is none. */
function parse(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    return undefined
  }
}
