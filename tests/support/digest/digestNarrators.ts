/**
 * Narrators of digests for tests: one that works, and faulty ones.
 *
 * @module
 */
import { Effect } from "effect"
import type { DigestBrief, DigestDraft } from "../../../src/digest/domain/digest.ts"
import { templateDigest } from "../../../src/digest/domain/template.ts"
import { Detector } from "../../../src/predetermined/Detector.ts"
import { DigestNarrator } from "../../../src/digest/DigestNarrator.ts"
import { ModelFailed } from "../../../src/writing/Model.ts"

/** What a narrator does on a call. The fact check refuses the drafts of `lies` and `omits`. */
export type NarratorBehaviour = "writes" | "fails" | "crashes" | "hangs" | "lies" | "omits"

/** A narrator whose behaviour is chosen for each call; `onCall` receives the arguments. */
export const narrator = (
  behaviour: Effect.Effect<NarratorBehaviour>,
  onCall: (brief: DigestBrief, complaints: ReadonlyArray<string>) => void = () => {},
): DigestNarrator["Service"] =>
  DigestNarrator.of({
    name: "a model",
    write: Effect.fnUntraced(function* (brief, complaints) {
      onCall(brief, complaints)
      switch (yield* behaviour) {
        case "writes":
          return templateDigest(brief)
        case "fails":
          return yield* new ModelFailed({ reason: "no answer" })
        case "crashes":
          return yield* Effect.die("the narrator crashed")
        case "hangs":
          return yield* Effect.never
        case "lies":
          return withInventedFigure(templateDigest(brief))
        case "omits":
          return { ...templateDigest(brief), title: { text: "", facts: [] } }
      }
    }),
  })

/** A valid draft, except for one figure that is in no fact. */
const withInventedFigure = (draft: DigestDraft): DigestDraft => ({
  ...draft,
  summary: { ...draft.summary, text: `${draft.summary.text} 98,765,432 USD were moved.` },
})

export const rulesDetector = Detector.of({ name: "rules", detect: () => Effect.never })
