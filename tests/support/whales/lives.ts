/**
 * Wallets' lives, made up for tests of whoever reads them: crowded seconds, rows alike, rows that are
 * no acts, rows that come in late, and news that happens while the past is read.
 *
 * @module
 */
import { Arbitrary, Schema } from "effect"
import { activityEventKey, numberOccurrences } from "../../../src/markets/domain/activity.ts"
import type { EpochMs } from "../../../src/core/domain/time.ts"
import { hour, minute, second } from "../../../src/core/domain/time.ts"
import { Random } from "../random.ts"
import { activityEvent, start, tokens, wallet } from "./activityEvents.ts"
import { lateMsMax, type VenueRow } from "./activity.ts"

const one = <const A extends number>(...of: readonly [A, ...ReadonlyArray<A>]) =>
  Arbitrary.schema(Schema.Literals(of))
const whole = (minimum: number, maximum: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))

const row = Arbitrary.all({
  transaction: one(0, 0, 1),
  lots: one(1, 1, 1, 2),
  isAct: one(1, 1, 1, 1, 0),
  late: one(0, 0, 0, 0, 0, 0.4, 1),
})
const crowd = Arbitrary.all({
  after: one(1, 1, 1, 2, 45, 600, 7_200),
  rows: Arbitrary.array(row, { minLength: 1, maxLength: 14 }),
})

/** A life as steps that shrink, how the venue pages it, and what goes wrong. */
export const lives = Arbitrary.all({
  crowds: Arbitrary.array(crowd, { minLength: 1, maxLength: 20 }),
  pageRowsMax: one(2, 3, 5, 9, 40),
  /** Share of it that has happened when reading begins, in tenths. */
  past: whole(0, 10),
  seed: whole(0, 1_000_000_000),
})
export type Life = typeof lives extends Arbitrary.Arbitrary<infer A> ? A : never

/** What the venue knows of a life in the end, oldest first. */
export function rowsOf({ crowds }: Pick<Life, "crowds">, of = wallet): ReadonlyArray<VenueRow> {
  let at = start
  return crowds.flatMap(({ after, rows }, n) => {
    at += after * second
    return rows.map(({ transaction, lots, isAct, late }): VenueRow => ({
      event: activityEvent("buy", {
        wallet: of,
        tokenId: tokens[0],
        price: 0.4,
        size: 100 * lots,
        at,
        transaction: `0x${n}-${transaction}`,
      }),
      isAct: isAct === 1,
      lateMs: Math.floor(late * lateMsMax),
    }))
  })
}

/** What is to be known of these rows, and nothing else. */
export function truthOf(rows: ReadonlyArray<VenueRow>): ReadonlySet<string> {
  return new Set(
    numberOccurrences(rows.filter(({ isAct }) => isAct).map(({ event }) => event)).map(
      activityEventKey,
    ),
  )
}

/** When reading begins, and when everything has come in. */
export function spanOf(
  rows: ReadonlyArray<VenueRow>,
  { past, seed }: Pick<Life, "past" | "seed">,
): { readonly begin: EpochMs; readonly end: EpochMs } {
  const last = rows.at(-1)?.event.at ?? start
  const split = start + (last - start) * past / 10
  const fraction = new Random(seed).between(0, second)
  return { begin: split + fraction, end: last + hour + 10 * minute }
}
