/**
 * A narrator and a detector that are rules: what writes and detects without a model.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { templateDigest } from "../../digest/domain/template.ts"
import { rulesDetection } from "../../predetermined/domain/predetermined.ts"
import { templateReport } from "../../research/domain/template.ts"
import { Detector } from "../../predetermined/Detector.ts"
import { Narrator } from "../Narrator.ts"

/** Never fails, and its drafts always pass the check. Complaints are not for it. */
export const narratorLayer: Layer.Layer<Narrator> = Layer.succeed(
  Narrator,
  Narrator.of({
    name: "template",
    digest: (brief) => Effect.sync(() => templateDigest(brief)),
    report: (brief) => Effect.sync(() => templateReport(brief)),
  }),
)

/** Takes the venue's own word only; see the rules of acceptance. */
export const detectorLayer: Layer.Layer<Detector> = Layer.succeed(
  Detector,
  Detector.of({
    name: "rules",
    detect: (question) => Effect.sync(() => rulesDetection(question)),
  }),
)
