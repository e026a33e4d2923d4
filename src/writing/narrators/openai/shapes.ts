/**
 * The shapes of a model's answers: told to the server as JSON Schema, and what its answer is decoded
 * with, from one definition.
 *
 * @module
 */
import { type Result, Schema } from "effect"
import { toCodecOpenAI } from "effect/ai/OpenAiStructuredOutput"
import type { Detection } from "../../../predetermined/domain/detection.ts"
import type { DigestDraft } from "../../../digest/domain/digest.ts"
import { passagesMax } from "../../../digest/domain/text.ts"
import { passageFactsMax, passageLengthMax } from "../../domain/factCheck.ts"
import type { ReportDraft } from "../../../research/domain/report.ts"
import { risksMax } from "../../../research/domain/text.ts"
import { evidenceShownMax, outcomeLengthMax, sentenceLengthMax } from "./limits.ts"

/** What a server is told of a shape, and what reads its answer. */
export interface Shape<A> {
  readonly name: string
  readonly jsonSchema: Record<string, unknown>
  /** Refuses keys that nobody asked for, and texts and lists that are too long. */
  readonly decode: (answer: unknown) => Result.Result<A, Schema.SchemaError>
}

const Text = (max: number) => Schema.String.check(Schema.isMaxLength(max))
const List = <S extends Schema.Constraint>(item: S, max: number) =>
  Schema.Array(item).check(Schema.isMaxLength(max))
const Confidence = Schema.Literals(["low", "medium", "high"])

const Passage = Schema.Struct({
  text: Text(passageLengthMax),
  facts: List(Schema.String.check(Schema.isPattern(/^F[0-9]{1,4}$/)), passageFactsMax),
})
const Section = List(Passage, passagesMax)

export const digestShape: Shape<DigestDraft> = shape(
  "digest",
  Schema.Struct({
    title: Passage,
    summary: Passage,
    sections: Schema.Struct({
      repriced: Section,
      whales: Section,
      predetermined: Section,
      context: Section,
      watch: Section,
    }),
  }),
)

export const reportShape: Shape<ReportDraft> = shape(
  "report",
  Schema.Struct({
    thesis: Passage,
    whaleView: Passage,
    risks: List(Passage, risksMax),
    confidence: Confidence,
    bottomLine: Passage,
  }),
)

export const detectionShape: Shape<Detection> = shape(
  "detection",
  Schema.Struct({
    determined: Schema.Boolean,
    outcome: Schema.NullOr(Text(outcomeLengthMax)),
    statement: Text(sentenceLengthMax),
    confidence: Confidence,
    evidence: List(Schema.String.check(Schema.isPattern(/^E[0-9]{1,4}$/)), evidenceShownMax),
  }),
)

function shape<A, E>(name: string, schema: Schema.ConstraintCodec<A, E>): Shape<A> {
  const { codec, jsonSchema } = toCodecOpenAI(schema)
  return {
    name,
    jsonSchema,
    decode: Schema.decodeUnknownResult(codec, { onExcessProperty: "error" }),
  }
}
