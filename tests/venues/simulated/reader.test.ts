/**
 * The stand-in that reads the simulated news: what it decides is what the headline says.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect, Result } from "effect"
import { hour } from "../../../src/core/domain/time.ts"
import { newsIndex, related } from "../../../src/news/domain/match.ts"
import { decidedOutcome, type RelatedStory } from "../../../src/news/domain/reading.ts"
import { NewsReader } from "../../../src/news/NewsReader.ts"
import { knownOutcome } from "../../../src/predetermined/domain/predetermined.ts"
import { makeNewsArchive, outlets } from "../../../src/venues/simulated/news.ts"
import { layer } from "../../../src/venues/simulated/reader.ts"
import { devWorld } from "../../../src/venues/simulated/venue.ts"
import { runParts } from "../../support/runParts.ts"
import { test } from "../../support/effect.ts"
import { market } from "../../support/movers/market.ts"

const world = devWorld(7)
const archive = makeNewsArchive(world)
/** The related stories of markets at some hours, as they were read, with what pays. */
const readStories = Effect.gen(function* () {
  const { read, name } = yield* NewsReader
  equal(name, "simulated-reader")
  const found: Array<{ story: RelatedStory; decided: 0 | 1 | null; known: boolean }> = []
  for (let n = 0; n < 6; n++) {
    const now = world.options.origin + n * 30 * hour
    const articles = outlets.flatMap((outlet) => archive(outlet, now))
    const open = Array.from(
      { length: world.catalogue.slots },
      (_, slot) => world.catalogue.at(slot, now),
    )
    const index = runParts(newsIndex(articles))
    for (const of of open) {
      const { id, question, outcomes, endsAt, eventSlug } = of
      const asked = market({ id, question, outcomes, endsAt, eventSlug })
      const matches = related(index, asked, now - 24 * hour, 12)
      const [first, ...others] = matches
      if (first === undefined) continue
      const task = {
        market: asked,
        siblings: [],
        rules: "",
        stories: [first, ...others],
        now,
      } as const
      const verdicts = yield* read(task)
      const stories = matches.flatMap(({ isListed, ...story }, n): ReadonlyArray<RelatedStory> => {
        const verdict = verdicts[n] ?? "refused"
        if (verdict === "unrelated" || verdict === "refused" && !isListed) return []
        return [{ ...story, reading: typeof verdict === "string" ? null : verdict }]
      })
      const known = Result.isSuccess(knownOutcome({ market: asked, proposal: null, stories, now }))
      for (const story of stories) {
        found.push({ story, decided: decidedOutcome(asked, story), known })
      }
    }
  }
  return found
})

test("the stand-in reads the stories of a market as they are worded, and no others", () =>
  Effect.gen(function* () {
    const found = yield* readStories
    const read = found.filter(({ story }) => story.reading !== null)
    ok(read.length > 50, String(read.length))
    const decisive = read.filter(({ decided }) => decided !== null)
    ok(decisive.length > 5, String(decisive.length))
    ok(read.some(({ story }) => story.reading?.decides === false))
    equal(found.filter(({ known }) => known), [])
  }).pipe(Effect.provide(layer(world))))
