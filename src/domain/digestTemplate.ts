/**
 * The digest by rules: what is written without a model, and whenever a model's draft will not do.
 *
 * @module
 */
import type { DigestBrief, DigestDraft } from "./digest.ts"

/** A draft that passes the check whatever the facts are. */
export function templateDigest({ facts: [first] }: DigestBrief): DigestDraft {
  const passage = { text: first.statement, facts: [first.id] }
  return {
    title: passage,
    summary: passage,
    sections: { repriced: [], whales: [], predetermined: [], context: [passage], watch: [] },
  }
}
