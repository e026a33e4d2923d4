/**
 * Planted questions with headlines: true outcomes as news is really worded, and answers that the
 * headlines do not support.
 *
 * All names, publishers and headlines are invented. Each headline has another publisher. In a true case
 * the braces are the recorded quotation of a careful reader, who calls those headlines decisive.
 *
 * @module
 */
import outcomes from "../../../fixtures/labelled/outcomes.json" with { type: "json" }

/** An open Yes/No question, unless the other fields say more. */
export interface Planted {
  readonly question: string
  readonly answer: string
  readonly headlines: ReadonlyArray<string>
  readonly outcomes?: readonly [string, string]
  /** A match that began four hours ago, unless it begins later: ISO time. */
  readonly game?: true | string
  readonly endsAt?: string
  readonly rules?: string
  /** Exclusive markets of the event. */
  readonly rivals?: ReadonlyArray<string>
}

export const plantedNow = Date.UTC(2026, 10, 28, 22)

/** By kind. */
export const wrongAnswers = outcomes.wrong as unknown as Readonly<
  Record<string, ReadonlyArray<Planted>>
>

export const trueAnswers = outcomes.true as unknown as ReadonlyArray<Planted>
