/**
 * A row of a file of entries, as `docs/markets.md` describes it.
 *
 * @module
 */
import { Result } from "effect"
import type { EpochMs } from "../../core/domain/time.ts"
import { eventKeyOf } from "../../markets/domain/eventKey.ts"
import { numberOf, type RawRow, textOf, timeOf } from "./tableText.ts"

/** One buy of one wallet in a market that was paid. */
export interface EntryRow {
  readonly wallet: string
  readonly market: string
  readonly event: string
  readonly outcome: string
  /** In (0, 1), USD a share. */
  readonly price: number
  readonly stakeUsd: number
  readonly at: EpochMs
  /** Of the outcome bought, in [0, 1]. */
  readonly payout: number
  /** When the market ended; null when the file does not say. */
  readonly endsAt: EpochMs | null
}

/** What a file of entries must have; each entry names alternatives. */
export const entryColumns = [
  ["wallet"],
  ["market"],
  ["outcome"],
  ["price"],
  ["stakeUsd"],
  ["time"],
  ["payout"],
] as const

/** Why a row is not used. */
type EntryRowFault =
  | "no_wallet_or_market"
  | "bad_time"
  | "bad_price"
  | "bad_stake"
  | "no_payout"
  | "sale"

export function entryRow(raw: RawRow): Result.Result<EntryRow, EntryRowFault> {
  const [wallet, market, outcome] = ["wallet", "market", "outcome"].map((name) => textOf(raw[name]))
  if (!wallet || !market || !outcome) return Result.fail("no_wallet_or_market")
  if (textOf(raw["side"])?.toLowerCase() === "sell") return Result.fail("sale")
  const at = timeOf(raw["time"])
  if (at === null || !Number.isFinite(at)) return Result.fail("bad_time")
  const price = numberOf(raw["price"])
  if (price === null || !(price > 0 && price < 1)) return Result.fail("bad_price")
  const stakeUsd = numberOf(raw["stakeUsd"])
  if (stakeUsd === null || !(stakeUsd > 0 && Number.isFinite(stakeUsd))) {
    return Result.fail("bad_stake")
  }
  const payout = numberOf(raw["payout"])
  if (payout === null || !(payout >= 0 && payout <= 1)) return Result.fail("no_payout")
  const endsAt = timeOf(raw["endTime"])
  return Result.succeed({
    ...{ wallet: wallet.toLowerCase(), market, outcome: outcome.toLowerCase() },
    ...{ price, stakeUsd, at, payout },
    event: eventKeyOf({ eventSlug: textOf(raw["event"]) ?? market }),
    // A time before the entry is a date without hours, or wrong: the end is then unknown.
    endsAt: endsAt !== null && endsAt >= at ? endsAt : null,
  })
}
