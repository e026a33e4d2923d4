/**
 * The error responses in /openapi.json: one for each status, shared by all paths. Their texts and
 * their headers come from the table of errors.
 *
 * @module
 */
import { Record } from "effect"
import { products } from "../../catalog/domain/product.ts"
import { type RefusalCode, resendRule } from "../../catalog/domain/refusal.ts"
import type { Json } from "../../catalog/domain/shortForm.ts"
import { challenge } from "../../payments/domain/x402/challenge.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import { errorRules } from "../server/errors.ts"
import { type HeaderName, headersNamed } from "./headers.ts"

/** The statuses that an operation lists where it can return them; the others are `default`. */
const listed: ReadonlyArray<number> = [400, 402, 404, 409, 410, 422, 429, 502, 503, 504]

type Rules = ReadonlyArray<readonly [RefusalCode, typeof errorRules[RefusalCode]]>

const byStatus = Map.groupBy(Record.toEntries(errorRules), ([, { status }]) => status)

/** The status of a code. */
export const statusOf = (code: RefusalCode | undefined) =>
  code === undefined ? undefined : errorRules[code].status

/** The responses of an operation that can return these error statuses. */
export function errorsOf(statuses: ReadonlyArray<number>): Json {
  const possible = listed.filter((status) => statuses.includes(status)).map((status) => [
    status,
    reference(`Error${status}`),
  ])
  return { ...Object.fromEntries(possible), default: reference("Error") }
}

const reference = (name: string) => ({ $ref: `#/components/responses/${name}` })

/** The error responses by their name in the document. */
export function errorResponses(terms: PaymentTerms): Json {
  const others = [...byStatus].filter(([status]) => !listed.includes(status))
  return {
    ...Object.fromEntries(listed.map((status) => [
      `Error${status}`,
      status === 402 ? paymentRequired(terms) : responseOf(byStatus.get(status) ?? []),
    ])),
    Error: responseOf(others.flatMap(([, rules]) => rules)),
  }
}

const responseOf = (rules: Rules): Json => ({
  description: [
    ...rules.map(([code, { meaning }]) => `${code}: ${meaning}`),
    ...(rules.some(([, { status }]) => status >= 500) ? [resendRule] : []),
  ].join(" "),
  ...headersNamed(...headersOf(rules)),
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
})

function headersOf(rules: Rules): ReadonlyArray<HeaderName> {
  const has = (is: (rule: typeof errorRules[RefusalCode], code: RefusalCode) => boolean) =>
    rules.some(([code, rule]) => is(rule, code))
  return [
    ...(has(({ retryable }) => retryable) ? ["Retry-After"] as const : []),
    ...(has(({ charged }) => charged.includes(true))
      ? ["Refund-Id", "Payment-Transaction"] as const
      : []),
    ...(has((_, code) => code === "rate_limited")
      ? ["RateLimit", "RateLimit-Policy"] as const
      : []),
    ...(has((_, code) => code === "method_not_allowed") ? ["Allow"] as const : []),
  ]
}

/** The 402 of every product, with the body of one of them. */
const paymentRequired = (terms: PaymentTerms): Json => ({
  description:
    "Payment required, at the price in `x-payment-info`. If a payment was sent, it was not " +
    "accepted, and `error` says why",
  ...headersNamed("PAYMENT-REQUIRED"),
  content: {
    "application/json": {
      schema: {
        anyOf: [
          { $ref: "#/components/schemas/PaymentChallenge" },
          { type: "object", description: "With ?x402Version=1: the body of x402 version 1" },
        ],
      },
      example: challenge(products.latest, terms).body,
    },
  },
})
