/**
 * The documents about the service: made once from the registry and the settings, the same bytes for
 * everybody.
 *
 * @module
 */
import type { Family } from "../domain/family.ts"
import type { PaymentTerms } from "../domain/x402.ts"
import { type Answer, answer } from "./answer.ts"
import { openApiDocument } from "./openapi.ts"

export interface DocumentOptions {
  readonly terms: PaymentTerms
  readonly version: string
}

/** Every document, by its path. They share the documents' budget. */
export function documents({ terms, version }: DocumentOptions): ReadonlyMap<string, Answer> {
  const { publicBaseUrl } = terms
  return new Map([
    [
      "/openapi.json",
      answer({ body: openApiDocument({ publicBaseUrl, version }), cache: "document" }),
    ],
  ])
}

/** The catalogue of sibling products. */
export function familyAnswer({ family, products }: Family): Answer {
  return answer({ body: JSON.stringify({ success: true, family, products }), cache: "document" })
}
