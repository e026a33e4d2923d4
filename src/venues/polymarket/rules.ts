/**
 * By which words markets are decided: the descriptions of the listing.
 *
 * @module
 */
import { Effect, Result } from "effect"
import { type MarketRules, rulesLengthMax } from "../../markets/domain/proposal.ts"
import { MarketId } from "../../markets/domain/market.ts"
import { excerpt } from "../../core/domain/untrusted.ts"
import { decodeRows, merge } from "./decoded.ts"
import type { Limits } from "./limits.ts"
import { askable, byMarkets, listingRows, type Route } from "./lookup.ts"
import { conditionId, list, object } from "./wire.ts"

/** Why a row tells no rules. */
type RulesRejection = "undecodable" | "missing_id" | "missing_rules"

/** Of a text longer than this only the beginning is read: it is folded and cut much shorter. */
const readLengthMax = 8 * rulesLengthMax

/** Open markets are asked for first: an outcome is looked for while there is a price. */
export function rules(listing: Route, limits: Limits) {
  const read = (marketIds: ReadonlyArray<MarketId>, closed: boolean) =>
    byMarkets(marketIds, limits.factsBatch, limits, (batch) => {
      const asked = new Set(batch)
      const decode = (row: unknown): Result.Result<MarketRules, string> =>
        Result.filterOrFail(decodeRules(row), (found) => asked.has(found.marketId), () => "unasked")
      return Effect.map(
        listingRows(listing, "rules", batch, closed),
        ({ rows }) => decodeRows(rows, decode),
      )
    })
  return Effect.fn("polymarket.rules")(function* (marketIds: ReadonlyArray<MarketId>) {
    const asked = askable(marketIds)
    const open = yield* read(asked, false)
    const found = new Set(open.rows.map(({ marketId }) => marketId))
    const closed = yield* read(asked.filter((id) => !found.has(id)), true)
    const { rows, rejected } = merge([open, closed])
    return { rows: [...new Map(rows.map((row) => [row.marketId, row])).values()], rejected }
  })
}

/** The rules in a row of the listing; its event's where it has none of its own. */
export function decodeRules(value: unknown): Result.Result<MarketRules, RulesRejection> {
  const row = object(value)
  if (row === null) return Result.fail("undecodable")
  const id = conditionId(row["conditionId"])
  if (id === null) return Result.fail("missing_id")
  const event = object(list(row["events"])[0])
  const text = plain(row["description"]) || plain(event?.["description"])
  return text === ""
    ? Result.fail("missing_rules")
    : Result.succeed({ marketId: MarketId.make(id), text })
}

function plain(value: unknown): string {
  return typeof value === "string" ? excerpt(value.slice(0, readLengthMax), rulesLengthMax) : ""
}
