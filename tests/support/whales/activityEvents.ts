/**
 * Generated activity of a wallet in a market, with all oddities of the venue's rows, and a venue that
 * returns it in pages.
 *
 * @module
 */
import { Arbitrary, Schema } from "effect"
import {
  type ActivityEvent,
  type ActivityEventKind,
  type ActivityEventPage,
  type NumberedActivityEvent,
  wholeSeconds,
} from "../../../src/markets/domain/activity.ts"
import { MarketId, TokenId } from "../../../src/markets/domain/market.ts"
import { day, type EpochMs, hour, minute, second } from "../../../src/core/domain/time.ts"
import type { Random } from "../random.ts"

export const wallet = "0x379a410a36c101e3b8dfb6c90d1176eb0def4b1a"
export const marketId = MarketId.make("0x571a")
export const tokens = [TokenId.make("7001"), TokenId.make("42")] as const
export const start = Date.parse("2026-09-14T10:00:00Z")

/** An activity event at `start` by default; trades need a token and a price in `fields`. */
/** The hash of the n-th transaction. */
export const hashOf = (n: number) => `0x${`${n}`.padStart(64, "a")}`

export function activityEvent(
  kind: ActivityEventKind,
  fields: Partial<ActivityEvent> = {},
): ActivityEvent {
  return {
    wallet,
    marketId,
    kind,
    tokenId: null,
    size: 100,
    price: 0,
    at: start,
    transaction: "0xaa",
    ...fields,
  }
}

const whole = (minimum: number, maximum: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))
const one = <const A extends string | number>(...of: ReadonlyArray<A>) =>
  Arbitrary.schema(Schema.Literals(of))

/** Mostly trades, with sizes that floats add inexactly, and some prices outside (0, 1). */
const step = Arbitrary.all({
  kind: one(
    ...["buy", "buy", "buy", "buy", "buy", "buy", "sell", "sell", "sell"] as const,
    ...["split", "merge", "convert", "redeem"] as const,
  ),
  token: one(0, 0, 1),
  named: one(0, 1),
  tenths: one(1, 2, 3, 7, 10, 10, 11, 50),
  price: one(0.5, 0.02, 0.31, 0.31, 0.62, 0.955, 0.999, 0.123_456, 0, 1, 1.000_1),
  copies: one(1, 1, 1, 2, 4),
  after: one(0, 0, 0, second, minute, hour, 23 * hour, day, day - second, 2 * day),
  joined: one(0, 1),
  mark: whole(0, 9),
})

export type Step = typeof step extends Arbitrary.Arbitrary<infer A> ? A : never
/** A wallet's activity in one market, as steps that shrink. */
export const steps = Arbitrary.array(step, { minLength: 1, maxLength: 40 })

/** Enough runs of enough steps to cover every branch many times. */
export const manyWallets = { runs: 2_000, size: 40 }

/**
 * The activity events of steps, oldest first. A step may join the transaction of the step before;
 * transactions of one second are unordered.
 */
export function activityOfSteps(given: ReadonlyArray<Step>): ReadonlyArray<ActivityEvent> {
  const activity: Array<ActivityEvent> = []
  let at: EpochMs = start
  let transaction = ""
  given.forEach((step, i) => {
    at += step.after
    if (transaction === "" || step.after > 0 || step.joined === 0) {
      transaction = `0x${step.mark}${i}`
    }
    const trade = step.kind === "buy" || step.kind === "sell"
    const named = trade || (step.kind === "convert" && step.named === 1)
    const row = activityEvent(step.kind, {
      tokenId: named ? tokens[step.token] : null,
      size: step.tenths / 10,
      price: trade ? step.price : 0,
      at,
      transaction,
    })
    for (let copy = 0; copy < step.copies; copy++) activity.push(row)
  })
  return activity
}

/** Unique to one event, whatever its order of fields. */
export function activityEventKey(event: NumberedActivityEvent): string {
  const { wallet, transaction, marketId, kind, tokenId, size, price, occurrence } = event
  return [wallet, transaction, marketId, kind, tokenId ?? "", size, price, occurrence].join(" ")
}

/** The same items in a random order. */
export function shuffled<A>(items: ReadonlyArray<A>, random: Random): ReadonlyArray<A> {
  const left = [...items]
  return items.flatMap(() => left.splice(random.below(left.length), 1))
}

/**
 * A page of these events: newest first, of random length, rows of one second in a fixed order. It is
 * longer than any second. The last page sometimes says that there are more.
 */
export function pageOf(
  activity: ReadonlyArray<ActivityEvent>,
  range: Range,
  random: Random,
): ActivityEventPage {
  const seconds = [...Map.groupBy(activity, ({ at }) => at).values()]
  const longest = Math.max(...seconds.map(({ length }) => length))
  const inRange = activity.toReversed()
    .sort((a, b) => b.at - a.at)
    .filter(({ at }) => range.from <= at && at <= range.to)
  const page = inRange.slice(0, longest + 1 + random.below(5))
  const oldest = page.at(-1)?.at ?? null
  const isFull = page.length < inRange.length
  return {
    rows: page.map((event) => ({ event })),
    oldest,
    more: isFull || (oldest !== null && oldest < range.to && random.chance(0.1)),
  }
}

interface Range {
  readonly from: number
  readonly to: number
}

const pagesMax = 5_000

/**
 * Reads a wallet as a service with crashes does: it saves a set of events and how far it has read.
 * After a crash it reads again from there, sometimes with an overlap.
 */
export function readThrough(
  activity: ReadonlyArray<ActivityEvent>,
  random: Random,
  crashes = 0,
): ReadonlyArray<NumberedActivityEvent> {
  const saved = new Map<string, NumberedActivityEvent>()
  let range: Range = {
    from: start - day,
    to: activity.reduce((latest, { at }) => Math.max(latest, at), start) + 3 * second,
  }
  for (let pages = 0; pages < pagesMax; pages++) {
    const taken = wholeSeconds(range, pageOf(activity, range, random))
    const again = random.chance(crashes)
    // A page is saved completely or not at all.
    const isSaved = !again || random.chance(0.5)
    if (isSaved) taken.activity.forEach((event) => saved.set(activityEventKey(event), event))
    if (!again && taken.end === "all") return [...saved.values()]
    const to = isSaved ? taken.from - 1 : range.to
    range = { ...range, to: again ? Math.max(to, range.from) + random.pick([0, second, hour]) : to }
  }
  throw new Error("Cannot read the wallet: pages without an end")
}
