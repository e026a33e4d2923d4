/**
 * POST /mcp: the Model Context Protocol over streamable HTTP, one JSON message in and one out.
 *
 * What is decided here is what every transport of ours decides: who may call, whose budget a call
 * spends, and when an answer that was paid for counts as handed over. Nothing is kept between two
 * calls and nothing is streamed, so any replica answers any call, those of older clients too.
 *
 * @module
 */
import { Effect, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Payments } from "../../payments/Payments.ts"
import type { HeaderPair } from "../server/answer.ts"
import { paths } from "../documents/addresses.ts"
import type { EdgeRoute } from "../server/edge.ts"
import { internalErrorPaid, type PreparedRefusal, RequestId } from "../server/errors.ts"
import { remembered, spend, type Spent } from "../server/limits.ts"
import { beforeReading, errorBody, type Refused, rpcCodes, toRefused } from "../server/jsonRpc.ts"
import { type Asked, readMessage } from "./message.ts"
import { mayCall } from "./origin.ts"
import { makeMcp } from "./server.ts"
import { callFree, callPaid, receiptKey, type ToolAnswer, type ToolCall, tools } from "./tools.ts"
import { toWebHandler, whenHandedOver } from "../server/server.ts"
import type { SkillPorts } from "../skills.ts"

const instructions =
  "Prediction-market intelligence. Poll get_index, which is free, about every 10 minutes; when " +
  "`index` has moved, call get_signals with `since`. A paid tool called without a payment answers " +
  'with its terms (x402): sign them, and call it again with the payment in _meta["x402/payment"].'

interface McpOptions {
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
    const address = Option.getOrElse(request.remoteAddress, () => "unknown")
    const read = mayCall(headers["origin"], publicBaseUrl)
      ? readMessage(request)
      : Effect.fail(wrongOrigin)
    const asked = yield* Effect.catch(
      read,
      (error) => Effect.andThen(spendDocuments(skills, error, address), Effect.fail(error)),
    )
    const call: ToolCall = {
      given: asked.given,
      payment: asked.payment,
      idempotencyKey: headers["idempotency-key"] ?? null,
      address,
    }
    const admitted = yield* admit(skills, asked, call)
    const run = Effect.runPromiseWith(yield* Effect.context<never>())
    const told: Array<ToolAnswer> = []
    const answer = async (work: Effect.Effect<ToolAnswer>, signal: AbortSignal) => {
      const made = await run(work, { signal })
      told.push(made)
      return made.result
    }
    const response = yield* Effect.promise((signal) =>
      mcp({
        ...{ url: `${publicBaseUrl}${paths.mcp}`, headers, json: asked.json },
        call: admitted.call === null ? null : answer.bind(null, admitted.call, signal),
      })
    )
    const text = yield* Effect.promise(() => response.text())
    for (const { limited, sold, fields } of told) {
      if (limited !== null) return yield* overBudget(asked, { refusal: limited, fields })
      if (sold !== null && showsReceipt(text)) {
        const handedOver = yield* whenHandedOver
        yield* handedOver(payments.sent(sold))
      }
      return respond(response.status, text, admitted.fields ?? fields)
    }
    // A call that was none, by the protocol's rules, is paid for like any other message.
    const fields = admitted.fields ?? (yield* spendDocuments(skills, asked, address))
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
        // It may have shown a payment that was taken, so nothing is said of its money.
        const error = toRefused(internalErrorPaid, { code: rpcCodes.internal, id: null, requestId })
        return respond(error.status, errorBody(error), error.headers)
      })
    ),
  ))
  const route: EdgeRoute = {
    limiter: skills.documents,
    current: null,
    paid: null,
    post: { handle, refusal: unread },
  }
  return route
})

const wrongOrigin: Refused = {
  ...{ status: 403, code: rpcCodes.request, id: null },
  message: "Origin is none that may call this service",
}

/** Said of a message that is not even read. */
const unread = (refusal: PreparedRefusal) => beforeReading(codeOf(refusal))(refusal)

/** What a message may do. */
interface Admitted {
  /** The fields of the budget it spent; null when its call spends one, or is counted where it sells. */
  readonly fields: ReadonlyArray<HeaderPair> | null
  readonly call: Effect.Effect<ToolAnswer> | null
}

/**
 * Each message spends one budget: a free tool that of its row, once it is called; a call that shows a
 * payment that of invalid payments, where it is sold; every other message the documents'.
 */
const admit = (
  ports: SkillPorts,
  asked: Asked,
  call: ToolCall,
): Effect.Effect<Admitted, Refused> => {
  const { skill, payment } = asked
  if (skill?.kind === "free") {
    const flooded = remembered(ports.free[skill.id].limiter, call.address)
    return flooded === null
      ? Effect.succeed({ fields: null, call: callFree(ports, skill, call) })
      : overBudget(asked, flooded)
  }
  const work = skill === undefined ? null : callPaid(ports, skill, call)
  if (payment !== undefined) return Effect.succeed({ fields: null, call: work })
  return Effect.map(
    spendDocuments(ports, asked, call.address),
    (fields) => ({ fields, call: work }),
  )
}

/** The message that spends it, by its id. */
type Spender = Pick<Asked, "id">

const spendDocuments = ({ documents }: SkillPorts, asked: Spender, address: string) =>
  Effect.catch(spend(documents, address), (spent) => overBudget(asked, spent))

const overBudget = (asked: Spender, { refusal, fields }: Spent): Effect.Effect<never, Refused> => {
  const code = codeOf(refusal)
  return Effect.flatMap(
    RequestId,
    (requestId) => Effect.fail(toRefused(refusal, { code, id: asked.id, requestId, fields })),
  )
}

const codeOf = ({ status }: PreparedRefusal) =>
  status === 429 ? rpcCodes.limited : rpcCodes.internal

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
