/**
 * Whether a claim says only what its cited facts say.
 *
 * @module
 */
import type { Fact } from "./facts.ts"
import type { Claim } from "./page.ts"

export type Grounding =
  | { readonly verdict: "pass" }
  | { readonly verdict: "ask"; readonly reasons: ReadonlyArray<string> }
  | { readonly verdict: "refuse"; readonly reasons: ReadonlyArray<string> }

/** Stub until branch `grounding` is merged: refuses everything. */
export function ground(
  _claim: Pick<Claim, "kind" | "text" | "facts">,
  _facts: ReadonlyMap<string, Fact>,
): Grounding {
  return { verdict: "refuse", reasons: ["no grounding yet"] }
}
