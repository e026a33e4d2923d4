/**
 * The news of a simulated world: stories are about its events, and never before them.
 *
 * @module
 */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import type { SimulatedMarket } from "../../../src/venues/simulated/catalogue.ts"
import {
  feedRowsMax,
  layer,
  makeNewsArchive,
  outlets,
  storiesAbout,
} from "../../../src/venues/simulated/news.ts"
import { devWorld } from "../../../src/venues/simulated/venue.ts"
import { day, minute } from "../../../src/core/domain/time.ts"
import { NewsSources } from "../../../src/news/NewsSources.ts"
import { test } from "../../support/effect.ts"

const world = devWorld(1)
const start = world.options.origin + 20 * day

/** Markets around the start: the live one of each slot and the two before it. */
const lives: ReadonlyArray<SimulatedMarket> = Array.from(
  { length: world.catalogue.slots },
  (_, slot) => {
    const { generation } = world.catalogue.at(slot, start)
    return [0, 1, 2].map((ago) => world.catalogue.generation(slot, generation - ago))
  },
).flat()

Deno.test("every category has stories", () => {
  const written = new Map<string, number>()
  for (const market of lives) {
    const stories = storiesAbout(world, market)
    written.set(market.category, (written.get(market.category) ?? 0) + stories.length)
    ok(!stories.some(({ title }) => title.includes("undefined")))
  }
  ok(written.size >= 8, [...written.keys()].join())
  for (const [category, count] of written) ok(count > 10, `${category}: ${count}`)
})

Deno.test("a story about an outcome appears after it exists, and reports the right one or the proposed", () => {
  let [checked, wrong] = [0, 0]
  for (const market of lives) {
    const end = storiesAbout(world, market).find(({ kind }) => kind !== "jump")
    if (end === undefined) continue
    ok(end.at > market.closesAt, "before the outcome exists")
    const isWrong = end.kind === "misreport"
    equal(isWrong, world.truth.firstProposalIsWrong(market))
    if (isWrong) wrong++
    if (market.category !== "Geopolitics") continue
    const yes = world.truth.payouts(market)?.[0] === 1
    equal(end.title.includes("do not sign"), yes === isWrong, `${market.question} ${end.title}`)
    checked++
  }
  ok(checked > 20 && wrong > 5, `${checked} checked, ${wrong} wrong`)
})

Deno.test("a story near a jump reports its direction", () => {
  let seen = 0
  for (const market of lives.filter(({ category }) => category === "Politics")) {
    const jumps = world.truth.jumps(market, market.opensAt, market.closesAt)
    for (const { at, title } of storiesAbout(world, market).filter(({ kind }) => kind === "jump")) {
      const near = jumps.filter((jump) => Math.abs(jump.at - at) <= 45 * minute + 1_000)
      ok(near.length > 0 || at === market.opensAt, "no jump is near")
      const [jump, other] = near
      if (jump === undefined || other !== undefined) continue
      ok(title.includes(jump.to > jump.from ? " gain in " : " lose ground in "), title)
      seen++
    }
  }
  ok(seen > 20, `${seen}`)
})

test("the sources return articles of the last day, newest first, within their limits", () =>
  Effect.gen(function* () {
    const sources = yield* NewsSources
    equal(sources.map(({ name }) => name), outlets.map(({ name }) => name))
    const fresh = makeNewsArchive(devWorld(1))
    for (let look = 0; look < 10; look++) {
      const at = start + look * 167 * minute
      yield* TestClock.setTime(at)
      for (const [n, outlet] of outlets.entries()) {
        const { rows, rejected } = yield* (sources[n]?.read([]) ?? Effect.die("no source"))
        equal(rejected, {})
        equal(rows.map(({ url }) => url), fresh(outlet, at).map(({ url }) => url))
        ok(rows.length > 3 && rows.length <= feedRowsMax)
        ok(rows.every(({ publishedAt }) => publishedAt <= at && publishedAt > at - day))
        ok(rows.every((row, n) => row.publishedAt <= (rows[n - 1]?.publishedAt ?? Infinity)))
        ok(rows.every(({ url }) => new URL(url).hostname.endsWith(".example") && url.length < 160))
      }
    }
  }).pipe(Effect.provide(layer(world))))
