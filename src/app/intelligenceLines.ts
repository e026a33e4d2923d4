/**
 * What a person at a terminal reads of what is written and judged: the news, each digest, which
 * outcomes were told to exist already, and how the service's own items fared.
 *
 * @module
 */
import type { DigestReport } from "../digest/Digest.ts"
import type { NewsReport } from "../news/News.ts"
import type { PredeterminedReport } from "../predetermined/Predetermined.ts"
import type { ScoreReport } from "../track-record/SelfScore.ts"

/** One tick of predetermined items in one line: who was asked about, what was told, and why the rest not. */
export function predeterminedLine(report: PredeterminedReport): string {
  const counts = [
    `${report.markets.toLocaleString("en-US")} open markets`,
    `${report.grounds} with new evidence`,
    `${report.asked} asked about`,
    ...(report.unanswered > 0 ? [`${report.unanswered} unanswered`] : []),
    `${report.items.length} told`,
  ]
  return line("outcomes", report, [...counts, `rejected: ${byCount(report.rejected) || "none"}`])
}

/** One tick of scores in one line. */
export function scoreLine(report: ScoreReport): string {
  const counts = [
    `${report.taken} items taken up`,
    `${report.resolved} markets ended`,
    `judged: ${byCount(report.judged) || "none"}`,
  ]
  return line("scores", report, counts)
}

/** One reading of the news in one line. */
export function headlinesLine(report: NewsReport): string {
  return line("news", report, [
    `${report.headlines} new headlines`,
    `${report.answered} of ${report.sources} sources answered`,
  ])
}

/** One digest: who wrote it, of how much, what the fact check would not let through, and its title. */
export function digestLine(report: DigestReport): string {
  const counts = [
    `by ${report.narrator}`,
    `${report.words} words of ${report.facts} facts`,
    `${report.refused} drafts refused`,
    ...(report.unwritten > 0 ? [`${report.unwritten} drafts not written`] : []),
    ...(report.missing.length > 0 ? [`without ${report.missing.join(", ")}`] : []),
    ...(report.stored ? [] : ["another writer's stands"]),
  ]
  return `${line("digest", { ...report, failed: [] }, counts)}\n  ${report.title}`
}

interface Ticked {
  readonly slot: number
  readonly seconds: number
  readonly failed: ReadonlyArray<string>
}

function line(name: string, { slot, seconds, failed }: Ticked, parts: ReadonlyArray<string>) {
  const at = new Date(slot).toISOString().slice(11, 19)
  const failures = failed.length > 0 ? `  FAILED ${failed.join(", ")}` : ""
  return `${name} ${at}  ${parts.join("  ")}  ${seconds.toFixed(2)} s${failures}`
}

/** Most first. */
function byCount(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${reason} ${count}`)
    .join(", ")
}
