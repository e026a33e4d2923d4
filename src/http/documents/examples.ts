/**
 * The example answer of a skill, with the sample values of /v1/sample.
 *
 * @module
 */
import { Record } from "effect"
import { type FreeRow, freeRows } from "../../catalog/domain/freeRow.ts"
import type { Skill } from "../../catalog/domain/skill.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import { termsBody } from "../free/terms.ts"

/** The example of a service under these terms. */
export function exampleAnswer(skill: Skill, { publicBaseUrl }: PaymentTerms): unknown {
  if (skill.kind === "paid") return skill.product.sample
  const row: FreeRow = freeRows[skill.id]
  return row.sample?.(publicBaseUrl) ??
    termsBody({ publicBaseUrl, paymentMode: "live", venueMode: "polymarket" })
}

/** A value with the first row of each list of objects only. */
export function firstRows(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value
  if (!Array.isArray(value)) return Record.map(Object(value), firstRows)
  const areRows = value.every((row) => typeof row === "object")
  return (areRows ? value.slice(0, 1) : value).map(firstRows)
}
