/**
 * What the venue shows of wallets in a simulated world: their boards, and what they did, a page at a
 * time, on the clock's time and in whole seconds.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { day, type EpochMs, second } from "../../domain/time.ts"
import type { ActivityPage, ActivityRow, WalletSource } from "../../services/VenueClient.ts"
import { boardCategories, boardOf } from "./boards.ts"
import type { WorldClock } from "./clock.ts"
import type { Wallet } from "./wallets.ts"
import type { World } from "./world.ts"

/** Wallets began to trade this long before the world's origin. */
const historyMs = 90 * day
/** Rows in one page of a wallet's activity. */
const pageRows = 500

export function walletSource(world: World, clock: WorldClock): WalletSource {
  const byAddress = new Map(world.wallets.map((wallet) => [wallet.address, wallet]))
  const now = Effect.map(Clock.currentTimeMillis, clock.toWorld)
  return {
    categories: boardCategories,
    leaderboard: (board, limit) =>
      Effect.map(now, (at) => ({
        rows: boardOf(world, board.period, board.category, board.by, at)
          .slice(0, Math.max(0, limit))
          .map(({ wallet }, index) => ({
            wallet: wallet.address,
            rank: index + 1,
            userName: wallet.userName,
          })),
        rejected: {},
      })),
    activity: (address, range, cursor) =>
      Effect.map(now, (at) => {
        const wallet = byAddress.get(address.toLowerCase())
        const skip = cursor === null ? 0 : Number(cursor)
        return wallet === undefined || !Number.isSafeInteger(skip)
          ? nothing
          : pageOf(world, clock, wallet, { ...range, now: at }, skip)
      }),
  }
}

const nothing: ActivityPage = { rows: [], rejected: {}, oldest: null, next: null, cut: false }

/** The page of a wallet's acts in `[from, to]` of the clock that follows the newest `skip` of them. */
function pageOf(
  world: World,
  clock: WorldClock,
  wallet: Wallet,
  range: { readonly from: EpochMs; readonly to: EpochMs; readonly now: EpochMs },
  skip: number,
): ActivityPage {
  const within = {
    from: Math.max(
      world.options.origin - historyMs,
      clock.toWorld(Math.floor(range.from / second) * second),
    ),
    // A second shows what happened in all of it.
    to: Math.min(range.now, clock.toWorld(range.to + second)),
  }
  const rows = world.fillsOf(wallet, within, Infinity)
    .map(({ role: _, side, ...fill }): ActivityRow => ({
      act: {
        ...fill,
        kind: side,
        at: Math.floor(clock.fromWorld(fill.at) / second) * second,
      },
      userName: wallet.userName,
      pseudonym: wallet.pseudonym,
    }))
    .filter(({ act }) => act.at >= range.from && act.at <= range.to)
  const page = rows.slice(skip, skip + pageRows)
  return {
    rows: page,
    rejected: {},
    oldest: page.at(-1)?.act.at ?? null,
    next: rows.length > skip + pageRows ? String(skip + pageRows) : null,
    cut: false,
  }
}
