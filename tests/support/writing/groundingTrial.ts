/**
 * Counts what the grounding of claims says to true statements and to each way of making them false.
 *
 * @module
 */
import type { Fact } from "../../../src/writing/domain/facts.ts"
import { ground, type Grounding } from "../../../src/writing/domain/grounding.ts"
import { Random } from "../random.ts"
import { type Corruption, corruptions } from "./corruptions.ts"
import { typedBrief } from "./typedFacts.ts"
import { plainVoice, View, type Wording, wordings } from "./wordings.ts"

export interface Counts {
  pass: number
  ask: number
  refuse: number
}

export interface Example {
  readonly what: string
  readonly verdict: Grounding["verdict"]
  readonly text: string
  readonly reasons: ReadonlyArray<string>
}

export interface Trial {
  /** By kinds of the facts, `news + mover`. */
  readonly truths: ReadonlyMap<string, Counts>
  /** By corruption. */
  readonly falsehoods: ReadonlyMap<string, Counts>
  /** True statements refused, and false ones not refused. */
  readonly examples: ReadonlyArray<Example>
  /** True statements not passed. */
  readonly askedTruths: ReadonlyArray<Example>
}

/** Grounds all wordings of all facts of the briefs of some seeds, true and false. */
export function groundingTrial(seeds: ReadonlyArray<number>): Trial {
  const truths = new Map<string, Counts>()
  const falsehoods = new Map<string, Counts>()
  const examples: Array<Example> = []
  const askedTruths: Array<Example> = []
  for (const seed of seeds) {
    const brief = typedBrief(seed)
    const facts = new Map(brief.map((fact) => [fact.id, fact]))
    const random = new Random(seed + 1)
    for (const wording of wordings) {
      for (const own of factsOf(wording, brief)) {
        const text = written(wording, own)
        if (text === null) continue
        const claim = (of: string) => ({
          // What holds for a fact holds for what to watch, if it has no condition.
          kind: wording.claimKind === "fact" && seed % 3 === 0
            ? "watch" as const
            : wording.claimKind,
          text: of,
          facts: own.map(({ id }) => id),
        })
        const truth = ground(claim(text), facts)
        const kinds = wording.kinds.join(" + ")
        count(truths, kinds, truth)
        if (truth.verdict === "refuse") examples.push(exampleOf(`true: ${kinds}`, text, truth))
        if (truth.verdict === "ask") askedTruths.push(exampleOf(`true: ${kinds}`, text, truth))
        for (const corruption of corruptions) {
          const wrong = corrupted(corruption, wording, own, brief, random)
          if (wrong === null || wrong === text) continue
          const verdict = ground(claim(wrong), facts)
          count(falsehoods, corruption.name, verdict)
          if (verdict.verdict !== "refuse") {
            examples.push(exampleOf(corruption.name, wrong, verdict))
          }
        }
      }
    }
  }
  return { truths, falsehoods, examples, askedTruths }
}

function count(of: Map<string, Counts>, what: string, { verdict }: Grounding): void {
  const counts = of.get(what) ?? { pass: 0, ask: 0, refuse: 0 }
  counts[verdict]++
  of.set(what, counts)
}

function exampleOf(what: string, text: string, grounding: Grounding): Example {
  const reasons = grounding.verdict === "pass" ? [] : grounding.reasons
  return { what, verdict: grounding.verdict, text, reasons }
}

type Some = readonly [Fact, ...ReadonlyArray<Fact>]

/** The facts that a wording can be about: each of its kind, or one pair. */
function factsOf({ kinds }: Wording, brief: ReadonlyArray<Fact>): ReadonlyArray<Some> {
  const [first, second] = kinds
  const own = brief.filter(({ kind }) => kind === first)
  if (second === undefined) return own.map((fact) => [fact])
  const other = brief.findLast(({ kind }) => kind === second)
  return own.slice(0, 1).flatMap((fact) => other === undefined ? [] : [[fact, other]])
}

function written(wording: Wording, facts: Some, voice = plainVoice): string | null {
  const [first, ...others] = facts
  return wording.write([new View(first), ...others.map((fact) => new View(fact))], voice)
}

function corrupted(
  corruption: Corruption,
  wording: Wording,
  own: Some,
  brief: ReadonlyArray<Fact>,
  random: Random,
): string | null {
  if (corruption.on === "voice") return written(wording, own, corruption.voice)
  if (corruption.on === "text") {
    const text = written(wording, own)
    return text === null ? null : corruption.corrupt(text, random, own)
  }
  if (corruption.on === "pair") return exchanged(corruption.slot, wording, own)
  const at = random.below(own.length)
  const [first, ...others] = own
  const target = own[at] ?? first
  const wrong = corruption.corrupt(target, brief, random)
  const isOfAnother = own.some((other) =>
    other !== target && ["wallet", "market"].some((slot) => sameName(other, wrong, slot))
  )
  if (wrong === null || isOfAnother) return null
  return at === 0
    ? written(wording, [wrong, ...others])
    : written(wording, [first, ...others.map((fact) => fact === target ? wrong : fact)])
}

function sameName(a: Fact, b: Fact | null, slot: string): boolean {
  const [first, second] = [a.values[slot], b?.values[slot]]
  return first?.type === "name" && second?.type === "name" && first.text === second.text
}

/** The statement with the values of a slot exchanged between its two facts. */
function exchanged(slot: string, wording: Wording, [first, second]: Some): string | null {
  const [a, b] = [first.values[slot], second?.values[slot]]
  if (second === undefined || a === undefined || b === undefined || first.kind !== second.kind) {
    return null
  }
  const wrong = written(wording, [
    { ...first, values: { ...first.values, [slot]: b } },
    { ...second, values: { ...second.values, [slot]: a } },
  ])
  // What is said of both is still true when their names change places.
  return wrong === written(wording, [second, first]) ? null : wrong
}

/** A table with one line for each key. */
export function tableOf(title: string, counts: ReadonlyMap<string, Counts>): string {
  const share = (part: number, of: number) => `${(100 * part / of).toFixed(1)}%`.padStart(7)
  const lines = [...counts].map(([what, { pass, ask, refuse }]) => {
    const all = pass + ask + refuse
    return [
      what.padEnd(26),
      String(all).padStart(7),
      share(refuse, all),
      share(ask, all),
      share(pass, all),
    ].join(" ")
  })
  const head = [title.padEnd(26), "    all", "refused", "  asked", " passed"].join(" ")
  return [head, ...lines].join("\n")
}
