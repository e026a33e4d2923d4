/**
 * Generated records of wallets: their entries by event and market, and the payouts.
 *
 * @module
 */
import { Arbitrary, Schema } from "effect"
import type { Entry } from "../../../src/whales/domain/entry.ts"
import type { ResolvedPosition } from "../../../src/whales/domain/score.ts"

export type PlayedEvent = ReadonlyArray<ResolvedPosition>

/** An entry of 1,000 USD at 0.5 by default. */
export function entry(fields: Partial<Entry> = {}): Entry {
  const price = fields.price ?? 0.5
  const stakeUsd = fields.stakeUsd ?? 1_000
  return {
    outcome: 0,
    price,
    openingPrice: price,
    stakeUsd,
    shares: stakeUsd / price,
    hedgedShares: 0,
    fills: 1,
    firstFillAt: 0,
    lastFillAt: 0,
    ...fields,
  }
}

/** Entries, `perEvent` in each event; the first `won` of them are paid. */
export function played(
  entries: number,
  won: number,
  price: number,
  perEvent = 1,
  feeRate = 0,
): ReadonlyArray<PlayedEvent> {
  return Array.from({ length: entries / perEvent }, (_, i) => [{
    entries: Array.from({ length: perEvent }, () => entry({ price })),
    payouts: i * perEvent < won ? [1, 0] as const : [0, 1] as const,
    feeRate,
  }])
}

const whole = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const anyEntry = Arbitrary.map(
  Arbitrary.schema(Schema.Struct({
    outcome: Schema.Literals([0, 1]),
    thousandths: whole(5, 995),
    stakeUsd: whole(1, 50_000),
    hedged: whole(0, 300),
  })),
  ({ outcome, thousandths, stakeUsd, hedged }): Entry => {
    const price = thousandths / 1_000
    const shares = stakeUsd / price
    // One in three is hedged, one in six by more than half.
    return entry({
      outcome,
      price,
      stakeUsd,
      hedgedShares: Math.max(0, hedged - 200) / 100 * shares,
      // Different entries are opened at different times.
      firstFillAt: 100_000 * thousandths + stakeUsd,
      lastFillAt: 100_000 * thousandths + stakeUsd,
    })
  },
)

const allPayouts = [[1, 0], [0, 1], [1, 0], [0, 1], [0.5, 0.5], [0.3, 0.7], null] as const

const anyMarket = Arbitrary.map(
  Arbitrary.all({
    entries: Arbitrary.array(anyEntry, { minLength: 1, maxLength: 4 }),
    paid: Arbitrary.schema(whole(0, allPayouts.length - 1)),
    feePercent: Arbitrary.schema(whole(0, 4)),
  }),
  ({ entries, paid, feePercent }): ResolvedPosition => ({
    entries,
    payouts: allPayouts[paid] ?? null,
    feeRate: feePercent / 100,
  }),
)

export const anyEvent: Arbitrary.Arbitrary<PlayedEvent> = Arbitrary.array(anyMarket, {
  minLength: 1,
  maxLength: 3,
})
export const anyRecord: Arbitrary.Arbitrary<ReadonlyArray<PlayedEvent>> = Arbitrary.array(
  anyEvent,
  {
    minLength: 1,
    maxLength: 25,
  },
)

/** The counted entries, each with its payout and the number of its event. */
export function counted(record: ReadonlyArray<PlayedEvent>) {
  return record.flatMap((event, number) =>
    event.flatMap(({ entries, payouts, feeRate }) =>
      payouts === null ? [] : entries
        .filter(({ shares, hedgedShares }) => hedgedShares <= shares / 2)
        .filter(({ openingPrice }) => openingPrice < 0.95)
        .map((it) => ({ ...it, feeRate, event: number, paid: payouts[it.outcome] }))
    )
  )
}

/** Whether all figures are equal except for rounding. */
export function alike(a: unknown, b: unknown, tolerance = 1e-9): boolean {
  if (typeof a === "number" && typeof b === "number") {
    return a === b || Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a), Math.abs(b))
  }
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))]
  return left.length === right.size &&
    left.every(([key, value]) => right.has(key) && alike(value, right.get(key), tolerance))
}
