/**
 * The faults of a run: processes and the PostgreSQL cluster are killed at random times.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { isoTime } from "../../src/core/domain/time.ts"
import type { Random } from "../support/random.ts"
import type { Environment } from "./environment.ts"

/** Fewer kills than this fail the run. */
const killsPerMinuteMin = 75
const postgresKillsPerMinuteMin = 7.5
/** The pauses between kills: on average 83 processes a minute, a third of them replicas. */
const killEveryMs = { min: 400, max: 1_040 } as const
const killedReplicasShare = 1 / 3
const killedEarlyShare = 0.2
/** On average 11 kills a minute; the time of a restart is added, so about 9 are measured. */
const postgresEveryMs = { min: 4_500, max: 6_500 } as const

export interface KillLog {
  readonly kills: Map<string, number>
  postgresKills: number
  /** Writes the name and the time of a kill to `kills.log`. */
  readonly write: (what: string) => Effect.Effect<void>
}

export const makeKillLog = (dir: string): KillLog => ({
  kills: new Map(),
  postgresKills: 0,
  write: (what) =>
    Effect.flatMap(
      Clock.currentTimeMillis,
      (now) =>
        Effect.promise(() =>
          Deno.writeTextFile(`${dir}/kills.log`, `${isoTime(now)} ${what}\n`, { append: true })
        ),
    ),
})

/** A run on a slow machine continues until this is true, up to a limit. */
export function hasEnoughKills({ kills, postgresKills }: KillLog, seconds: number): boolean {
  return total(kills) >= killsPerMinuteMin * seconds / 60 &&
    postgresKills >= postgresKillsPerMinuteMin * seconds / 60
}

export const killProcesses = (
  { replicas, workers }: Environment,
  killLog: KillLog,
  random: Random,
) =>
  Effect.gen(function* () {
    yield* Effect.sleep(random.between(killEveryMs.min, killEveryMs.max))
    const kind = random.chance(killedReplicasShare) ? replicas : workers
    const victim = kind[random.below(kind.length)]
    if (victim === undefined) return
    // Only some are killed before they are ready; else none would be ready on a slow machine.
    if (!victim.isReady() && !random.chance(killedEarlyShare)) return
    if (!victim.kill()) return
    killLog.kills.set(victim.name, (killLog.kills.get(victim.name) ?? 0) + 1)
    yield* killLog.write(victim.name)
  }).pipe(Effect.forever)

export const killPostgres = ({ cluster }: Environment, killLog: KillLog, random: Random) =>
  Effect.gen(function* () {
    yield* Effect.sleep(random.between(postgresEveryMs.min, postgresEveryMs.max))
    killLog.postgresKills++
    yield* killLog.write("PostgreSQL")
    yield* Effect.uninterruptible(cluster.kill)
  }).pipe(Effect.forever)

export function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}
