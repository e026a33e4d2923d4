/**
 * What a wallet did, as the venue pages it: by the clock's whole seconds, newest first, as far back
 * as it keeps rows.
 *
 * @module
 */
import { day, type EpochMs, second } from "../../core/domain/time.ts"
import type { WorldClock } from "./clock.ts"
import type { Deed } from "./deeds.ts"
import type { Wallet } from "./wallets.ts"
import type { World } from "./world.ts"

/** The last row of a page: its second, and how many rows of that second the pages so far hold. */
export interface ActivityMark {
  readonly at: EpochMs
  readonly rows: number
}

interface ActivityQuestion {
  readonly wallet: Wallet
  /** On the clock, both ends included. */
  readonly from: EpochMs
  readonly to: EpochMs
  /** Where the page before this one ended. */
  readonly after: ActivityMark | null
  readonly limit: number
  /** In the world's time: nothing later has happened. */
  readonly now: EpochMs
  /** Rows older than this are not kept; null when all are. */
  readonly keptDays: number | null
}

export interface ActivityRows {
  readonly rows: ReadonlyArray<{ readonly deed: Deed; readonly at: EpochMs }>
  /** Where the next page goes on; null at the end. */
  readonly next: ActivityMark | null
  /** The range goes on, and its rows are kept no more. */
  readonly cut: boolean
}

/** Rows of a single second, at most: of a whole world's second when it runs fast. */
const secondRowsMax = 200

export function activityOf(
  world: World,
  clock: WorldClock,
  { wallet, from, to, after, limit, now, keptDays }: ActivityQuestion,
): ActivityRows {
  const until = after === null ? to : Math.min(to, after.at)
  const skip = after !== null && until === after.at ? after.rows : 0
  const kept = keptDays === null ? -Infinity : now - keptDays * day
  // A second shows what happened in all of it.
  const first = clock.toWorld(Math.ceil(from / second) * second)
  const last = Math.min(now, clock.toWorld(Math.floor(until / second) * second + second))
  const range = { from: Math.max(kept, first), to: last }
  const found = world.deeds(wallet, range, skip + limit + 1 + secondRowsMax)
    .map((deed) => ({ deed, at: Math.floor(clock.fromWorld(deed.at) / second) * second }))
    .filter(({ at }) => at >= from && at <= until)
  const rows = found.slice(skip, skip + limit)
  const end = rows.at(-1)?.at ?? until
  const before = end === until ? skip : 0
  const older = first < kept && world.deeds(wallet, { from: first, to: kept - 1 }, 1).length > 0
  return {
    rows,
    next: found.length > skip + limit
      ? { at: end, rows: before + rows.filter(({ at }) => at === end).length }
      : null,
    cut: found.length <= skip + limit && older,
  }
}
