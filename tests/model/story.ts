/**
 * What a failing run has to tell: the one payment it is about, and nothing else.
 *
 * @module
 */
import type { Run } from "./simulate.ts"

const linesMax = 120

/** What happened to the payment of the first violation, in order. Needs a traced run. */
export function story({ world, verdict }: Run): ReadonlyArray<string> {
  const [violation] = verdict.violations
  if (violation === undefined) return [`seed ${world.seed}: nothing is wrong`]
  const { invariant, key, message } = verdict.violations.find((one) => one.key >= 0) ?? violation
  const entry = world.chain.entries.get(key)
  const lines: Array<readonly [number, string]> = []
  for (const one of world.database.log) {
    if (one.key === key) lines.push([one.at, `row: ${one.event} ${one.from} -> ${one.to}`])
  }
  for (const one of world.trace ?? []) {
    if (one.key === key || one.key === null) lines.push([one.at, one.text])
  }
  const ordered = lines.sort(([a], [b]) => a - b).slice(0, linesMax)
  return [
    `seed ${world.seed}: ${invariant} ${message} (payment ${key})`,
    `in the end the chain says: ${entry === undefined ? "unused" : JSON.stringify(entry)}`,
    ...ordered.map(([at, text]) => `${at.toFixed(3).padStart(9)} ${text}`),
  ]
}
