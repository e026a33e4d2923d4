/**
 * Which wallets are tracked, and how untrusted names are published.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import {
  boardsOf,
  boardWallets,
  displayName,
  nameLengthMax,
} from "../../../src/whales/domain/tracking.ts"
import {
  type Board,
  boardPeriods,
  type LeaderboardRow,
} from "../../../src/markets/domain/leaderboard.ts"
import { law } from "../../support/effect.ts"

const wallet = "0x51698a47f840a242abc2ca0351371c7ffac41842"
const named = (userName: string, pseudonym = "Scary-Barrel") =>
  displayName({ wallet, userName, pseudonym })

Deno.test("displayName() is the owner's name if there is one", () => {
  equal(named("BreakTheBank"), "BreakTheBank")
  equal(named("  two \n words "), "two words")
  equal(named("🐋"), "🐋")
})

Deno.test("displayName() is the pseudonym with the address when the owner gave no name", () => {
  const none = ["", "   ", "\u200b\u202e", wallet, wallet.toUpperCase().replace("X", "x")]
  const generated = [`${wallet}-1766000000`, "0x5169…1842", "0x5169...1842", "0xdead"]
  for (const userName of [...none, ...generated]) {
    equal(named(userName), "Scary-Barrel (0x5169…1842)", JSON.stringify(userName))
  }
})

Deno.test("displayName() is null when neither is a name", () => {
  strictEqual(named("", ""), null)
  strictEqual(named(wallet, `${wallet}-1766000000`), null)
})

const text = Arbitrary.schema(Schema.String.check(Schema.isMaxLength(120)))
const strange = Arbitrary.schema(
  Schema.Literals(["\u202eevil", "a\u0000b", "x".repeat(500), "🐋".repeat(90), "\ud83d", "\u2028"]),
)

for (const [of, arbitrary] of [["any text", text], ["strange text", strange]] as const) {
  law(`displayName() of ${of} is short, visible and in one line`, arbitrary, (given) => {
    for (const name of [named(given, ""), named("", given)]) {
      if (name === null) continue
      ok([...name].length <= nameLengthMax + " (0x5169…1842)".length)
      ok(name.length > 0 && name === name.trim() && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name), name)
    }
  })
}

Deno.test("boardsOf() reads a board of volume and one of profit for each period and category", () => {
  const boards = boardsOf(["overall", "sports"])
  equal(new Set(boards.map((board) => JSON.stringify(board))).size, 12)
  equal(new Set(boards.map(({ period }) => period)), new Set(["all", "month", "week"]))
  ok(boards.every(({ period }) => boardPeriods.includes(period)))
  equal(boards.filter(({ by }) => by === "volume").length, 6)
})

const int = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))
const places = Arbitrary.schema(
  Schema.Array(Schema.Struct({ board: int(5), wallet: int(9), rank: int(20) }))
    .check(Schema.isMaxLength(40)),
)

law(
  "boardWallets() has each wallet once, with source volume if any volume board has it",
  places,
  (given) => {
    const boards = boardsOf(["overall"]).map((board, n): {
      readonly board: Board
      readonly rows: ReadonlyArray<LeaderboardRow>
    } => ({
      board,
      rows: given.filter((place) => place.board === n)
        .map(({ wallet, rank }) => ({ wallet: `0x${wallet}`, rank, userName: "" })),
    }))
    const found = boardWallets(boards)
    equal(new Set(found.map(({ wallet }) => wallet)).size, found.length)
    equal(
      new Set(found.map(({ wallet }) => wallet)),
      new Set(given.map(({ wallet }) => `0x${wallet}`)),
    )
    const ofVolume = new Set(
      boards.filter(({ board }) => board.by === "volume")
        .flatMap(({ rows }) => rows.map(({ wallet }) => wallet)),
    )
    for (const [n, { wallet, source }] of found.entries()) {
      equal(source, ofVolume.has(wallet) ? "volume" : "profit")
      equal(n < ofVolume.size, ofVolume.has(wallet), "wallets of volume boards come first")
    }
  },
)

Deno.test("boardWallets() takes a name from any board that has one", () => {
  const [first, second] = boardsOf(["overall"])
  ok(first !== undefined && second !== undefined)
  const [found] = boardWallets([
    { board: first, rows: [{ wallet, rank: 1, userName: wallet }] },
    { board: second, rows: [{ wallet, rank: 2, userName: "BreakTheBank" }] },
  ])
  equal(found?.userName, "BreakTheBank")
})
