/**
 * /digest and /digest.json: the free part of the newest digest and the titles of the week, and nothing
 * of what is sold.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { pageRows } from "../../../src/catalog/domain/pageRow.ts"
import { digestEvery } from "../../../src/digest/domain/digest.ts"
import { test } from "../../support/effect.ts"
import { storedDigest } from "../../support/digest/storedDigests.ts"
import { makeService } from "../../support/http/httpService.ts"
import { emptyWorld, filledWorld, plainNames } from "../../support/http/pageWorld.ts"

type Service = Effect.Success<ReturnType<typeof makeService>>

const textOf = (service: Service, path: string) =>
  Effect.flatMap(service.get(path), (response) => Effect.promise(() => response.text()))
const titlesOf = (service: Service) =>
  Effect.map(textOf(service, "/digest.json"), (text) => decodeTitles(text).digests)
const decodeTitles = Schema.decodeUnknownSync(Schema.fromJsonString(pageRows.digests.body))

const noon = Date.parse("2026-11-21T12:00:00.000Z")

test("/digest shows the free part of the newest digest and the title of each one of the week", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(noon)
    const world = yield* filledWorld()
    const service = yield* makeService(world)
    const stored = yield* world.digests.since(0, 99)
    equal(
      yield* titlesOf(service),
      stored.map(({ digest: { title, createdAt } }) => ({ title, createdAt })),
    )
    const page = yield* textOf(service, "/digest")
    const [newest] = stored
    ok(newest !== undefined)
    for (const { digest } of stored) {
      ok(page.includes(`<time datetime="${digest.createdAt}">`), digest.createdAt)
    }
    ok(page.includes(`<bdi>${newest.digest.summary}</bdi>`))
    // The newest one is also at the top.
    strictEqual(page.split(`<bdi>${plainNames.digestTitle}</bdi>`).length - 1, stored.length + 1)
    ok(!page.includes(newest.digest.fullAnalysis) && !page.includes("(F1)"))
  }))

test("before the first digest, /digest says so and lists no title", () =>
  Effect.gen(function* () {
    const service = yield* makeService(yield* emptyWorld)
    equal(yield* titlesOf(service), [])
    const page = yield* textOf(service, "/digest")
    ok(page.includes("No digest yet."))
    ok(page.includes("No title yet."))
  }))

test("/digest is made again only when there is a new digest", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(noon)
    const world = yield* filledWorld()
    const service = yield* makeService(world)
    const tags = Effect.forEach(
      ["/digest", "/digest.json"] as const,
      (path) => Effect.map(service.get(path), ({ headers }) => headers.get("etag")),
    )
    const first = yield* tags
    yield* TestClock.adjust("1 minute")
    equal(yield* tags, first)
    yield* world.digests.add(storedDigest(noon + digestEvery, "The next one"))
    yield* TestClock.adjust("1 minute")
    const [page, titles] = yield* tags
    ok(page !== first[0] && titles !== first[1])
    ok((yield* textOf(service, "/digest")).includes("<bdi>The next one</bdi>"))
  }))

test("page data spends the budget of pages", () =>
  Effect.gen(function* () {
    const service = yield* makeService(yield* filledWorld())
    const { headers } = yield* service.get("/digest.json")
    ok(headers.get("ratelimit")?.startsWith('"pages"'), headers.get("ratelimit") ?? "absent")
  }))
