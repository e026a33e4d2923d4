/**
 * Whale labels against known skill: how often a wallet is labelled in worlds without skill, and how
 * many skilled wallets are found; compared with a win rate of 55 % and a plain t-test.
 *
 *     deno task bench:whales [--seeds 400] [--null 400] [--skilled 400] [--first 1] [--workers 2]
 *         [--sharing 8]
 *
 * Each seed is two simulated worlds. In one no wallet has skill: 100 wallets that its boards picked
 * half way, 60 by volume and 40 by profit, with 30 to 400 entries at .02 to .95, some of them in one
 * market or event. In the other 20 of the 100 with the largest volume are right 8 points more often
 * than they pay for, in 600 events at .30 to .70; every so many seeds (`--sharing`) also with those
 * bets made in half, a quarter and an eighth of the events. Without `--seeds` a run short enough for
 * every change. Ends with 1 when an aim is missed by more than three standard errors.
 *
 * @module
 */
import type { Counted, Done, Task } from "./calibrationWorker.ts"

const option = (name: string, otherwise: number) => {
  const at = Deno.args.indexOf(`--${name}`)
  return at < 0 ? otherwise : Number(Deno.args[at + 1])
}
const seeds = {
  null: option("null", option("seeds", 16)),
  skilled: option("skilled", option("seeds", 4)),
}
const first = option("first", 1)
const sharingEvery = option("sharing", seeds.skilled > 8 ? 8 : 4)
const workers = option("workers", 2)

const aims = { anyone: 0.05, found: 0.8, false: 0.05 }

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

/** Works tasks off on several workers, each with one at a time. */
async function workOff(waiting: Array<Task>): Promise<ReadonlyArray<Done>> {
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

/** Mean over worlds, and its standard error. */
function mean(values: ReadonlyArray<number>): readonly [mean: number, error: number] {
  const average = sum(values) / values.length
  const squares = sum(values.map((value) => (value - average) ** 2))
  return [average, Math.sqrt(squares / Math.max(1, values.length - 1) / values.length)]
}

const ruleNames = (worlds: ReadonlyArray<Counted>) => Object.keys(worlds[0]?.verdicts ?? {})
const of = (worlds: ReadonlyArray<Counted>, rule: string) =>
  worlds.flatMap(({ verdicts }) => verdicts[rule] ?? [])

/** Share of worlds without skill in which a rule labels anyone. */
const anyone = (worlds: ReadonlyArray<Counted>, rule: string) =>
  of(worlds, rule).filter(({ labelled }) => labelled > 0).length / worlds.length

function reportNull(name: string, worlds: ReadonlyArray<Counted>): ReadonlyArray<string> {
  if (worlds.length === 0) return []
  const judged = sum(worlds.map(({ judged }) => judged))
  const share = (i: 0 | 1 | 2) => sum(worlds.map(({ small }) => small[i])) / judged
  return [
    `${worlds.length} worlds without skill, wallets ${name}: a judged wallet has ` +
    `${(sum(worlds.map(({ entries }) => entries)) / judged).toFixed(0)} entries in ` +
    `${(sum(worlds.map(({ events }) => events)) / judged).toFixed(0)} events, mean edge ` +
    `${(100 * sum(worlds.map(({ edges }) => edges)) / judged).toFixed(2)} points`,
    ...ruleNames(worlds).map((rule) => {
      const each = sum(of(worlds, rule).map(({ labelled }) => labelled)) / worlds.length
      const worldsShare = percent(anyone(worlds, rule))
      return `  ${rule.padEnd(20)} labels anyone in ${worldsShare.padStart(7)} of worlds, ` +
        `${each.toFixed(2)} wallets a world`
    }),
    `  p-values up to .05, .01, .001: ${percent(share(0))}, ${percent(share(1))}, ` +
    `${(100 * share(2)).toFixed(2)} %; the true edge is within its 95 % interval for ` +
    percent(sum(worlds.map(({ covered }) => covered)) / judged),
  ]
}

/** Of the skilled, the share a rule finds; of those it labels, the share that has no skill. */
function findings(worlds: ReadonlyArray<Counted>, rule: string) {
  const verdicts = of(worlds, rule)
  return {
    found: mean(verdicts.map(({ right, skilled }) => right / skilled)),
    wrong: mean(
      verdicts.map(({ labelled, right }) => labelled === 0 ? 0 : (labelled - right) / labelled),
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
      .filter((rule) => sharing === "1" || rule === "this rule" || rule === "t-test, corrected")
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
const done = await workOff([...tasks()])
const named = (kind: Task["kind"], name: string) =>
  done.filter(({ task }) => task.kind === kind)
    .flatMap(({ counted }) => counted.filter((world) => world.name === name))

const ruled = named("null", "as ruled")
const skilled = named("skilled", "1")
const share = anyone(ruled, "this rule")
const { found, wrong } = findings(skilled, "this rule")
const missed = [
  ...(share > aims.anyone + 3 * errorOf(aims.anyone, ruled.length) ? ["no skill, no label"] : []),
  ...(found[0] < aims.found - 3 * found[1] ? ["the skilled are found"] : []),
  ...(wrong[0] > aims.false + 3 * wrong[1] ? ["labels are true"] : []),
]
const report = [
  ...[
    "as ruled",
    "from profit boards, as ruled",
    "from profit boards, had what they won before counted",
  ].flatMap((name) => reportNull(name, named("null", name))),
  ...["1", "2", "4", "8"].flatMap((sharing) => {
    const worlds = named("skilled", sharing)
    return worlds.length === 0 ? [] : reportSkilled(sharing, worlds)
  }),
  `aims (anyone ${aims.anyone}, found ${aims.found}, false ${aims.false}, three standard errors) ` +
  (missed.length === 0 ? "met" : `MISSED: ${missed.join(", ")}`),
  `${((performance.now() - started) / 1_000).toFixed(0)} s on ${workers} workers`,
]
await Deno.stdout.write(new TextEncoder().encode(report.join("\n") + "\n"))
Deno.exit(missed.length === 0 ? 0 : 1)
