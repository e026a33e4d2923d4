/**
 * The laws of the memory of wallets, on every store.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import { layer } from "../../src/whales/postgres/whaleStore.ts"
import { marketScore, noSums, recount } from "../../src/whales/domain/score.ts"
import { second } from "../../src/core/domain/time.ts"
import { WhaleStore } from "../../src/whales/WhaleStore.ts"
import { memoryWhales } from "../support/whales/memoryWhales.ts"
import { whaleRow } from "../support/products.ts"
import { holds, onEveryStore } from "../support/stores.ts"
import {
  actOf,
  called,
  entryOf,
  everything,
  factsOf,
  marketOf,
  program,
  resolutionOf,
  start,
  type Store,
  walletOf,
  type Worker,
  worker,
} from "./whaleStore.laws.ts"

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)
const never = { from: 0, to: 0, askedBefore: 0 }

/** A call's answer, and whether what is shown of wallets is said to be another after it. */
const answered = Effect.fnUntraced(function* (by: Worker, call: Call, n: number) {
  const before = yield* by.store.calibrationVersion
  const answer = yield* called(by, call, n)
  return { n, call, answer, shown: before === (yield* by.store.calibrationVersion) }
})
type Call = Parameters<typeof called>[1]

/** The first wallet, with one act in each of so many markets whose facts are known. */
const acted = Effect.fnUntraced(function* (store: Store, markets: number) {
  yield* store.track([{ wallet: walletOf(0), name: "Somebody", source: "volume" }], start)
  yield* store.saveFacts(upTo(markets).map((market) => factsOf(market)), [], start)
  for (const market of upTo(markets)) {
    yield* store.saveRead({
      wallet: walletOf(0),
      acts: [actOf(0, market, 0)],
      readFrom: start,
      readTo: start,
      history: "whole",
    })
  }
})

const made = (market: number, version = 1) => ({
  wallet: walletOf(0),
  marketId: marketOf(market),
  version,
  entries: [entryOf(0)],
  boughtBoth: false,
  due: true,
})

onEveryStore("WhaleStore", (law) => {
  const on = (name: string, body: (store: Store) => Effect.Effect<void, unknown>) =>
    law(name, Effect.flatMap(WhaleStore, body).pipe(Effect.provide(layer)))

  law(
    "does what the model does, call by call",
    holds(program, (calls) =>
      Effect.gen(function* () {
        const model = worker(memoryWhales())
        const real = worker(yield* WhaleStore)
        for (const [n, call] of calls.entries()) {
          equal(yield* answered(real, call, n), yield* answered(model, call, n))
          equal([n, call, yield* everything(real.store)], [n, call, yield* everything(model.store)])
        }
      }).pipe(Effect.provide(layer)), { runs: 25 }),
  )

  on(
    "what happened last is worked off first",
    Effect.fnUntraced(function* (store) {
      yield* acted(store, 5)
      yield* store.saveRead({
        wallet: walletOf(0),
        acts: [actOf(0, 3, 1), actOf(0, 1, 4), actOf(0, 6, 2)],
        readFrom: start,
        readTo: start,
        history: "whole",
      })
      // Positions of a market that is known late come in their turn too.
      yield* store.saveFacts([factsOf(6)], [], start)
      // Marked again by something older, a position keeps its place.
      yield* store.saveRead({
        wallet: walletOf(0),
        acts: [actOf(0, 1, 3)],
        readFrom: start,
        readTo: start,
        history: "whole",
      })
      const stale = yield* store.stale(4)
      equal(stale.map(({ market }) => market.id), [1, 6, 3, 0].map(marketOf))
      yield* store.saveMade([
        made(1, 3),
        made(3, 2),
        ...[0, 2, 4, 6].map((market) => made(market)),
      ])
      equal((yield* store.stale(9)).length, 0)
      equal((yield* store.due(3)).length, 3)

      // Markets 0 and 1 are one event: they come together, however few are asked for.
      for (const market of [3, 0, 4, 1]) {
        yield* store.saveResolutions([resolutionOf(market, 0)], [], start)
      }
      const marketsOf = Effect.fnUntraced(function* (limit: number) {
        return (yield* store.uncounted(limit)).map(({ positions }) =>
          positions.map(({ marketId }) => marketId).sort()
        )
      })
      equal(yield* marketsOf(2), [[marketOf(3)], [marketOf(0), marketOf(1)]])
      equal(yield* marketsOf(9), [[marketOf(3)], [marketOf(0), marketOf(1)], [marketOf(4)]])
    }),
  )

  on(
    "what was made of fewer acts than what is held is passed over",
    Effect.fnUntraced(function* (store) {
      yield* acted(store, 1)
      const again = Effect.fnUntraced(function* (act: number) {
        yield* store.saveRead({
          ...{ wallet: walletOf(0), acts: [actOf(0, 0, act)] },
          ...{ readFrom: start, readTo: start, history: "whole" },
        })
      })
      yield* again(1)
      yield* store.saveMade([{ ...made(0, 2), entries: [entryOf(0), entryOf(1)] }])
      yield* again(2)
      yield* store.saveMade([made(0, 1)])
      const [position] = yield* store.stale(9)
      equal(position?.entries.length, 2)
      yield* store.saveMade([made(0, 2)])
      equal((yield* store.stale(9)).map(({ entries, version }) => [entries.length, version]), [[
        1,
        3,
      ]])
    }),
  )

  on(
    "sums that another moved meanwhile are not moved again",
    Effect.fnUntraced(function* (store) {
      yield* acted(store, 3)
      yield* store.saveMade([0, 1, 2].map((market) => made(market)))
      yield* store.saveResolutions([0, 1, 2].map((market) => resolutionOf(market, 0)), [], start)
      const events = yield* store.uncounted(9)
      const save = (event: number, version: number) =>
        store.saveCounted(
          (events[event]?.positions ?? []).map(({ marketId, version }) => ({
            ...{ wallet: walletOf(0), marketId, version },
            score: marketScore([entryOf(0)], [1, 0], 0),
          })),
          [{
            wallet: walletOf(0),
            version,
            sums: { ...noSums, events: version + 1 },
            judgement: null,
          }],
        )
      equal(yield* save(0, 0), true)
      const before = yield* everything(store)
      equal(yield* save(1, 0), false)
      equal(yield* save(1, 2), false)
      equal(yield* everything(store), before)
      equal(yield* save(1, 1), true)
      equal(yield* save(1, 2), false)
      equal((yield* store.sums([walletOf(0)])).get(walletOf(0))?.version, 2)
      equal(yield* store.uncounted(9), [])
    }),
  )

  on(
    "the longest unasked is asked first, what has ended last but for an eighth",
    Effect.fnUntraced(function* (store) {
      yield* acted(store, 5)
      yield* store.saveMade(upTo(5).map((market) => made(market)))
      for (const [n, market] of [2, 4, 0, 3].entries()) {
        yield* store.saveResolutions([], [marketOf(market)], start + n * second)
      }
      yield* store.saveResolutions([resolutionOf(4, 0, 9)], [], start)
      const ask = (limit: number, askedBefore: number) =>
        store.unresolved({
          limit,
          askedBefore: start + askedBefore * second,
          ending: never,
          endedAfter: start + 8 * second,
          askedAgainBefore: start + 9 * second,
        })
      equal(yield* ask(7, 9), [1, 2, 0, 3, 4].map(marketOf))
      equal(yield* ask(8, 9), [4, 1, 2, 0, 3].map(marketOf))
      equal(yield* ask(2, 9), [1, 2].map(marketOf))
      equal(yield* ask(7, 2), [1, 2, 4].map(marketOf))

      const unknown = [7, 9, 8].map(marketOf)
      yield* store.saveRead({
        wallet: walletOf(0),
        acts: [7, 8, 9].map((market) => actOf(0, market, 0)),
        readFrom: start,
        readTo: start,
        history: "whole",
      })
      for (const [n, market] of unknown.entries()) {
        yield* store.saveFacts([], [market], start + n * second)
      }
      equal(yield* store.unknownMarkets(9, start + 9 * second), unknown)
      equal(yield* store.unknownMarkets(9, start + second), unknown.slice(0, 1))
      equal(yield* store.unknownMarkets(2, start + 9 * second), unknown.slice(0, 2))
    }),
  )

  on(
    "of the markets that ended those with the most staked come first",
    Effect.fnUntraced(function* (store) {
      yield* acted(store, 4)
      yield* store.saveMade([0, 1, 2].map((market) => ({
        ...made(market),
        entries: upTo(1 + (market + 1) % 3).map(entryOf),
      })))
      yield* store.saveResolutions(upTo(4).map((market) => resolutionOf(market, 0, 1)), [], start)
      const query = { endedFrom: start, told: { from: start, to: start + 1 } }
      const ended = yield* store.ended({ ...query, limit: 9 })
      equal(ended.map(({ market }) => market.id), [1, 0, 2].map(marketOf))
      equal(ended.map(({ stakeUsd }) => Math.round(stakeUsd)), [100, 67, 33])
      equal(ended[0]?.resolution, resolutionOf(1, 0, 1))
      equal(ended[0]?.endedAt, start + second)
      equal((yield* store.ended({ ...query, limit: 2 })).length, 2)
      equal(yield* store.ended({ ...query, told: { from: 0, to: start }, limit: 9 }), [])
      equal(yield* store.ended({ ...query, endedFrom: start + 2 * second, limit: 9 }), [])
    }),
  )

  on(
    "more than goes into one statement is all kept",
    Effect.fnUntraced(function* (store) {
      const many = 2_345
      yield* store.track(
        upTo(many).map((n) => ({ wallet: walletOf(n), name: `${n}`, source: "volume" as const })),
        start,
      )
      const acts = upTo(many).map((n) => ({ ...actOf(0, n, 0), occurrence: n }))
      const read = { wallet: walletOf(0), acts, readFrom: start, readTo: start } as const
      equal(yield* store.saveRead({ ...read, history: "whole" }), { added: many })
      equal(yield* store.saveRead({ ...read, history: "whole" }), { added: 0 })
      yield* store.saveFacts(upTo(many).map((market) => factsOf(market)), [], start)
      equal((yield* store.stale(many)).length, many)
      yield* store.saveMade(upTo(many).map((market) => made(market)))
      equal(
        yield* store.saveResolutions(
          upTo(many).map((market) => resolutionOf(market, 0)),
          [],
          start,
        ),
        many,
      )
      const events = yield* store.uncounted(many)
      equal(events.flatMap(({ positions }) => positions).length, many)
      const rows = upTo(many).map((n) => ({
        computedAt: start,
        row: whaleRow({ wallet: walletOf(n) }),
      }))
      yield* store.saveCalibrated(rows, [])
      equal((yield* store.calibrated).length, many)
      yield* store.saveCalibrated([], upTo(many).slice(1).map(walletOf))
      equal((yield* store.calibrated).length, 1)
    }),
  )

  on(
    "acts, names and sums come back as they were given, to the last bit",
    Effect.fnUntraced(function* (store) {
      yield* acted(store, 1)
      const given = [
        "0x" + "ab".repeat(32),
        "0x" + "AB".repeat(32),
        "as long as the bytes of a hash: ",
        "",
        "\u{1f433}",
      ].flatMap((transaction) =>
        [Number.MIN_VALUE, Number.MAX_VALUE, 1e-7, 0.1 + 0.2].map((size, n) => ({
          ...actOf(0, 0, 2 + n),
          transaction,
          size,
          price: 1 - size,
          at: start,
        }))
      )
      yield* store.saveRead({
        ...{ wallet: walletOf(0), acts: given, readFrom: start, readTo: start, history: "whole" },
      })
      const [position] = yield* store.stale(1)
      const key = (act: unknown) => JSON.stringify(Object.entries(Object(act)).sort())
      equal(
        position?.acts.map(key).sort(),
        [actOf(0, 0, 0), ...given].map(key).sort(),
      )

      const scores = upTo(40).map((n) =>
        marketScore([{ ...entryOf(n % 3), price: (n + 0.3) / 41, stakeUsd: 7 ** n }], [1, 0], 0.02)
      )
      const sums = scores.reduce((sums, score) => recount(sums, [], [score]), noSums)
      yield* store.saveMade([made(0, 2)])
      yield* store.saveResolutions([resolutionOf(0, 0)], [], start)
      const [event] = yield* store.uncounted(1)
      const [counted] = event?.positions ?? []
      const [score] = scores
      equal(
        yield* store.saveCounted(
          [{
            wallet: walletOf(0),
            marketId: marketOf(0),
            version: counted?.version ?? 0,
            score: score ?? null,
          }],
          [{ wallet: walletOf(0), version: 0, sums, judgement: null }],
        ),
        true,
      )
      equal((yield* store.sums([walletOf(0)])).get(walletOf(0)), { version: 1, sums })
      equal(yield* store.totals, [sums.totals])
    }),
  )

  on(
    "names that no database takes cost their own characters, not the batch",
    Effect.fnUntraced(function* (store) {
      const names = ["a\0b\ud800c", "plain"]
      yield* store.track(
        names.map((name, n) => ({ wallet: walletOf(n), name, source: "profit" as const })),
        start,
      )
      equal((yield* store.tracked).map(({ name }) => name), ["ab\ufffdc", "plain"])
      yield* store.saveFacts([{ ...factsOf(0), question: "\0odd\ud800" }], [], start)
      const transaction = "\0odd"
      yield* store.saveRead({
        ...{ wallet: walletOf(0), acts: [{ ...actOf(0, 0, 0), transaction }] },
        ...{ readFrom: start, readTo: start, history: "whole" },
      })
      equal((yield* store.stale(1)).map(({ acts }) => acts[0]?.transaction), ["odd"])
    }),
  )

  on(
    "nothing given is nothing done",
    Effect.fnUntraced(function* (store) {
      const before = yield* everything(store)
      equal(yield* store.track([], start), 0)
      equal(
        yield* store.saveRead({
          ...{ wallet: walletOf(0), acts: [actOf(0, 0, 0)] },
          ...{ readFrom: start, readTo: start, history: "whole" },
        }),
        { added: 0 },
      )
      yield* store.saveFacts([], [], start)
      yield* store.saveMade([])
      equal(yield* store.saveResolutions([], [], start), 0)
      equal(yield* store.saveCounted([], []), true)
      yield* store.saveCalibrated([], [])
      equal(yield* everything(store), before)
      equal(yield* store.calibrationVersion, "0")
    }),
  )
})
