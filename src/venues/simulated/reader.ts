/**
 * A stand-in for the model that reads the news of a simulated world: it knows how the world words its
 * headlines. Its claims are checked as those of a model.
 *
 * A report of a wrong outcome is read as it is worded: the stand-in does not know what happened.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { safeName } from "../../core/domain/untrusted.ts"
import { clauseOf } from "../../markets/domain/clause.ts"
import { linesOf, type ReadingTask, verdictsOf } from "../../news/domain/reading.ts"
import { NewsReader } from "../../news/NewsReader.ts"
import { headlineKinds } from "./words.ts"
import type { World } from "./world.ts"

export const layer = (world: World): Layer.Layer<NewsReader> =>
  Layer.succeed(NewsReader, {
    name: "simulated-reader",
    read: (task) =>
      Effect.sync(() =>
        verdictsOf(
          task,
          linesOf(task.stories).map(({ title }, n) => ({
            story: `H${n + 1}`,
            ...claimOf(world, task.market, title),
          })),
        )
      ),
    // The rules of a simulated market have the venue's fixed phrases.
    clause: (question, rules) => Effect.succeed(clauseOf(question, rules)),
  })

function claimOf(
  { catalogue }: World,
  { id, outcomes: [first, second] }: ReadingTask["market"],
  title: string,
) {
  const market = catalogue.byId(id)
  const kind = headlineKinds.find((kind) => safeName(market?.headlines[kind] ?? "") === title)
  return kind === undefined
    ? { about: false, outcome: null, bears: null, decides: false, quote: "" }
    : {
      about: true,
      outcome: kind === "second" ? second : first,
      bears: kind === "fall" ? "against" as const : "for" as const,
      decides: kind === "first" || kind === "second",
      quote: title,
    }
}
