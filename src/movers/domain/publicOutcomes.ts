/**
 * What moves did next on public prices: the prior for expectations, until a bin has enough own movers.
 *
 * The movers' rule was replayed over two public sets of Polymarket prices of January to April 2026, with
 * ticks of 10 and 60 minutes (docs/markets.md has the sources, in "Price sets", and the command). The
 * replay has no depth and no trades, and one of the sets has no spread. Only bins with at least
 * `eventsMin` events are listed.
 *
 * @module
 */
import type { OutcomeSource, OutcomeSums, SumsByHorizon } from "./moveOutcomes.ts"

/** Bin; moves, events, kept, drift, movesMoves, movesDrift, driftDrift of `OutcomeSums`. */
type Row = readonly [string, number, number, number, number, number, number, number]

// deno-fmt-ignore
const after1h: ReadonlyArray<Row> = [
  ["contested", 1_327, 450, 1_241, -91_740, 21_619, -5_479_140, 4_809_961_000],
  ["contested, 1h window, 10-20 points", 209, 58, 176, -68_370, 2_377, -1_410_090, 1_412_789_500],
  ["contested, 1h window, under 10 points", 255, 64, 233, 15_170, 2_713, 218_600, 418_842_900],
  ["contested, 24h window, 10-20 points", 234, 176, 228, 3_470, 398, 15_960, 94_150_300],
  ["contested, 24h window, 10-20 points, z under 3", 179, 145, 177, 8_690, 261, 18_740, 66_347_900],
  ["contested, 24h window, 10-20 points, z under 3, end later", 102, 88, 101, 6_260, 134, 2_710, 29_680_200],
  ["contested, 24h window, 20+ points", 348, 255, 338, 2_710, 664, -15_540, 742_320_100],
  ["contested, 24h window, 20+ points, z 3-6", 131, 113, 130, 28_740, 175, 37_030, 268_334_400],
  ["contested, 24h window, 20+ points, z 3-6, end later", 69, 65, 69, 1_250, 79, 2_850, 25_510_100],
  ["contested, 24h window, 20+ points, z under 3", 185, 153, 181, -9_770, 279, -23_330, 168_903_100],
  ["contested, 24h window, 20+ points, z under 3, end later", 103, 95, 103, -4_680, 121, 250, 32_804_400],
  ["contested, 24h window, under 10 points", 141, 82, 137, 2_610, 417, 54_450, 94_265_700],
  ["contested, 24h window, under 10 points, z under 3", 111, 66, 108, 4_370, 333, 57_330, 90_782_300],
  ["converged", 508, 364, 503, -29_235, 2_186, -67_835, 205_161_775],
  ["converged, 24h window, 10-20 points", 83, 79, 83, -250, 91, -550, 1_612_500],
  ["converged, 24h window, 10-20 points, z 3-6", 54, 51, 54, -480, 60, -980, 950_000],
  ["converged, 24h window, 20+ points", 113, 93, 113, 1_435, 217, 5_395, 9_265_925],
  ["converged, 24h window, under 10 points", 212, 191, 211, -2_260, 260, -1_690, 4_391_150],
  ["converged, 24h window, under 10 points, z 3-6", 80, 72, 80, -50, 98, 240, 384_650],
  ["converged, 24h window, under 10 points, z under 3", 130, 124, 129, -2_090, 142, -2_250, 3_965_100],
  ["converged, 24h window, under 10 points, z under 3, end later", 63, 62, 63, -410, 65, -610, 284_900],
]

// deno-fmt-ignore
const after24h: ReadonlyArray<Row> = [
  ["contested", 1_059, 232, 741, -754_260, 21_239, -25_040_710, 55_109_857_400],
  ["contested, 1h window, 10-20 points", 209, 58, 118, -419_360, 2_377, -7_426_800, 39_607_358_200],
  ["contested, 1h window, under 10 points", 255, 64, 158, -81_040, 2_713, -409_130, 3_376_968_200],
  ["contested, 24h window, 10-20 points", 139, 92, 107, -16_510, 273, -32_440, 2_187_635_500],
  ["contested, 24h window, 10-20 points, z under 3", 97, 71, 72, -32_570, 161, -57_200, 1_629_972_700],
  ["contested, 24h window, 20+ points", 205, 121, 171, -93_980, 511, -203_480, 3_337_517_000],
  ["contested, 24h window, 20+ points, z 3-6", 73, 57, 64, -4_030, 113, 20_940, 1_499_050_700],
  ["contested, 24h window, 20+ points, z under 3", 104, 74, 86, -75_640, 194, -158_520, 973_322_800],
  ["contested, 24h window, under 10 points", 111, 56, 86, 5_290, 377, 97_560, 487_013_700],
  ["converged", 258, 132, 249, -31_530, 1_896, 42_500, 688_144_300],
  ["converged, 24h window, under 10 points", 68, 51, 66, 2_510, 108, 6_370, 5_433_900],
]

const sumsOf = (rows: ReadonlyArray<Row>): ReadonlyMap<string, OutcomeSums> =>
  new Map(
    rows.map(([bin, moves, events, kept, drift, movesMoves, movesDrift, driftDrift]) => [
      bin,
      { moves, events, kept, drift, movesMoves, movesDrift, driftDrift },
    ]),
  )

const sums: SumsByHorizon = { "1h": sumsOf(after1h), "24h": sumsOf(after24h) }

export const publicOutcomes: OutcomeSource = { basis: "public_prices", sums }
