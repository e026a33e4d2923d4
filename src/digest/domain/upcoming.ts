/**
 * The facts of a digest about markets that are expected to resolve soon.
 *
 * @module
 */
import {
  duration,
  factOf,
  labelValue,
  marketValue,
  type NewDigestFact,
  price,
  time,
  usd,
} from "./factBuilders.ts"
import type { DigestMaterial, UpcomingMarket } from "./material.ts"
import { convergenceOf } from "../../markets/domain/resolving.ts"
import type { EpochMs } from "../../core/domain/time.ts"

/** Markets that resolve soon with a fact of their own. */
const upcomingMax = 12

/** Those with the most liquidity at a contested price, none with a converged one; an absence when none resolves soon. */
export function upcomingFacts(material: DigestMaterial): ReadonlyArray<NewDigestFact> {
  const { coverage, until } = material
  const described = describedUpcoming(material)
  if (described.length === 0) return coverage.missing.includes("upcoming") ? [] : [noneSoon]
  return described.map((market) => upcomingFact(market, until))
}

export function describedUpcoming({ upcoming }: DigestMaterial): ReadonlyArray<UpcomingMarket> {
  return upcoming.filter(({ mid }) => convergenceOf(mid) !== "converged").toSorted(byOpenness)
    .slice(0, upcomingMax)
}

function byOpenness(a: UpcomingMarket, b: UpcomingMarket): number {
  return openness(b) - openness(a) || a.resolvesAt - b.resolvesAt || (a.slug < b.slug ? -1 : 1)
}

/** Liquidity times mid * (1 - mid), which is the variance of the outcome. */
function openness({ liquidityUsd, mid }: UpcomingMarket): number {
  return liquidityUsd * mid * (1 - mid)
}

const parts = { kind: "upcoming", section: "watch" } as const

const noneSoon = factOf(
  { ...parts, topic: "absence", negative: true },
  {},
  () => "No contested market with enough liquidity is expected to resolve soon.",
)

function upcomingFact(market: UpcomingMarket, until: EpochMs): NewDigestFact {
  const { resolvesAt, liquidityUsd, mid, outcomes } = market
  const values = {
    market: marketValue(market),
    outcome: labelValue(outcomes[0]),
    price: price(mid),
    endsAt: time(resolvesAt, until),
    left: duration(resolvesAt - until),
    liquidity: usd(liquidityUsd),
  }
  return factOf(
    { ...parts, topic: "upcoming", subject: market.slug },
    values,
    (spell) =>
      spell`${"market"} is expected to resolve at about ${"endsAt"}, ${"left"} after this digest ends, with ${"outcome"} at ${"price"} and ${"liquidity"} of liquidity.`,
  )
}
