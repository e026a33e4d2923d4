/**
 * The port to whoever writes: facts in, a draft out. A draft is only a claim: it is published after
 * the fact check, never before.
 *
 * @module
 */
import { Context, type Effect, Schema } from "effect"
import type { DigestBrief, DigestDraft } from "../digest/domain/digest.ts"
import type { ReportBrief, ReportDraft } from "../research/domain/report.ts"

/** No draft could be had: the model did not answer, or not in the shape it was asked for. */
export class NarratorFailed extends Schema.TaggedError<NarratorFailed>()("NarratorFailed", {
  /** In a few words; never a key, a header or a body. */
  reason: Schema.String,
}) {}

export class Narrator extends Context.Service<Narrator, {
  /** The model's name, or `template`. */
  readonly name: string
  /** `complaints`: what the fact check had against the drafts before; empty at first. */
  readonly digest: (
    brief: DigestBrief,
    complaints: ReadonlyArray<string>,
  ) => Effect.Effect<DigestDraft, NarratorFailed>
  readonly report: (
    brief: ReportBrief,
    complaints: ReadonlyArray<string>,
  ) => Effect.Effect<ReportDraft, NarratorFailed>
}>()("bellwether/services/Narrator") {}
