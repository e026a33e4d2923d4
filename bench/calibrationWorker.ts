/**
 * Applies each rule to simulated worlds, one per message, in a worker.
 *
 * @module
 */
import { nullWorld, rules, type Seen, skilledWorld } from "./calibrationWorlds.ts"

export interface Task {
  readonly kind: "null" | "skilled"
  readonly seed: number
  readonly sharings: ReadonlyArray<number>
}

/** The labels of a rule for the wallets of one world. */
export interface RuleResult {
  readonly labelled: number
  /** Wallets with the label `follow` and skill. */
  readonly right: number
  readonly skilled: number
}

/** Counts over the wallets of one world. */
export interface Counted {
  readonly name: string
  readonly results: Readonly<Record<string, RuleResult>>
  readonly judged: number
  readonly entries: number
  readonly events: number
  /** Judged wallets whose edge is within its interval. */
  readonly covered: number
  /** Sum over judged wallets of their published edge. */
  readonly edges: number
}

export interface Done {
  readonly task: Task
  readonly counted: ReadonlyArray<Counted>
}

/** The skill of analytics.md: 20 wallets of 100 with 8 points. */
const skill = { edge: 0.08, skilled: 20 }

function work(task: Task): Done {
  if (task.kind === "null") {
    const { volume, profit, profitWhole } = nullWorld(task.seed)
    const counted = [
      count("as in production", [...volume, ...profit]),
      count("from profit boards, as in production", profit),
      count("from profit boards, with entries before the selection", profitWhole),
    ]
    return { task, counted }
  }
  const worlds = skilledWorld(task.seed, skill, task.sharings)
  return { task, counted: worlds.map((seen, i) => count(`${task.sharings[i]}`, seen)) }
}

function count(name: string, seen: ReadonlyArray<Seen>): Counted {
  const judged = seen.filter(({ judgement }) => judgement !== null)
  return {
    name,
    results: Object.fromEntries(
      Object.entries(rules).map(([rule, labelsOf]) => [rule, resultOf(seen, labelsOf(seen))]),
    ),
    judged: judged.length,
    entries: judged.reduce((sum, { rates }) => sum + (rates?.resolved ?? 0), 0),
    events: judged.reduce((sum, { rates }) => sum + (rates?.events ?? 0), 0),
    covered:
      judged.filter(({ edge, rates }) =>
        rates !== null && rates.edgeLow <= edge && edge <= rates.edgeHigh
      ).length,
    edges: judged.reduce((sum, { rates }) => sum + (rates?.edge ?? 0), 0),
  }
}

function resultOf(seen: ReadonlyArray<Seen>, labels: ReadonlyArray<string>): RuleResult {
  const skilled = (i: number) => (seen[i]?.edge ?? 0) > 0
  return {
    labelled: labels.filter((label) => label !== "neutral").length,
    right: labels.filter((label, i) => label === "follow" && skilled(i)).length,
    skilled: seen.filter((_, i) => skilled(i)).length,
  }
}

/** The worker's function: the type checker assumes a page. */
declare function postMessage(message: Done): void

addEventListener("message", (event) => {
  if (event instanceof MessageEvent) postMessage(work(event.data))
})
