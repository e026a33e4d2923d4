/**
 * What a person is shown of a backfill: a bar in a terminal, a line now and then in a log, and at the
 * end what came of it.
 *
 * @module
 */
import { Duration } from "effect"
import { second } from "../core/domain/time.ts"
import type { BackfillProgress } from "../whales/Backfill.ts"
import type { TrackingReport } from "../whales/Tracking.ts"

const barWidth = 24

/** How far a run has come, in one line no wider than the terminal. */
export function progressBar(progress: BackfillProgress, columns: number): string {
  const share = progress.wallets === 0 ? 1 : ended(progress) / progress.wallets
  const full = Math.floor(share * barWidth)
  const bar = "█".repeat(full) + "░".repeat(barWidth - full)
  return `${bar} ${counts(progress)}`.slice(0, Math.max(0, columns - 1))
}

/** The same for a log. */
export function progressLine(progress: BackfillProgress): string {
  return `backfill  ${counts(progress)}`
}

/** What came of a run, and what to do next. */
export function summary(progress: BackfillProgress): string {
  const { wallets, whole, truncated, failed, acts, startedAt, at } = progress
  if (wallets === 0) return "Every tracked wallet's past has been read already: nothing to do"
  const took = Duration.format(Duration.seconds(Math.max(1, Math.round((at - startedAt) / second))))
  const skipped = reasons(progress)
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["whole", `${whole} of ${wallets} wallets, read to their beginning`],
    ...truncated > 0
      ? [
        [
          "truncated",
          `${truncated}, of which not all can be read: they get no calibration`,
        ] as const,
      ]
      : [],
    ...failed > 0 ? [["failed", `${failed}, which the venue did not give now`] as const] : [],
    ["acts", `${number(acts)} new, in ${took}`],
    ...skipped === "" ? [] : [["skipped", `rows that are no acts: ${skipped}`] as const],
  ]
  const next = failed > 0
    ? "Run it again: it goes on where it stopped"
    : "Nothing more to do: the service reads what is new, and computes the calibrations"
  return [...rows.map(([name, value]) => `  ${name.padEnd(10)}${value}`), next].join("\n")
}

/** What one reading of the leaderboards came to. */
export function trackingLine(report: TrackingReport): string {
  const { boards, failed, found, added, unnamed, overBudget } = report
  const parts = [
    `${boards - failed.length} of ${boards} boards`,
    `${found} wallets`,
    `${added} new`,
    ...unnamed > 0 ? [`${unnamed} without a name`] : [],
    ...overBudget > 0 ? [`${overBudget} over the limit`] : [],
  ]
  return `tracking  ${parts.join("  ")}${failed.length > 0 ? `  FAILED ${failed.join(", ")}` : ""}`
}

function counts(progress: BackfillProgress): string {
  const { wallets, failed, acts, startedAt, at } = progress
  const seconds = Math.max(1, (at - startedAt) / second)
  return [
    `${ended(progress)}/${wallets} wallets`,
    `${number(acts)} acts`,
    `${number(Math.round(acts / seconds))} a second`,
    ...failed > 0 ? [`${failed} failed`] : [],
    left(progress),
  ].join("  ")
}

/** How long the rest takes, if the wallets left are like those that are done. */
function left(progress: BackfillProgress): string {
  const { wallets, startedAt, at } = progress
  const done = ended(progress)
  if (done === wallets) return "done"
  if (done === 0) return "time left not known yet"
  const ms = (at - startedAt) / done * (wallets - done)
  const round = ms < 60 * second ? second : 60 * second
  return `about ${Duration.format(Duration.millis(Math.ceil(ms / round) * round))} left`
}

function ended({ whole, truncated, failed }: BackfillProgress): number {
  return whole + truncated + failed
}

function reasons({ rejected }: BackfillProgress): string {
  const sorted = Object.entries(rejected).sort(([, a], [, b]) => b - a)
  return sorted.map(([reason, count]) => `${reason} ${number(count)}`).join(", ")
}

function number(count: number): string {
  return count.toLocaleString("en-US")
}
