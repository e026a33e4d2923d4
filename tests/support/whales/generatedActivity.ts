/**
 * Generated activity of wallets, for tests of code that reads it: seconds with many rows, equal rows,
 * rows that are not activity events, late rows, and new rows that arrive while the history is read.
 *
 * @module
 */
import { Arbitrary, Schema } from "effect"
import { numberOccurrences } from "../../../src/markets/domain/activity.ts"
import type { EpochMs } from "../../../src/core/domain/time.ts"
import { hour, minute, second } from "../../../src/core/domain/time.ts"
import { Random } from "../random.ts"
import { activityEvent, activityEventKey, start, tokens, wallet } from "./activityEvents.ts"
import { lateMsMax, type VenueRow } from "./activity.ts"

const one = <const A extends number>(...of: readonly [A, ...ReadonlyArray<A>]) =>
  Arbitrary.schema(Schema.Literals(of))
const whole = (minimum: number, maximum: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))

const row = Arbitrary.all({
  transaction: one(0, 0, 1),
  lots: one(1, 1, 1, 2),
  isActivity: one(1, 1, 1, 1, 0),
  late: one(0, 0, 0, 0, 0, 0.4, 1),
})
const crowd = Arbitrary.all({
  after: one(1, 1, 1, 2, 45, 600, 7_200),
  rows: Arbitrary.array(row, { minLength: 1, maxLength: 14 }),
})

/** Activity as steps that shrink, and how the venue pages it. */
export const generatedActivity = Arbitrary.all({
  crowds: Arbitrary.array(crowd, { minLength: 1, maxLength: 20 }),
  pageRowsMax: one(2, 3, 5, 9, 40),
  /** The share of it before reading begins, in tenths. */
  past: whole(0, 10),
  seed: whole(0, 1_000_000_000),
})
export type GeneratedActivity = typeof generatedActivity extends Arbitrary.Arbitrary<infer A> ? A
  : never

/** All rows of the venue, oldest first. */
export function rowsOf(
  { crowds }: Pick<GeneratedActivity, "crowds">,
  of = wallet,
): ReadonlyArray<VenueRow> {
  let at = start
  return crowds.flatMap(({ after, rows }, n) => {
    at += after * second
    return rows.map(({ transaction, lots, isActivity, late }): VenueRow => ({
      event: activityEvent("buy", {
        wallet: of,
        tokenId: tokens[0],
        price: 0.4,
        size: 100 * lots,
        at,
        transaction: `0x${n}-${transaction}`,
      }),
      isActivity: isActivity === 1,
      lateMs: Math.floor(late * lateMsMax),
    }))
  })
}

/** The keys that must be stored after all these rows were read. */
export function truthOf(rows: ReadonlyArray<VenueRow>): ReadonlySet<string> {
  return new Set(
    numberOccurrences(rows.filter(({ isActivity }) => isActivity).map(({ event }) => event)).map(
      activityEventKey,
    ),
  )
}

/** When reading begins, and when the last row is visible. */
export function spanOf(
  rows: ReadonlyArray<VenueRow>,
  { past, seed }: Pick<GeneratedActivity, "past" | "seed">,
): { readonly begin: EpochMs; readonly end: EpochMs } {
  const last = rows.at(-1)?.event.at ?? start
  const split = start + (last - start) * past / 10
  const fraction = new Random(seed).between(0, second)
  return { begin: split + fraction, end: last + hour + 10 * minute }
}
