/**
 * The slots that a soak waits for are those of the service's table of jobs.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { jobsDueAt } from "./jobs.ts"

const day = 86_400_000

Deno.test("jobsDueAt() at midnight has every leased job of src/app/jobs.ts", async () => {
  const source = await Deno.readTextFile(new URL("../../src/app/jobs.ts", import.meta.url))
  const leased = [...source.matchAll(/\.leased,\s+name: ("?)([\w-]+)\1/g)].map(([, , name = ""]) =>
    ({
      tickJob: "tick",
      whaleJob: "whales",
      predeterminedJob: "predetermined",
      scoresJob: "scores",
      readingsJob: "follow-prices",
    })[
      name
    ] ?? name
  )
  ok(leased.length > 8)
  equal(jobsDueAt(20 * day).map(({ job }) => job).toSorted(), leased.toSorted())
})

Deno.test("jobsDueAt() has a tick every ten minutes", () => {
  const ticks = Array.from({ length: 60 }, (_, n) => jobsDueAt(20 * day + n * 60_000))
    .filter((slots) => slots.some(({ job }) => job === "tick")).length
  equal(ticks, 6)
})
