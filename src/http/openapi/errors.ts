/**
 * Errors in /openapi.json: one response a status, which every path that may give it refers to.
 *
 * @module
 */
import { exampleErrors } from "./exampleErrors.ts"
import { errorHeaders } from "./headers.ts"

const errors: Readonly<Record<number, readonly [name: string, description: string]>> = {
  400: [
    "InvalidParameter",
    "A parameter or the Host header is invalid; a payment that was shown was not used",
  ],
  404: ["NotFound", "There is no such item, market, digest or payment"],
  405: ["MethodNotAllowed", "The path has other methods: `Allow` names them"],
  409: ["PaymentConflict", "The payment is in use, was used, or was shown for another request"],
  410: ["PaymentRefunded", "The payment was refunded"],
  413: ["PayloadTooLarge", "The request's body is larger than 64 KiB"],
  414: ["UriTooLong", "Path and query are longer than 2048 characters"],
  422: [
    "BelowThreshold",
    "The answer would not be worth its price: it was not charged, or is refunded",
  ],
  429: ["RateLimited", "Too many requests from this address"],
  431: ["HeadersTooLarge", "A header is too large"],
  500: ["InternalError", "The service failed; with `charged` true the payment is refunded"],
  502: [
    "UpstreamError",
    "A service behind this one failed; with `charged` true the payment is refunded",
  ],
  503: ["Unavailable", "Not now: stale data, overload, or a settlement that is not clear yet"],
  504: [
    "UpstreamTimeout",
    "A service behind this one took too long; with `charged` true the payment is refunded",
  ],
}

const byStatus = Object.entries(errors).map(([status, [name, description]]) => ({
  status: Number(status),
  name,
  response: {
    description,
    headers: errorHeaders(Number(status)),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        examples: named(exampleErrors[status] ?? {}),
      },
    },
  },
}))

/** The responses, by the name the document refers to them by. */
export const errorResponses = Object.fromEntries(
  byStatus.map(({ name, response }) => [name, response]),
)

const references = new Map(
  byStatus.map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]),
)

/** The response of a status, as a path refers to it; undefined for what is no plain error. */
export function errorResponse(status: number): { readonly $ref: string } | undefined {
  return references.get(status)
}

/** What any path may answer before it looks at its own parameters. */
export const anywhere: Readonly<Record<string, unknown>> = Object.fromEntries(
  [400, 405, 413, 414].map((status) => [status, errorResponse(status)]),
)

/** Examples as a document lists them. */
export function named(
  examples: Readonly<Record<string, unknown>>,
): Readonly<Record<string, { readonly value: unknown }>> {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]))
}
