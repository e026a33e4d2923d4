/**
 * Which entries a memory of wallets shows of one market: what the port says, without a database.
 *
 * @module
 */
import { isHedge, type OpenEntry } from "../../../src/whales/domain/entry.ts"
import type { HeldEntry } from "../../../src/whales/domain/heldEntry.ts"

/** A wallet in a market that is open. */
type Holder =
  & Pick<OpenEntry, "wallet" | "name" | "marketMaker" | "calibration">
  & { readonly entries: ReadonlyArray<HeldEntry> }

/** The largest of their entries; where stakes are even, by wallet, name of the entry and outcome. */
export function largestOpen(
  holders: ReadonlyArray<Holder>,
  limit: number,
): ReadonlyArray<OpenEntry> {
  return holders
    .flatMap(({ wallet, name, marketMaker, calibration, entries }) =>
      entries.filter((entry) => !isHedge(entry)).map((entry) => ({
        shown: { wallet, name, marketMaker, calibration, ...figuresOf(entry) },
        entry,
      }))
    )
    .sort((a, b) =>
      b.entry.stakeUsd - a.entry.stakeUsd || byText(a.shown.wallet, b.shown.wallet) ||
      a.entry.openedAt - b.entry.openedAt || a.entry.outcome - b.entry.outcome
    )
    .slice(0, limit)
    .map(({ shown }) => shown)
}

const figuresOf = ({ outcome, price, stakeUsd, firstFillAt }: HeldEntry) => ({
  outcome,
  price,
  stakeUsd,
  firstFillAt,
})

const byText = (a: string, b: string) => a === b ? 0 : a < b ? -1 : 1
