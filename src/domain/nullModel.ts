/**
 * What a wallet's entries would come to if prices were fair, as sums that add up over its events.
 *
 * Under fair prices each market pays the side the wallet favoured with the chance it paid for, and all
 * markets of one event follow one uniform draw. The weighted count of favoured sides that are paid is
 * then a sum of independent whole numbers, one an event, so its cumulant generating function is the
 * sum of theirs. It is kept on a fixed grid, from which `saddlepoint.ts` reads a tail probability
 * however long the history is.
 *
 * @module
 */

/** One market of an event, seen from the side the wallet has more entries on. */
export interface FavouredSide {
  /** Entries on it less entries on the other side: a whole number, 0 when there are as many. */
  readonly weight: number
  /** Mean entry price in terms of this side, in (0, 1). */
  readonly price: number
  /** What it was paid, in [0, 1]. */
  readonly paid: number
}

/** Plain JSON; every field is a plain sum over events. */
export interface NullSums {
  /** Sum of weight x paid: what came out. */
  readonly observed: number
  /** Sum of the weights: the most that could come out; the least is 0. */
  readonly most: number
  /** ln of the chance that everything came out, and that nothing did. */
  readonly logAll: number
  readonly logNone: number
  /** Sum of each event's variance x its weight: over the variance, the step of the lattice. */
  readonly steps: number
  /** The cumulant generating function and its first two derivatives at each point of `grid`. */
  readonly value: ReadonlyArray<number>
  readonly slope: ReadonlyArray<number>
  readonly curve: ReadonlyArray<number>
}

/**
 * Where the function is kept. Dense about 0, where wallets with many entries are read, and sparse far
 * out, where straight wins at long odds are: an event with weight a bends the function at distances
 * of 1/a, and a spacing that grows with the distance is as fine beside every bend.
 */
const reach = 14
const half = 30
const stretch = 7.5
export const grid: ReadonlyArray<number> = Array.from(
  { length: 2 * half + 1 },
  (_, i) => reach * Math.sinh(stretch * (i - half) / half) / Math.sinh(stretch),
)
/** Where `grid` is 0: there the slope is the mean and the curve the variance. */
export const middle = half

const zeros: ReadonlyArray<number> = grid.map(() => 0)

export const noNullSums: NullSums = {
  observed: 0,
  most: 0,
  logAll: 0,
  logNone: 0,
  steps: 0,
  value: zeros,
  slope: zeros,
  curve: zeros,
}

/** What one event of one wallet adds. */
export function eventSums(markets: ReadonlyArray<FavouredSide>): NullSums {
  const sides = markets.filter(({ weight }) => weight > 0).sort((a, b) => b.price - a.price)
  const [likeliest] = sides
  const least = sides.at(-1)
  if (likeliest === undefined || least === undefined) return noNullSums
  const outcomes = outcomesOf(sides)
  const most = sides.reduce((sum, { weight }) => sum + weight, 0)
  const tilted = grid.map((t) => tilt(outcomes, t, t > 0 ? most : 0))
  return {
    observed: sides.reduce((sum, { weight, paid }) => sum + weight * paid, 0),
    most,
    logAll: Math.log(least.price),
    logNone: Math.log1p(-likeliest.price),
    steps: most * (tilted[middle]?.curve ?? 0),
    value: tilted.map(({ value }) => value),
    slope: tilted.map(({ slope }) => slope),
    curve: tilted.map(({ curve }) => curve),
  }
}

/** `sums` with `part` added `times` over: -1 takes it away. */
export function addNullSums(sums: NullSums, part: NullSums, times: 1 | -1): NullSums {
  const add = (a: ReadonlyArray<number>, b: ReadonlyArray<number>) =>
    a.map((x, i) => x + times * (b[i] ?? 0))
  return {
    observed: sums.observed + times * part.observed,
    most: sums.most + times * part.most,
    logAll: sums.logAll + times * part.logAll,
    logNone: sums.logNone + times * part.logNone,
    steps: sums.steps + times * part.steps,
    value: add(sums.value, part.value),
    slope: add(sums.slope, part.slope),
    curve: add(sums.curve, part.curve),
  }
}

interface Outcome {
  readonly total: number
  readonly chance: number
}

/**
 * What may come out of one draw: it pays the likeliest side alone, or that and the next, and so on
 * down to the least likely one; or none.
 */
function outcomesOf(sides: ReadonlyArray<FavouredSide>): ReadonlyArray<Outcome> {
  const outcomes: Array<Outcome> = [{ total: 0, chance: 1 - (sides[0]?.price ?? 0) }]
  let total = 0
  sides.forEach(({ weight, price }, i) => {
    total += weight
    outcomes.push({ total, chance: price - (sides[i + 1]?.price ?? 0) })
  })
  return outcomes
}

/** ln E exp(t N) and its derivatives; `pivot` is the outcome with the largest power, taken out. */
function tilt(outcomes: ReadonlyArray<Outcome>, t: number, pivot: number) {
  let mass = 0
  let first = 0
  let second = 0
  for (const { total, chance } of outcomes) {
    const distance = total - pivot
    const tilted = chance * Math.exp(t * distance)
    mass += tilted
    first += tilted * distance
    second += tilted * distance * distance
  }
  const mean = first / mass
  return {
    value: t * pivot + Math.log(mass),
    slope: pivot + mean,
    curve: second / mass - mean ** 2,
  }
}
