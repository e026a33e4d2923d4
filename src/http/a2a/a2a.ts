/**
 * POST /a2a: the skills as an agent of A2A 0.3.0, over JSON-RPC. GET is the agent's card.
 *
 * What is decided here is what every call meets: the version and the extensions it speaks of, the shape
 * of JSON-RPC, and how an outcome leaves. Errors of the protocol come with HTTP's 200; limits, and what
 * cannot be answered now, have their own status and a body of JSON-RPC all the same.
 *
 * @module
 */
import { Cause, Effect, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Payments } from "../../payments/Payments.ts"
import { TaskStore } from "./TaskStore.ts"
import { type A2aError, failing, type Fault, fault } from "./errors.ts"
import { type Caller, makeMethods } from "./methods.ts"
import type { Answer, HeaderPair } from "../server/answer.ts"
import { x402Extensions } from "../documents/cards.ts"
import type { EdgeRoute } from "../server/edge.ts"
import {
  beforeReading,
  errorBody,
  idOf,
  isObject,
  type MessageId,
  readJson,
  type Refused,
  rpcCodes,
} from "../server/jsonRpc.ts"
import { toWebHandler, whenHandedOver } from "../server/server.ts"
import type { SkillPorts } from "../skills.ts"

/** Where the endpoint is. */
export const a2aPath = "/a2a"

interface A2aOptions {
  readonly skills: SkillPorts
  readonly card: Answer
}

/** What a request asks for. */
interface Asked {
  readonly id: MessageId
  readonly method: string
  readonly params: unknown
}

/** The endpoint as a route of the edge; make it once. */
export const a2aRoute = Effect.fnUntraced(function* ({ skills, card }: A2aOptions) {
  const payments = yield* Payments
  const { call, spend } = makeMethods({ skills, payments, tasks: yield* TaskStore })

  const answered = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const fields: Array<HeaderPair> = []
    const caller: Caller = {
      address: Option.getOrElse(request.remoteAddress, () => "unknown"),
      spent: (more) => fields.splice(0, fields.length, ...more),
    }
    const counted = <A>(asked: Effect.Effect<A, Refused>) =>
      Effect.catch(asked, (error) =>
        Effect.andThen(
          Effect.mapError(spend(caller), (spent) => ({ ...spent, id: error.id })),
          Effect.fail(error),
        ))
    const outcome = yield* Effect.result(Effect.gen(function* () {
      const { id, method, params } = yield* counted(readCall(request))
      const { result, delivery } = yield* Effect.mapError(
        Effect.catchDefect(call(method, params, caller), failing),
        (error): Refused => ({ ...error, id }),
      )
      if (delivery !== null) {
        const handedOver = yield* whenHandedOver
        yield* handedOver(payments.sent(delivery))
      }
      return JSON.stringify({ jsonrpc: "2.0", id, result })
    }))
    const extensions = activated(request.headers)
    return outcome._tag === "Success"
      ? respond(200, outcome.success, [...fields, ...extensions])
      : refuse(outcome.failure, [...fields, ...extensions])
  })

  const handle = yield* toWebHandler(Effect.catchCause(answered, (cause) =>
    // A client that hung up waits for nothing, and is no failure.
    Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : Effect.map(
      Effect.flip(failing(cause)),
      (error) => refuse({ ...error, id: null }, []),
    )))
  return {
    limiter: skills.documents,
    current: () => card,
    paid: null,
    post: { handle, refusal: beforeReading(rpcCodes.limited) },
  } satisfies EdgeRoute as EdgeRoute
})

/** The versions of A2A that are spoken, as its header names them. */
const versions = /^0\.3(?:\.\d+)?$/

/** Reads a call: JSON first, then JSON-RPC, then the version it is meant in. */
const readCall = (
  request: HttpServerRequest.HttpServerRequest,
): Effect.Effect<Asked, Refused> =>
  Effect.gen(function* () {
    const json = yield* Effect.mapError(readJson(request), ofProtocol)
    if (!isObject(json)) return yield* refusal("request", null, "Send one object: no batches")
    const { jsonrpc, id: given, method, params } = json
    const id = idOf(given)
    if (given !== undefined && given !== id) {
      return yield* refusal("request", null, "id must be text, an integer or null")
    }
    if (jsonrpc !== "2.0") return yield* refusal("request", id, 'jsonrpc must be "2.0"')
    if (typeof method !== "string") return yield* refusal("request", id, "method must be text")
    const version = request.headers["a2a-version"]?.trim() ?? ""
    if (version !== "" && !versions.test(version)) {
      return yield* Effect.fail({ ...fault("version", { supported: ["0.3"] }), id })
    }
    return { id, method, params }
  })

const refusal = (name: A2aError, id: MessageId, reason: string): Effect.Effect<never, Refused> =>
  Effect.fail({ ...fault(name, { reason }), id })

/** What cannot be read is an error of the protocol, which has its own words; HTTP says 200. */
function ofProtocol(error: Refused): Refused {
  if (error.status !== 400) return error
  return { ...fault("parse", { reason: error.message }), id: error.id }
}

/** The extensions a client names that are ours too: those are activated. */
function activated(
  headers: Readonly<Record<string, string | undefined>>,
): ReadonlyArray<HeaderPair> {
  const named = (headers["x-a2a-extensions"] ?? headers["a2a-extensions"] ?? "").split(",")
    .map((uri) => uri.trim())
  const ours = x402Extensions.filter((uri) => named.includes(uri))
  return ours.length === 0 ? [] : [["x-a2a-extensions", ours.join(", ")]]
}

function refuse(
  error: Fault & { readonly id: MessageId },
  more: ReadonlyArray<HeaderPair>,
): HttpServerResponse.HttpServerResponse {
  return respond(error.status, errorBody(error), [...more, ...(error.headers ?? [])])
}

function respond(
  status: number,
  body: string,
  headers: ReadonlyArray<HeaderPair>,
): HttpServerResponse.HttpServerResponse {
  return HttpServerResponse.text(body, {
    status,
    contentType: "application/json",
    headers: { "cache-control": "no-store", ...Object.fromEntries(headers) },
  })
}
