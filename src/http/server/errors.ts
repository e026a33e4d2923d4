/**
 * The body of an error, how a failure becomes one by the rule of its code, and the refusals that are
 * prepared once.
 *
 * Every route answers through here. A body contains only the fields of a `Refusal`: never a stack
 * trace, SQL, a host name or a key.
 *
 * @module
 */
import { Effect, Schema } from "effect"
import { misspeltMax, nearest } from "../../catalog/domain/nearest.ts"
import { exampleCall, type ParameterError, sentenceOf } from "../../catalog/domain/parameter.ts"
import {
  errorRules,
  Refusal as RefusalBody,
  type RefusalCode,
  resend,
} from "../../catalog/domain/refusal.ts"
import { skills } from "../../catalog/domain/skill.ts"
import { described, text } from "../../core/domain/fields.ts"
import {
  type FailedSale,
  type NotCharged,
  Receipt,
  RefundNotice,
  type RefundQueued,
} from "../../payments/domain/failedSale.ts"
import type { HeaderPair } from "./answer.ts"

/** Largest request body any route reads, in bytes. */
export const bodyBytesMax = 64 * 1_024
/** Longest path and query, in characters. */
export const targetLengthMax = 2_048
/** Longest payment header, in characters. */
export const paymentLengthMax = 8_192

/** The body of every error except a 402. */
export const ErrorBody = Schema.Struct({
  success: described(Schema.Literal(false), "False in an error"),
  error: Schema.Struct({
    ...RefusalBody.fields,
    status: described(Schema.Int, "That of the HTTP answer; no unit"),
    retryable: described(
      Schema.Boolean,
      "Whether the same request, with the same payment, may succeed later",
    ),
    charged: described(
      Schema.NullOr(Schema.Boolean),
      "True: the payment was taken. False: nothing was taken for this call. Null while not known",
    ),
    allowed: Schema.optionalKey(
      described(Schema.Array(Schema.String), "Methods that the path accepts; only with 405"),
    ),
    receipt: Schema.optionalKey(
      described(Receipt, "Of a payment that an earlier call used; only with 409"),
    ),
    refund: Schema.optionalKey(
      described(RefundNotice, "Of a payment that was taken and is returned"),
    ),
    requestId: text("Id of the request, as in X-Request-Id"),
  }).annotate({ description: "What went wrong, and whether you paid" }),
}).annotate({ identifier: "Error" })

/** An error before it is encoded, without the request id. */
interface Refusal extends Schema.Schema.Type<typeof RefusalBody> {
  /** True, false, or null while it is not known; false when absent. */
  readonly charged?: boolean | null
  /** The methods that the path accepts. */
  readonly allowed?: ReadonlyArray<string>
  readonly receipt?: NotCharged["receipt"]
  readonly refund?: NotCharged["refund"]
}

/** An error that is encoded once and sent many times; only the request id is added later. */
export interface PreparedRefusal {
  readonly _tag: "Refused"
  readonly status: number
  readonly code: RefusalCode
  readonly message: string
  readonly hint: string | undefined
  /** The error's own headers, without the common ones. */
  readonly headers: ReadonlyArray<HeaderPair>
  /** The documented body, as JSON text. */
  readonly body: (requestId: string) => string
}

export function prepare(refusal: Refusal): PreparedRefusal {
  const { code, message, charged = false, hint, details, allowed, receipt, refund } = refusal
  const { status, ...rule } = errorRules[code]
  const retryAfterSeconds = refusal.retryAfterSeconds ?? rule.retryAfterSeconds
  // A refusal that says when to come back is one that time alone may end, unless its payment is spent.
  const retryable = (rule.retryable || retryAfterSeconds !== undefined) && charged !== true
  const error = { code, message, status, retryable, charged, hint, retryAfterSeconds }
  const open = JSON.stringify({
    success: false,
    error: { ...error, details, allowed, receipt, refund },
  }).slice(0, -"}}".length)
  const headers: Array<HeaderPair> = [
    ["content-type", "application/json"],
    ["cache-control", "no-store"],
  ]
  if (retryAfterSeconds !== undefined) headers.push(["retry-after", String(retryAfterSeconds)])
  if (refund !== undefined) {
    headers.push(["payment-transaction", refund.paymentTransaction], ["refund-id", refund.id])
  }
  if (allowed !== undefined) headers.push(["allow", allowed.join(", ")])
  const body = (requestId: string) => `${open},"requestId":"${requestId}"}}`
  return { _tag: "Refused", status, code, message, hint, headers, body }
}

const afterRefund = ({ id }: RefundQueued["refund"]) =>
  `GET /v1/payments/${id} returns the state of the refund. ` +
  "This purchase has ended: to buy again, sign a new authorization."

/** A hint with what to do next with the payment, which is not taken or not known to be. */
function withRule(hint: string | undefined): string {
  if (hint === undefined) return `This call did not use the payment: ${resend}.`
  return hint.includes(resend) ? hint : `${hint} Then ${resend}.`
}

/** One of the three errors of a paid route, as a refusal. */
export function toRefusal(error: FailedSale): PreparedRefusal {
  switch (error._tag) {
    case "NotCharged": {
      const { taken = false, refund } = error
      const isUnclear = taken === null || errorRules[error.code].status >= 500
      const hint = refund !== undefined
        ? afterRefund(refund)
        : isUnclear
        ? withRule(error.hint)
        : error.hint
      // The message of an Error is not among its spread fields.
      const { message } = error
      return prepare({ ...error, message, charged: taken, ...(hint === undefined ? {} : { hint }) })
    }
    case "RefundQueued": {
      const { code, message, refund } = error
      return prepare({ code, message, refund, hint: afterRefund(refund), charged: true })
    }
    case "Unresolved":
      return prepare({
        code: "settlement_unresolved",
        message: error.message,
        hint: `After Retry-After, ${resend}. With the Idempotency-Key or payment-identifier of ` +
          "the first call it returns the answer; without one, only whether it was taken.",
        retryAfterSeconds: error.retryAfterSeconds,
        charged: null,
      })
  }
}

/** What a route may fail with: a request that is refused before its work, or a failed sale. */
export type Failure = PreparedRefusal | FailedSale

export const refuse = (refusal: PreparedRefusal): Effect.Effect<never, PreparedRefusal> =>
  Effect.fail(refusal)

/** Prepared refusals by number of seconds, at most those of a window, so that a flood costs little. */
const rateLimitRefusals = new Map<number, PreparedRefusal>()

export function rateLimited(retryAfterSeconds: number): PreparedRefusal {
  const cached = rateLimitRefusals.get(retryAfterSeconds)
  if (cached !== undefined) return cached
  const refusal = prepare({
    code: "rate_limited",
    message:
      `Too many requests without a payment from this address: wait ${retryAfterSeconds} s. ` +
      "Paid and answered calls are not limited",
    hint: "Poll a free path as often as it changes: the index about every 10 minutes.",
    retryAfterSeconds,
  })
  rateLimitRefusals.set(retryAfterSeconds, refusal)
  return refusal
}

const listsPaths = "/openapi.json lists every path of the API."
export const notFound = prepare({
  code: "not_found",
  message: "Nothing exists at this path",
  hint: listsPaths,
})
/**
 * Refuses a URL without a route. Of these paths it names the one that was probably meant: one that
 * goes on or begins earlier, is spelt alike and starts with the same letter, so that a flood of other
 * paths costs little, or ends before this one does.
 */
export function makeNotFound(paths: ReadonlyArray<string>): (url: string) => PreparedRefusal {
  const meant = new Map(paths.map((path) => {
    const hint = `Did you mean ${path}? ${listsPaths}`
    return [path, prepare({ code: "not_found", message: notFound.message, hint })]
  }))
  const isAlike = (path: string, { length, 1: letter }: string) =>
    Math.abs(length - path.length) <= misspeltMax &&
    letter?.toLowerCase() === path[1]?.toLowerCase()
  const alike = (path: string) => nearest(paths.filter((one) => isAlike(path, one)), path)
  const longestFirst = paths.filter((path) => path !== "/").toSorted((a, b) => b.length - a.length)
  return (url) => {
    const [path = ""] = url.split("?")
    const found = paths.find((one) => one.startsWith(`${path}.`) || one.endsWith(path)) ??
      alike(path) ?? alike(`/v1${path}`) ??
      longestFirst.find((one) => path.startsWith(one) && /[/.]/.test(path.charAt(one.length)))
    return meant.get(found ?? "") ?? notFound
  }
}

/** Refuses a request without a payment whose query is wrong. */
export const wrongQuery = (faults: ReadonlyArray<ParameterError>): PreparedRefusal =>
  prepare({
    code: "invalid_parameter",
    message: sentenceOf(faults),
    details: faults.map(({ received: _, ...detail }) => detail),
  })
export const invalidHost = prepare({
  code: "invalid_parameter",
  message: "Host must be a host name, with or without a port",
  details: [{
    param: "Host",
    in: "header",
    message: "must be a host name, with or without a port",
  }],
})
/** An example of each call of the catalog, by its path. */
const examples: ReadonlyMap<string, string> = new Map(
  skills.map((skill) => [skill.path, exampleCall(skill)]),
)
/** Refuses a method that is not in `allowed`, with the request to send instead. */
export const methodNotAllowed = (
  allowed: ReadonlyArray<string>,
  path: string,
): PreparedRefusal =>
  prepare({
    code: "method_not_allowed",
    message: `This path accepts only ${allowed.join(", ")}`,
    hint: allowed.includes("POST")
      ? `Send POST ${path} with a JSON-RPC message.`
      : `Send GET ${examples.get(path) ?? path}: parameters are read from the query only.`,
    allowed,
  })
export const bodyTooLarge = prepare({
  code: "payload_too_large",
  message: `A request body may have at most ${bodyBytesMax} bytes`,
})
export const targetTooLong = prepare({
  code: "uri_too_long",
  message: `Path and query may have at most ${targetLengthMax} characters`,
})
export const paymentTooLong = prepare({
  code: "headers_too_large",
  message: `A payment header may have at most ${paymentLengthMax} characters`,
})
export const overloaded = prepare({
  code: "overloaded",
  message: "The service cannot answer now",
  hint: "Send the same request again after Retry-After.",
})
/** The payment was not read. An earlier request may have used it, so `charged` is null. */
export const overloadedPaid = prepare({
  code: "overloaded",
  message: "The service cannot answer now",
  hint: `This request did not use a payment: after Retry-After, ${resend}.`,
  charged: null,
})
/**
 * Refuses a request before it is read. It may contain a payment that an earlier request used, so
 * `charged` is null.
 */
export const rateLimitedBeforeReading = (retryAfterSeconds: number): PreparedRefusal =>
  prepare({
    code: "rate_limited",
    message: `Too many requests from this address: wait ${retryAfterSeconds} s`,
    hint: `Neither the request nor a payment in it was read: after Retry-After, ${resend}.`,
    charged: null,
    retryAfterSeconds,
  })
export const internalError = prepare({
  code: "internal_error",
  message: "The service failed to answer. The failure was logged",
})
/** The payment may have been taken, so `charged` is null. */
export const internalErrorPaid = prepare({
  code: "internal_error",
  message: "The service failed to answer. The failure was logged",
  hint: `If the request had a payment, ${resend}.`,
  charged: null,
})
