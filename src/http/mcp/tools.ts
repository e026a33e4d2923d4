/**
 * The tools of /mcp: one a skill, from the registry, each answered by what answers over HTTP.
 *
 * A free tool gives the body of its HTTP row, for a grant of the same budget. A paid one without a
 * payment gives its terms, as an error, in x402's own form; with one it sells through the checkout.
 * Errors have the documented body, with what became of the money.
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

/** Every tool there is, as it is listed. */
export const tools: ReadonlyArray<Tool> = skills.map((skill) => ({
  name: skill.name,
  title: skill.title,
  description: descriptionOf(skill),
  inputSchema: argumentsSchema(skill),
  annotations: {
    title: skill.title,
    // A paid call takes money, and another signature takes it again: no host should think it free.
    readOnlyHint: skill.kind === "free",
    destructiveHint: false,
    idempotentHint: skill.kind === "free",
    // Titles of markets and of news are other people's text.
    openWorldHint: true,
  },
}))

/** The description of a skill, in which the paths of other skills are replaced by their names. */
function descriptionOf(skill: Skill): string {
  const text = skill.description.replace(
    pathPattern,
    (path) => skills.find((other) => other.path === path)?.name ?? path,
  )
  return skill.kind === "free" ? `${text} Free.` : `${text} Costs $${usd(skill.product.price)} ` +
    "in USDC a call, paid with x402: without a payment it answers with the terms of payment."
}

/** A call of a tool that exists. */
export interface ToolCall {
  readonly given: unknown
  /** The payment of the call; undefined without one. */
  readonly payment: unknown
  readonly idempotencyKey: string | null
  readonly address: string
}

/** What a call came to. */
export interface ToolAnswer {
  readonly result: CallToolResult
  /** What was sold, whose receipt is in the result; null when nothing was. */
  readonly sold: Delivery | null
  /** The client is over a budget: this refusal is returned with its HTTP status, not the result. */
  readonly limited: PreparedRefusal | null
  /** The fields of the budget that a free call spent. */
  readonly fields: ReadonlyArray<HeaderPair>
}

/** Calls a free tool, for a grant of its row's budget. */
export const callFree = (
  ports: SkillPorts,
  skill: FreeSkill,
  { given, address }: ToolCall,
): Effect.Effect<ToolAnswer> =>
  Effect.flatMap(RequestId, (id) =>
    freeSkillAnswer(ports, skill.id, address).pipe(
      Effect.map(({ answer, fields }) => ({
        ...only(freeResult(skill, given, answer, id)),
        fields,
      })),
      Effect.catch(({ refusal, fields }) =>
        Effect.succeed({ ...only(errorResult(refusal, id)), limited: refusal, fields })
      ),
    ))

function freeResult(
  skill: FreeSkill,
  given: unknown,
  made: FreeSkillAnswer["answer"],
  requestId: string,
): CallToolResult {
  const query = queryOf(skill, given)
  if (Result.isFailure(query)) {
    // A free call has no payment, so the hint about one is left out.
    const { hint: _, ...refusal } = toRefusal(query.failure)
    return errorResult(prepare(refusal), requestId)
  }
  if ("body" in made) return errorResult(made, requestId)
  return { ...bodyResult(made.bytes), ...(made.status < 400 ? {} : { isError: true }) }
}

/** Calls a paid tool. */
export const callPaid = (
  { checkouts, terms }: SkillPorts,
  skill: PaidSkill,
  { given, payment, idempotencyKey, address }: ToolCall,
): Effect.Effect<ToolAnswer> => {
  const { product } = skill
  const unpaid = (error?: string) =>
    only(jsonResult({
      ...paymentRequired(product, terms, {
        resource: "mcp",
        ...(error === undefined ? {} : { error }),
      }),
    }, true))
  if (payment === undefined) return Effect.succeed(unpaid())
  const sold = checkouts[skill.id].sell({
    query: Result.merge(queryOf(skill, given)),
    payment: { json: payment },
    key: idempotencyKey,
    client: clientKeys(address).near,
  })
  return Effect.flatMap(RequestId, (id) =>
    sold.pipe(
      Effect.map((delivery) => ({ ...only(soldResult(delivery)), sold: delivery })),
      Effect.catch((error) => {
        if (error instanceof NotCharged && error.code === "payment_required") {
          return Effect.succeed(unpaid(error.message))
        }
        const refusal = prepare(toRefusal(error))
        return Effect.succeed({
          ...only(errorResult(refusal, id)),
          limited: refusal.status === 429 ? refusal : null,
        })
      }),
      Effect.catchDefect((defect) =>
        Effect.as(
          Effect.logError("Cannot answer a paid call of a tool", defect),
          only(errorResult(failed, id)),
        )
      ),
    ))
}

const failure: Refusal = {
  code: "internal_error",
  message: "The service failed to answer. The failure was logged",
  hint: "Send the same payment again: it is never taken twice.",
  charged: null,
}
const failed = prepare(failure)

const only = (result: CallToolResult): ToolAnswer => ({
  ...{ result, sold: null, limited: null, fields: [] },
})

function soldResult({ body, receipt, replayed }: Delivery): CallToolResult {
  const made = bodyResult(body)
  const meta = {
    ...(receipt === null ? {} : { [receiptKey]: { success: true, ...receipt } }),
    ...(replayed ? { "idempotent-replayed": true } : {}),
  }
  return Object.keys(meta).length === 0 ? made : { ...made, _meta: meta }
}

const utf8 = new TextDecoder()

/** The body that HTTP gives, as data and as text. */
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
