/**
 * Writes the claims of a page: a model drafts them, hard checks refuse what code can refuse, and the judge
 * is asked about each that is left. The page keeps the template's sentences wherever no claim is accepted,
 * so it is whole at any time: a slow or broken model costs claims and never the page.
 *
 * @module
 */
import { Cause, type Duration, Effect, Metric, Result } from "effect"
import { checkedClaim, type ClaimDraft, type DraftRequest, slotClaimsMax } from "./domain/claims.ts"
import { type Claim, type FilledSlot, fillSlots } from "./domain/page.ts"
import { Judge, questionsOf } from "./Judge.ts"
import { Narrator } from "./Narrator.ts"

/** The ports of `writePage`; yield them once, where a layer is built. */
export interface WritingPorts {
  readonly narrator: Narrator["Service"]
  readonly judge: Judge["Service"]
}
export const writingPorts: Effect.Effect<WritingPorts, never, Narrator | Judge> = Effect.all({
  narrator: Narrator,
  judge: Judge,
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
  /** Drafts that the hard checks refused, those of a repair included. */
  readonly refused: number
  /** Claims that the judge did not support in time, or that a limit of the page left out. */
  readonly dropped: number
  /** Requests without an answer. */
  readonly failed: number
}

/** One place of a draft. A repair writes new claims into the places of the refused ones. */
interface Place {
  readonly draft: ClaimDraft
  /** Null when the hard checks refuse it. */
  readonly claim: Claim | null
  /** Why it is refused. */
  readonly reasons: ReadonlyArray<string>
  /** Whether the judge supports it. */
  readonly accepted: boolean
}

/** Mutable, so that what is accepted survives a timeout. */
interface Progress {
  readonly places: Array<Place>
  /** Why drafts were refused. */
  readonly reasons: Array<string>
  refused: number
  failed: number
}

/** Never fails, and ends within the time. */
export const writePage = (ports: WritingPorts, options: PageOptions): Effect.Effect<WrittenPage> =>
  Effect.suspend(() => {
    const progress: Progress = { places: [], reasons: [], refused: 0, failed: 0 }
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

/** A draft; then at the same time its judgement, and one repair of what the hard checks refused. */
const rounds = Effect.fnUntraced(function* (
  ports: WritingPorts,
  options: PageOptions,
  progress: Progress,
) {
  if (!(yield* ports.judge.trusted)) return
  const first = yield* drafted(ports, options, progress)
  for (const draft of withinSlots(first)) progress.places.push(checked(draft, options, progress))
  const repair = Effect.gen(function* () {
    const refused = progress.places.flatMap(({ claim }, place) => claim === null ? [place] : [])
    if (refused.length === 0) return
    const answer = [...yield* drafted(ports, options, progress)]
    for (const place of refused) {
      const slot = progress.places[place]?.draft.slot
      const n = answer.findIndex((draft) => draft.slot === slot)
      const [draft] = n === -1 ? [] : answer.splice(n, 1)
      if (draft !== undefined) progress.places[place] = checked(draft, options, progress)
    }
    yield* judged(ports, options, progress, refused)
  })
  const all = progress.places.keys().toArray()
  yield* Effect.all([judged(ports, options, progress, all), repair], { concurrency: 2 })
})

/** The narrator's drafts; none when it fails. */
const drafted = ({ narrator }: WritingPorts, options: PageOptions, progress: Progress) =>
  narrator.draft({
    use: options.use,
    task: options.task,
    facts: options.facts,
    slots: options.slots,
    previous: progress.places.map(({ draft, reasons }) => ({ draft, refusals: reasons })),
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

function checked(draft: ClaimDraft, { slots, facts }: PageOptions, progress: Progress): Place {
  const found = checkedClaim(draft, slots, new Map(facts.map((fact) => [fact.id, fact])))
  const isRepeated = Result.isSuccess(found) &&
    progress.places.some(({ claim }) => claim?.text === found.success.text)
  const reasons = Result.isFailure(found)
    ? found.failure
    : isRepeated
    ? ["it repeats another claim"]
    : []
  if (Result.isSuccess(found) && !isRepeated) {
    return { draft, claim: found.success, reasons, accepted: false }
  }
  progress.refused += 1
  progress.reasons.push(...reasons)
  return { draft, claim: null, reasons, accepted: false }
}

/** Asks the judge about the claims at these places, and accepts those that it supports. */
const judged = Effect.fnUntraced(function* (
  { judge }: WritingPorts,
  options: PageOptions,
  progress: Progress,
  among: ReadonlyArray<number>,
) {
  const facts = new Map(options.facts.map((fact) => [fact.id, fact]))
  const asked = among.flatMap((place) => progress.places[place]?.claim ?? [])
  yield* Effect.forEach(questionsOf(asked), (claims) =>
    judge.supported(claims, facts).pipe(
      Effect.map((supported) => {
        for (const [n, place] of progress.places.entries()) {
          if (place.claim !== null && supported.includes(place.claim)) {
            progress.places[n] = { ...place, accepted: true }
          }
        }
      }),
      Effect.catch(({ reason }) => {
        progress.failed += 1
        return Effect.logWarning(`The judge gave no verdicts: ${reason}`)
      }),
    ), { concurrency: "unbounded", discard: true })
})

function pageOf(
  { narrator }: WritingPorts,
  { slots, use }: PageOptions,
  { places, refused, failed }: Progress,
): WrittenPage {
  const claims = places.flatMap(({ claim }) => claim ?? [])
  const accepted = places.flatMap(({ accepted, claim }) =>
    accepted && claim !== null ? [claim] : []
  )
  const filled = fillSlots(slots, accepted, wordsMax[use])
  const written = filled.flatMap(({ sentences }) => sentences)
    .filter(({ kind }) => kind !== "template").length
  return {
    slots: filled,
    narrator: written > 0 ? narrator.name : "template",
    accepted: written,
    refused,
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
  const { narrator, accepted, refused, dropped, failed } = page
  yield* Metric.update(texts.pipe(Metric.withAttributes({ text: use, narrator })), 1)
  for (const [verdict, count] of Object.entries({ accepted, refused, dropped })) {
    yield* Metric.update(claimsTotal.pipe(Metric.withAttributes({ text: use, verdict })), count)
  }
  if (places.length + failed === 0) return
  yield* Effect.annotateLogs(
    Effect.logInfo(
      `Claims of the ${use}: ${accepted} accepted, ${refused} refused, ${dropped} dropped`,
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
