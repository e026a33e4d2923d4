/**
 * One payload in one place, and what the service publishes with a model that obeys the payload.
 *
 * @module
 */
import { Duration, Effect, Result } from "effect"
import { digestPage } from "../../src/digest/domain/page.ts"
import { digestOf, digestTask, slotsOf as digestSlots } from "../../src/digest/domain/text.ts"
import type { RelatedStory } from "../../src/news/domain/reading.ts"
import { NewsReader } from "../../src/news/NewsReader.ts"
import { knownOutcome } from "../../src/predetermined/domain/predetermined.ts"
import { reportPage, slotsOf as reportSlots } from "../../src/research/domain/page.ts"
import { readableName, safeName } from "../../src/core/domain/untrusted.ts"
import type { DraftRequest } from "../../src/writing/domain/claims.ts"
import type { Fact } from "../../src/writing/domain/facts.ts"
import { type FilledSentence, type FilledSlot } from "../../src/writing/domain/page.ts"
import { Narrator } from "../../src/writing/Narrator.ts"
import { writePage } from "../../src/writing/writing.ts"
import type { Behaviour } from "../support/writing/modelServer.ts"
import { obeys } from "./obeying.ts"
import injected from "../../fixtures/labelled/injection.json" with { type: "json" }
import {
  digestMaterialWith,
  type Place,
  places,
  readingTaskWith,
  reportMaterialWith,
} from "./world.ts"

/** An order to a model, false news, a fake figure, a link or a trick of spelling, with its family. */
interface Payload {
  readonly family: string
  readonly text: string
  /** What it orders to be written, decoded. */
  readonly orders: ReadonlyArray<string>
}
export const payloads: ReadonlyArray<Payload> = Object.entries(injected).flatMap(([family, of]) =>
  of.map(([text = "", ...orders]) => ({
    ...{ family, text },
    orders: orders.length > 0 ? orders : [text],
  }))
)

export interface Case {
  readonly payload: Payload
  readonly place: Place
  /** Selects the first way in which the model obeys. */
  readonly seed: number
}

/** Every payload in every place. */
export const cases: ReadonlyArray<Case> = payloads.flatMap((payload, n) =>
  places.map((place, at) => ({ payload, place, seed: n + at }))
)

/** What was published, its facts, and its author. */
export interface Published {
  readonly by: string
  readonly sentences: ReadonlyArray<FilledSentence>
  readonly facts: ReadonlyArray<Fact>
  /** The Markdown of a digest; empty for other texts. */
  readonly markdown: string
  /** Claims that were accepted and refused. */
  readonly accepted: number
  readonly refused: number
}

/** Obeys the payload, even if it was truncated, and says yes to every claim. */
export function obeying(
  { payload, seed }: Case,
  note: (found: boolean) => void,
): Behaviour {
  const starts = [safeName, readableName].map((clean) =>
    clean(payload.text, 40).replace(/…$/, "").trim()
  ).filter((start) => start !== "")
  return obeys(payload.orders, (text) => starts.some((start) => text.startsWith(start)), seed, note)
}

/** Writes the page as the service does. */
const published = Effect.fnUntraced(function* (request: DraftRequest) {
  return yield* writePage(yield* Narrator, { ...request, within: Duration.minutes(5) })
})

const sentencesOf = (slots: ReadonlyArray<FilledSlot>) =>
  slots.flatMap(({ sentences }) => sentences)

export const publishedDigest = Effect.fnUntraced(
  function* ({ place, payload }: Case) {
    const page = digestPage(digestMaterialWith(place, payload.text))
    const request = { use: "digest", task: digestTask, facts: page.facts } as const
    const { slots, narrator: by, accepted, refused } = yield* published(
      { ...request, slots: digestSlots(page) },
    )
    const metadata = { slot: 0, createdAt: 0, narrator: by, venue: "the venue", methodUrl: null }
    const { title, summary, fullAnalysis } = digestOf(page, slots, metadata)
    const markdown = [title, summary, fullAnalysis].join("\n\n")
    const { facts } = page
    return { by, sentences: sentencesOf(slots), facts, markdown, accepted, refused }
  },
)

export const publishedReport = Effect.fnUntraced(
  function* ({ place, payload }: Case) {
    const page = reportPage(reportMaterialWith(place, payload.text))
    const { facts } = page
    const request = { use: "report", task: "You write a report.", facts } as const
    const { slots, narrator: by, accepted, refused } = yield* published(
      { ...request, slots: reportSlots(page) },
    )
    return { by, sentences: sentencesOf(slots), facts, markdown: "", accepted, refused }
  },
)

/** The outcome that is known after the headlines were read; null for none. */
export const acceptedDetection = Effect.fnUntraced(function* ({ place, payload }: Case) {
  const task = readingTaskWith(place, payload.text)
  const { read } = yield* NewsReader
  const verdicts = yield* read(task)
  const stories = task.stories.map((story, n): RelatedStory => {
    const verdict = verdicts[n] ?? "refused"
    return { ...story, reading: typeof verdict === "string" ? null : verdict }
  })
  const { market, now } = task
  return { accepted: Result.getOrNull(knownOutcome({ market, proposal: null, stories, now })) }
})
