/**
 * Writes the claims of a page: a model drafts them, each is judged alone, and the page keeps the
 * template's sentences wherever no claim is accepted. The page is whole at any time, so a slow or broken
 * model costs claims and never the page.
 *
 * @module
 */
import { Cause, type Duration, Effect, Metric } from "effect"
import { inSlices } from "../core/slices.ts"
import { ClaimCheck } from "./ClaimCheck.ts"
import {
  type ClaimDraft,
  type DraftRequest,
  type Judgement,
  judgementOf,
  slotClaimsMax,
} from "./domain/claims.ts"
import type { Fact } from "./domain/facts.ts"
import { type Claim, type FilledSlot, fillSlots, type Slot } from "./domain/page.ts"
import { checkedClaimsMax, supportedClaims } from "./domain/secondCheck.ts"
import { Narrator } from "./Narrator.ts"

/** The ports of `writePage`; yield them once, where a layer is built. */
export interface WritingPorts {
  readonly narrator: Narrator["Service"]
  readonly claimCheck: ClaimCheck["Service"]
}
export const writingPorts: Effect.Effect<WritingPorts, never, Narrator | ClaimCheck> = Effect.all({
  narrator: Narrator,
  claimCheck: ClaimCheck,
})

export interface PageOptions extends Omit<DraftRequest, "previous"> {
  /** Time limit for all requests together. */
  readonly within: Duration.Duration
}

/** Words of a page with claims, unless its template has more. */
const wordsMax = { digest: 800, report: 600 } as const

interface WrittenPage {
  readonly slots: ReadonlyArray<FilledSlot>
  /** The model's name, or `template` when the page has no claim. */
  readonly narrator: string
  /** Claims in the page. */
  readonly accepted: number
  /** Drafts that the judgement refused, those of a retry included. */
  readonly refused: number
  /** Claims that needed the second check. */
  readonly asked: number
  /** Claims that the second check did not support, or that a limit of the page left out. */
  readonly dropped: number
  /** Requests without an answer. */
  readonly failed: number
}

/** One place of a draft. A retry writes new claims into the places of the refused ones. */
interface Place {
  readonly draft: ClaimDraft
  readonly judgement: Judgement
  /** Whether the claim may be published. */
  readonly accepted: boolean
}

/** Mutable, so that what is accepted survives a timeout. */
interface Progress {
  readonly places: Array<Place>
  /** Why drafts were refused. */
  readonly reasons: Array<string>
  refused: number
  asked: number
  failed: number
}

/** Never fails, and ends within the time. */
export const writePage = (ports: WritingPorts, options: PageOptions): Effect.Effect<WrittenPage> =>
  Effect.suspend(() => {
    const progress: Progress = { places: [], reasons: [], refused: 0, asked: 0, failed: 0 }
    return rounds(ports, options, progress).pipe(
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) => {
          progress.failed += 1
          return Effect.logError(`${ports.narrator.name} crashed while writing`, cause)
        },
      ),
      Effect.timeoutOption(options.within),
      Effect.map(() => pageOf(ports, options, progress)),
      Effect.tap((page) => recordPage(options, page, progress)),
    )
  })

/** A draft, then at the same time the second check of it and a retry of its refused claims. */
const rounds = Effect.fnUntraced(function* (
  ports: WritingPorts,
  options: PageOptions,
  progress: Progress,
) {
  const facts = new Map(options.facts.map((fact) => [fact.id, fact]))
  const first = yield* drafted(ports, options, progress)
  yield* inSlices(function* () {
    for (const draft of withinSlots(first)) {
      progress.places.push(judged(draft, options.slots, facts, progress))
      yield
    }
  })
  const check = secondCheck(ports, progress, facts)
  const retry = Effect.gen(function* () {
    const refused = progress.places.flatMap(({ judgement }, place) =>
      judgement.verdict === "refuse" ? [place] : []
    )
    if (refused.length === 0) return
    const answer = [...yield* drafted(ports, options, progress)]
    yield* inSlices(function* () {
      for (const place of refused) {
        const slot = progress.places[place]?.draft.slot
        const n = answer.findIndex((draft) => draft.slot === slot)
        const [draft] = n === -1 ? [] : answer.splice(n, 1)
        if (draft === undefined) continue
        progress.places[place] = judged(draft, options.slots, facts, progress)
        yield
      }
    })
    yield* secondCheck(ports, progress, facts, refused)
  })
  yield* Effect.all([check, retry], { concurrency: 2 })
})

/** The narrator's drafts; none when it fails. */
const drafted = ({ narrator }: WritingPorts, options: PageOptions, progress: Progress) =>
  narrator.draft({
    use: options.use,
    task: options.task,
    facts: options.facts,
    slots: options.slots,
    previous: progress.places.map(({ draft, judgement }) => ({
      draft,
      refusals: judgement.verdict === "refuse" ? judgement.reasons : [],
    })),
  }).pipe(
    Effect.catch(({ reason }) => {
      progress.failed += 1
      return Effect.as(
        Effect.logWarning(`${narrator.name} wrote no claims for the ${options.use}: ${reason}`),
        [],
      )
    }),
  )

/** The first claims of each slot, as many as a slot may have. */
function withinSlots(drafts: ReadonlyArray<ClaimDraft>): ReadonlyArray<ClaimDraft> {
  return drafts.filter(({ slot }, n) =>
    drafts.slice(0, n).filter((before) => before.slot === slot).length < slotClaimsMax
  )
}

function judged(
  draft: ClaimDraft,
  slots: ReadonlyArray<Slot>,
  facts: ReadonlyMap<string, Fact>,
  progress: Progress,
): Place {
  const first = judgementOf(draft, slots, facts)
  const judgement: Judgement = first.verdict !== "refuse" && repeats(first.claim, progress.places)
    ? { verdict: "refuse", reasons: ["it repeats another claim"] }
    : first
  if (judgement.verdict === "refuse") {
    progress.refused += 1
    progress.reasons.push(...judgement.reasons)
  }
  return { draft, judgement, accepted: judgement.verdict === "pass" }
}

function repeats({ text }: Claim, places: ReadonlyArray<Place>): boolean {
  return places.some(({ judgement }) =>
    judgement.verdict !== "refuse" && judgement.claim.text === text
  )
}

/** Asks about the claims at `among` that the grounding could not decide, and accepts the supported. */
const secondCheck = Effect.fnUntraced(function* (
  { claimCheck }: WritingPorts,
  progress: Progress,
  facts: ReadonlyMap<string, Fact>,
  among: ReadonlyArray<number> = progress.places.keys().toArray(),
) {
  const asked = among.flatMap((place) => {
    const judgement = progress.places[place]?.judgement
    return judgement?.verdict === "ask" ? [judgement.claim] : []
  }).slice(0, checkedClaimsMax)
  if (asked.length === 0) return
  progress.asked += asked.length
  const verdicts = yield* claimCheck.check(asked, facts).pipe(
    Effect.catch(({ reason }) => {
      progress.failed += 1
      return Effect.as(Effect.logWarning(`The second check gave no verdicts: ${reason}`), [])
    }),
  )
  const supported = new Set(supportedClaims(asked, verdicts, facts))
  for (const [n, place] of progress.places.entries()) {
    const { judgement } = place
    if (judgement.verdict === "ask" && supported.has(judgement.claim)) {
      progress.places[n] = { ...place, accepted: true }
    }
  }
})

function pageOf(
  { narrator }: WritingPorts,
  { slots, use }: PageOptions,
  { places, refused, asked, failed }: Progress,
): WrittenPage {
  const claims = places.flatMap(({ judgement }) =>
    judgement.verdict === "refuse" ? [] : [judgement.claim]
  )
  const accepted = places.flatMap(({ accepted, judgement }) =>
    accepted && judgement.verdict !== "refuse" ? [judgement.claim] : []
  )
  const filled = fillSlots(slots, accepted, wordsMax[use])
  const written = filled.flatMap(({ sentences }) => sentences)
    .filter(({ kind }) => kind !== "template").length
  return {
    slots: filled,
    narrator: written > 0 ? narrator.name : "template",
    accepted: written,
    refused,
    asked,
    dropped: claims.length - written,
    failed,
  }
}

/** Reasons in one line of the log. */
const reasonsMax = 12

const recordPage = Effect.fnUntraced(function* (
  { use }: PageOptions,
  page: WrittenPage,
  { places, reasons }: Progress,
) {
  const { narrator, accepted, refused, asked, dropped, failed } = page
  yield* Metric.update(texts.pipe(Metric.withAttributes({ text: use, narrator })), 1)
  for (const [verdict, count] of Object.entries({ accepted, refused, asked, dropped })) {
    yield* Metric.update(claimsTotal.pipe(Metric.withAttributes({ text: use, verdict })), count)
  }
  if (places.length + failed === 0) return
  yield* Effect.annotateLogs(
    Effect.logInfo(
      `Claims of the ${use}: ${accepted} accepted, ${refused} refused, ${asked} asked, ${dropped} dropped`,
    ),
    { reasons: reasons.slice(0, reasonsMax) },
  )
})

const claimsTotal = Metric.counter("claims_total", {
  description: "Claims that a model drafted, by verdict",
  incremental: true,
})
const texts = Metric.counter("texts_written_total", {
  description: "Texts published, by author",
  incremental: true,
})
