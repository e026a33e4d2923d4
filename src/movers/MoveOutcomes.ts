/**
 * The port to what the service's own earlier movers did next.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { SumsByHorizon } from "./domain/moveOutcomes.ts"

export class MoveOutcomes extends Context.Service<MoveOutcomes, {
  /** Of every mover judged so far. */
  readonly sums: Effect.Effect<SumsByHorizon>
}>()("bellwether/movers/MoveOutcomes") {}
