/**
 * Answers of news sources are parsed in a worker, with a time limit: hostile ones take seconds.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { defaultLimits } from "../../../src/news/sources/limits.ts"
import type { ParseRequest } from "../../../src/news/sources/parse.ts"
import { parseInWorker } from "../../../src/news/sources/parser.ts"
import { liveTest, test } from "../../support/effect.ts"
import { formats, gdeltAnswer } from "../../support/news/newsFeeds.ts"

const answer = (format: ParseRequest["format"], text: string): ParseRequest => ({
  ...{ format, contentType: "", source: "A", rowsMax: 500 },
  body: new TextEncoder().encode(text),
})

/** As large as an answer may be, and slow to parse. */
const hostile = answer(
  "feed",
  `<rss version="2.0"><channel>${"<a/>".repeat(defaultLimits.bodyBytesMax / 4 - 20)}`,
)

liveTest(
  "parseInWorker() has the rows of feeds and of GDELT, and the reason for none",
  () =>
    Effect.gen(function* () {
      const rows = yield* parseInWorker(answer("feed", Object.values(formats)[0] ?? ""))
      ok(!("failed" in rows) && rows.length > 0)
      ok(!("failed" in (yield* parseInWorker(answer("gdelt", gdeltAnswer)))))
      equal(yield* parseInWorker(answer("feed", "no feed")), { failed: "not a feed" })
    }),
)

liveTest("the event loop runs while a hostile answer is parsed", () =>
  Effect.gen(function* () {
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    yield* Effect.addFinalizer(() => Effect.sync(() => clearInterval(timer)))
    equal(yield* parseInWorker(hostile), { failed: "not a feed" })
    ok(turns >= 20, `${turns} turns`)
  }))

test("a worker that does not finish in time is stopped", () =>
  Effect.gen(function* () {
    const parsing = yield* Effect.forkChild(parseInWorker(hostile))
    yield* TestClock.adjust("10 seconds")
    equal(yield* Fiber.join(parsing), { failed: "not parsed in time" })
  }))
