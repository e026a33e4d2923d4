/**
 * Pollers read the feed by `since` while three writers append 21,000 items: how many items are missed
 * or repeated, and how fast the appends are.
 *
 *   deno task bench:feed
 *
 * Needs a PostgreSQL (`needs.ts`).
 *
 * @module
 */
import "../src/core/fiberContext.ts"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { layer } from "../src/feed/postgres/feedStore.ts"
import type { NewFeedItem } from "../src/feed/domain/item.ts"
import { FeedStore } from "../src/feed/FeedStore.ts"
import { sampleItem } from "../tests/support/feed/items.ts"
import { postgresStore } from "../tests/support/stores.ts"
import { benchDatabase } from "./needs.ts"

const writers = 3
const itemsPerWriter = 7_000
const pollers = 6
const pageSize = 20
/** The pause after an empty page; after any other page the next one is read at once. */
const pollPause = "5 millis"
const start = Date.UTC(2026, 10, 20)

const newItem = (dedupeKey: string): NewFeedItem => {
  const { feedIndex: _, ...item } = sampleItem(1, start)
  return { ...item, dedupeKey } as NewFeedItem
}

/** Appends one to five items at a time, and sometimes an item that is in the feed already. */
const write = (writer: number) =>
  Effect.gen(function* () {
    const feed = yield* FeedStore
    for (let n = 0; n < itemsPerWriter;) {
      const size = Math.min(1 + (n * 7 + writer) % 5, itemsPerWriter - n)
      const batch = Array.from({ length: size }, (_, i) => newItem(`${writer}, ${n + i}`))
      const repeat = n % 10 === 0 && n > 0 ? [newItem(`${writer}, ${n - 1}`)] : []
      yield* feed.append([...batch, ...repeat])
      n += size
    }
  })

const poll = (written: Deferred.Deferred<void>) =>
  Effect.gen(function* () {
    const feed = yield* FeedStore
    const seen: Array<number> = []
    for (;;) {
      const allWritten = yield* Deferred.isDone(written)
      const page = yield* feed.page({ since: seen.at(-1) ?? 0, count: pageSize, type: null })
      for (const item of page) seen.push(item.feedIndex)
      if (page.length === 0 && allWritten) return seen
      if (page.length === 0) yield* Effect.sleep(pollPause)
    }
  })

const work = Effect.gen(function* () {
  const written = yield* Deferred.make<void>()
  const began = performance.now()
  const polling = yield* Effect.forEach(
    Array.from({ length: pollers }),
    () => Effect.forkChild(poll(written)),
  )
  yield* Effect.forEach([1, 2, 3], write, { concurrency: writers })
  const appended = performance.now() - began
  yield* Deferred.succeed(written, undefined)
  const total = writers * itemsPerWriter
  let missed = 0
  let repeated = 0
  let unordered = 0
  for (const fiber of polling) {
    const seen = yield* Fiber.join(fiber)
    const distinct = new Set(seen)
    missed += total - distinct.size
    repeated += seen.length - distinct.size
    unordered += seen.filter((index, i) => index !== i + 1).length
  }
  print(
    `  ${total} items by ${writers} writers in ${(appended / 1_000).toFixed(1)} s ` +
      `(${Math.round(total / appended * 1_000)}/s), ${pollers} pollers: ` +
      `${missed} missed, ${repeated} repeated, ${unordered} out of place`,
  )
  return missed + repeated + unordered === 0
})

// deno-lint-ignore no-console
const print = (line: string) => console.log(line)

const isComplete = await Effect.runPromise(Effect.scoped(
  Effect.flatMap(
    benchDatabase,
    (url) => Effect.provide(work, Layer.provide(layer, postgresStore(url))),
  ),
))
if (!isComplete) Deno.exit(1)
