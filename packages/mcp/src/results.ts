/**
 * The results of tools: the answer's body as structured content, and as text with one sentence about
 * the money in front of it.
 *
 * An error has no structured content: older clients hold it to the output schema of an answer, and
 * would throw the sentence away.
 *
 * @module
 */
import type { CallToolResult, Tool } from "@modelcontextprotocol/server"
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv"
import {
  type Answer,
  type BuyError,
  type CallName,
  calls,
  Charged,
  network,
} from "bellwether-client"
import { compactText } from "./compactText.ts"
import { answerTables } from "./serviceTools.ts"

/** The key of a receipt in the `_meta` of a result, as x402 names it. */
const receiptKey = "x402/payment-response"

/** An error: what happened to the money and what to do, then the details. */
export function errorResult(sentence: string, details?: unknown): CallToolResult {
  return { ...textResult(sentence, details), isError: true }
}

/** One sentence, then the details as JSON. */
export function textResult(sentence: string, details: unknown): CallToolResult {
  return contentOf(details === undefined ? [sentence] : [sentence, JSON.stringify(details)])
}

/** The result of a call that ended without an answer. */
export function failureResult(error: BuyError): CallToolResult {
  const { code, charged, payment, retryAfterMs } = error
  const details = {
    error: { code, charged, ...payment === null ? {} : { payment } },
    ...retryAfterMs === null ? {} : { retryAfterMs },
    ...error instanceof Charged && error.body !== undefined ? { answer: error.body } : {},
  }
  return errorResult(error.sentence, details)
}

/** What is wrong with a body; null when it has the form that the tool's clients expect. */
export type CheckBody = (body: unknown) => string | null

const validators = new AjvJsonSchemaValidator()

/** Holds bodies to the output schema of a tool, as its clients do. */
export function makeCheckBody({ outputSchema }: Tool): CheckBody {
  if (outputSchema === undefined) return () => null
  const { $schema: _, ...schema } = outputSchema
  const validate = validators.getValidator(schema)
  return (body) => validate(body).errorMessage ?? null
}

/** The result of an answer; `sentence` is about the money, null for a free tool. */
export function answerResult(
  name: CallName,
  { body, text, charged, payment }: Answer<unknown>,
  { payer, check, sentence }: {
    readonly payer: string | null
    readonly check: CheckBody
    readonly sentence: string | null
  },
): CallToolResult {
  const receipt = charged && payment !== null
    ? { _meta: { [receiptKey]: { success: true, payer, network, ...payment } } }
    : {}
  const fault = check(body)
  if (fault === null) {
    const parameters = calls[name].parameters.map(({ name }) => name)
    const shown = compactText(answerTables[name], text, parameters) ?? text
    const content = contentOf(sentence === null ? [shown] : [sentence, shown])
    // By its schema, every body is an object.
    return { ...content, structuredContent: body as Record<string, unknown>, ...receipt }
  }
  const warning =
    `${sentence ?? "This tool is free."} The answer does not have the documented form ` +
    `(${
      fault.replace(/[^\w /.,'-]/g, " ").slice(0, faultLengthMax)
    }); it follows as it was received.`
  return { ...contentOf([warning, text]), isError: true, ...receipt }
}

const contentOf = (texts: ReadonlyArray<string>) => ({
  content: texts.map((text) => ({ type: "text" as const, text })),
})

/** How much of a validator's message a result repeats. */
const faultLengthMax = 200
