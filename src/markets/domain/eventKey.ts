/**
 * The key that dependent markets have in common, so that they are never counted as independent.
 *
 * A venue splits the markets of one game over several events, and lists many markets on the price of
 * one asset, or of assets that move together, in one window of time.
 *
 * @module
 */
import { type EpochMs, isoTime } from "../../core/domain/time.ts"

interface EventEvidence {
  readonly eventSlug: string
  /** The venue's id of a game's main event; absent for other markets. */
  readonly mainEventId?: string | null
  readonly window?: PriceWindow | null
}

/** The window of a market on a price. Its length decides how far ends are grouped. */
export interface PriceWindow {
  /** The kind of assets, whose prices move together, such as `crypto`. */
  readonly assets: string
  readonly endsAt: EpochMs
  /** True for one of an endless series of short windows. */
  readonly short: boolean
}

/**
 * What the venue adds to a game's event slug when it splits the game over several events. The names are
 * those found in real rows and in public programs that read the listing (`docs/markets.md`).
 */
const splitGame = new RegExp(
  "-(?:more-markets|exact-score|player-props|total-corners|halftime-result|second-half-result" +
    "|first-to-score|first-five-winner|team-top-batter|most-sixes|toss-match-double" +
    "|1st-innings-6ov)$",
)

/** The slug of a game up to its date: what follows names a part of the game. */
const datedGame = /^.+?-\d{4}-\d{2}-\d{2}(?=-|$)/

/** Characters of an ISO time up to the hour, and up to the day. */
const toHour = 13
const toDay = 10

/**
 * The first of these: the window of a price (`window:crypto:2026-04-27t14`); of a game or a split event the
 * slug up to its date, which is the main event's, or without a date the main event's id (`event:714547`);
 * the event's slug without the ending that the venue adds for a part of a game.
 *
 * A short window belongs to the hour that contains its last instant, so that all windows inside an
 * hour share a key; a window that ends on the hour belongs to the hour before. A longer one belongs to
 * the day, because the venue ends markets on the same price at different hours of it. Windows of
 * several hours also depend on those of the hours before their last; that is not covered.
 */
export function eventKeyOf(
  { eventSlug, mainEventId = null, window = null }: EventEvidence,
): string {
  if (window !== null) {
    const last = isoTime(window.endsAt - 1)
    return `window:${window.assets}:${last.slice(0, window.short ? toHour : toDay)}`.toLowerCase()
  }
  const slug = eventSlug.toLowerCase()
  if (mainEventId === null) return slug.replace(splitGame, "")
  return datedGame.exec(slug)?.[0] ?? `event:${mainEventId}`
}
