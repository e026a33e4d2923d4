/**
 * One message to /mcp, as far as it has to be understood before the protocol is spoken: whose budget
 * it spends, and whether it shows a payment.
 *
 * @module
 */
import { Duration, Effect } from "effect"
import type { HttpServerError, HttpServerRequest } from "effect/http"
import { type Skill, skillOf } from "../domain/skill.ts"
import type { HeaderPair } from "./answer.ts"
import { prepare, type PreparedRefusal, RequestId } from "./errors.ts"
import { bodyTooLarge } from "./refusals.ts"

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

/** A message. */
export interface Asked {
  readonly json: unknown
  readonly id: MessageId
  /** What is called, where it is a call of a tool that there is. */
  readonly skill: Skill | undefined
  readonly given: unknown
  /** What stands where a payment stands; undefined when nothing does. */
  readonly payment: unknown
}

/** Where a payment stands in a call. */
export const paymentKey = "x402/payment"

/** Within this a body has to be here. */
const bodyWithin = Duration.seconds(10)

const wrongType = prepare({
  code: "unsupported_media_type",
  message: "Content-Type must be application/json",
})

/** Reads the message of a request. Nothing has been charged when it fails. */
export const readMessage = (
  request: HttpServerRequest.HttpServerRequest,
): Effect.Effect<Asked, Refused> =>
  Effect.gen(function* () {
    const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase()
    if (type !== "application/json") return yield* refusedAs(wrongType, rpcCodes.request)
    const bytes = yield* request.arrayBuffer.pipe(
      Effect.catch((error) =>
        isTooLarge(error)
          ? refusedAs(bodyTooLarge, rpcCodes.request)
          : refuse(400, "parse", "The body could not be read")
      ),
      Effect.timeoutOrElse({
        duration: bodyWithin,
        orElse: () =>
          refuse(
            400,
            "parse",
            `The body was not here within ${Duration.toSeconds(bodyWithin)} seconds`,
          ),
      }),
    )
    const json = parse(bytes)
    if (json === undefined) return yield* refuse(400, "parse", "The body is not JSON in UTF-8")
    if (Array.isArray(json)) {
      return yield* refuse(400, "request", "Send one message a request: batches are not taken")
    }
    return yield* understand(json)
  })

function understand(json: unknown): Effect.Effect<Asked, Refused> {
  const message = objectOf(json)
  const id = idOf(message["id"])
  const params = objectOf(message["params"])
  const asked = { json, id, skill: undefined, given: undefined, payment: undefined }
  if (message["method"] === "subscriptions/listen") {
    return refuse(404, "method", "Nothing is pushed from here: poll get_index", id)
  }
  if (message["method"] !== "tools/call") return Effect.succeed(asked)
  const { name, arguments: given } = params
  if (given !== undefined && !isObject(given)) {
    return refuse(400, "params", "arguments must be an object. Nothing was charged", id)
  }
  const payment = objectOf(params["_meta"])[paymentKey]
  return Effect.succeed({
    ...asked,
    skill: typeof name === "string" ? skillOf(name) : undefined,
    given,
    payment: payment ?? undefined,
  })
}

function refuse(
  status: number,
  code: keyof typeof rpcCodes,
  message: string,
  id: MessageId = null,
): Effect.Effect<never, Refused> {
  return Effect.fail({ status, code: rpcCodes[code], message, id })
}

const refusedAs = (refusal: PreparedRefusal, code: number) =>
  Effect.flatMap(
    RequestId,
    (requestId) => Effect.fail(toRefused(refusal, { code, id: null, requestId })),
  )

/** A documented error as one of JSON-RPC: the same status and headers, the same error in `data`. */
export function toRefused(
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

/** The body of an error. */
export function errorBody({ id, code, message, data }: Omit<Refused, "status">): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    id,
    error: { code, message, ...(data === undefined ? {} : { data }) },
  })
}

function isTooLarge({ reason }: HttpServerError.HttpServerError): boolean {
  return reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
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

type Json = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function objectOf(value: unknown): Json {
  return isObject(value) ? value : {}
}

function idOf(value: unknown): MessageId {
  return typeof value === "string" || Number.isSafeInteger(value) ? value as MessageId : null
}
