/**
 * Simulated models that write true claims from the facts in a prompt, and judges of claims.
 *
 * @module
 */
import { type ClaimDraft, draftLengthMax } from "../../../src/writing/domain/claims.ts"
import type { Claim } from "../../../src/writing/domain/page.ts"
import { labelledClaims } from "../../../src/writing/domain/trial.ts"
import { type Behaviour, type Call, says } from "./modelServer.ts"

/** A fact and a slot as they appear in a prompt. */
export interface PromptFact {
  readonly id: string
  readonly says: string
  readonly values: Readonly<Record<string, string>>
}
interface PromptSlot {
  readonly slot: string
  readonly topic: string
  readonly facts: ReadonlyArray<string>
}

/** What a prompt contains. */
export function promptOf({ data }: Pick<Call, "data">) {
  const rows = data as ReadonlyArray<Record<string, unknown>>
  const facts = rows.filter((row) => "id" in row)
    .map((row) => ({ values: {}, ...row }) as unknown as PromptFact)
  const slots = rows.filter((row) => "topic" in row)
    .map((row) => ({ ...row, facts: String(row["facts"]).split(" ") }) as unknown as PromptSlot)
  return { facts, slots }
}

/** The first sentence of a fact, with its values open. */
export function trueSentence(fact: PromptFact): string {
  const [first = fact.says] = fact.says.match(/^.*?[.!?](?=\s|$)/) ?? []
  return first.replace(/\{(\w+)\}/g, (_, slot) => `{${fact.id}.${slot}}`)
}

/** For each slot a true claim about its first fact that no earlier slot has. */
export function honestClaims(call: Call): ReadonlyArray<ClaimDraft> {
  const { facts, slots } = promptOf(call)
  const stated = new Set<string>()
  return slots.flatMap((slot): ReadonlyArray<ClaimDraft> => {
    const fact = facts.find(({ id }) => slot.facts.includes(id) && !stated.has(id))
    if (fact === undefined) return []
    stated.add(fact.id)
    const text = trueSentence(fact)
    return text.length > draftLengthMax
      ? []
      : [{ slot: slot.slot, kind: "fact", text, facts: [fact.id] }]
  })
}

/** A judge that says yes to every claim, and names words of its facts for it. */
export function agreement({ data }: Pick<Call, "data">) {
  const rows = data as ReadonlyArray<Record<string, unknown>>
  const statements = new Map(rows.map(({ fact, statement }) => [fact, String(statement)]))
  const claims = rows.filter((row) => "claim" in row) as unknown as ReadonlyArray<
    Claim & { readonly claim: string }
  >
  return {
    verdicts: claims.map(({ claim, text, facts, values }) => {
      const word = text.match(/\p{L}{2,}/gu)?.find((it) =>
        values.every((value) => !value.text.toLowerCase().includes(it.toLowerCase()))
      )
      const [first = ""] = facts
      const words = statements.get(first)?.split(" ").slice(0, 2).join(" ") ?? ""
      return {
        claim,
        verdict: "supported",
        support: [
          { part: word ?? "", fact: first, words },
          ...values.map(({ fact, text }) => ({ part: text, fact, words: text })),
        ],
      }
    }),
  }
}

const honest = new Set(
  labelledClaims.flatMap(({ fault, claim }) => fault === null ? [claim.text] : []),
)

/** A judge that knows the labels of the trial. */
export function careful({ data }: Pick<Call, "data">) {
  const rows = data as ReadonlyArray<{ readonly claim?: string; readonly text?: string }>
  const texts = new Map(rows.map(({ claim, text = "" }) => [claim, text]))
  return {
    verdicts: agreement({ data }).verdicts.map((verdict) =>
      honest.has(texts.get(verdict.claim) ?? "")
        ? verdict
        : { ...verdict, verdict: "not supported", support: [] }
    ),
  }
}

/** Writes true claims, and supports all that it is asked about. */
export const writesTruly: Behaviour = says((call) =>
  call.use === "judge" ? agreement(call) : { claims: honestClaims(call) }
)
