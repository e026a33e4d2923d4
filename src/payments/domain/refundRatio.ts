/**
 * The limit of new settle-early sales to a payer whose answers were often not fetched.
 *
 * A settle-early answer costs us before the buyer has it. A payer who pays and hangs up gets every
 * payment back, so without a limit each such call is free. Due refunds are always paid; the limit
 * refuses new sales only, before anything is claimed or charged.
 *
 * @module
 */

/** The reasons of refunds that the buyer's absence caused. All others are our own failures. */
export const absenceReasons = ["unsent", "paid_undelivered"] as const

/** A payer's newest charged settle-early payments, at most `chargedMax`, of the last 24 hours. */
export interface RecentSales {
  readonly charged: number
  /** The ages in milliseconds of those that were refunded because the buyer was absent. */
  readonly absentAgoMs: ReadonlyArray<number>
}

/** Keeps the count cheap. */
export const chargedMax = 100
export const windowMs = 24 * 3_600_000
/** With fewer such refunds than this, or at most this share of them, sales continue. */
const absentMin = 5
const absentShareMax = 0.2

/**
 * The milliseconds until a payer can buy settle-early again; null when the payer can now. Later sales
 * cannot lengthen this time, because there are none.
 */
export function pauseMs({ charged, absentAgoMs }: RecentSales): number | null {
  const absent = absentAgoMs.length
  if (absent < absentMin || absent <= absentShareMax * charged) return null
  // When this one leaves the window, fewer than `absentMin` are left in it.
  const oldestFirst = absentAgoMs.toSorted((a, b) => b - a)
  return Math.max(0, windowMs - (oldestFirst[absent - absentMin] ?? 0))
}
