/**
 * A reference for `entriesOf`: computes entries one tenth of a share at a time, slow and simple.
 *
 * @module
 */
import type { NumberedActivityEvent } from "../../../src/markets/domain/activity.ts"
import type { TokenId } from "../../../src/markets/domain/market.ts"

export interface PlainEntry {
  readonly outcome: number
  readonly buys: Array<{ readonly event: NumberedActivityEvent; readonly price: number }>
  hedged: number
}

const turn = ["split", "buy", "sell", "merge", "convert", "redeem"]

/** The sort key of an event. */
function place(event: NumberedActivityEvent): ReadonlyArray<string | number> {
  const { at, kind, transaction, tokenId, price, size, occurrence } = event
  return [at, turn.indexOf(kind), transaction, tokenId ?? "", price, size, occurrence]
}

function compare(a: ReadonlyArray<string | number>, b: ReadonlyArray<string | number>): number {
  const i = a.findIndex((field, i) => field !== b[i])
  return i < 0 ? 0 : (a[i] ?? 0) < (b[i] ?? 0) ? -1 : 1
}

/**
 * The wallet holds tenths of shares of each outcome in a heap. Each tenth that is not paired with one of
 * the other heap belongs to the entry that bought it.
 */
export function plainEntries(
  activity: ReadonlyArray<NumberedActivityEvent>,
  tokenIds: readonly [TokenId, TokenId],
) {
  const entries: Array<PlainEntry> = []
  const heaps = [0, 0]
  let unpaired: Array<PlainEntry | null> = []
  let side = 0
  const now: { running: PlainEntry | null } = { running: null }
  let missing = 0

  const toward = (
    outcome: number,
    event: NumberedActivityEvent,
    price: number,
    hedges: boolean,
  ) => {
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
    if (chosen && now.running === null && last?.buys.at(-1)?.event.at === event.at) {
      now.running = last
    }
    if (chosen && now.running === null) {
      now.running = { outcome, buys: [], hedged: 0 }
      entries.push(now.running)
    }
    if (chosen) now.running?.buys.push({ event, price })
    unpaired.push(chosen ? now.running : null)
  }
  const take = (outcome: number) => {
    const had = (heaps[outcome] ?? 0) > 0
    if (had) heaps[outcome] = (heaps[outcome] ?? 0) - 1
    else missing++
    return had
  }

  for (const event of [...activity].sort((a, b) => compare(place(a), place(b)))) {
    const last: number | undefined = now.running?.buys.at(-1)?.event.at
    if (last !== undefined && event.at >= last + 86_400_000) now.running = null
    const token = event.tokenId === null ? 1 : tokenIds.indexOf(event.tokenId)
    for (let tenth = 0; tenth < Math.round(event.size * 10); tenth++) {
      if (event.kind === "buy") {
        heaps[token] = (heaps[token] ?? 0) + 1
        toward(token, event, event.price, true)
      }
      if (event.kind === "sell" && take(token)) toward(1 - token, event, 1 - event.price, false)
      if (event.kind === "convert" && take(token)) toward(1 - token, event, 0, false)
      if (event.kind === "split") heaps.forEach((heap, i) => heaps[i] = heap + 1)
      if (event.kind === "merge") {
        if (Math.min(...heaps) > 0) heaps.forEach((heap, i) => heaps[i] = heap - 1)
        else missing++
      }
    }
    if (event.kind === "redeem") {
      heaps.fill(0)
      unpaired = []
      now.running = null
    }
  }
  return { entries, missing }
}
