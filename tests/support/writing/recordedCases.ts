/**
 * The recorded pages of `fixtures/narration/cases`, as a model writes them.
 *
 * @module
 */
import { Duration, Effect } from "effect"
import { type PageOptions, writePage, writingPorts } from "../../../src/writing/writing.ts"

type PageCase = Omit<PageOptions, "within">

const folder = new URL("../../../fixtures/narration/cases/", import.meta.url)
/** The same times as in the service. */
const within = { digest: Duration.minutes(4), report: Duration.seconds(50) }

const cases: ReadonlyArray<{ readonly name: string; readonly content: PageCase }> = Deno
  .readDirSync(folder).map(({ name }) => name).toArray().toSorted().map((name) => ({
    name: name.slice(0, -".json".length),
    content: JSON.parse(Deno.readTextFileSync(new URL(name, folder))),
  }))

/** Every recorded page as the model of the ports writes it. */
export const writtenPages = Effect.gen(function* () {
  const ports = yield* writingPorts
  return yield* Effect.forEach(
    cases,
    ({ name, content }) =>
      Effect.map(
        writePage(ports, { ...content, within: within[content.use] }),
        (page) => ({ name, ...page }),
      ),
  )
})
