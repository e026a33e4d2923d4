/**
 * Evidence of skill that stays valid however often it is checked: the wealth of a gambler who copies a wallet.
 *
 * In each event the gambler bets on the first entry of each market, at its first price, with a fixed
 * tilt. If prices are fair, no such bet gains on average, whatever is known when it is made, so the
 * expected wealth is at most 1 whenever it is read: it is an e-process, and wealth 1 / a is reached
 * at any time with a probability of at most a (Ville's inequality; Vovk and Wang, E-values: calibration,
 * combination and applications, Annals of Statistics 49, 2021). Three assumptions: prices are fair,
 * events are independent, and what an event pays does not depend on when it counts. The third is why
 * events count in the order of the schedule (`due.ts`).
 *
 * @module
 */
/** A figure for each tilt. */
type Figures = ReadonlyArray<number>

/** The first counted entry of a wallet in one market of an event. */
export interface Bet {
  /** Opening price in (0, 1), USD a share. */
  readonly price: number
  /** Milliseconds since the epoch. */
  readonly openedAt: number
  /** Payout in [0, 1], USD a share. */
  readonly paid: number
  /** Made before the wallet was selected. */
  readonly early: boolean
}

/** ln of the gambler's wealth, for each tilt. */
interface Wealth {
  readonly follow: Figures
  readonly fade: Figures
}

/** Sums over events. */
export interface EvidenceSums {
  /** Events with a bet from before the selection, and the others. */
  readonly earlyEvents: number
  readonly lateEvents: number
  readonly early: Wealth
  readonly late: Wealth
}

/**
 * The tilts: a bet of tilt t is the best one if the odds of the entry are exp(t) times those of its
 * price. Eight points at 0.5 are a tilt of 0.32. What is detectable shrinks as entries grow: around 0.6
 * with a hundred events, 0.3 with six hundred, 0.1 with thousands.
 */
const tilts = [0.08, 0.15, 0.25, 0.35, 0.55, 1] as const
/** The gambler's capital on each tilt; most is where skill is plausible. They add up to 1. */
const capital = [1 / 14, 2 / 14, 4 / 14, 4 / 14, 2 / 14, 1 / 14] as const

const zeros: Figures = tilts.map(() => 0)
const noWealth: Wealth = { follow: zeros, fade: zeros }
export const noEvidence: EvidenceSums = {
  earlyEvents: 0,
  lateEvents: 0,
  early: noWealth,
  late: noWealth,
}

/**
 * The share of its wealth that the gambler may lose in one event. Bets that would exceed it are not
 * made, in the order of opening, so that wealth stays positive whatever the event pays. A single bet
 * risks less than 0.64.
 */
const riskMax = 0.8

/**
 * The evidence of one event. The markets of an event may depend on each other in any way: each bet is
 * fair at its time, so their sum is fair too.
 */
export function eventEvidence(bets: ReadonlyArray<Bet>): EvidenceSums {
  if (bets.length === 0) return noEvidence
  const inOrder = bets.toSorted((a, b) => a.openedAt - b.openedAt || a.price - b.price)
  const wealth: Wealth = {
    follow: tilts.map((tilt) => logWealth(inOrder, tilt)),
    fade: tilts.map((tilt) => logWealth(inOrder, -tilt)),
  }
  return bets.some(({ early }) => early)
    ? { earlyEvents: 1, lateEvents: 0, early: wealth, late: noWealth }
    : { earlyEvents: 0, lateEvents: 1, early: noWealth, late: wealth }
}

/**
 * ln of 1 + sum of k (paid - price), where k = (e^t - 1) / (1 - price + price e^t): for a single bet the
 * likelihood ratio of odds that are e^t times those of the price.
 */
function logWealth(bets: ReadonlyArray<Bet>, tilt: number): number {
  let risk = 0
  let gain = 0
  for (const { price, paid } of bets) {
    const shares = Math.expm1(tilt) / (1 + price * Math.expm1(tilt))
    const atRisk = tilt > 0 ? shares * price : -shares * (1 - price)
    if (risk + atRisk > riskMax) continue
    risk += atRisk
    gain += shares * (paid - price)
  }
  return Math.log1p(gain)
}

function addFigures(sums: Figures, part: Figures, times: 1 | -1): Figures {
  return sums.map((figure, i) => figure + times * (part[i] ?? 0))
}

/** Adds `part` to `sums`, or subtracts it when `times` is -1. */
export function addEvidence(sums: EvidenceSums, part: EvidenceSums, times: 1 | -1): EvidenceSums {
  const add = (wealth: Wealth, other: Wealth): Wealth =>
    other === noWealth ? wealth : {
      follow: addFigures(wealth.follow, other.follow, times),
      fade: addFigures(wealth.fade, other.fade, times),
    }
  const earlyEvents = sums.earlyEvents + times * part.earlyEvents
  const lateEvents = sums.lateEvents + times * part.lateEvents
  return {
    earlyEvents,
    lateEvents,
    // Subtraction leaves rounding errors. Without events they are cleared.
    early: earlyEvents === 0 ? noWealth : add(sums.early, part.early),
    late: lateEvents === 0 ? noWealth : add(sums.late, part.late),
  }
}

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
 * ln of the e-value against fair prices, for the entries and against them. Wealth from before the
 * selection counts divided by `selectionMax`, and only with a half of the capital.
 */
export function logEvidenceOf(sums: EvidenceSums): {
  readonly follow: number
  readonly fade: number
} {
  const total = (side: keyof Wealth) =>
    logSumExp(tilts.flatMap((_, i) => {
      const share = Math.log(capital[i] ?? 0)
      const late = share + (sums.late[side][i] ?? 0)
      if (sums.earlyEvents === 0) return [late]
      const both = late + (sums.early[side][i] ?? 0)
      return [late + Math.log(lateShare), both + Math.log((1 - lateShare) / selectionMax)]
    }))
  return { follow: total("follow"), fade: total("fade") }
}

/** ln of the sum of exp(x), without overflow. */
function logSumExp(logs: ReadonlyArray<number>): number {
  const most = Math.max(...logs)
  return most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0))
}
