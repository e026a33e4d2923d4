/**
 * What /a2a and /mcp share about skills: the answer of a free skill, and the conversion of JSON
 * arguments to a product's query parameters.
 *
 * @module
 */
import { Effect, Result } from "effect"
import { type FreeId, freeRows } from "../catalog/domain/freeRow.ts"
import { argumentText, type ParameterError, unknownNames } from "../catalog/domain/parameter.ts"
import type { NotCharged } from "../payments/domain/failedSale.ts"
import type { Skill } from "../catalog/domain/skill.ts"
import type { Payments } from "../payments/Payments.ts"
import type { Offers } from "./paywall/paywall.ts"
import type { PaymentTerms } from "../payments/domain/x402/terms.ts"
import { type Checkouts, invalidParameters } from "./paywall/checkout.ts"
import type { RateLimiter } from "./server/limits.ts"
import { type FreeRoute, spend } from "./server/route.ts"

/** The routes of the free rows: their answers and their shared rate limit. */
export type FreeRoutes = Readonly<Record<FreeId, FreeRoute>>

/**
 * What /a2a and /mcp need: the free routes, the checkouts, the rate limit of all other calls, and what
 * they sell for.
 */
export interface SkillPorts {
  readonly free: FreeRoutes
  readonly checkouts: Checkouts
  /** The rate limit of calls that are neither free skills nor paid. */
  readonly documents: RateLimiter
  readonly terms: PaymentTerms
  readonly offers: Offers
  readonly payments: Payments["Service"]
}

/** The answer of a free row or its refusal: the same bytes and the same rate limit as over HTTP. */
export const freeSkillAnswer = ({ free }: SkillPorts, id: FreeId, query: URLSearchParams) => {
  const { limiter, current } = free[id]
  return Effect.andThen(spend(limiter), Effect.result(current(`${freeRows[id].path}?${query}`)))
}

/** Only this many members of the arguments are read. */
const argumentsMax = 20

/** Converts JSON arguments to a query. */
export function queryOf(
  { parameters }: Skill,
  args: unknown,
): Result.Result<URLSearchParams, NotCharged> {
  const query = new URLSearchParams()
  if (args === undefined || args === null) return Result.succeed(query)
  if (typeof args !== "object" || Array.isArray(args)) {
    const fault = { param: "arguments", in: "body", message: "must be an object" } as const
    return Result.fail(invalidParameters([fault]))
  }
  const entries = Object.entries(args).slice(0, argumentsMax)
  const faults: Array<ParameterError> = [
    ...unknownNames(parameters, entries.map(([name]) => name), "body"),
  ]
  for (const [param, value] of entries) {
    const fault = (message: string) => faults.push({ param, in: "body", message })
    const parameter = parameters.find((row) => row.name === param)
    if (parameter === undefined) continue
    const text = argumentText(parameter, value)
    if (text !== null) query.set(param, text)
    else if (value !== null) {
      fault(`must be a ${parameter.flag === true ? "boolean" : "string or a number"}`)
    }
  }
  return faults.length === 0 ? Result.succeed(query) : Result.fail(invalidParameters(faults))
}
