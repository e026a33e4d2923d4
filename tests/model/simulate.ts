/**
 * One run of the model: a seed in, a verdict out. The same seed gives the same run.
 *
 * @module
 */
import type { Edge } from "./call.ts"
import { type Market, openMarket } from "./buyers.ts"
import { startEdge } from "./edge.ts"
import { type Machine, type Steps, wait } from "./kernel.ts"
import type { Mutant, Tame } from "./mutants.ts"
import { isResting, judge, type Verdict } from "./oracle.ts"
import { scan } from "./reconcile.ts"
import { startWorker } from "./worker.ts"
import { calmAt, endAt, type Lone, type Options, World } from "./world.ts"

/** One payment of each kind, for crashes that are tried one by one. */
export const loners: ReadonlyArray<Lone> = (["compute-first", "settle-early"] as const).flatMap(
  (order) =>
    [false, true].flatMap((workFails) =>
      [false, true].flatMap((comesBack) =>
        [false, true].map((chainAway) => ({ order, workFails, comesBack, chainAway, killAt: [] }))
      )
    ),
)

export interface Run {
  readonly world: World
  readonly verdict: Verdict
}

/** How long after the calm a stalled task may still wake: nothing ends before. */
const stragglers = 225
/** When a lone buyer has come and gone, if nothing went wrong. */
const alone = 30

export function simulate(
  seed: number,
  broken: ReadonlySet<Mutant | Tame> = new Set(),
  options: Options = {},
): Run {
  const world = new World(seed, broken, options)
  const { kernel, random } = world
  const edges: readonly [Edge, Edge] = [startEdge(world, "edge 1"), startEdge(world, "edge 2")]
  const workers = [startWorker(world, "worker 1")]
  if (random.chance(0.5)) workers.push(startWorker(world, "worker 2"))
  const market: Market = { edges, active: 0, signatures: 0 }
  openMarket(world, market)
  kernel.killAt = world.lone?.killAt ?? []
  const calmFrom = world.lone === null ? calmAt + stragglers : alone
  if (world.lone === null) kernel.later(calmAt, () => world.calm())
  if (!world.faultFree) scheduleOutages(world)
  if (world.restoreAt !== null) {
    scheduleRestore(world, world.restoreAt, [...edges.map(({ machine }) => machine), ...workers])
  }
  kernel.run(endAt, () => kernel.now > calmFrom && isOver(world, market), 10)
  return { world, verdict: judge(world) }
}

/** Nothing is left to do, for anybody, and nothing can come. */
function isOver(world: World, market: Market): boolean {
  const { database, chain } = world
  if (market.active > 0 || !chain.quiet()) return false
  for (const row of database.rows.values()) {
    if (!isResting(row)) return false
  }
  return database.cursor >= chain.lastEntry || world.broken.has("no chain scan")
}

/** Now and then the database, or every reader of the chain, is away for a while. */
function scheduleOutages({ kernel, random, database, chain }: World): void {
  const at = random.between(0, 800)
  if (random.chance(0.15)) {
    kernel.later(at, () => database.awayUntil = at + random.between(5, 90))
  }
  if (random.chance(0.15)) {
    kernel.later(at, () => chain.unreadableUntil = at + random.between(5, 90))
  }
}

/** Everything is stopped, an older backup is restored, the chain is scanned, all starts again. */
function scheduleRestore(
  world: World,
  at: number,
  machines: ReadonlyArray<Machine>,
): void {
  const { kernel, random, database } = world
  kernel.later(Math.max(0, at - random.between(5, 150)), () => {
    const backup = database.backup()
    kernel.later(at - kernel.now, () => {
      world.note(null, "the database is restored")
      for (const machine of machines) kernel.crash(machine, Infinity)
      database.restore(backup)
      kernel.start(world.outside, 1, function* (me): Steps {
        while (!(yield* scan(world, me))) yield wait(me, "restore", 5)
        for (const machine of machines) machine.restart()
      })
    })
  })
}
