/**
 * The record of each wallet of a file of entries, in two halves of its time: the first gives the label,
 * the second judges it.
 *
 * @module
 */
import { day } from "../../core/domain/time.ts"
import { type Entry, isSweep } from "../../whales/domain/entry.ts"
import {
  type EnteredMarket,
  eventScores,
  noSums,
  recount,
  type WalletSums,
} from "../../whales/domain/score.ts"
import type { EntryRow } from "./entryRow.ts"

/** An entry with what it was paid. */
export interface PaidEntry extends Entry {
  readonly event: string
  readonly paid: number
}

export interface HalfRecord {
  readonly sums: WalletSums
  readonly entries: ReadonlyArray<PaidEntry>
  readonly sweeps: ReadonlyArray<PaidEntry>
}

export interface WalletHalves {
  readonly first: HalfRecord
  readonly second: HalfRecord
}

/** The halves of one wallet: an event is in the half in which it was first entered. */
export function walletHalves(rows: ReadonlyArray<EntryRow>): WalletHalves {
  const byTime = rows.toSorted((a, b) => a.at - b.at)
  const [from, to] = [byTime[0]?.at ?? 0, byTime.at(-1)?.at ?? 0]
  const middle = from + (to - from) / 2
  const events = [...Map.groupBy(byTime, ({ event }) => event).values()]
  const isFirst = ([row]: ReadonlyArray<EntryRow>) => row !== undefined && row.at < middle
  return {
    first: halfRecord(events.filter(isFirst)),
    second: halfRecord(events.filter((event) => !isFirst(event))),
  }
}

function halfRecord(events: ReadonlyArray<ReadonlyArray<EntryRow>>): HalfRecord {
  const all: Array<PaidEntry> = []
  let sums = noSums
  for (const rows of events) {
    const markets = [...Map.groupBy(rows, ({ market }) => market).values()].map(enteredMarket)
    sums = recount(sums, [], eventScores(markets, 0).flatMap((score) => score ?? []))
    const event = rows[0]?.event ?? ""
    for (const { entries, ended } of markets) {
      for (const entry of entries) {
        all.push({ ...entry, event, paid: ended?.payouts?.[entry.outcome] ?? 0 })
      }
    }
  }
  const sweeps = all.filter(isSweep)
  return { sums, entries: all.filter((entry) => !isSweep(entry)), sweeps }
}

/** The names of a market's first outcome; of other names the first one seen is the first outcome. */
const firstNames = new Set(["yes", "up", "over"])
const secondNames = new Set(["no", "down", "under"])

function enteredMarket(rows: ReadonlyArray<EntryRow>): EnteredMarket {
  const [first] = rows
  const firstOutcome = rows.find(({ outcome }) => firstNames.has(outcome))?.outcome ??
    (secondNames.has(first?.outcome ?? "") ? "" : first?.outcome)
  const indexOf = ({ outcome }: EntryRow) => outcome === firstOutcome ? 0 as const : 1 as const
  const paid = first === undefined ? 0 : indexOf(first) === 0 ? first.payout : 1 - first.payout
  const ends = rows.map(({ endsAt }) => endsAt ?? NaN).filter(Number.isFinite)
  return {
    entries: ([0, 1] as const)
      .flatMap((outcome) =>
        runsOf(rows.filter((row) => indexOf(row) === outcome)).map((run) => entryOf(run, outcome))
      )
      .sort((a, b) => a.firstFillAt - b.firstFillAt),
    ended: {
      payouts: [paid, 1 - paid],
      at: ends.length === 0 ? null : Math.max(...ends),
      waits: false,
    },
    feeRate: 0,
  }
}

/** Buys of one outcome, parted where a day passed without one. */
function runsOf(rows: ReadonlyArray<EntryRow>): ReadonlyArray<ReadonlyArray<EntryRow>> {
  const runs: Array<Array<EntryRow>> = []
  for (const row of rows) {
    const last = runs.at(-1)?.at(-1)
    if (last === undefined || row.at - last.at >= day) runs.push([row])
    else runs.at(-1)?.push(row)
  }
  return runs
}

function entryOf(run: ReadonlyArray<EntryRow>, outcome: 0 | 1): Entry {
  const stakeUsd = run.reduce((sum, row) => sum + row.stakeUsd, 0)
  const shares = run.reduce((sum, { stakeUsd, price }) => sum + stakeUsd / price, 0)
  return {
    outcome,
    price: stakeUsd / shares,
    openingPrice: run[0]?.price ?? stakeUsd / shares,
    ...{ stakeUsd, shares, hedgedShares: 0, fills: run.length },
    firstFillAt: run[0]?.at ?? 0,
    lastFillAt: run.at(-1)?.at ?? 0,
  }
}
