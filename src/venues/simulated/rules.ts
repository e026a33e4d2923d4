/**
 * The words by which a simulated market is decided, in the manner of a venue.
 *
 * @module
 */
import { isoTime } from "../../core/domain/time.ts"
import type { SimulatedMarket } from "./lives.ts"
import { mix, pick } from "./seed.ts"

const sources = [
  "Official announcements are the primary source; a consensus of credible reporting will do as well.",
  "The source is a consensus of credible reporting.",
  "The source is the official publication; what is revised later does not count.",
] as const

export function rulesOf(market: SimulatedMarket): string {
  const [first, second] = market.outcomes
  const until = isoTime(market.endsAt).slice(0, 16).replace("T", " ")
  if (market.kind === "mechanical") {
    return `This market resolves to "${first}" if the price at the end of the interval is at least ` +
      `that at its beginning, and otherwise to "${second}".`
  }
  const decided = market.kind === "sports"
    ? `This market is about ${market.eventTitle}, which is to begin at ${until} UTC. It resolves ` +
      `to the outcome that the final result names, "${first}" or "${second}".`
    : `This market will resolve to "${first}" if the answer to its question is yes by ${until} UTC, ` +
      `and otherwise to "${second}".`
  return `${decided} ${pick(mix(market.key, 93), sources)} If it cannot be decided, each share ` +
    "pays one half."
}
