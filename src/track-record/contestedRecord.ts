/**
 * How often published contested proposals were upheld, from their score.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { proposalRecord } from "./domain/selfScore.ts"
import { ContestedRecord } from "../predetermined/ContestedRecord.ts"
import { ScoreStore } from "./ScoreStore.ts"

export const layer: Layer.Layer<ContestedRecord, never, ScoreStore> = Layer.effect(
  ContestedRecord,
  Effect.map(
    ScoreStore,
    ({ counts }) => ContestedRecord.of({ read: Effect.map(counts, proposalRecord) }),
  ),
)
