/**
 * The tools of /mcp, one per skill, answered by the same code as over HTTP.
 *
 * A free tool returns the body of its HTTP row, under the same rate limit. A paid tool without a
 * payment returns an error with its x402 payment requirements; with a payment it sells through the
 * checkout. An error has a sentence for a model, and the documented body with `charged`.
 *
 * @module
 */
import type { CallToolResult, Tool } from "@modelcontextprotocol/server"
import { Effect, Result } from "effect"
import { argumentsSchema, exampleOf } from "../../catalog/domain/parameter.ts"
import { compactBytesMax, compactText } from "../../catalog/domain/compactText.ts"
import { resendRule } from "../../catalog/domain/refusal.ts"
import { outputSchema } from "../../catalog/domain/jsonSchema.ts"
import { challengeV1, paymentRequired } from "../../payments/domain/x402/challenge.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import type { Client } from "../../core/CallClient.ts"
import { usd } from "../../core/domain/money.ts"
import { prepared } from "../../core/domain/prepared.ts"
import { NotCharged } from "../../payments/domain/failedSale.ts"
import { type PaidSkill, type Skill, skills } from "../../catalog/domain/skill.ts"
import type { Outcome } from "../../payments/purchase.ts"
import { type ErrorBody, prepare, type PreparedRefusal, toRefusal } from "../server/errors.ts"
import { type Json, objectOf } from "../server/jsonRpc.ts"
import { CurrentInbound, spend } from "../server/route.ts"
import { faultIn } from "../paywall/paywall.ts"
import { freeSkillAnswer, queryOf, type SkillPorts } from "../skills.ts"

/** The key of a payment in the `_meta` of a call. */
export const paymentKey = "x402/payment"
/** The key of its receipt in the `_meta` of a result. */
export const receiptKey = "x402/payment-response"

/** The longest result that a host of Anthropic takes when a tool asks for it. */
const resultCharsMax = 500_000

const pathPattern = /\/v1(?:\/[a-z-]+)+/g

/** Every tool, as tools/list returns it. Their schemas take about 100 ms. */
export const tools = prepared((): ReadonlyArray<Tool> =>
  skills.map((skill) => ({
    name: skill.name,
    title: skill.title,
    description: descriptionOf(skill),
    inputSchema: inputSchema(skill),
    outputSchema: resultSchema(skill),
    ...(skill.kind === "paid" && skill.product.answerBytes.p99 > compactBytesMax
      ? { _meta: { "anthropic/maxResultSizeChars": resultCharsMax } }
      : {}),
    annotations: {
      title: skill.title,
      // A paid call moves money, and a call with a new signature may move it again. So it is neither
      // read-only nor idempotent, and hosts ask before it. It only adds: nothing can be destroyed.
      readOnlyHint: skill.kind === "free",
      destructiveHint: false,
      idempotentHint: skill.kind === "free",
      // Titles of markets and of news are text from third parties.
      openWorldHint: true,
    },
  }))
)

/** The name of the argument with a payment, for hosts that cannot send `_meta`. */
export const paymentArgument = "payment"

/** The schema of a tool's arguments. A paid tool also takes its payment there. */
function inputSchema(skill: Skill) {
  const schema = argumentsSchema(skill)
  return skill.kind === "free" ? schema : {
    ...schema,
    properties: {
      ...schema.properties,
      [paymentArgument]: {
        type: "string" as const,
        description: `x402 payment, base64 JSON, where _meta["${paymentKey}"] cannot be sent`,
      },
    },
  }
}

/**
 * The schema of a tool's structured content: that of its answer, which errors and terms fit too,
 * because version 1 of the official client applies it to every result. Both have `error`.
 */
function resultSchema(skill: Skill) {
  const { properties, required, ...schema } = outputSchema(skill)
  return {
    ...schema,
    properties: { ...objectOf(properties), success: { type: "boolean" as const } },
    anyOf: [{ required }, { required: ["error"] }],
  }
}

/**
 * The description of a tool: what it returns, when to use it, its cost and an example. The paths of
 * other skills are replaced by their tool names. Bounds and units are in the schema of the arguments.
 */
function descriptionOf({ description, use, parameters, ...skill }: Skill): string {
  const text = `${description} ${use}`.replace(
    pathPattern,
    (path) => skills.find((other) => other.path === path)?.name ?? path,
  )
  const cost = skill.kind === "free"
    ? "Free, within a rate limit per client address."
    : `Costs $${usd(skill.product.price)} in USDC (x402). Without a payment it returns its terms.`
  return `${text} ${cost} Example: ${JSON.stringify(exampleOf(parameters))}.`
}

/** The payment of a call, and the key of its receipt in the result. */
export interface ToolPayment {
  readonly value: unknown
  readonly receiptKey: string
}

/** The keys of a payment in the `_meta` of a call, and of its receipt; x402-mcp uses the second. */
const metaKeys = [[paymentKey, receiptKey], ["x402.payment", "x402.payment-response"]] as const

/** The payment of a call, in its `_meta` or else in its arguments; null without one. */
export function paymentIn(meta: Json, args: Json): ToolPayment | null {
  for (const [key, receiptKey] of metaKeys) {
    const value = meta[key] ?? null
    if (value !== null) return { value, receiptKey }
  }
  // Models send an empty text for none.
  const value = args[paymentArgument] || null
  return value === null ? null : { value, receiptKey }
}

/** A call of a tool that exists. */
interface ToolCall {
  readonly args: unknown
  readonly payment: ToolPayment | null
  readonly idempotencyKey: string | null
}

/** The outcome of a call. A refusal is a result too, because clients fail on a status like 429. */
interface ToolAnswer {
  readonly result: CallToolResult
  /** The sold answer, whose receipt is in the result; null when nothing was sold. */
  readonly sold: Outcome | null
}

const unsold = (result: CallToolResult): ToolAnswer => ({ result, sold: null })

/**
 * Calls a tool: a free one under the limit of its row, a paid one under that of the documents when it
 * has no payment, else under that of invalid payments.
 */
export const callTool = Effect.fnUntraced(function* callTool(
  ports: SkillPorts,
  skill: Skill,
  call: ToolCall,
): Effect.fn.Return<ToolAnswer> {
  const { requestId, client } = yield* CurrentInbound
  const answer = skill.kind === "free" || call.payment === null
    ? answerUnpaid(ports, skill, call, requestId)
    : buy(ports, skill, call, call.payment, client, requestId)
  return yield* Effect.catch(
    answer,
    (refusal) => Effect.succeed(unsold(errorResult(refusal, requestId))),
  )
})

/** Answers a call without a payment: a free tool by its row, a paid one with its offer. */
const answerUnpaid = Effect.fnUntraced(function* answerUnpaid(
  ports: SkillPorts,
  skill: Skill,
  { args }: ToolCall,
  requestId: string,
): Effect.fn.Return<ToolAnswer, PreparedRefusal> {
  const query = queryOf(skill, args)
  const sent = Result.getOrElse(query, () => new URLSearchParams())
  const invalid = Result.isFailure(query) ? unsold(invalidResult(query.failure, requestId)) : null
  if (skill.kind === "free") {
    const answer = yield* freeSkillAnswer(ports, skill.id, sent)
    if (invalid !== null) return invalid
    const { status, bytes } = yield* Effect.fromResult(answer)
    return unsold({ ...bodyResult(bytes), ...(status < 400 ? {} : { isError: true }) })
  }
  yield* spend(ports.documents)
  if (invalid !== null) return invalid
  const fault = faultIn(ports.checkouts[skill.id].read(sent))
  return unsold(offerResult(ports, skill, sent.size === 0 ? undefined : fault, fault))
})

/** The error of a call without a payment, so the hint about one is left out. */
function invalidResult(failure: NotCharged, requestId: string): CallToolResult {
  const { code, message, details = [] } = failure
  return errorResult(prepare({ code, message, details }), requestId)
}

/** Sells the answer of a paid tool for a payment. */
const buy = (
  ports: SkillPorts,
  skill: PaidSkill,
  { args, idempotencyKey }: ToolCall,
  { value, receiptKey }: ToolPayment,
  client: Client,
  requestId: string,
): Effect.Effect<ToolAnswer> =>
  ports.checkouts[skill.id].sell({
    input: Result.merge(queryOf(skill, args)),
    payment: typeof value === "string" ? { header: value } : { json: value },
    key: idempotencyKey,
    client,
  }).pipe(
    Effect.map((outcome) => ({
      ...unsold(soldResult(skill, outcome, receiptKey)),
      sold: outcome.receipt === null ? null : outcome,
    })),
    Effect.catch((error) =>
      Effect.succeed(unsold(
        error instanceof NotCharged && error.code === "payment_required"
          ? offerResult(
            ports,
            skill,
            error.message,
            `The payment was not accepted: ${error.message}. Nothing was charged`,
          )
          : errorResult(toRefusal(error), requestId),
      ))
    ),
  )

/**
 * The offer of a paid tool: the terms where x402 clients read them (the transport's specification:
 * structured content and first text; `withX402Client` of Cloudflare and x402-mcp: a key of `_meta`
 * each), and a sentence for a model.
 */
function offerResult(
  { terms, offers }: SkillPorts,
  skill: PaidSkill,
  /** Why a payment was not accepted, or the call would not be. It takes the place of the example call. */
  error?: string,
  /** The same for a model. */
  refused?: string,
): CallToolResult {
  const { product } = skill
  const options = { resource: "mcp", error, offer: offers(product) } as const
  const version1 = challengeV1(product, terms, options)
  const required = { ...paymentRequired(product, terms, options) }
  return {
    content: [
      { type: "text", text: JSON.stringify(required) },
      { type: "text", text: offerText(skill, terms, refused) },
    ],
    structuredContent: required,
    isError: true,
    _meta: {
      "x402/error": required,
      ...(version1 === null ? {} : { "x402.error": version1 }),
    },
  }
}

const freeNames = skills.flatMap(({ kind, name, tags }) =>
  kind === "free" && !tags.includes("service") ? [name] : []
).join(", ")

function offerText(
  { name, title, product }: PaidSkill,
  { chainId }: PaymentTerms,
  refused?: string,
) {
  const [before, rule] = refused === undefined ? ["", ` ${resendRule}`] : [`${refused}. `, ""]
  return `${before}${name} costs $${usd(product.price)} in USDC on eip155:${chainId} per call: ` +
    `${title}. To buy it, sign the x402 terms in structuredContent once, and call ${name} again ` +
    `with the same arguments and the payment in _meta["${paymentKey}"], or as the argument ` +
    `${paymentArgument} in base64. Free without a payment: ` +
    `${freeNames}; get_sample has an example of this answer.${rule}`
}

function soldResult(
  skill: PaidSkill,
  { body, receipt, replayed }: Outcome,
  receiptKey: string,
): CallToolResult {
  const result = bodyResult(body, skill)
  const meta = {
    ...(receipt === null ? {} : { [receiptKey]: { success: true, ...receipt } }),
    ...(replayed ? { "idempotent-replayed": true } : {}),
  }
  return Object.keys(meta).length === 0 ? result : { ...result, _meta: meta }
}

const utf8 = new TextDecoder()

/** The body of the HTTP answer, as data and as text; a long one's text is a table. */
function bodyResult(bytes: Uint8Array, skill?: PaidSkill): CallToolResult {
  const json = utf8.decode(bytes)
  const text = skill === undefined
    ? null
    : compactText(skill.product.table, json, skill.parameters.map(({ name }) => name))
  return {
    content: [{ type: "text", text: text ?? json }],
    structuredContent: JSON.parse(json),
  }
}

/** An error: a sentence for a model, and the documented body. */
function errorResult(refusal: PreparedRefusal, requestId: string): CallToolResult {
  const body = JSON.parse(refusal.body(requestId))
  return {
    content: [{ type: "text", text: errorText(body.error) }],
    structuredContent: body,
    isError: true,
  }
}

/** An error as one text, for a model that reads no fields. */
function errorText(
  { code, message, hint, charged, refund, retryAfterSeconds }: (typeof ErrorBody.Type)["error"],
): string {
  const money = charged === null
    ? "It is not known yet whether the payment was taken"
    : charged
    ? `The payment was taken${
      refund === undefined ? " by an earlier call" : `, and $${refund.amountUsd} are refunded`
    }`
    : "Nothing was charged"
  const wait = retryAfterSeconds === undefined ? "" : `, Retry-After ${retryAfterSeconds} s`
  return `${message}. ${money} (${code}${wait}).${hint === undefined ? "" : ` ${hint}`}`
}
