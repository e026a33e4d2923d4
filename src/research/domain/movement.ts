/**
 * What the price did, and which story came first: the reading that every part of a report shares.
 *
 * @module
 */
import { halfSteps, isPrice } from "../../markets/domain/book.ts"
import { headlineLag, stepWithin } from "../../markets/domain/priceStep.ts"
import type { SeriesPoint } from "../../markets/domain/market.ts"
import { bearingOf, repeatsPriceMove } from "../../news/domain/bearing.ts"
import type { RelatedStory } from "../../news/domain/reading.ts"
import { priceOf, type ReportMaterial } from "./material.ts"
import { day, type EpochMs, hour, minute } from "../../core/domain/time.ts"

/** A change of the price between two points. */
export interface Change {
  readonly from: SeriesPoint
  readonly to: SeriesPoint
}

export interface Movement {
  readonly price: SeriesPoint
  /** From the first known point until now; null when less than an hour is known. */
  readonly whole: Change | null
  readonly low: SeriesPoint
  readonly high: SeriesPoint
  /** From a day ago until now; null when no price of a day ago is known. */
  readonly lastDay: Change | null
  /** The change that the report explains: the last day's, else the week's; null in a quiet market. */
  readonly main: Change | null
  /**
   * The largest step from one hour to the next within `main`, and in its direction; its ends are as near
   * as the ticks show. Null also when an outcome is proposed: then the proposal explains the price.
   */
  readonly step: Change | null
  /** Whether the price of every hour of `main` is known, so that a move without a step is a drift. */
  readonly gapless: boolean
  /** The largest step of all; null when no step is known. */
  readonly largest: Change | null
}

/** A point this far from a day ago still counts as a day ago: an hour may lack a price. */
const dayStartSlack = 90 * minute
/** The longest time between two points that count as consecutive hours: one hour may be missing. */
const stepMax = 2 * hour
/** A smaller change of a day, or of a week, is no move. Inclusive. */
const moveMin = halfSteps(0.03)
/** A smaller step is not worth a reason. Inclusive. */
const stepMin = halfSteps(0.01)

/** The signed size in half price steps, for exact comparison. */
export function sizeOf({ from, to }: Change): number {
  return halfSteps(to.mid) - halfSteps(from.mid)
}

export function directionOf(change: Change): "up" | "down" | null {
  const size = sizeOf(change)
  return size === 0 ? null : size > 0 ? "up" : "down"
}

export function movementOf(material: ReportMaterial): Movement {
  const { priceAction } = material
  const [first, ...rest] = priceAction
  const price = priceOf(material)
  const points = [...rest, price]
  const seen = [...material.ticks.filter(({ mid }) => isPrice(mid)), ...points]
  const low = seen.reduce((low, point) => point.mid < low.mid ? point : low, first)
  const high = seen.reduce((high, point) => point.mid > high.mid ? point : high, first)
  const whole = price.at - first.at < hour ? null : { from: first, to: price }
  const before = dayBefore(priceAction, price.at - day)
  const lastDay = before === null ? null : { from: before, to: price }
  const main =
    [lastDay, whole].find((change) => change !== null && Math.abs(sizeOf(change)) >= moveMin) ??
      null
  const steps = stepsOf([first, ...points])
  const step = main === null || material.proposal !== null
    ? undefined
    : steps.find((step) =>
      step.to.at > main.from.at && Math.abs(sizeOf(step)) >= stepMin &&
      directionOf(step) === directionOf(main)
    )
  return {
    ...{ price, whole, low, high, lastDay, main },
    largest: steps[0] ?? null,
    gapless: main !== null && isGapless([first, ...points], main.from.at),
    step: step === undefined ? null : refined(step, material.ticks),
  }
}

/** Whether no two consecutive points since `from` are more than `stepMax` apart. */
function isGapless(points: ReadonlyArray<SeriesPoint>, from: EpochMs): boolean {
  const since = points.filter(({ at }) => at >= from)
  return since.every(({ at }, n) => at - (since[n - 1]?.at ?? at) <= stepMax)
}

/** The point nearest to `at`; null when none is near. */
function dayBefore(points: ReadonlyArray<SeriesPoint>, at: EpochMs): SeriesPoint | null {
  const distance = (point: SeriesPoint) => Math.abs(point.at - at)
  return points.filter((point) => distance(point) <= dayStartSlack)
    .toSorted((a, b) => distance(a) - distance(b))[0] ?? null
}

/** The part of a step in which its ticks show the largest change, if it goes the same way. */
function refined(step: Change, ticks: ReadonlyArray<SeriesPoint>): Change {
  const found = stepWithin(ticks, step.from.at, step.to.at)
  if (found === null) return step
  const part = {
    from: { at: found.from, mid: found.priceFrom },
    to: { at: found.to, mid: found.priceTo },
  }
  return directionOf(part) === directionOf(step) ? part : step
}

/** The steps from hour to hour, the largest first; of equal ones the latest. */
function stepsOf(points: ReadonlyArray<SeriesPoint>): ReadonlyArray<Change> {
  return points.slice(1).flatMap((to, n) => {
    const from = points[n]
    return from === undefined || to.at <= from.at || to.at - from.at > stepMax ? [] : [{ from, to }]
  }).sort((a, b) => Math.abs(sizeOf(b)) - Math.abs(sizeOf(a)) || b.to.at - a.to.at)
}

/** The story to state with a step, and whether it was published before the step was seen. */
export interface StatedStory {
  readonly story: RelatedStory
  /** `inside`: in the hour of the step, so that the order is not known. Null without a step. */
  readonly order: "before" | "inside" | "after" | null
  /** From the publication until the step was seen, or from there until the publication. */
  readonly lagMs: number
  /** Whether its title points against the move, so that it does not explain it. */
  readonly opposed: boolean
}

/** A story is a possible reason for a step this long after it. */
export const reasonLagMax = 6 * hour

/**
 * Whether the title of a story points for or against the first outcome; null when it does not say.
 * Untrusted: a title may be false.
 */
export function bearingOn(
  { market: { question, outcomes } }: ReportMaterial,
  { title }: RelatedStory,
): "for" | "against" | null {
  return bearingOf(title, question, outcomes[0])
}

/** Whether the title of a story only says that the price of the question's own subject moved. */
export function isPriceReport({ market }: ReportMaterial, { title }: RelatedStory): boolean {
  return repeatsPriceMove(title, market.question)
}

/** The outlets that printed a story before a step, and since its start. */
export function outletsAround(
  { outlets }: RelatedStory,
  step: Change,
): { readonly before: number; readonly since: number; readonly isInside: boolean } {
  const span = { from: step.from.at, to: step.to.at }
  const positions = outlets.map(({ publishedAt }) => headlineLag(publishedAt, span).position)
  const before = positions.filter((position) => position === "before").length
  return { before, since: outlets.length - before, isInside: positions.includes("inside") }
}

/** Whether the title of a story points against the direction of a change. */
function isOpposed(material: ReportMaterial, story: RelatedStory, change: Change | null): boolean {
  const direction = change === null ? null : directionOf(change)
  if (direction === null) return false
  return bearingOn(material, story) === (direction === "up" ? "against" : "for")
}

/** The story to state in a report, if it has one: see `statedStory`. */
export function statedIn(material: ReportMaterial): StatedStory | null {
  const { main, step } = movementOf(material)
  return statedStory(
    material.news?.stories ?? [],
    step,
    (story) => isOpposed(material, story, step ?? main),
  )
}

/**
 * The story that may be the reason for a step: the earliest of the last `reasonLagMax` before it was
 * seen; one that points the other way only without any other. Without one the latest before it, else
 * the earliest after it. Without a step the earliest of all. Stories directly about the market come before
 * those about its siblings.
 */
export function statedStory(
  stories: ReadonlyArray<RelatedStory>,
  step: Change | null,
  opposes: (story: RelatedStory) => boolean = () => false,
): StatedStory | null {
  for (const strength of ["direct", "sibling"] as const) {
    const own = stories.filter((story) => story.strength === strength)
      .toSorted((a, b) => a.firstAt - b.firstAt)
    const story = step === null ? own[0] : chosen(own, step.to.at, opposes)
    if (story !== undefined) return stated(story, step, opposes(story))
  }
  return null
}

/** `stories` are ascending. */
function chosen(
  stories: ReadonlyArray<RelatedStory>,
  seenAt: EpochMs,
  opposes: (story: RelatedStory) => boolean,
): RelatedStory | undefined {
  const before = stories.filter(({ firstAt }) => firstAt <= seenAt)
  const near = before.filter(({ firstAt }) => firstAt >= seenAt - reasonLagMax)
  return near.find((story) => !opposes(story)) ?? near[0] ?? before.at(-1) ?? stories[0]
}

function stated(story: RelatedStory, step: Change | null, opposed: boolean): StatedStory {
  if (step === null) return { story, order: null, lagMs: 0, opposed }
  const { position, lagMsMax } = headlineLag(story.firstAt, { from: step.from.at, to: step.to.at })
  return { story, order: position, lagMs: Math.abs(lagMsMax), opposed }
}

/** A first headline this soon after a step reports what moved it. */
const followingLagMax = 2 * hour

/** How a step and the news belong together. */
type Explanation =
  /** The story came before the step, or in its hour. */
  | { readonly kind: "reported"; readonly story: RelatedStory; readonly isInside: boolean }
  /** The first headline followed the step after `lagMs`, so that others knew before it. */
  | { readonly kind: "followed"; readonly story: RelatedStory; readonly lagMs: number }
  /** The title of the story points against the move. */
  | { readonly kind: "opposed"; readonly story: RelatedStory }
  /** There are stories, but no step to compare them with. */
  | { readonly kind: "unmatched" }
  | { readonly kind: "none" }

export function explanationOf(material: ReportMaterial): Explanation {
  const found = statedIn(material)
  if (found === null) return { kind: "none" }
  const { story, order, lagMs, opposed } = found
  if (order === null) return opposed ? { kind: "opposed", story } : { kind: "unmatched" }
  const isTooFar = lagMs > (order === "after" ? followingLagMax : reasonLagMax)
  if (isTooFar) return { kind: "none" }
  if (opposed) return { kind: "opposed", story }
  return order === "after"
    ? { kind: "followed", story, lagMs }
    : { kind: "reported", story, isInside: order === "inside" }
}
