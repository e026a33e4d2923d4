/**
 * Skills behind any transport: what a free one answers, and how JSON arguments become the parameters
 * of a product.
 *
 * @module
 */
import { Effect, Result } from "effect"
import { type FreeId, freeRows } from "../catalog/domain/freeRow.ts"
import type { ParameterError } from "../catalog/domain/parameter.ts"
import type { NotCharged } from "../payments/domain/failedSale.ts"
import type { Skill } from "../catalog/domain/skill.ts"
import type { PaymentTerms } from "../payments/domain/x402/terms.ts"
import type { Answer, HeaderPair } from "./server/answer.ts"
import { invalidParameters } from "./paywall/checkout.ts"
import type { EdgeRoute, RouteResult } from "./server/edge.ts"
import { overloaded, type PreparedRefusal } from "./server/errors.ts"
import { type RateLimiter, spend, type Spent } from "./server/limits.ts"
import type { Checkouts } from "./handlers.ts"

/** The routes of the free rows: their answers, and their budget. */
export type FreeRoutes = Readonly<Record<FreeId, EdgeRoute>>

/** What /a2a and /mcp stand on: what HTTP serves and sells, and the budget of all other calls. */
export interface SkillPorts {
  readonly free: FreeRoutes
  readonly checkouts: Checkouts
  /** The budget of calls that are neither free skills nor paid. */
  readonly documents: RateLimiter
  readonly terms: PaymentTerms
}

/** The answer of a free skill, with the fields of its budget. */
export interface FreeAnswer {
  readonly made: Answer | PreparedRefusal
  readonly fields: ReadonlyArray<HeaderPair>
}

/** The answer of a free row, the very bytes HTTP gives, for a grant of the same budget. */
export const freeSkillAnswer = (
  { free }: SkillPorts,
  id: FreeId,
  address: string,
): Effect.Effect<FreeAnswer, Spent> => {
  const { limiter, current } = free[id]
  const { path } = freeRows[id]
  return Effect.flatMap(spend(limiter, address), (fields) =>
    Effect.map(
      Effect.promise(async (): Promise<RouteResult> => await current?.(path) ?? null),
      (made) => ({ made: made ?? overloaded, fields }),
    ))
}

/** Most members that arguments may have. */
const argumentsMax = 20

/** JSON arguments as a query; what is no parameter of the skill is a fault, unlike over HTTP. */
export function queryOf(
  { name, parameters }: Skill,
  given: unknown,
): Result.Result<URLSearchParams, NotCharged> {
  const query = new URLSearchParams()
  if (given === undefined || given === null) return Result.succeed(query)
  if (typeof given !== "object" || Array.isArray(given)) {
    return failed([{ param: "arguments", in: "body", message: "must be an object" }])
  }
  const faults: Array<ParameterError> = []
  for (const [param, value] of Object.entries(given).slice(0, argumentsMax)) {
    const fault = (message: string) => faults.push({ param, in: "body", message })
    if (!parameters.some((row) => row.name === param)) fault(`is no parameter of ${name}`)
    else if (typeof value === "string" || Number.isFinite(value)) query.set(param, String(value))
    else if (value !== null) fault("must be a string or a number")
  }
  return faults.length === 0 ? Result.succeed(query) : failed(faults)
}

function failed(faults: ReadonlyArray<ParameterError>): Result.Result<never, NotCharged> {
  return Result.fail(invalidParameters(faults))
}
