/**
 * Markets whose results depend on each other, as far as a rule can see it: one theme is one trial.
 *
 * @module
 */
import { day, isoTime } from "../../core/domain/time.ts"
import type { MarketFacts } from "../../markets/domain/market.ts"

const week = 7 * day
/** A price window's key without its time. */
const priceWindow = /^(window:[^:]+):/

/**
 * The first of these: prices of assets that move together, in one week (`window:crypto:week-2938`); the
 * games of one competition on one UTC day (`games:nba:2026-04-27`), where the competition is the first
 * word of the slug; the event of the market.
 */
export function themeOf(
  { eventKey, slug, endsAt, gameStartsAt }: Pick<
    MarketFacts,
    "eventKey" | "slug" | "endsAt" | "gameStartsAt"
  >,
): string {
  const [, window] = priceWindow.exec(eventKey) ?? []
  if (window !== undefined && endsAt !== null) {
    return `${window}:week-${Math.floor((endsAt - 1) / week)}`
  }
  if (gameStartsAt === null) return eventKey
  return `games:${slug.split("-")[0]}:${isoTime(gameStartsAt).slice(0, 10)}`.toLowerCase()
}
