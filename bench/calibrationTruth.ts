/**
 * Whale labels against known skill: how often a wallet is labelled in worlds without skill, and how
 * many skilled wallets are found; compared with a win rate of 55 %.
 *
 *     deno task bench:whales [--null 400] [--skilled 400] [--first 1] [--workers 2] [--sharing 8]
 *
 * Each seed is two simulated worlds. In one no wallet has skill: its boards select 100 wallets in the
 * middle of the run, 60 by volume and 40 by profit, with 30 to 400 entries at .02 to .95, some of them
 * in the same market or event. In the other, 20 of the 100 wallets with the largest volume win 8 points
 * more often than their prices, in 600 events at .30 to .70; every `--sharing` seeds also with the same
 * bets in half, a quarter and an eighth of the events. By default the run is short. The exit
 * code is 1 when an aim is missed by more than three standard errors.
 *
 * @module
 */
import { Flag } from "effect/cli"
import { benchArguments } from "./needs.ts"
import type { Counted, Done, Task } from "./calibrationWorker.ts"

const whole = (name: string, otherwise: number) =>
  Flag.Int(name).pipe(
    Flag.withDefault(otherwise),
    Flag.withDescription(`${otherwise} by default`),
  )
const { sharing: sharingEvery, first, workers, ...seeds } = await benchArguments("whales", {
  null: whole("null", 16),
  skilled: whole("skilled", 4),
  first: whole("first", 1),
  sharing: whole("sharing", 4),
  workers: whole("workers", 2),
})

/** `labelled`: worlds without skill in which any wallet is labelled. */
const aims = { labelled: 0.05, found: 0.6, false: 0.05 }

function tasks(): ReadonlyArray<Task> {
  const from = (count: number) => Array.from({ length: count }, (_, i) => first + i)
  return [
    ...from(seeds.skilled).map((seed): Task => {
      const sharings = seed % sharingEvery === 0 ? [1, 2, 4, 8] : [1]
      return { kind: "skilled", seed, sharings }
    }),
    ...from(seeds.null).map((seed): Task => ({ kind: "null", seed, sharings: [] })),
  ]
}

/** Runs the tasks on several workers, each with one task at a time. */
async function runTasks(waiting: Array<Task>): Promise<ReadonlyArray<Done>> {
  const done: Array<Done> = []
  await Promise.all(Array.from({ length: workers }, () =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(new URL("calibrationWorker.ts", import.meta.url), {
        type: "module",
      })
      const next = () => {
        const task = waiting.shift()
        if (task !== undefined) return worker.postMessage(task)
        worker.terminate()
        resolve()
      }
      worker.onmessage = ({ data }: MessageEvent<Done>) => {
        done.push(data)
        next()
      }
      worker.onerror = reject
      next()
    })))
  return done
}

const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((a, b) => a + b, 0)
const percent = (share: number) => `${(100 * share).toFixed(1)} %`
const errorOf = (share: number, count: number) => Math.sqrt(share * (1 - share) / count)

/** The mean over worlds, and its standard error. */
function mean(values: ReadonlyArray<number>): readonly [mean: number, error: number] {
  const average = sum(values) / values.length
  const squares = sum(values.map((value) => (value - average) ** 2))
  return [average, Math.sqrt(squares / Math.max(1, values.length - 1) / values.length)]
}

const ruleNames = (worlds: ReadonlyArray<Counted>) => Object.keys(worlds[0]?.results ?? {})
const resultsOf = (worlds: ReadonlyArray<Counted>, rule: string) =>
  worlds.flatMap(({ results }) => results[rule] ?? [])

/** The share of worlds without skill in which a rule labels any wallet. */
const labelledShare = (worlds: ReadonlyArray<Counted>, rule: string) =>
  resultsOf(worlds, rule).filter(({ labelled }) => labelled > 0).length / worlds.length

function reportNull(name: string, worlds: ReadonlyArray<Counted>): ReadonlyArray<string> {
  if (worlds.length === 0) return []
  const judged = sum(worlds.map(({ judged }) => judged))
  return [
    `${worlds.length} worlds without skill, wallets ${name}: a judged wallet has ` +
    `${(sum(worlds.map(({ entries }) => entries)) / judged).toFixed(0)} entries in ` +
    `${(sum(worlds.map(({ events }) => events)) / judged).toFixed(0)} events, mean edge ` +
    `${(100 * sum(worlds.map(({ edges }) => edges)) / judged).toFixed(2)} points`,
    ...ruleNames(worlds).map((rule) => {
      const each = sum(resultsOf(worlds, rule).map(({ labelled }) => labelled)) / worlds.length
      const worldsShare = percent(labelledShare(worlds, rule))
      return `  ${rule.padEnd(20)} labels a wallet in ${worldsShare.padStart(7)} of worlds, ` +
        `${each.toFixed(2)} wallets a world`
    }),
    `  the true edge is within its 95 % interval for ` +
    percent(sum(worlds.map(({ covered }) => covered)) / judged),
  ]
}

/** The share of skilled wallets that a rule finds, and the share of its labels without skill. */
function findings(worlds: ReadonlyArray<Counted>, rule: string) {
  const results = resultsOf(worlds, rule)
  return {
    found: mean(results.map(({ right, skilled }) => right / skilled)),
    wrong: mean(
      results.map(({ labelled, right }) => labelled === 0 ? 0 : (labelled - right) / labelled),
    ),
  }
}

function reportSkilled(sharing: string, worlds: ReadonlyArray<Counted>): ReadonlyArray<string> {
  const each = (of: (world: Counted) => number) =>
    (sum(worlds.map(of)) / sum(worlds.map(({ judged }) => judged))).toFixed(0)
  return [
    `${worlds.length} worlds with 20 skilled of 100, ${
      each(({ entries }) => entries)
    } entries in ` +
    `${each(({ events }) => events)} events`,
    ...ruleNames(worlds)
      .filter((rule) => sharing === "1" || rule === "this rule")
      .map((rule) => {
        const { found, wrong } = findings(worlds, rule)
        return `  ${rule.padEnd(20)} labels ${percent(found[0]).padStart(7)} of the skilled; ` +
          `${percent(wrong[0])} of labels are false`
      }),
    `  the true edge is within its 95 % interval for ` +
    percent(sum(worlds.map(({ covered }) => covered)) / sum(worlds.map(({ judged }) => judged))),
  ]
}

const started = performance.now()
const done = await runTasks([...tasks()])
const named = (kind: Task["kind"], name: string) =>
  done.filter(({ task }) => task.kind === kind)
    .flatMap(({ counted }) => counted.filter((world) => world.name === name))

const unskilled = named("null", "as in production")
const skilled = named("skilled", "1")
const share = labelledShare(unskilled, "this rule")
const { found, wrong } = findings(skilled, "this rule")
const missed = [
  ...(share > aims.labelled + 3 * errorOf(aims.labelled, unskilled.length)
    ? ["no label without skill"]
    : []),
  ...(found[0] < aims.found - 3 * found[1] ? ["skilled wallets are found"] : []),
  ...(wrong[0] > aims.false + 3 * wrong[1] ? ["labels are true"] : []),
]
const report = [
  ...[
    "as in production",
    "from profit boards, as in production",
    "from profit boards, with entries before the selection",
  ].flatMap((name) => reportNull(name, named("null", name))),
  ...["1", "2", "4", "8"].flatMap((sharing) => {
    const worlds = named("skilled", sharing)
    return worlds.length === 0 ? [] : reportSkilled(sharing, worlds)
  }),
  `aims (labelled ${aims.labelled}, found ${aims.found}, false ${aims.false}, three standard errors) ` +
  (missed.length === 0 ? "met" : `MISSED: ${missed.join(", ")}`),
  `${((performance.now() - started) / 1_000).toFixed(0)} s on ${workers} workers`,
]
await Deno.stdout.write(new TextEncoder().encode(report.join("\n") + "\n"))
Deno.exit(missed.length === 0 ? 0 : 1)
