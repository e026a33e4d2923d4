/**
 * What the service's own movers did next, from their score.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { sumsOf } from "./domain/moverDrift.ts"
import { MoveOutcomes } from "../movers/MoveOutcomes.ts"
import { ScoreStore } from "./ScoreStore.ts"

export const layer: Layer.Layer<MoveOutcomes, never, ScoreStore> = Layer.effect(
  MoveOutcomes,
  Effect.map(ScoreStore, ({ moveBins }) => MoveOutcomes.of({ sums: Effect.map(moveBins, sumsOf) })),
)
