/**
 * The documents about the service: made once from the registry and the settings, the same bytes for
 * everybody.
 *
 * @module
 */
import type { Family } from "../domain/family.ts"
import type { PaymentTerms } from "../domain/x402.ts"
import { type Answer, answer } from "./answer.ts"
import { agentCard } from "./documents/agentCard.ts"
import { openApiDocument } from "./openapi.ts"

export interface DocumentOptions {
  readonly terms: PaymentTerms
  readonly version: string
  /** Where to turn to: a `mailto:` or `https:` address. */
  readonly contact: string
}

/** Every document, by its path. They share the documents' budget. */
export function documents(options: DocumentOptions): ReadonlyMap<string, Answer> {
  const card = agentCardAnswer(options)
  const others = new Map<string, Answer>([
    ["/.well-known/agent-card.json", card],
    // Where it was before 0.3.0.
    ["/.well-known/agent.json", card],
    // Whoever follows the card's own address finds it again.
    ["/a2a", card],
  ])
  const openApi = openApiDocument({ ...options, documents: others })
  return new Map([...others, ["/openapi.json", answer({ body: openApi, cache: "document" })]])
}

/** The card of the agent at /a2a, which answers GET with it as well. */
export function agentCardAnswer(options: Pick<DocumentOptions, "terms" | "version">): Answer {
  return answer({ body: JSON.stringify(agentCard(options)), cache: "document" })
}

/** The catalogue of sibling products. */
export function familyAnswer({ family, products }: Family): Answer {
  return answer({ body: JSON.stringify({ success: true, family, products }), cache: "document" })
}
