/**
 * The port to a writer of reports: facts in, a draft out. A draft is published only after the fact check.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { Model, type ModelFailed } from "../writing/Model.ts"
import type { ReportBrief, ReportDraft } from "./domain/report.ts"
import { ReportAnswer, reportPrompt } from "./domain/prompt.ts"
import { templateReport } from "./domain/template.ts"

export class ReportNarrator extends Context.Service<ReportNarrator, {
  /** The model's name, or `template`. */
  readonly name: string
  /** `complaints`: the fact check's complaints about the previous draft; empty for the first. */
  readonly write: (
    brief: ReportBrief,
    complaints: ReadonlyArray<string>,
  ) => Effect.Effect<ReportDraft, ModelFailed>
}>()("bellwether/research/ReportNarrator") {
  static readonly layerModel: Layer.Layer<ReportNarrator, never, Model> = Layer.effect(
    ReportNarrator,
    Effect.map(Model, ({ name, generate }) =>
      ReportNarrator.of({
        name,
        write: (brief, complaints) =>
          generate({
            use: "report",
            prompt: (boundary) => reportPrompt(brief, complaints, boundary),
            shape: ReportAnswer,
          }),
      })),
  )

  /** Never fails; its drafts always pass the check, so it ignores complaints. */
  static readonly layerTemplate: Layer.Layer<ReportNarrator> = Layer.succeed(
    ReportNarrator,
    ReportNarrator.of({
      name: "template",
      write: (brief) => Effect.sync(() => templateReport(brief)),
    }),
  )
}
