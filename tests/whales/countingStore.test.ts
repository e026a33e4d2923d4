/**
 * The laws of `CountingStore` on every store.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import { day, hour, second } from "../../src/core/domain/time.ts"
import { marketScore, noSums, recount } from "../../src/whales/domain/score.ts"
import { onEveryWhaleStore, type WhaleStores } from "../support/whales/whaleStores.ts"
import {
  activityEventOf,
  addActivity,
  entryOf,
  factsOf,
  far,
  marketOf,
  positionOf,
  readAll,
  resolutionOf,
  start,
  upTo,
  walletOf,
} from "./whaleStores.laws.ts"

const week = 7 * day

onEveryWhaleStore("CountingStore", (law) => {
  /** The markets of each event that `uncounted` returns. */
  const marketsOf = (store: WhaleStores, limit: number, at: number) =>
    Effect.map(
      store.uncounted(limit, at),
      (events) => events.map(({ positions }) => positions.map(({ marketId }) => marketId).sort()),
    )

  law(
    "uncounted() returns the earliest due first, then the oldest mark, with its whole event",
    Effect.fnUntraced(function* (store) {
      yield* addActivity(store, 5)
      yield* store.saveEntries(upTo(5).map((market) => positionOf(market)))
      for (const market of [3, 1, 4, 0]) {
        yield* store.saveResolutions([resolutionOf(market, 0)], [], start)
      }
      // Markets 0 and 1 are one event: they come together, whatever the limit is. Market 2 is open.
      const [first, second] = [[marketOf(0), marketOf(1)], [marketOf(3)]]
      equal(yield* marketsOf(store, 3, far), [first, second])
      equal(yield* marketsOf(store, 9, far), [first, second, [marketOf(4)]])
      const together = [{ ...factsOf(5), endsAt: null }, { ...factsOf(6), endsAt: null }]
      yield* readAll(store, [5, 6].map((market) => activityEventOf(0, market, 0)))
      yield* store.saveFacts(together, [], start)
      yield* store.saveEntries([5, 6].map((market) => positionOf(market)))
      for (const market of [6, 5]) {
        yield* store.saveResolutions([resolutionOf(market, 0)], [], start)
      }
      // Without a schedule they are due at once, however late they were marked.
      equal(yield* marketsOf(store, 2, start - 1), [[marketOf(6)], [marketOf(5)]])
    }),
  )

  law(
    "a result waits until it is due, and for a week while an earlier or simultaneous one is open",
    Effect.fnUntraced(function* (store) {
      const due = [1, 2, 2, 2, 1].map((n) => start + n * hour)
      yield* addActivity(store, 0)
      yield* readAll(store, upTo(5).map((market) => activityEventOf(0, market, 0)))
      const facts = upTo(5).map((n) => ({
        ...factsOf(n),
        ...{
          eventKey: n === 4 ? "event-3" : `event-${n}`,
          gameStartsAt: null,
          endsAt: due[n] ?? 0,
        },
      }))
      yield* store.saveFacts(facts, [], start)
      yield* store.saveEntries(upTo(5).map((market) => positionOf(market)))
      // Markets 0 and 2 stay open.
      yield* store.saveResolutions([1, 3, 4].map((n) => resolutionOf(n, 0)), [], start)
      const [one, group] = [[marketOf(1)], [marketOf(3), marketOf(4)]]
      equal(yield* marketsOf(store, 9, start + hour - 1), [])
      equal(yield* marketsOf(store, 9, start + week + hour - 1), [])
      // A week after its due market 0 delays no other; market 2 delays those of its own due, and later.
      const [event, ...others] = yield* store.uncounted(9, start + week + hour)
      equal(others, [])
      equal(
        event?.positions.map(({ marketId, changed }) => [marketId, changed]),
        [[marketOf(4), true]],
      )
      equal(yield* marketsOf(store, 9, start + week + 2 * hour), [group, one])
      yield* store.saveResolutions([0, 2].map((n) => resolutionOf(n, 0)), [], start)
      equal(yield* marketsOf(store, 9, start + hour), [[marketOf(4)], [marketOf(0)]])
      equal((yield* marketsOf(store, 9, start + 2 * hour)).length, 4)
    }),
  )

  law(
    "a counted result is counted again at once, whatever is open",
    Effect.fnUntraced(function* (store) {
      yield* addActivity(store, 3)
      yield* store.saveEntries(upTo(3).map((market) => positionOf(market)))
      yield* store.saveResolutions([resolutionOf(2, 0)], [], start)
      // Market 1 was due earlier and is open.
      equal(yield* store.uncounted(9, start + 10 * second), [])
      const [event] = yield* store.uncounted(9, far)
      const version = event?.positions[0]?.version ?? 0
      const score = marketScore([entryOf(0)], [1, 0], 0)
      const counted = { wallet: walletOf(0), marketId: marketOf(2), version, score }
      const sums = { wallet: walletOf(0), version: 0, sums: noSums }
      equal(yield* store.saveCounted([counted], [sums]), true)
      yield* store.saveResolutions([resolutionOf(2, 1)], [], start)
      const [again] = yield* store.uncounted(9, start + 10 * second)
      equal(again?.positions.map(({ changed }) => changed), [true])
      // Without a counted position there are no sums, not even rounding errors.
      const removed = { ...counted, version: again?.positions[0]?.version ?? 0, score: null }
      equal(yield* store.saveCounted([removed], [{ ...sums, version: 1 }]), true)
      equal((yield* store.sums([walletOf(0)])).get(walletOf(0)), { version: 2, sums: null })
      equal(yield* store.counted, new Map())
      yield* store.saveResolutions([resolutionOf(2, 0)], [], start)
      equal(yield* store.uncounted(9, start + 10 * second), [])
    }),
  )

  law(
    "saveCounted() rejects sums with another version",
    Effect.fnUntraced(function* (store) {
      yield* addActivity(store, 3)
      yield* store.saveEntries([0, 1, 2].map((market) => positionOf(market)))
      yield* store.saveResolutions([0, 1, 2].map((market) => resolutionOf(market, 0)), [], start)
      const events = yield* store.uncounted(9, far)
      const save = (event: number, version: number) =>
        store.saveCounted(
          (events[event]?.positions ?? []).map(({ marketId, version }) => ({
            ...{ wallet: walletOf(0), marketId, version },
            score: marketScore([entryOf(0)], [1, 0], 0),
          })),
          [{
            wallet: walletOf(0),
            version,
            sums: { ...noSums, edges: { ...noSums.edges, clusters: version + 1 } },
          }],
        )
      equal(yield* save(0, 0), true)
      const state = Effect.all([store.uncounted(9, far), store.counted, store.calibrationVersion])
      const before = yield* state
      equal(yield* save(1, 0), false)
      equal(yield* save(1, 2), false)
      equal(yield* state, before)
      equal(yield* save(1, 1), true)
      equal(yield* save(1, 2), false)
      equal((yield* store.sums([walletOf(0)])).get(walletOf(0))?.version, 2)
      equal(yield* store.uncounted(9, far), [])
    }),
  )

  law(
    "saveCounted() rejects a position that changed, or that was marked meanwhile",
    Effect.fnUntraced(function* (store) {
      yield* addActivity(store, 1)
      yield* store.saveEntries([positionOf(0)])
      yield* store.saveResolutions([resolutionOf(0, 0)], [], start)
      const version = (yield* store.uncounted(9, far))[0]?.positions[0]?.version ?? 0
      const save = (version: number) =>
        store.saveCounted([
          { wallet: walletOf(0), marketId: marketOf(0), version, score: null },
        ], [])
      equal(yield* save(0), false)
      yield* store.saveResolutions([resolutionOf(0, 1)], [], start)
      equal(yield* save(version), false)
      const again = (yield* store.uncounted(9, far))[0]?.positions[0]?.version ?? 0
      equal([again > version, yield* save(again), yield* save(again)], [true, true, false])
      equal(yield* store.uncounted(9, far), [])
    }),
  )

  law(
    "a wallet of a profit board that is found on a volume board is counted again, from its first entry",
    Effect.fnUntraced(function* (store) {
      const found = (source: "profit" | "volume") =>
        store.track([{ wallet: walletOf(0), name: "Wallet", source }], start)
      yield* found("profit")
      yield* readAll(store, [activityEventOf(0, 0, 0), activityEventOf(0, 1, 0)])
      yield* store.saveFacts([factsOf(0), { ...factsOf(1), eventKey: "event-9" }], [], start)
      yield* store.saveEntries([positionOf(0), positionOf(1)])
      // Market 1 stays open.
      yield* store.saveResolutions([resolutionOf(0, 0)], [], start)
      const sums = { wallet: walletOf(0), version: 0, sums: noSums }
      const score = marketScore([entryOf(0)], [1, 0], 0)
      const [event] = yield* store.uncounted(9, far)
      const counted = { wallet: walletOf(0), marketId: marketOf(0), score }
      const version = event?.positions[0]?.version ?? 0
      equal(event?.countFrom, start)
      equal(yield* store.saveCounted([{ ...counted, version }], [sums]), true)
      yield* found("profit")
      equal(yield* store.uncounted(9, far), [])
      equal(yield* found("volume"), 0)
      const [again, ...others] = yield* store.uncounted(9, far)
      equal([again?.countFrom, again?.positions.length, others], [null, 1, []])
      yield* found("profit")
      equal((yield* store.tracked)[0]?.source, "volume")
      equal(
        (yield* store.uncounted(9, far))[0]?.positions[0]?.version,
        again?.positions[0]?.version,
      )
    }),
  )

  law(
    "sums() returns the saved sums bit by bit",
    Effect.fnUntraced(function* (store) {
      yield* addActivity(store, 1)
      const scores = upTo(40).map((n) =>
        marketScore([{ ...entryOf(n % 3), price: (n + 0.3) / 41, stakeUsd: 7 ** n }], [1, 0], 0.02)
      )
      const sums = scores.reduce((sums, score) => recount(sums, [], [score]), noSums)
      yield* store.saveEntries([positionOf(0)])
      yield* store.saveResolutions([resolutionOf(0, 0)], [], start)
      const [event] = yield* store.uncounted(1, far)
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
          [{ wallet: walletOf(0), version: 0, sums }],
        ),
        true,
      )
      equal((yield* store.sums([walletOf(0)])).get(walletOf(0)), { version: 1, sums })
      equal(yield* store.counted, new Map([[walletOf(0), { version: 1, sums }]]))
      const read = { wallet: walletOf(0), activity: [], readFrom: start, readTo: start }
      yield* store.saveRead({ ...read, history: "truncated" })
      equal(yield* store.counted, new Map())
    }),
  )

  law(
    "uncounted() returns more positions than fit into one statement",
    Effect.fnUntraced(function* (store) {
      const many = 2_345
      yield* addActivity(store, many)
      yield* store.saveEntries(upTo(many).map((market) => positionOf(market)))
      const resolutions = upTo(many).map((market) => resolutionOf(market, 0))
      equal(yield* store.saveResolutions(resolutions, [], start), many)
      const events = yield* store.uncounted(many, far)
      equal(events.flatMap(({ positions }) => positions).length, many)
    }),
  )
})
