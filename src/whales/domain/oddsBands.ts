/**
 * Entries grouped by the price they paid: how often they won, and what following or fading them
 * returned.
 *
 * @module
 */
import { Record, Schema } from "effect"
import { described, text } from "../../core/domain/fields.ts"
import { Count, Rate } from "../../core/domain/number.ts"
import { FrozenCalibration } from "../../feed/domain/item.ts"
import { z95 } from "../../core/domain/student.ts"

/** A band excludes its upper edge; the last band includes 1. */
export const bandEdges = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1] as const
export const bandCount = bandEdges.length - 1

/** Prices are compared as whole millionths, so that float errors do not change the band. */
const stepsPerUsd = 1_000_000

/** The index of the band between rising `edges` that contains a price. */
export function bandOf(price: number, edges: ReadonlyArray<number>): number {
  const steps = Math.round(price * stepsPerUsd)
  const above = edges.findIndex((edge) => steps < Math.round(edge * stepsPerUsd))
  return above === -1 ? edges.length - 2 : Math.max(0, above - 1)
}

/** The sums over no entry. */
export const noBandSums = {
  entries: 0,
  /** Entries that were paid 0 or 1 USD a share; after a partial payout no outcome won. */
  decisive: 0,
  wins: 0,
  /** Sum of entry prices, USD a share. */
  price: 0,
  /** Sum of payouts, USD a share. */
  paid: 0,
  stakeUsd: 0,
  /** The cost with fees, and the return, of the same stake on the entry's side. */
  followCost: 0,
  followReturn: 0,
  /** Sum of the standard deviations of these returns under fair prices, USD. */
  followSpread: 0,
  /** The same on the other side, over the entries whose other side had a tradeable price. */
  fadeCost: 0,
  fadeReturn: 0,
  fadeSpread: 0,
}

/** Sums over the entries of one band. Stored as JSON. */
export type BandSums = Readonly<typeof noBandSums>

/**
 * A fade at a lower price is not counted. Its price is assumed to be 1 minus the entry's, without a
 * spread, and the usual spread of a cent or more is over a fifth of such a price. The return would be
 * computed at a price that cannot be traded, and be most of the total: a stake at 0.001 wins a
 * thousandfold.
 */
export const fadePriceMin = 0.05

/**
 * The sums of one entry. A share bought at p costs rate x p x (1 - p) in fees, so the fee is
 * rate x (1 - p) of the stake. `paid` is in USD a share.
 */
export function entrySums(
  price: number,
  stakeUsd: number,
  paid: number,
  feeRate: number,
): BandSums {
  const other = 1 - price
  const fadeUsd = other >= fadePriceMin ? stakeUsd : 0
  return {
    entries: 1,
    decisive: paid === 0 || paid === 1 ? 1 : 0,
    wins: paid === 1 ? 1 : 0,
    price,
    paid,
    stakeUsd,
    followCost: stakeUsd * (1 + feeRate * other),
    followReturn: stakeUsd * paid / price,
    followSpread: stakeUsd * Math.sqrt(other / price),
    fadeCost: fadeUsd * (1 + feeRate * price),
    fadeReturn: fadeUsd * (1 - paid) / other,
    fadeSpread: fadeUsd * Math.sqrt(price / other),
  }
}

export function addBandSums(sums: BandSums, part: BandSums): BandSums {
  return Record.map(sums, (sum, name) => sum + part[name])
}

export const winRateLow = described(
  Rate,
  "Lower end of the 95 % interval of winRate (Wilson, at the effective number of entries), 0 to 1",
)
export const winRateHigh = described(
  Rate,
  "Upper end of that interval, 0 to 1",
)
/** An end of the interval of a return, which may be unknown. */
export const endOf = (end: "Lower" | "Upper", what: string) =>
  described(Schema.NullOr(Schema.Finite), `${end} end of the 95 % interval of ${what}`)
const { winRate, meanEntryPrice, followRoi, fadeRoi } = FrozenCalibration.fields

/** Entries within one band of entry prices. */
export const OddsBand = Schema.Struct({
  band: text("Name of the band: from and to"),
  from: described(Rate, "Lowest entry price, inclusive, USD per share"),
  to: described(Rate, "Highest entry price, exclusive except 1, USD per share"),
  entries: described(Count, "Resolved entries in the band"),
  meanEntryPrice,
  winRate,
  winRateLow,
  winRateHigh,
  followRoi,
  fadeRoi,
}).annotate({ identifier: "OddsBand", description: "The entries in one band of prices" })

/** Entries opened at or above 0.95. */
export const Sweeps = Schema.Struct({
  entries: described(Count, "Resolved sweeps"),
  stakeUsd: described(Schema.Finite, "Their cost, USD, without fees"),
  meanEntryPrice: described(
    Schema.NullOr(Rate),
    "Mean price paid, USD per share; null without sweeps",
  ),
  winRate: described(
    Schema.NullOr(Rate),
    "Share of wins among those paid in full or not at all, 0 to 1; null without such",
  ),
  followRoi: described(
    Schema.NullOr(Schema.Finite),
    "Return per USD on copying them, after fees; null without sweeps",
  ),
}).annotate({
  identifier: "Sweeps",
  description: "Entries opened at 0.95 or above, which count in no other figure and in no label",
})

export function publishedSweeps(sums: BandSums): typeof Sweeps.Type {
  const has = sums.entries > 0
  return {
    entries: sums.entries,
    stakeUsd: sums.stakeUsd,
    meanEntryPrice: has ? meanPriceOf(sums) : null,
    winRate: sums.decisive > 0 ? sums.wins / sums.decisive : null,
    followRoi: has ? roisOf(sums).followRoi : null,
  }
}

/** The bands that have entries; of these, the share `independent` counts for intervals. */
export function publishedBands(
  bands: ReadonlyArray<BandSums>,
  independent: number,
): ReadonlyArray<typeof OddsBand.Type> {
  return bands.flatMap((sums, i) => {
    if (sums.entries === 0) return []
    const [from = 0, to = 1] = [bandEdges[i], bandEdges[i + 1]]
    return [{
      band: `${from.toFixed(2)}-${to.toFixed(2)}`,
      from,
      to,
      entries: sums.entries,
      meanEntryPrice: meanPriceOf(sums),
      ...winRateOf(sums, independent),
      ...roisOf(sums),
    }]
  })
}

/** Rounds a rate, a price or a return to a hundredth of a percent, for publication. */
export const roundRate = (rate: number): number => Math.round(rate * 10_000) / 10_000

/** The same for a rate that may be unknown. */
export const roundOrNull = (rate: number | null): number | null =>
  rate === null ? null : roundRate(rate)

/** Rounds USD to the cent, for publication. */
export const roundUsd = (usd: number): number => Math.round(usd * 100) / 100

/** Rounds all figures of a row, also those inside: counts and USD by their names, the others as rates. */
export function roundFigures<A extends object>(row: A): A {
  const round = (name: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((one) => round(name, one))
    if (typeof value === "object" && value !== null) return roundFigures(value)
    if (typeof value !== "number") return value
    return name === "stakeUsd"
      ? roundUsd(value)
      : name === "effectiveEntries"
      ? Math.round(value)
      : roundRate(value)
  }
  // The names and the kinds of the values stay.
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, round(name, value)]),
  ) as A
}

/** In [0, 1], despite rounding errors in the sum. */
export function meanPriceOf({ price, entries }: BandSums): number {
  return Math.min(1, Math.max(0, price / entries))
}

/** Return on a dollar after fees: 0 is break-even. `fadeRoi` is null without a tradeable fade. */
export function roisOf(
  sums: BandSums,
): { readonly followRoi: number; readonly fadeRoi: number | null } {
  return {
    followRoi: sums.followReturn / sums.followCost - 1,
    fadeRoi: sums.fadeCost > 0 ? sums.fadeReturn / sums.fadeCost - 1 : null,
  }
}

/**
 * Wins among decisive entries, with Wilson's 95 % interval (Probable inference, Journal of the
 * American Statistical Association 22, 1927), for entries of which the share `independent` is as
 * certain. Without a decisive entry the rate is 0.5 in [0, 1].
 */
export function winRateOf(
  { wins, decisive }: Pick<BandSums, "wins" | "decisive">,
  independent = 1,
) {
  const square = z95 ** 2
  const trials = decisive * independent
  const winRate = decisive === 0 ? 0.5 : wins / decisive
  const centre = (winRate * trials + square / 2) / (trials + square)
  const spread = z95 / (trials + square) *
    Math.sqrt(winRate * (1 - winRate) * trials + square / 4)
  return {
    winRate,
    winRateLow: wins === 0 ? 0 : Math.max(0, centre - spread),
    winRateHigh: wins === decisive ? 1 : Math.min(1, centre + spread),
  }
}
