/**
 * What the venue shows of wallets in a simulated world: their boards, and what they did, a page at a
 * time, on the clock's time and in whole seconds.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { day, type EpochMs, second } from "../../core/domain/time.ts"
import type { ActivityPage, ActivityRow, WalletSource } from "../../markets/VenueClient.ts"
import { type ActivityMark, activityOf } from "./activity.ts"
import { boardCategories, boardOf } from "./boards.ts"
import type { VenueOptions, WorldClock } from "./clock.ts"
import type { Deed } from "./deeds.ts"
import type { World } from "./world.ts"

/** Rows in one page of a wallet's activity, unless others are wanted. */
const pageRowsDefault = 500

export function walletSource(
  world: World,
  clock: WorldClock,
  options: VenueOptions,
): WalletSource {
  const { activityRows = pageRowsDefault, keptDays = null } = options
  const byAddress = new Map(world.wallets.map((wallet) => [wallet.address, wallet]))
  const now = Effect.map(Clock.currentTimeMillis, clock.toWorld)
  return {
    categories: boardCategories,
    leaderboard: (board, limit) =>
      Effect.map(Effect.tap(now, (at) => lookThrough(world, at)), (at) => ({
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
        const after = cursor === null ? null : markOf(cursor)
        if (wallet === undefined) return nothing
        const { rows, next, cut } = activityOf(world, clock, {
          ...{ ...range, wallet, after, now: at },
          ...{ limit: activityRows, keptDays },
        })
        return {
          rows: rows.flatMap((row) => actOf(row.deed, row.at)),
          rejected: {},
          oldest: rows.at(-1)?.at ?? null,
          next: next === null ? null : `${next.at / second}.${next.rows}`,
          cut,
        }
      }),
  }
}

/**
 * Boards rest on everything that all wallets ever did: it is gone through a day at a time, so that
 * nobody else has to wait for all of it.
 */
function lookThrough(world: World, at: EpochMs): Effect.Effect<void> {
  const { origin, walletDays } = world.options
  const [wallet] = world.wallets
  if (wallet === undefined) return Effect.void
  const first = Math.floor(origin / day) - walletDays
  const dates = Array.from({ length: Math.floor(at / day) - first }, (_, index) => first + index)
  return Effect.forEach(dates, (date) => {
    const range = { from: date * day, to: date * day }
    return Effect.andThen(Effect.sync(() => world.truth.plans(wallet, range)), Effect.yieldNow)
  }, { discard: true })
}

const nothing: ActivityPage = { rows: [], rejected: {}, oldest: null, next: null, cut: false }

/** A cursor of ours; of another's, whatever the range begins with. */
function markOf(cursor: string): ActivityMark | null {
  const [, at, rows] = /^(\d{1,12})\.(\d{1,9})$/.exec(cursor) ?? []
  return at === undefined || rows === undefined
    ? null
    : { at: Number(at) * second, rows: Number(rows) }
}

function actOf(deed: Deed, at: EpochMs): ReadonlyArray<ActivityRow> {
  const { kind, wallet, market, outcome, size, price, transaction } = deed
  if (kind === "reward" || kind === "deposit" || kind === "maker_rebate") return []
  if (market === null) return []
  return [{
    act: {
      wallet: wallet.address,
      marketId: market.id,
      kind,
      tokenId: outcome === null ? null : market.tokenIds[outcome],
      size,
      price,
      at,
      transaction,
    },
    userName: wallet.userName,
    pseudonym: wallet.pseudonym,
  }]
}
