/**
 * Questions and headlines with hand-written labels: which headlines are about which question.
 *
 * A headline that is not in `about` of a question is about something else. The labels were written
 * before the threshold was set. The headlines are invented, so no publisher's words are repeated.
 *
 * @module
 */

import labelled from "../../../fixtures/labelled/news.json" with { type: "json" }

interface NewsCase {
  readonly question: string
  readonly eventSlug: string
  readonly outcomes?: readonly [string, string]
  /** Headlines that are about the question. */
  readonly about: ReadonlyArray<string>
  /** Headlines that share words with it and are about something else. */
  readonly unrelated: ReadonlyArray<string>
}

export const newsCases = labelled.cases as unknown as ReadonlyArray<NewsCase>

/** Headlines that share no subject with any question. */
export const otherNews: ReadonlyArray<string> = labelled.otherNews
