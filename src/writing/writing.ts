/**
 * Writes a checked text: asks a narrator for a draft, runs the fact check, asks up to twice more with
 * the complaints, and falls back to the template.
 *
 * @module
 */
import { Cause, type Duration, Effect, Metric, Option } from "effect"
import type { ModelFailed } from "./Model.ts"

/** Drafts requested from a narrator for one text. */
export const draftsMax = 3
/** Complaints sent to a narrator at once. */
const complaintsMax = 12

interface WritingOptions<D> {
  /** For metrics: `digest`, `report`. */
  readonly text: string
  /** The narrator's name. */
  readonly narrator: string
  readonly requestDraft: (complaints: ReadonlyArray<string>) => Effect.Effect<D, ModelFailed>
  /** The fact check's complaints about a draft; empty when it passes. */
  readonly complaints: (draft: D) => ReadonlyArray<string>
  /** Published when no draft passes. It must pass the same check. */
  readonly template: D
  /** Time limit for all drafts together. */
  readonly within: Duration.Duration
}

interface WrittenText<D> {
  readonly draft: D
  /** The author of the draft: the narrator, or `template`. */
  readonly narrator: string
  /** Drafts that the fact check refused, and requests that gave no draft. */
  readonly refused: number
  readonly failed: number
}

/** Never fails: when the narrator gives no valid draft, the result is the template. */
export const writeChecked = <D>(options: WritingOptions<D>): Effect.Effect<WrittenText<D>> =>
  Effect.suspend(() => {
    const tally: Tally = { refused: 0, failed: 0 }
    return attempts(options, tally).pipe(
      Effect.timeoutOption(options.within),
      Effect.map(Option.flatten),
      Effect.map(Option.match({
        onNone: (): WrittenText<D> => ({ draft: options.template, narrator: "template", ...tally }),
        onSome: (draft): WrittenText<D> => ({ draft, narrator: options.narrator, ...tally }),
      })),
      Effect.tap(({ narrator }) =>
        Metric.update(texts.pipe(Metric.withAttributes({ text: options.text, narrator })), 1)
      ),
    )
  })

/** Mutable, so that the counts survive a timeout. */
interface Tally {
  refused: number
  failed: number
}

const attempts = Effect.fnUntraced(function* <D>(options: WritingOptions<D>, tally: Tally) {
  let lastComplaints: ReadonlyArray<string> = []
  for (let n = 0; n < draftsMax; n++) {
    const answer = yield* checkedDraft(options, lastComplaints)
    if (Option.isNone(answer)) {
      tally.failed += 1
      continue
    }
    const { draft, complaints } = answer.value
    if (complaints.length === 0) return Option.some(draft)
    tally.refused += 1
    lastComplaints = complaints.slice(0, complaintsMax)
    yield* Metric.update(refused.pipe(Metric.withAttributes({ text: options.text })), 1)
    yield* Effect.annotateLogs(
      Effect.logInfo(`The fact check refused a draft of the ${options.text}`),
      { complaints: lastComplaints },
    )
  }
  return Option.none<D>()
})

/** A draft with its complaints; none when the narrator fails, or the check throws on its draft. */
const checkedDraft = <D>(options: WritingOptions<D>, lastComplaints: ReadonlyArray<string>) =>
  Effect.suspend(() => options.requestDraft(lastComplaints)).pipe(
    Effect.map((draft) => Option.some({ draft, complaints: options.complaints(draft) })),
    Effect.tapError(({ reason }) =>
      Effect.logWarning(`${options.narrator} wrote no ${options.text}: ${reason}`)
    ),
    Effect.catch(() => Effect.succeedNone),
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) =>
        Effect.as(
          Effect.logError(`${options.narrator} crashed while writing the ${options.text}`, cause),
          Option.none(),
        ),
    ),
  )

const texts = Metric.counter("texts_written_total", {
  description: "Texts published, by author",
  incremental: true,
})
const refused = Metric.counter("drafts_refused_total", {
  description: "Drafts that the fact check refused",
  incremental: true,
})
