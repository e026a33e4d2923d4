/**
 * The recorded cases of `fixtures/narration/cases`, run against a model: pages that it writes, and
 * questions of the detector that it answers.
 *
 * @module
 */
import { Duration, Effect, Result } from "effect"
import type { DetectionQuestion } from "../../../src/predetermined/domain/detection.ts"
import { Detector } from "../../../src/predetermined/Detector.ts"
import { judgeDetection } from "../../../src/predetermined/domain/predetermined.ts"
import { type PageOptions, writePage, writingPorts } from "../../../src/writing/writing.ts"
import { market } from "../movers/market.ts"

type PageCase = Omit<PageOptions, "within"> & { readonly kind: "page" }
type MarketFields = Pick<
  DetectionQuestion["market"],
  "question" | "outcomes" | "exclusive" | "eventSlug" | "gameStartsAt" | "endsAt"
>
interface DetectionCase extends MarketFields, Omit<DetectionQuestion, "market" | "proposal"> {
  readonly kind: "detection"
  readonly proposal: Omit<NonNullable<DetectionQuestion["proposal"]>, "marketId"> | null
  /** The right outcome; null when none is known. */
  readonly expected: string | null
}

const folder = new URL("../../../fixtures/narration/cases/", import.meta.url)
/** The same times as in the service. */
const within = { digest: Duration.minutes(4), report: Duration.seconds(50) }

const cases: ReadonlyArray<{ readonly name: string; readonly content: PageCase | DetectionCase }> =
  Deno.readDirSync(folder).map(({ name }) => name).toArray().toSorted().map((name) => ({
    name: name.slice(0, -".json".length),
    content: JSON.parse(Deno.readTextFileSync(new URL(name, folder))),
  }))

/** Every recorded page as the model of the ports writes it. */
export const writtenPages = Effect.gen(function* () {
  const ports = yield* writingPorts
  return yield* Effect.forEach(
    cases,
    ({ name, content }) =>
      content.kind !== "page" ? Effect.succeed([]) : Effect.map(
        writePage(ports, { ...content, within: within[content.use] }),
        (page) => [{ name, ...page }],
      ),
  )
}).pipe(Effect.map((pages) => pages.flat()))

/** What becomes of the model's answer to every recorded question. */
export const answeredQuestions = Effect.gen(function* () {
  const { detect } = yield* Detector
  return yield* Effect.forEach(cases, ({ name, content }) =>
    Effect.gen(function* () {
      if (content.kind !== "detection") return []
      const question = questionOf(content)
      const answer = yield* Effect.result(detect(question))
      const judged = Result.flatMap(answer, (given) => judgeDetection(question, given))
      const found = Result.isSuccess(judged) ? content.outcomes[judged.success.outcome] : null
      const verdict = found === content.expected ? "right" : found === null ? "not found" : "wrong"
      return [{ name, verdict, answered: Result.isSuccess(answer) }] as const
    }))
}).pipe(Effect.map((answers) => answers.flat()))

function questionOf(given: DetectionCase): DetectionQuestion {
  const { question, outcomes, exclusive, eventSlug, gameStartsAt, endsAt, proposal } = given
  const { siblings, rules, mid, evidence, now } = given
  const of = market({ question, outcomes, exclusive, eventSlug, gameStartsAt, endsAt })
  return {
    market: of,
    proposal: proposal === null ? null : { ...proposal, marketId: of.id },
    siblings,
    rules,
    mid,
    evidence,
    now,
  }
}
