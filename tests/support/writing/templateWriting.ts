/**
 * Writing without a model: every page keeps the sentences of its template.
 *
 * @module
 */
import { Layer } from "effect"
import { ClaimCheck } from "../../../src/writing/ClaimCheck.ts"
import { Narrator } from "../../../src/writing/Narrator.ts"

export const templateWriting: Layer.Layer<Narrator | ClaimCheck> = Layer.merge(
  Narrator.layerNone,
  ClaimCheck.layerNone,
)
