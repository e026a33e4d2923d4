/**
 * Tracking wallets from leaderboards, also when boards or names are unavailable.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { boardDepth, boardsOf, trackedMax } from "../../src/whales/domain/tracking.ts"
import type { Board } from "../../src/markets/domain/leaderboard.ts"
import { Tracking } from "../../src/whales/Tracking.ts"
import { type ActivityRow, VenueClient, type WalletSource } from "../../src/markets/VenueClient.ts"
import { down, type MemoryWallets, memoryWallets, walletVenue } from "../support/whales/activity.ts"
import { activityEvent, start } from "../support/whales/activityEvents.ts"
import { test } from "../support/effect.ts"

const categories = ["overall", "sports"] as const
const boards = boardsOf(categories)

const address = (n: number) => `0x${n.toString(16).padStart(40, "0")}`
const nameOf = (board: Board) => `${board.by} ${board.period} ${board.category}`

/** Leaderboards with these rows; a name defaults to the number of its wallet. */
const boardsWith = (
  rowsOf: (board: Board) => ReadonlyArray<{ readonly n: number; readonly userName?: string }>,
): WalletSource["leaderboard"] =>
(board) =>
  Effect.succeed({
    rows: rowsOf(board).map(({ n, userName }, i) => ({
      wallet: address(n),
      rank: i + 1,
      userName: userName ?? `wallet ${n}`,
    })),
    rejected: { no_address: 1 },
  })

const activityNaming = (
  names: (wallet: string) => Partial<ActivityRow> | null,
): WalletSource["activity"] =>
(wallet) =>
  Effect.sync(() => {
    const row = names(wallet)
    const rows = row === null
      ? []
      : [{ event: activityEvent("buy", { wallet }), userName: "", pseudonym: "", ...row }]
    return { rows, rejected: {}, oldest: rows.length > 0 ? start : null, more: false }
  })

const trackingOf = Effect.fnUntraced(function* (
  source: Partial<WalletSource>,
  memory: MemoryWallets,
) {
  yield* TestClock.setTime(start)
  const venue = walletVenue({ categories, ...source })
  const context = yield* Layer.build(
    Tracking.layer.pipe(Layer.provide([venue, memory.layer])),
  )
  return Context.get(context, Tracking)
})

const trackedIn = ({ wallets }: MemoryWallets) =>
  [...wallets.values()].map(({ wallet, name, source }) => [Number(wallet), name, source])

test("update() tracks every wallet of every board, and reports what it read", () =>
  Effect.gen(function* () {
    const memory = memoryWallets()
    const leaderboard = boardsWith((board) => board.by === "volume" ? [{ n: 1 }] : [{ n: 2 }])
    const { update } = yield* trackingOf({ leaderboard }, memory)
    const report = yield* update
    equal(report, {
      boards: 12,
      failed: [],
      found: 2,
      added: 2,
      unnamed: 0,
      overBudget: 0,
      rejected: { no_address: 12 },
    })
    equal(trackedIn(memory), [[1, "wallet 1", "volume"], [2, "wallet 2", "profit"]])
    equal(memory.wallets.get(address(1))?.trackedAt, start)
  }))

test("update() never removes a wallet, renames it, and makes its source volume when a volume board has it", () =>
  Effect.gen(function* () {
    const memory = memoryWallets()
    let round = 0
    const leaderboard = boardsWith((board) => {
      if (round === 0) return board.by === "profit" ? [{ n: 1 }, { n: 2 }] : []
      return board.by === "volume" ? [{ n: 2, userName: round === 1 ? "" : "Renamed" }] : []
    })
    const { update } = yield* trackingOf({ leaderboard }, memory)
    yield* update
    round = 1
    equal((yield* update).added, 0)
    equal(trackedIn(memory), [[1, "wallet 1", "profit"], [2, "wallet 2", "volume"]])
    round = 2
    yield* update
    equal(trackedIn(memory), [[1, "wallet 1", "profit"], [2, "Renamed", "volume"]])
  }))

test("update() reads the other boards when some fail, and retries those", () =>
  Effect.gen(function* () {
    const requests = new Map<string, number>()
    const available = boardsWith((board) => [{ n: boards.map(nameOf).indexOf(nameOf(board)) }])
    const leaderboard: WalletSource["leaderboard"] = (board, limit) =>
      Effect.suspend(() => {
        equal(limit, boardDepth)
        const times = (requests.get(nameOf(board)) ?? 0) + 1
        requests.set(nameOf(board), times)
        if (board.category !== "sports") return available(board, limit)
        return board.by === "volume" && times === 2 ? available(board, limit) : Effect.fail(down)
      })
    const memory = memoryWallets()
    const { update } = yield* trackingOf({ leaderboard }, memory)
    const fiber = yield* Effect.forkScoped(update)
    yield* TestClock.adjust("1 minute")
    equal(memory.wallets.size, 6, "wallets of available boards are tracked at once")
    yield* TestClock.adjust("1 hour")
    const report = yield* Fiber.join(fiber)
    equal(
      report.failed,
      boards.filter(({ by, category }) => by === "profit" && category === "sports").map(nameOf),
    )
    equal([report.added, memory.wallets.size], [9, 9])
    equal(requests.get("profit all sports"), 3, "the number of retries is limited")
    equal(requests.get("profit all overall"), 1)
  }))

test("update() takes a name from the wallet's activity, and tries again next time without one", () =>
  Effect.gen(function* () {
    const memory = memoryWallets()
    const leaderboard = boardsWith((board) =>
      board.by === "volume" ? [1, 2, 3, 4].map((n) => ({ n, userName: address(n) })) : []
    )
    let late = false
    let requests = 0
    const naming = activityNaming((wallet) => {
      requests++
      if (wallet === address(1)) return { pseudonym: "Scary-Barrel" }
      if (wallet === address(2)) return { userName: "Owner", pseudonym: "Mild-Spoon" }
      return late && wallet === address(3) ? { pseudonym: "Late-Riser" } : null
    })
    const activity: WalletSource["activity"] = (wallet, ...rest) =>
      wallet === address(4) ? Effect.fail(down) : naming(wallet, ...rest)
    const { update } = yield* trackingOf({ leaderboard, activity }, memory)
    const report = yield* update
    equal([report.added, report.unnamed], [2, 2])
    equal(trackedIn(memory), [[1, "Scary-Barrel (0x0000…0001)", "volume"], [2, "Owner", "volume"]])
    late = true
    requests = 0
    equal((yield* update).added, 1)
    equal(requests, 1, "the name of a tracked wallet is not requested again")
  }))

test("update() tracks at most trackedMax wallets, those of volume boards first", () =>
  Effect.gen(function* () {
    const memory = memoryWallets(Array.from({ length: trackedMax - 3 }, (_, n) => address(n)))
    const leaderboard = boardsWith((board) =>
      [5_000, 5_001].map((n) => ({ n: board.by === "volume" ? n : n + 1_000 }))
    )
    const { update } = yield* trackingOf({ leaderboard }, memory)
    const report = yield* update
    equal([report.added, report.overBudget, memory.wallets.size], [3, 1, trackedMax])
    ok(memory.wallets.has(address(5_000)) && memory.wallets.has(address(5_001)))
    equal((yield* update).overBudget, 1)
    equal(memory.wallets.size, trackedMax)
  }))

test("update() does nothing for a venue whose trades are anonymous", () =>
  Effect.gen(function* () {
    const venue = Layer.mock(VenueClient, { wallets: null })
    const memory = memoryWallets()
    const context = yield* Layer.build(Tracking.layer.pipe(Layer.provide([venue, memory.layer])))
    equal((yield* Context.get(context, Tracking).update).boards, 0)
  }))
