/**
 * The tools of /mcp, one per skill, answered by the same code as over HTTP.
 *
 * A free tool returns the body of its HTTP row, under the same rate limit. A paid tool without a
 * payment returns an error with its x402 payment requirements; with a payment it sells through the
 * checkout. Errors have the documented body, with `charged`.
 *
 * @module
 */
import type { CallToolResult, Tool } from "@modelcontextprotocol/server"
import { Effect, Result } from "effect"
import { argumentsSchema } from "../../catalog/domain/parameter.ts"
import { paymentRequired } from "../../payments/domain/x402/challenge.ts"
import { usd } from "../../core/domain/money.ts"
import { NotCharged } from "../../payments/domain/failedSale.ts"
import { type FreeSkill, type PaidSkill, type Skill, skills } from "../../catalog/domain/skill.ts"
import type { Delivery } from "../../payments/sale/responses.ts"
import type { HeaderPair } from "../server/answer.ts"
import {
  prepare,
  type PreparedRefusal,
  type Refusal,
  RequestId,
  toRefusal,
} from "../server/errors.ts"
import { clientKeys } from "../server/limits.ts"
import { type FreeSkillAnswer, freeSkillAnswer, queryOf, type SkillPorts } from "../skills.ts"

/** The key of a payment in the `_meta` of a call. */
export const paymentKey = "x402/payment"
/** The key of its receipt in the `_meta` of a result. */
export const receiptKey = "x402/payment-response"

const pathPattern = /\/v1(?:\/[a-z-]+)+/g

/** Every tool, as tools/list returns it. */
export const tools: ReadonlyArray<Tool> = skills.map((skill) => ({
  name: skill.name,
  title: skill.title,
  description: descriptionOf(skill),
  inputSchema: argumentsSchema(skill),
  annotations: {
    title: skill.title,
    // A paid call takes money, and a second signature takes it again, so it is not read-only.
    readOnlyHint: skill.kind === "free",
    destructiveHint: false,
    idempotentHint: skill.kind === "free",
    // Titles of markets and of news are text from third parties.
    openWorldHint: true,
  },
}))

/** The description of a skill, with the paths of other skills replaced by their tool names. */
function descriptionOf(skill: Skill): string {
  const text = skill.description.replace(
    pathPattern,
    (path) => skills.find((other) => other.path === path)?.name ?? path,
  )
  return skill.kind === "free" ? `${text} Free.` : `${text} Costs $${usd(skill.product.price)} ` +
    "in USDC per call, paid with x402. Without a payment it returns the payment requirements."
}

/** A call of a tool that exists. */
export interface ToolCall {
  readonly args: unknown
  /** The payment of the call; undefined without one. */
  readonly payment: unknown
  readonly idempotencyKey: string | null
  readonly address: string
}

/** The outcome of a call. */
export interface ToolAnswer {
  readonly result: CallToolResult
  /** The sold answer, whose receipt is in the result; null when nothing was sold. */
  readonly sold: Delivery | null
  /** The refusal of a client over a limit, returned with its HTTP status instead of the result. */
  readonly limited: PreparedRefusal | null
  /** The `RateLimit` headers of a free call. */
  readonly fields: ReadonlyArray<HeaderPair>
}

/** Calls a free tool, under the rate limit of its row. */
export const callFree = (
  ports: SkillPorts,
  skill: FreeSkill,
  { args, address }: ToolCall,
): Effect.Effect<ToolAnswer> =>
  Effect.flatMap(RequestId, (id) =>
    freeSkillAnswer(ports, skill.id, address).pipe(
      Effect.map(({ answer, fields }) => ({
        ...unsold(freeResult(skill, args, answer, id)),
        fields,
      })),
      Effect.catch(({ refusal, fields }) =>
        Effect.succeed({ ...unsold(errorResult(refusal, id)), limited: refusal, fields })
      ),
    ))

function freeResult(
  skill: FreeSkill,
  args: unknown,
  answer: FreeSkillAnswer["answer"],
  requestId: string,
): CallToolResult {
  const query = queryOf(skill, args)
  if (Result.isFailure(query)) {
    // A free call has no payment, so the hint about one is left out.
    const { hint: _, ...refusal } = toRefusal(query.failure)
    return errorResult(prepare(refusal), requestId)
  }
  if ("body" in answer) return errorResult(answer, requestId)
  return { ...bodyResult(answer.bytes), ...(answer.status < 400 ? {} : { isError: true }) }
}

/** Calls a paid tool. */
export const callPaid = (
  { checkouts, terms }: SkillPorts,
  skill: PaidSkill,
  { args, payment, idempotencyKey, address }: ToolCall,
): Effect.Effect<ToolAnswer> => {
  const { product } = skill
  const unpaid = (error?: string) =>
    unsold(jsonResult({
      ...paymentRequired(product, terms, {
        resource: "mcp",
        ...(error === undefined ? {} : { error }),
      }),
    }, true))
  if (payment === undefined) return Effect.succeed(unpaid())
  const sold = checkouts[skill.id].sell({
    query: Result.merge(queryOf(skill, args)),
    payment: { json: payment },
    key: idempotencyKey,
    client: clientKeys(address),
  })
  return Effect.flatMap(RequestId, (id) =>
    sold.pipe(
      Effect.map((delivery) => ({ ...unsold(soldResult(delivery)), sold: delivery })),
      Effect.catch((error) => {
        if (error instanceof NotCharged && error.code === "payment_required") {
          return Effect.succeed(unpaid(error.message))
        }
        const refusal = prepare(toRefusal(error))
        return Effect.succeed({
          ...unsold(errorResult(refusal, id)),
          limited: refusal.status === 429 ? refusal : null,
        })
      }),
      Effect.catchDefect((defect) =>
        Effect.as(
          Effect.logError("Cannot answer a paid call of a tool", defect),
          unsold(errorResult(preparedFailure, id)),
        )
      ),
    ))
}

const toolFailure: Refusal = {
  code: "internal_error",
  message: "The service failed to answer. The failure was logged",
  hint: "Send the same payment again: it is never taken twice.",
  charged: null,
}
const preparedFailure = prepare(toolFailure)

const unsold = (result: CallToolResult): ToolAnswer => ({
  ...{ result, sold: null, limited: null, fields: [] },
})

function soldResult({ body, receipt, replayed }: Delivery): CallToolResult {
  const result = bodyResult(body)
  const meta = {
    ...(receipt === null ? {} : { [receiptKey]: { success: true, ...receipt } }),
    ...(replayed ? { "idempotent-replayed": true } : {}),
  }
  return Object.keys(meta).length === 0 ? result : { ...result, _meta: meta }
}

const utf8 = new TextDecoder()

/** The body of the HTTP answer, as data and as text. */
function bodyResult(bytes: Uint8Array): CallToolResult {
  const text = utf8.decode(bytes)
  return { content: [{ type: "text", text }], structuredContent: JSON.parse(text) }
}

function errorResult(refusal: PreparedRefusal, requestId: string): CallToolResult {
  return jsonResult(JSON.parse(refusal.body(requestId)), true)
}

function jsonResult(json: Record<string, unknown>, isError: boolean): CallToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(json) }],
    structuredContent: json,
    isError,
  }
}
