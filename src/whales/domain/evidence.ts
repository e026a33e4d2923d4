/**
 * Evidence of skill that stays valid whatever depends on what: the cash of a gambler who copies a wallet.
 *
 * He starts with 1 USD. When the wallet first buys in a market, he buys the same outcome at the same
 * price with a fixed share of the cash that he has, or the other outcome for `fade`. So bets that are
 * open at the same time are added, and his gains are multiplied only over bets that had ended, on an
 * earlier UTC day, before the next was made. At fair prices what he owns is a martingale: no purchase gains on
 * average, whatever is known when it is made, and whatever the open markets have in common. His cash is
 * never more than that, and cash 1 / a is reached at any time with a probability of at most a
 * (Ville's inequality; Vovk and Wang, E-values: calibration, combination and applications, Annals of
 * Statistics 49, 2021). So neither the order in which results come, nor how often they are read, nor
 * what the wallet does afterwards makes a false label likely.
 *
 * @module
 */
import { day, type EpochMs } from "../../core/domain/time.ts"

/** The first purchase of a wallet in one market. */
export interface Bet {
  /** In (0, 1), USD a share. */
  readonly price: number
  readonly openedAt: EpochMs
  /** When its market ended; null while it is open. */
  readonly endedAt: EpochMs | null
  /** Payout in [0, 1], USD a share; null while its market is open, and when it was cancelled. */
  readonly paid: number | null
}

/** The e-values against fair prices, for the entries and against them: his cash, USD. */
export interface Evidence {
  readonly follow: number
  readonly fade: number
}

/**
 * The gambler divides his dollar evenly over these tilts. A bet of tilt t is the best single one if the
 * odds of the entry are exp(t) times those of its price; eight points at 0.5 are 0.32. The smaller ones
 * leave cash for many bets at a time.
 */
const tilts = [0.03, 0.1, 0.3] as const

/**
 * How many times as likely a wallet is to be selected by a volume board because of its record. Volume
 * grows with profit: three quarters of the top rows of real boards had profits, instead of half. If
 * records are normal, that is a shift of 0.67 standard deviations, and a record four deviations out is
 * then exp(0.67 x 4 - 0.67^2 / 2), about 12 times as frequent among the selected.
 */
const selectionMax = 12
/** The part of the gambler's capital that ignores the bets from before the selection. */
const lateShare = 0.5

/**
 * The evidence of a wallet's bets. Cash that bets from before `selectedAt` helped to win counts divided
 * by `selectionMax`, and only with a half of the capital.
 */
export function evidenceOf(bets: ReadonlyArray<Bet>, selectedAt: EpochMs): Evidence {
  const valid = bets.filter(({ openedAt, endedAt }) => endedAt === null || endedAt > openedAt)
  const late = valid.filter(({ openedAt }) => openedAt >= selectedAt)
  const [all, since] = [cashOf(valid), cashOf(late)]
  const total = (side: keyof Evidence) =>
    late.length === valid.length
      ? all[side]
      : lateShare * since[side] + (1 - lateShare) * all[side] / selectionMax
  return { follow: total("follow"), fade: total("fade") }
}

/** The gambler's cash after all that has ended. */
function cashOf(bets: ReadonlyArray<Bet>): Evidence {
  const inOrder = bets.toSorted((a, b) => a.openedAt - b.openedAt || a.price - b.price)
  const byEnd = inOrder.map(({ endedAt }, i) => ({ i, endedAt: endedAt ?? Infinity }))
    .sort((a, b) => a.endedAt - b.endedAt)
  const mean = (sign: 1 | -1) =>
    tilts.reduce((sum, tilt) => sum + cashAt(inOrder, byEnd, sign * tilt), 0) / tilts.length
  return { follow: mean(1), fade: mean(-1) }
}

/**
 * The cash of one tilt, negative for the other side. The share of cash at risk in a bet of a price is
 * that of the likelihood ratio 1 + k (paid - price) with k = (e^t - 1) / (1 - price + price e^t).
 */
function cashAt(
  inOrder: ReadonlyArray<Bet>,
  byEnd: ReadonlyArray<{ readonly i: number; readonly endedAt: number }>,
  tilt: number,
): number {
  const returned = new Float64Array(inOrder.length)
  const odds = Math.expm1(tilt)
  let cash = 1
  let next = 0
  const settle = (until: number) => {
    for (let end = byEnd[next]; end !== undefined && end.endedAt < until; end = byEnd[++next]) {
      cash += returned[end.i] ?? 0
    }
  }
  for (const [i, { price, openedAt, paid }] of inOrder.entries()) {
    settle(Math.floor(openedAt / day) * day)
    const shares = Math.abs(odds) / (1 + price * odds) * cash
    // Of a cancelled market the stake comes back.
    const payout = paid ?? price
    cash -= shares * (tilt > 0 ? price : 1 - price)
    returned[i] = shares * (tilt > 0 ? payout : 1 - payout)
  }
  settle(Infinity)
  return cash
}
