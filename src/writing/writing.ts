/**
 * Writes the claims of a page: a model drafts them, hard checks refuse what code can refuse, and the judge
 * is asked about each that is left. The page keeps the template's sentences wherever no claim is accepted,
 * so it is whole at any time: a slow or broken model costs claims and never the page.
 *
 * @module
 */
import { Cause, type Duration, Effect, Result } from "effect"
import { checkedClaim, type ClaimDraft, type DraftRequest, slotClaimsMax } from "./domain/claims.ts"
import type { Fact } from "./domain/facts.ts"
import { type Claim, type FilledSlot, fillSlots } from "./domain/page.ts"
import { type Narrator, questionsOf } from "./Narrator.ts"

export interface PageOptions extends DraftRequest {
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
  /** Drafts that the hard checks refused. */
  readonly refused: number
  /** Claims that the judge did not support in time, or that a limit of the page left out. */
  readonly dropped: number
  /** Requests without an answer. */
  readonly failed: number
}

/** Mutable, so that what is accepted survives a timeout. */
interface Progress {
  /** Drafts that pass the hard checks. */
  readonly claims: Array<Claim>
  /** Those that the judge supports. */
  readonly accepted: Set<Claim>
  /** Why drafts were refused. */
  readonly reasons: Array<string>
  refused: number
  failed: number
}

/** Never fails, and ends within the time. */
export const writePage = (
  narrator: Narrator["Service"],
  options: PageOptions,
): Effect.Effect<WrittenPage> =>
  Effect.suspend(() => {
    const progress: Progress = {
      claims: [],
      accepted: new Set(),
      reasons: [],
      refused: 0,
      failed: 0,
    }
    return draftAndJudge(narrator, options, progress).pipe(
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) => {
          progress.failed += 1
          return Effect.logError(`${narrator.name} crashed while writing`, cause)
        },
      ),
      Effect.timeoutOption(options.within),
      Effect.map(() => pageOf(narrator, options, progress)),
      Effect.tap((page) => logPage(options, page, progress)),
    )
  })

const draftAndJudge = Effect.fnUntraced(function* (
  narrator: Narrator["Service"],
  options: PageOptions,
  progress: Progress,
) {
  if (!(yield* narrator.trusted)) return
  const { use, task, facts, slots } = options
  const failed = (what: string) =>
    Effect.suspend(() => {
      progress.failed += 1
      return Effect.logWarning(what)
    })
  const drafts = yield* narrator.draft({ use, task, facts, slots }).pipe(
    Effect.catch(({ reason }) =>
      Effect.as(failed(`${narrator.name} wrote no claims for the ${use}: ${reason}`), [])
    ),
  )
  const byId = new Map(facts.map((fact) => [fact.id, fact]))
  for (const draft of withinSlots(drafts)) check(draft, slots, byId, progress)
  yield* Effect.forEach(
    questionsOf(progress.claims),
    (claims) =>
      narrator.supported(claims, byId).pipe(
        Effect.map((supported) => {
          for (const claim of claims) if (supported.includes(claim)) progress.accepted.add(claim)
        }),
        Effect.catch(({ reason }) => failed(`The judge gave no verdicts: ${reason}`)),
      ),
    { concurrency: "unbounded", discard: true },
  )
})

/** The first claims of each slot, as many as a slot may have. */
function withinSlots(drafts: ReadonlyArray<ClaimDraft>): ReadonlyArray<ClaimDraft> {
  return drafts.filter(({ slot }, n) =>
    drafts.slice(0, n).filter((before) => before.slot === slot).length < slotClaimsMax
  )
}

function check(
  draft: ClaimDraft,
  slots: PageOptions["slots"],
  facts: ReadonlyMap<string, Fact>,
  progress: Progress,
): void {
  const found = checkedClaim(draft, slots, facts)
  const reasons = Result.isFailure(found)
    ? found.failure
    : progress.claims.some(({ text }) => text === found.success.text)
    ? ["it repeats another claim"]
    : []
  progress.reasons.push(...reasons)
  if (Result.isSuccess(found) && reasons.length === 0) progress.claims.push(found.success)
  else progress.refused += 1
}

function pageOf(
  narrator: Narrator["Service"],
  { slots, use }: PageOptions,
  { accepted, claims, refused, failed }: Progress,
): WrittenPage {
  const filled = fillSlots(slots, claims.filter((claim) => accepted.has(claim)), wordsMax[use])
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

/** Logs what became of the drafts of a page, if there were any. */
const logPage = (
  { use }: PageOptions,
  { accepted, refused, dropped, failed }: WrittenPage,
  { claims, reasons }: Progress,
) =>
  claims.length + refused + failed === 0 ? Effect.void : Effect.annotateLogs(
    Effect.logInfo(
      `Claims of the ${use}: ${accepted} accepted, ${refused} refused, ${dropped} dropped`,
    ),
    { reasons: reasons.slice(0, reasonsMax) },
  )
