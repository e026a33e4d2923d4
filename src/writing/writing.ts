/**
 * From facts to a text that says no more than they do: a narrator's draft, the fact check, two more
 * tries with what it complained of, and the template in the end.
 *
 * @module
 */
import { Cause, type Duration, Effect, Metric, Option } from "effect"
import type { ModelFailed } from "./Model.ts"

/** Drafts asked of a narrator for one text. */
export const draftsMax = 3
/** Complaints told to a narrator at once. */
const complaintsMax = 12

interface WritingOptions<D> {
  /** For metrics: `digest`, `report`. */
  readonly text: string
  /** Who is asked. */
  readonly narrator: string
  readonly ask: (complaints: ReadonlyArray<string>) => Effect.Effect<D, ModelFailed>
  /** What the fact check has against a draft; empty when nothing. */
  readonly complaints: (draft: D) => ReadonlyArray<string>
  /** What is published when no draft will do. It has passed the same check. */
  readonly template: D
  /** How long all drafts together may take. */
  readonly within: Duration.Duration
}

interface Written<D> {
  readonly draft: D
  /** The narrator whose draft it is: the one asked, or `template`. */
  readonly narrator: string
  /** Drafts that the fact check refused, and drafts that did not come. */
  readonly refused: number
  readonly failed: number
}

/** Never fails: whatever the narrator does, the template stands. */
export const writeChecked = <D>(options: WritingOptions<D>): Effect.Effect<Written<D>> =>
  Effect.suspend(() => {
    const tally: Tally = { refused: 0, failed: 0 }
    return attempts(options, tally).pipe(
      Effect.timeoutOption(options.within),
      Effect.map(Option.flatten),
      Effect.map(Option.match({
        onNone: (): Written<D> => ({ draft: options.template, narrator: "template", ...tally }),
        onSome: (draft): Written<D> => ({ draft, narrator: options.narrator, ...tally }),
      })),
      Effect.tap(({ narrator }) =>
        Metric.update(texts.pipe(Metric.withAttributes({ text: options.text, narrator })), 1)
      ),
    )
  })

/** It grows in place, so that a writing cut short tells what it came to. */
interface Tally {
  refused: number
  failed: number
}

const attempts = Effect.fnUntraced(function* <D>(options: WritingOptions<D>, tally: Tally) {
  let told: ReadonlyArray<string> = []
  for (let draft = 0; draft < draftsMax; draft++) {
    const answer = yield* drafted(options, told)
    if (Option.isNone(answer)) {
      tally.failed += 1
      continue
    }
    const { draft, complaints } = answer.value
    if (complaints.length === 0) return Option.some(draft)
    tally.refused += 1
    told = complaints.slice(0, complaintsMax)
    yield* Metric.update(refused.pipe(Metric.withAttributes({ text: options.text })), 1)
    yield* Effect.annotateLogs(
      Effect.logInfo(`A draft of the ${options.text} was refused by the fact check`),
      { complaints: told },
    )
  }
  return Option.none<D>()
})

/** A draft and what the check has against it; none when a narrator fails or breaks the check. */
const drafted = <D>(options: WritingOptions<D>, told: ReadonlyArray<string>) =>
  Effect.suspend(() => options.ask(told)).pipe(
    Effect.map((draft) => Option.some({ draft, complaints: options.complaints(draft) })),
    Effect.tapError(({ reason }) =>
      Effect.logWarning(`${options.narrator} wrote no ${options.text}: ${reason}`)
    ),
    Effect.catch(() => Effect.succeedNone),
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) =>
        Effect.as(
          Effect.logError(`${options.narrator} broke while writing the ${options.text}`, cause),
          Option.none(),
        ),
    ),
  )

const texts = Metric.counter("texts_written_total", {
  description: "Texts published, by who wrote them",
  incremental: true,
})
const refused = Metric.counter("drafts_refused_total", {
  description: "Drafts that the fact check refused",
  incremental: true,
})
