/**
 * The venue's leaderboards: which there are, and who stands on one.
 *
 * @module
 */
import { Result } from "effect"
import type { Board, Standing } from "../../markets/domain/leaderboard.ts"
import { address, number, object, text } from "./wire.ts"

/**
 * The categories with a board of their own. `overall` was seen in a recorded cursor of the second
 * version, which spells them in lower case; the others are those documented for the first version
 * (there in capitals) and inferred for the second.
 */
export const categories = [
  "overall",
  "politics",
  "sports",
  "crypto",
  "culture",
  "mentions",
  "weather",
  "economics",
  "tech",
  "finance",
] as const

/** What the venue calls a board's order. */
export const sortedBy: { readonly [by in Board["by"]]: string } = {
  volume: "VOLUME",
  profit: "PNL",
}

/** Why a row of a board is no standing. */
type StandingRejection = "undecodable" | "missing_wallet" | "missing_rank"

/** One row, in the second version's spelling or the first's. Wallets that tie share a rank. */
export function decodeStanding(value: unknown): Result.Result<Standing, StandingRejection> {
  const row = object(value)
  if (row === null) return Result.fail("undecodable")
  const wallet = address(row["user_id"] ?? row["proxy_wallet"] ?? row["proxyWallet"])
  if (wallet === null) return Result.fail("missing_wallet")
  const rank = number(row["rank"])
  if (rank === null || rank < 0 || !Number.isInteger(rank)) return Result.fail("missing_rank")
  return Result.succeed({ wallet, rank, userName: text(row["user_name"] ?? row["userName"]) })
}

/** The first `limit` of these wallets by rank, each once, at its best rank. */
export function firstByRank(
  standings: ReadonlyArray<Standing>,
  limit: number,
): ReadonlyArray<Standing> {
  const best = new Map<string, Standing>()
  for (const standing of standings.toSorted((a, b) => a.rank - b.rank)) {
    if (!best.has(standing.wallet)) best.set(standing.wallet, standing)
  }
  return [...best.values()].slice(0, limit)
}
