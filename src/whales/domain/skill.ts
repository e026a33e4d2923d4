/**
 * What is known of a wallet's edge below proof: its mean edge, shrunk towards zero by as much as the
 * edges of all wallets suggest that it is luck (empirical Bayes; Efron and Morris, Journal of the
 * American Statistical Association 70, 1975).
 *
 * The true edges of wallets are taken as normal around 0 with a spread t, and each measured edge as
 * normal around the true one with its clustered standard error s. For a given t the true edge is then
 * normal with the mean B x edge and the variance B s^2, where B = t^2 / (t^2 + s^2). The spread is not
 * known: each of `spreads` counts by the likelihood of all measured edges under it.
 *
 * @module
 */
import { Schema } from "effect"
import { described } from "../../core/domain/fields.ts"
import { Rate } from "../../core/domain/number.ts"
import { normalCdf } from "../../core/domain/student.ts"

/** A measured edge, USD a share, and its standard error, above 0. */
export interface MeasuredEdge {
  readonly edge: number
  readonly error: number
}

/** The true edge of a wallet as far as it is known: the fields that its row has of it. */
export const skillFields = {
  shrunkEdge: described(
    Schema.Finite,
    "Best estimate of its true edge, USD per share: edge, shrunk towards zero by what luck explains among all rows",
  ),
  shrunkEdgeLow: described(Schema.Finite, "Lower end of its 90 % interval, USD per share"),
  shrunkEdgeHigh: described(Schema.Finite, "Upper end of that interval, USD per share"),
  probabilityPositive: described(
    Rate,
    "Probability that its true edge is above zero, 0 to 1; the label needs proof and can be neutral at any",
  ),
}
export type Skill = Schema.Struct.Type<typeof skillFields>

/** From 2 to 17 cents a share. Smaller ones would make the interval of a few wallets too narrow. */
const spreads = Array.from({ length: 11 }, (_, i) => 0.02 + 0.015 * i)
/** The standard normal quantile of 0.95. */
const z90 = 1.6449

/** The skill of a wallet among all these. */
export function skillAmong(wallets: ReadonlyArray<MeasuredEdge>): (wallet: MeasuredEdge) => Skill {
  const logs = spreads.map((spread) =>
    wallets.reduce((sum, { edge, error }) => {
      const variance = spread ** 2 + error ** 2
      return sum - Math.log(variance) / 2 - edge ** 2 / variance / 2
    }, 0)
  )
  const most = Math.max(...logs)
  const weights = logs.map((log) => Math.exp(log - most))
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  const shares = weights.map((weight) => weight / all)
  return (wallet) => skillOf(wallet, shares)
}

/** The moments of the mixture over the spreads; its interval as if it was normal. */
function skillOf({ edge, error }: MeasuredEdge, weights: ReadonlyArray<number>): Skill {
  let [mean, square, positive] = [0, 0, 0]
  for (const [i, spread] of spreads.entries()) {
    const weight = weights[i] ?? 0
    const kept = spread ** 2 / (spread ** 2 + error ** 2)
    const deviation = Math.sqrt(kept) * error
    mean += weight * kept * edge
    square += weight * ((kept * edge) ** 2 + deviation ** 2)
    positive += weight * normalCdf(kept * edge / deviation)
  }
  const reach = z90 * Math.sqrt(Math.max(0, square - mean ** 2))
  return {
    shrunkEdge: mean,
    shrunkEdgeLow: mean - reach,
    shrunkEdgeHigh: mean + reach,
    probabilityPositive: Math.min(1, Math.max(0, positive)),
  }
}
