/**
 * Which outcomes stand proposed, by the oracle alone: the listing says that one does, and not which.
 *
 * @module
 */
import { Effect } from "effect"
import type { Proposal } from "../../markets/domain/proposal.ts"
import type { MarketId } from "../../markets/domain/market.ts"
import type { Limits } from "./limits.ts"
import { askable, type Route } from "./lookup.ts"
import { type OracleRecord, recordsById } from "./oracle.ts"
import { records } from "./resolutions.ts"

export function proposals(oracle: Route, limits: Limits) {
  return Effect.fn("polymarket.proposals")(function* (marketIds: ReadonlyArray<MarketId>) {
    const told = yield* records(oracle, "proposals", askable(marketIds), limits)
    return { rows: proposalsIn(told.rows), rejected: told.rejected }
  })
}

/** What stands proposed by these records; a market that has ended has nothing proposed any more. */
export function proposalsIn(told: ReadonlyArray<OracleRecord>): ReadonlyArray<Proposal> {
  return [...recordsById(told).values()].flatMap((record) =>
    record.state === "pending" && record.proposal !== null ? [record.proposal] : []
  )
}
