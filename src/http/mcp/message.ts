/**
 * One message to /mcp, as far as it has to be understood before the protocol is spoken: whose budget
 * it spends, and whether it shows a payment.
 *
 * @module
 */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type Skill, skillOf } from "../../catalog/domain/skill.ts"
import {
  idOf,
  isObject,
  type MessageId,
  objectOf,
  readJson,
  type Refused,
  rpcCodes,
} from "../server/jsonRpc.ts"

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

/** Reads the message of a request. Nothing has been charged when it fails. */
export const readMessage = (
  request: HttpServerRequest.HttpServerRequest,
): Effect.Effect<Asked, Refused> =>
  Effect.gen(function* () {
    const json = yield* readJson(request)
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
