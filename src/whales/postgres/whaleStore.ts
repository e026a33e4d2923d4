/**
 * The memory of tracked wallets in PostgreSQL.
 *
 * Whoever changes the acts or entries of a wallet locks its row first; whoever reads how a market
 * stands in order to mark positions by it, or changes that, locks its row next. Rows are locked in one
 * order: wallets, markets, marks, sums, the revision, and each of these by their keys. So no mark is
 * lost between two writers, and none waits for another in a circle.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { WhaleStore } from "../WhaleStore.ts"
import { calibration } from "./calibration.ts"
import { counting } from "./counting.ts"
import { entries } from "./entries.ts"
import { facts } from "./facts.ts"
import { positions } from "./positions.ts"
import { resolutions } from "./resolutions.ts"
import { tracking } from "./tracking.ts"

export const layer: Layer.Layer<WhaleStore, never, SqlClient> = Layer.effect(
  WhaleStore,
  Effect.map(SqlClient, (sql) =>
    WhaleStore.of({
      ...tracking(sql),
      ...facts(sql),
      ...positions(sql),
      ...entries(sql),
      ...resolutions(sql),
      ...counting(sql),
      ...calibration(sql),
    })),
)
