/**
 * Whether the drift that movers carry is right: `deno run -A --no-check bench/moverDrift.ts FILE[:TICK] ...`
 *
 * Replays the movers' rule over price files in order of time (JSON lines, as `deno task backtest` reads
 * them; TICK in minutes, 10 without it), and asks of each file and of both rules:
 *
 * - first half against second half, split by time: per bin with enough events in the first half and
 *   `eventsNextMin` in the second, does the interval for as many events contain the mean drift that
 *   followed? Moves of an event in both halves count in the first only.
 * - all other files against this one, in the same way;
 * - the shipped table (`publicOutcomes.ts`) against this file, which is out of sample only for a file
 *   that the table does not rest on;
 * - the service's own test, in order of time (`restate`).
 *
 * @module
 */
import { Result } from "effect"
import { publicOutcomes } from "../src/movers/domain/publicOutcomes.ts"
import { priceReplay, type ReplayItem } from "../src/backtest/domain/priceReplay.ts"
import { priceRow } from "../src/backtest/domain/priceRow.ts"
import { isConverged } from "../src/movers/domain/gates.ts"
import { minute } from "../src/core/domain/time.ts"
import { fromHalfSteps } from "../src/markets/domain/book.ts"
import {
  addSums,
  binsOf,
  driftOf,
  type Horizon,
  type JudgedMove,
  martingaleKept,
  outcomeOf,
  type OutcomeSums,
  restate,
  type Statement,
  sumsByBin,
  type SumsByHorizon,
} from "../src/movers/domain/moveOutcomes.ts"

/** Fewer events that followed say little about an interval. */
const eventsNextMin = 10

interface Judged extends JudgedMove {
  readonly at: number
  readonly horizon: Horizon
  readonly isMover: boolean
}

async function judgedOf(file: string, tickMinutes: number): Promise<ReadonlyArray<Judged>> {
  const judged: Array<Judged> = []
  const onOutcome = (item: ReplayItem, horizon: Horizon, price: number | null) => {
    if (price === null) return
    const { window, delta, endsAt, now, zScore, event } = item
    const converged = isConverged(item.priceNow)
    const features = { window, delta, endsAt, converged, zScore: zScore ?? 0, emittedAt: now }
    const isMover = item.naive === null
    if (!isMover && !item.naive.includes(5)) return
    judged.push({
      ...{ at: now, horizon, isMover, event: `${file} ${event}`, bins: binsOf(features) },
      ...outcomeOf(item, price),
    })
  }
  const replay = priceReplay("time", tickMinutes * minute, { onItem: () => {}, onOutcome })
  for (const line of (await Deno.readTextFile(file)).split("\n")) {
    const row = line === "" ? null : priceRow(JSON.parse(line))
    if (row !== null && Result.isSuccess(row)) replay.observe(row.success)
  }
  replay.finish()
  return judged.sort((a, b) => a.at - b.at)
}

/** Bins whose interval from `before` contained the mean drift of the new events in `after`. */
function tested(before: ReadonlyArray<JudgedMove>, after: ReadonlyArray<JudgedMove>) {
  const known = new Set(before.map(({ event }) => event))
  return testedBy(sumsByBin(before), after.filter(({ event }) => !known.has(event)))
}

function testedBy(before: SumsByHorizon[Horizon], after: ReadonlyArray<JudgedMove>) {
  const followed = sumsByBin(after)
  const bins = [...before].flatMap(([bin, sums]) => {
    const next = followed.get(bin)
    if (next === undefined || next.events < eventsNextMin) return []
    const drift = driftOf(sums, next.events)
    if (drift === null) return []
    const mean = fromHalfSteps(next.drift / next.moves)
    return [{ bin, ...drift, mean, isIn: drift.driftLow <= mean && mean <= drift.driftHigh }]
  })
  return { bins, contained: bins.filter(({ isIn }) => isIn).length }
}

/** The service's own test over all bins, move by move. */
function restated(moves: ReadonlyArray<Judged>) {
  const stated = new Map<string, Statement | null>()
  let [tests, contained] = [0, 0]
  for (let n = 100; n < moves.length + 100; n += 100) {
    for (const [bin, sums] of sumsByBin(moves.slice(0, n))) {
      const next = restate(stated.get(bin) ?? null, sums)
      stated.set(bin, next.stated)
      if (next.contained === null) continue
      tests += 1
      contained += next.contained ? 1 : 0
    }
  }
  return `${contained} of ${tests}`
}

const cents = (price: number) => (100 * price).toFixed(2)

/** All moves of one state. */
function overall(moves: ReadonlyArray<JudgedMove>, state: string) {
  const sums = sumsByBin(moves).get(state)
  if (sums === undefined) return {}
  const drift = driftOf(sums)
  const margins = moves.filter(({ bins }) => bins.includes(state)).map(({ margin }) =>
    [margin, 1] as const
  )
  const martingale = martingaleKept(margins, sums.drift / sums.moves) / sums.moves
  return {
    moves: sums.moves,
    events: sums.events,
    "drift, cents": drift === null
      ? ""
      : `${cents(drift.drift)} [${cents(drift.driftLow)}, ${cents(drift.driftHigh)}]`,
    kept: (sums.kept / sums.moves).toFixed(3),
    martingale: martingale.toFixed(3),
  }
}

const sets = await Promise.all(
  Deno.args.map(async (argument) => {
    const [file = "", tick = "10"] = argument.split(":")
    return { file, judged: await judgedOf(file, Number(tick)) }
  }),
)
for (const isMover of [true, false]) {
  const rows = sets.flatMap(({ file, judged }) =>
    (["1h", "24h"] as const).flatMap((horizon) => {
      const pick = (of: ReadonlyArray<Judged>) =>
        of.filter((move) => move.isMover === isMover && move.horizon === horizon)
      const moves = pick(judged)
      const half = Math.floor(moves.length / 2)
      const others = pick(sets.flatMap((set) => set.file === file ? [] : set.judged))
      const [split, across, shipped] = [
        tested(moves.slice(0, half), moves.slice(half)),
        tested(others, moves),
        testedBy(publicOutcomes.sums[horizon], moves),
      ]
      if (Deno.env.has("BINS")) {
        // deno-lint-ignore no-console
        console.table([...split.bins, ...across.bins])
      }
      const shares = {
        halves: `${split.contained} of ${split.bins.length}`,
        "other files": `${across.contained} of ${across.bins.length}`,
        shipped: `${shipped.contained} of ${shipped.bins.length}`,
        "own test": restated(moves),
      }
      return ["contested", "converged"].map((state) => ({
        file: file.split("/").at(-1),
        horizon,
        state,
        ...overall(moves, state),
        ...state === "contested" ? shares : {},
      }))
    })
  )
  // deno-lint-ignore no-console
  console.log(isMover ? "movers" : "naive 5 points")
  // deno-lint-ignore no-console
  console.table(rows)
}

/** The sums of all files, as a table that the service can ship. */
if (Deno.env.has("SUMS")) {
  const all: Record<string, Record<string, OutcomeSums>> = {}
  for (const horizon of ["1h", "24h"] as const) {
    const merged = new Map<string, OutcomeSums>()
    for (const { judged } of sets) {
      const of = sumsByBin(judged.filter((move) => move.isMover && move.horizon === horizon))
      for (const [bin, sums] of of) {
        const before = merged.get(bin)
        merged.set(bin, before === undefined ? sums : addSums(before, sums))
      }
    }
    all[horizon] = Object.fromEntries([...merged].sort())
  }
  // deno-lint-ignore no-console
  console.log(JSON.stringify(all, null, 2))
}
