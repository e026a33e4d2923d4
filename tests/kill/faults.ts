/**
 * What goes wrong in a run, and how often: processes and clusters that are killed.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { isoTime } from "../../src/core/domain/time.ts"
import type { Random } from "../support/random.ts"
import type { Stage } from "./stage.ts"

/** What a run must have killed to count. */
const killsPerMinuteMin = 75
const postgresKillsPerMinuteMin = 7.5
/** How often something is killed: 83 processes a minute, a third of them edges, and 9 clusters. */
const killEveryMs = { min: 400, max: 1_040 } as const
const killedEdgesShare = 1 / 3
const killedEarlyShare = 0.2
const postgresEveryMs = { min: 4_500, max: 6_500 } as const

/** What a run counts while it runs. */
export interface Tally {
  readonly kills: Map<string, number>
  postgresKills: number
  /** Writes down that something is killed now. */
  readonly note: (what: string) => Effect.Effect<void>
}

export const makeTally = (dir: string): Tally => ({
  kills: new Map(),
  postgresKills: 0,
  note: (what) =>
    Effect.flatMap(
      Clock.currentTimeMillis,
      (now) =>
        Effect.promise(() =>
          Deno.writeTextFile(`${dir}/kills.log`, `${isoTime(now)} ${what}\n`, { append: true })
        ),
    ),
})

/** On a slow machine a run goes on until it has killed as much as it should, up to twice as long. */
export function enough({ kills, postgresKills }: Tally, seconds: number): boolean {
  return total(kills) >= killsPerMinuteMin * seconds / 60 &&
    postgresKills >= postgresKillsPerMinuteMin * seconds / 60
}

export const killProcesses = ({ edges, workers }: Stage, tally: Tally, random: Random) =>
  Effect.gen(function* () {
    yield* Effect.sleep(random.between(killEveryMs.min, killEveryMs.max))
    const kind = random.chance(killedEdgesShare) ? edges : workers
    const victim = kind[random.below(kind.length)]
    if (victim === undefined) return
    // Some are killed before they work; were it all, none would ever work on a slow machine.
    if (!victim.works() && !random.chance(killedEarlyShare)) return
    if (!victim.kill()) return
    tally.kills.set(victim.name, (tally.kills.get(victim.name) ?? 0) + 1)
    yield* tally.note(victim.name)
  }).pipe(Effect.forever)

export const killPostgres = ({ cluster }: Stage, tally: Tally, random: Random) =>
  Effect.gen(function* () {
    yield* Effect.sleep(random.between(postgresEveryMs.min, postgresEveryMs.max))
    tally.postgresKills++
    yield* tally.note("PostgreSQL")
    yield* Effect.uninterruptible(cluster.kill)
  }).pipe(Effect.forever)

export function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}
