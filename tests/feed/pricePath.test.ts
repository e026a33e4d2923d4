/**
 * A thinned price path: few points, all of them stored ones.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { thinned } from "../../src/feed/domain/publishedMarket.ts"

const series = (times: ReadonlyArray<number>) => times.map((at) => ({ at, mid: at / 1e6 }))

Deno.test("thinned() keeps a short series as it is", () => {
  equal(thinned([], 2), [])
  equal(thinned(series([5, 9]), 2), series([5, 9]))
})

Deno.test("thinned() keeps the first and the last point, and the last one of each part", () => {
  equal(thinned(series([0, 1, 2, 3, 4, 5, 6, 7, 8]), 5), series([0, 2, 4, 6, 8]))
  equal(thinned(series([0, 1, 2, 3, 1_000]), 3), series([0, 3, 1_000]))
})

Deno.test("thinned() returns at most `max` of the points, in order", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const steps = Array.from({ length: seed }, (_, n) => 1 + ((seed * 7_919 + n * 104_729) % 997))
    let at = 1_790_000_000_000
    const points = series(steps.map((step) => at += step))
    const max = 2 + seed % 40
    const kept = thinned(points, max)
    ok(kept.length <= max, `${kept.length} of ${max}`)
    equal(kept, points.filter((point) => kept.includes(point)))
    equal([kept[0], kept.at(-1)], [points[0], points.at(-1)])
  }
})
