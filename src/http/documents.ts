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
  /** Where to turn to: a `mailto:` or `https:` address. */
  readonly contact: string
}

/** Every document, by its path. They share the documents' budget. */
export function documents(options: DocumentOptions): ReadonlyMap<string, Answer> {
  const others = new Map<string, Answer>()
  const openApi = openApiDocument({ ...options, documents: others })
  return new Map([...others, ["/openapi.json", answer({ body: openApi, cache: "document" })]])
}

/** The catalogue of sibling products. */
export function familyAnswer({ family, products }: Family): Answer {
  return answer({ body: JSON.stringify({ success: true, family, products }), cache: "document" })
}
