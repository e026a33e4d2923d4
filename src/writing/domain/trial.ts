/**
 * The trial of a judge: labelled claims about invented markets, true and false, and what the judge made
 * of them. The false ones are of the kinds that a model writes: with true figures, saying too much.
 *
 * @module
 */
import { Result } from "effect"
import { checkedClaim } from "./claims.ts"
import type { Fact } from "./facts.ts"
import labelled from "./labelled.json" with { type: "json" }
import type { Claim, ClaimKind, Slot } from "./page.ts"
import { spelled } from "./values.ts"

/** The kind of a sentence, the ids of its facts in one text, and its words with their values open. */
type Sentence = readonly [ClaimKind, string, string]

const data = labelled as unknown as {
  /** `says`: the statement, with its values open. */
  readonly facts: Readonly<
    Record<string, Pick<Fact, "direction" | "says" | "values">>
  >
  readonly honest: ReadonlyArray<Sentence>
  /** By kind of falsehood. */
  readonly false: Readonly<Record<string, ReadonlyArray<Sentence>>>
}

export const labelledFacts: ReadonlyMap<string, Fact> = new Map(
  Object.entries(data.facts).map(([id, { says, values, direction }]) => [id, {
    id,
    kind: "market",
    subject: null,
    values,
    direction,
    says,
    statement: says.replace(/\{(\w+)\}/g, (whole, slot) => {
      const value = values[slot]
      return value === undefined ? whole : spelled(value)
    }),
    names: Object.values(values).flatMap((value) => value.type === "name" ? [value.text] : []),
    links: [],
  }]),
)

interface LabelledClaim {
  /** Why it is false; null for an honest one. */
  readonly fault: string | null
  readonly claim: Claim
}

const slot: Slot = {
  id: "S1",
  topic: "move",
  sentences: [{ text: "", facts: [] }],
  aboutItself: false,
}

const sentences = [
  ...data.honest.map((sentence) => ({ fault: null, sentence })),
  ...Object.entries(data.false).flatMap(([fault, some]) =>
    some.map((sentence) => ({ fault, sentence }))
  ),
]

/** Those that pass the hard checks, in the order of their words: so no question shows a pattern. */
export const labelledClaims: ReadonlyArray<LabelledClaim> = sentences
  .flatMap(({ fault, sentence: [kind, ids, text] }) => {
    const draft = { slot: slot.id, kind, text, facts: ids.split(" ") }
    return Result.match(checkedClaim(draft, [slot], labelledFacts), {
      onFailure: () => [],
      onSuccess: (claim) => [{ fault, claim }],
    })
  }).toSorted((a, b) => a.claim.text < b.claim.text ? -1 : 1)

/** Sentences of each kind, and what the judge made of them. */
export interface Trial {
  readonly honest: number
  readonly kept: number
  readonly false: number
  readonly stopped: number
}

export function trialOf(supported: ReadonlyArray<Claim>): Trial {
  const honest = labelledClaims.filter(({ fault }) => fault === null)
  const wrong = labelledClaims.filter(({ fault }) => fault !== null)
  const isKept = ({ claim }: LabelledClaim) => supported.includes(claim)
  return {
    honest: honest.length,
    kept: honest.filter(isKept).length,
    false: wrong.length,
    stopped: wrong.filter((one) => !isKept(one)).length,
  }
}

/** The least share of false sentences stopped, and of honest ones kept. */
const stoppedMin = 0.95
const keptMin = 0.8

export function isTrusted(trial: Trial): boolean {
  return trial.stopped >= stoppedMin * trial.false && trial.kept >= keptMin * trial.honest
}

/** `stops 65 of 67 false sentences and keeps 40 of 46 honest ones: precision 95%, recall 87%`. */
export function trialWords({ honest, kept, false: wrong, stopped }: Trial): string {
  const percent = (share: number) => `${Math.round(100 * share)}%`
  const precision = percent(kept / Math.max(1, kept + wrong - stopped))
  return `it stops ${stopped} of ${wrong} false sentences and keeps ${kept} of ${honest} honest ones: precision ${precision}, recall ${
    percent(kept / honest)
  }`
}
