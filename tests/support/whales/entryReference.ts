/**
 * Entries a tenth of a share at a time: slow and plain, to hold the real thing against.
 *
 * @module
 */
import type { NumberedActivityEvent } from "../../../src/markets/domain/activity.ts"
import type { TokenId } from "../../../src/markets/domain/market.ts"

export interface PlainEntry {
  readonly outcome: number
  readonly buys: Array<{ readonly act: NumberedActivityEvent; readonly price: number }>
  hedged: number
}

const turn = ["split", "buy", "sell", "merge", "convert", "redeem"]

/** Where an act stands in its wallet's history, as text that sorts. */
function place(act: NumberedActivityEvent): ReadonlyArray<string | number> {
  const { at, kind, transaction, tokenId, price, size, occurrence } = act
  return [at, turn.indexOf(kind), transaction, tokenId ?? "", price, size, occurrence]
}

function compare(a: ReadonlyArray<string | number>, b: ReadonlyArray<string | number>): number {
  const i = a.findIndex((field, i) => field !== b[i])
  return i < 0 ? 0 : (a[i] ?? 0) < (b[i] ?? 0) ? -1 : 1
}

/**
 * The wallet holds tenths of shares in two heaps, and remembers of each tenth that is not paired with
 * one of the other heap which entry it was bought for.
 */
export function plainEntries(
  acts: ReadonlyArray<NumberedActivityEvent>,
  tokenIds: readonly [TokenId, TokenId],
) {
  const entries: Array<PlainEntry> = []
  const heaps = [0, 0]
  let unpaired: Array<PlainEntry | null> = []
  let side = 0
  const now: { running: PlainEntry | null } = { running: null }
  let missing = 0

  const toward = (outcome: number, act: NumberedActivityEvent, price: number, hedges: boolean) => {
    if (unpaired.length > 0 && side !== outcome) {
      const own = unpaired.lastIndexOf(now.running)
      const [given] = unpaired.splice(own < 0 || now.running === null ? -1 : own, 1)
      if (hedges && given && given === now.running) given.hedged++
      if (unpaired.length === 0) now.running = null
      return
    }
    side = outcome
    const chosen = price > 0 && price < 1
    const last = entries.findLast((entry) => entry.outcome === outcome)
    if (chosen && now.running === null && last?.buys.at(-1)?.act.at === act.at) now.running = last
    if (chosen && now.running === null) {
      now.running = { outcome, buys: [], hedged: 0 }
      entries.push(now.running)
    }
    if (chosen) now.running?.buys.push({ act, price })
    unpaired.push(chosen ? now.running : null)
  }
  const take = (outcome: number) => {
    const had = (heaps[outcome] ?? 0) > 0
    if (had) heaps[outcome] = (heaps[outcome] ?? 0) - 1
    else missing++
    return had
  }

  for (const act of [...acts].sort((a, b) => compare(place(a), place(b)))) {
    const last: number | undefined = now.running?.buys.at(-1)?.act.at
    if (last !== undefined && act.at >= last + 86_400_000) now.running = null
    const token = act.tokenId === null ? 1 : tokenIds.indexOf(act.tokenId)
    for (let tenth = 0; tenth < Math.round(act.size * 10); tenth++) {
      if (act.kind === "buy") {
        heaps[token] = (heaps[token] ?? 0) + 1
        toward(token, act, act.price, true)
      }
      if (act.kind === "sell" && take(token)) toward(1 - token, act, 1 - act.price, false)
      if (act.kind === "convert" && take(token)) toward(1 - token, act, 0, false)
      if (act.kind === "split") heaps.forEach((heap, i) => heaps[i] = heap + 1)
      if (act.kind === "merge") {
        if (Math.min(...heaps) > 0) heaps.forEach((heap, i) => heaps[i] = heap - 1)
        else missing++
      }
    }
    if (act.kind === "redeem") {
      heaps.fill(0)
      unpaired = []
      now.running = null
    }
  }
  return { entries, missing }
}
