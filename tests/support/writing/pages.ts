/**
 * Generated facts with typed values, pages of their sentences, and claims about them.
 *
 * @module
 */
import { Arbitrary, Effect } from "effect"
import { safeName } from "../../../src/core/domain/untrusted.ts"
import type { Fact } from "../../../src/writing/domain/facts.ts"
import type { ClaimDraft, DraftRequest } from "../../../src/writing/domain/claims.ts"
import { type Claim, claimKinds, type Slot } from "../../../src/writing/domain/page.ts"
import type { Narrator } from "../../../src/writing/Narrator.ts"
import { joined, phrase, value } from "../../../src/writing/domain/statement.ts"
import type { Value } from "../../../src/writing/domain/values.ts"
import { anyInt, hostileText, oneOf } from "../http/hostile.ts"

/** A value of any type; names are hostile. */
export const anyValue: Arbitrary.Arbitrary<Value> = Arbitrary.map(
  Arbitrary.all({ type: anyInt(0, 8), n: anyInt(0, 10_000), text: hostileText }),
  ({ type, n, text }): Value => {
    const values: ReadonlyArray<Value> = [
      { type: "price", value: n / 10_000 },
      { type: "change", value: n / 10_000 },
      { type: "rate", value: (n - 5_000) / 5_000 },
      { type: "usd", value: n * 17 },
      { type: "count", value: n, noun: "entry", nouns: "entries" },
      { type: "duration", ms: n * 60_000 },
      { type: "time", at: n * 60_000, today: 0 },
      { type: "name", text: safeName(text) },
      { type: "word", text: "proposed" },
    ]
    return values[type] ?? { type: "price", value: 0.5 }
  },
)

/** A fact `F<n>` that states these values. */
export function factOf(n: number, values: Readonly<Record<string, Value>>): Fact {
  const { text, ...stated } = phrase`This was seen: ${
    joined(Object.entries(values).map(([slot, it]) => value(slot, it)), ", ")
  }.`
  return {
    id: `F${n}`,
    kind: "price",
    subject: null,
    direction: null,
    links: [],
    statement: text,
    ...stated,
  }
}

/** A fact about a market: its price fell from `from` to `to`. */
export function fallFact(n: number, market: string, from: number, to: number): Fact {
  const of = {
    market: value("market", { type: "name", text: market }),
    change: value("change", { type: "change", value: from - to }),
    from: value("from", { type: "price", value: from }),
    to: value("to", { type: "price", value: to }),
  }
  const { text, ...stated } =
    phrase`The price in ${of.market} fell by ${of.change}, from ${of.from} to ${of.to}.`
  return {
    id: `F${n}`,
    kind: "mover",
    subject: `market-${n}`,
    direction: "down",
    links: [],
    statement: text,
    ...stated,
  }
}

/** A page with one slot for each group of facts, which states so many of them in each sentence. */
export function pageOf(
  groups: ReadonlyArray<ReadonlyArray<Fact>>,
  factsEach: number = 1,
): ReadonlyArray<Slot> {
  return groups.flatMap((facts, n): ReadonlyArray<Slot> => {
    const [first, ...rest] = facts.flatMap((_, at) => {
      const some = at % factsEach === 0 ? facts.slice(at, at + factsEach) : []
      return some.length === 0 ? [] : [{
        text: some.map(({ statement }) => statement).join(" "),
        facts: some.map(({ id }) => id),
      }]
    })
    return first === undefined ? [] : [{
      id: `S${n + 1}`,
      topic: "move",
      sentences: [first, ...rest],
      aboutItself: false,
    }]
  })
}

export interface PageDrawn {
  readonly slots: ReadonlyArray<Slot>
  readonly facts: ReadonlyArray<Fact>
  readonly claims: ReadonlyArray<Claim>
}

/** Pages with accepted claims of every kind, some in slots that do not exist. */
export const anyPage: Arbitrary.Arbitrary<PageDrawn> = Arbitrary.map(
  Arbitrary.all({
    sizes: Arbitrary.array(anyInt(1, 4), { minLength: 1, maxLength: 4 }),
    factsEach: anyInt(1, 3),
    drawn: Arbitrary.array(
      Arbitrary.all({
        slot: anyInt(1, 5),
        kind: oneOf(claimKinds),
        from: anyInt(0, 3),
        count: anyInt(1, 3),
        words: anyInt(1, 30),
      }),
      { minLength: 0, maxLength: 12 },
    ),
  }),
  ({ sizes, factsEach, drawn }) => {
    let id = 0
    const groups = sizes.map((size) =>
      Array.from({ length: size }, () => fallFact(++id, `Market ${id}`, 0.5, 0.3))
    )
    const slots = pageOf(groups, factsEach)
    const claims = drawn.map(({ slot, kind, from, count, words }, n): Claim => ({
      slot: `S${slot}`,
      kind,
      text: `Claim ${n} ${"word ".repeat(words)}ends.`,
      facts: (groups[slot - 1]?.map(({ id }) => id) ?? ["F1"]).slice(from).slice(0, count),
      values: [],
    })).filter(({ facts }) => facts.length > 0)
    return { slots, facts: groups.flat(), claims }
  },
)

/** A small request, for tests in which its content does not matter, and an answer to it. */
const [one, other] = [fallFact(1, "Alpha", 0.5, 0.3), fallFact(2, "Beta", 0.4, 0.2)]
export const draftRequest: DraftRequest = {
  use: "digest",
  task: "You write a digest.",
  facts: [one, other],
  slots: pageOf([[one], [other]]),
}
export const claimDraft: ClaimDraft = {
  slot: "S1",
  kind: "fact",
  text: "{F1.market} fell by {F1.change}.",
  facts: ["F1"],
}
/** A judge that is trusted and says yes. */
export const agreeing: Pick<Narrator["Service"], "trusted" | "supported"> = {
  trusted: Effect.succeed(true),
  supported: Effect.succeed,
}

export const claimsAnswer = { claims: [claimDraft] }
