/**
 * Who writes digests in tests: a narrator that does its work, or anything else.
 *
 * @module
 */
import { Effect } from "effect"
import type { DigestBrief, DigestDraft } from "../../../src/digest/domain/digest.ts"
import { templateDigest } from "../../../src/digest/domain/template.ts"
import { Detector } from "../../../src/predetermined/Detector.ts"
import { DigestNarrator } from "../../../src/digest/DigestNarrator.ts"
import { ModelFailed } from "../../../src/writing/Model.ts"

/** What a narrator does when it is asked. Refused: it says what its facts do not. */
export type Mood = "writes" | "fails" | "breaks" | "hangs" | "lies" | "babbles"

/** A narrator in a mood of its own each time; `told` sees what it is asked. */
export const narrator = (
  mood: Effect.Effect<Mood>,
  told: (brief: DigestBrief, complaints: ReadonlyArray<string>) => void = () => {},
): DigestNarrator["Service"] =>
  DigestNarrator.of({
    name: "a model",
    write: Effect.fnUntraced(function* (brief, complaints) {
      told(brief, complaints)
      switch (yield* mood) {
        case "writes":
          return templateDigest(brief)
        case "fails":
          return yield* new ModelFailed({ reason: "out of ink" })
        case "breaks":
          return yield* Effect.die("the narrator broke")
        case "hangs":
          return yield* Effect.never
        case "lies":
          return lie(templateDigest(brief))
        case "babbles":
          return { ...templateDigest(brief), title: { text: "", facts: [] } }
      }
    }),
  })

/** A sound draft but for one figure, which is nobody's. */
const lie = (draft: DigestDraft): DigestDraft => ({
  ...draft,
  summary: { ...draft.summary, text: `${draft.summary.text} 98,765,432 USD were moved.` },
})

export const rulesDetector = Detector.of({ name: "rules", detect: () => Effect.never })
