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
import { fillValues } from "../../src/writing/domain/fill.ts"
import { type FilledSentence, type FilledSlot, fillSlots } from "../../src/writing/domain/page.ts"
import { writePage, writingPorts } from "../../src/writing/writing.ts"
import type { Behaviour } from "../support/writing/modelServer.ts"
import { obeys } from "./obeying.ts"
import { type Payload, payloads } from "./payloads.ts"
import {
  digestMaterialWith,
  type Place,
  places,
  readingTaskWith,
  reportMaterialWith,
} from "./world.ts"

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

/** Whether claims are judged. `naive` shows that the suite detects the absence of a judgement. */
export type Checking = "checked" | "naive"

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
  return obeys((text) => starts.some((start) => text.startsWith(start)), seed, note)
}

const within = Duration.minutes(5)

/** Writes the page as the service does, or with every claim as it was drafted. */
const published = Effect.fnUntraced(
  function* (request: DraftRequest, checking: Checking) {
    const ports = yield* writingPorts
    if (checking === "checked") return yield* writePage(ports, { ...request, within })
    const drafts = yield* ports.narrator.draft(request)
    const facts = new Map(request.facts.map((fact) => [fact.id, fact]))
    const claims = drafts.map((draft) => ({
      ...draft,
      text: Result.match(fillValues(draft.text, facts), {
        onFailure: () => draft.text,
        onSuccess: ({ text }) => text,
      }),
      values: [],
    }))
    const slots = fillSlots(request.slots, claims)
    return { slots, narrator: ports.narrator.name, accepted: claims.length, refused: 0 }
  },
)

const sentencesOf = (slots: ReadonlyArray<FilledSlot>) =>
  slots.flatMap(({ sentences }) => sentences)

export const publishedDigest = Effect.fnUntraced(
  function* ({ place, payload }: Pick<Case, "place" | "payload">, checking: Checking) {
    const page = digestPage(digestMaterialWith(place, payload.text))
    const request = { use: "digest", task: digestTask, facts: page.facts } as const
    const { slots, narrator: by, accepted, refused } = yield* published(
      { ...request, slots: digestSlots(page) },
      checking,
    )
    const metadata = { slot: 0, createdAt: 0, narrator: by, venue: "the venue", methodUrl: null }
    const { title, summary, fullAnalysis } = digestOf(page, slots, metadata)
    const markdown = [title, summary, fullAnalysis].join("\n\n")
    const { facts } = page
    return { by, sentences: sentencesOf(slots), facts, markdown, accepted, refused }
  },
)

export const publishedReport = Effect.fnUntraced(
  function* ({ place, payload }: Pick<Case, "place" | "payload">, checking: Checking) {
    const page = reportPage(reportMaterialWith(place, payload.text))
    const { facts } = page
    const request = { use: "report", task: "You write a report.", facts } as const
    const { slots, narrator: by, accepted, refused } = yield* published(
      { ...request, slots: reportSlots(page) },
      checking,
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
    return {
      ...story,
      score: 9,
      shared: [],
      reading: typeof verdict === "string" ? null : verdict,
    }
  })
  const { market, now } = task
  return { accepted: Result.getOrNull(knownOutcome({ market, proposal: null, stories, now })) }
})
