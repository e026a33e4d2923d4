/**
 * A simulated model that obeys prompt injections: it finds them in the data of its prompt and follows them
 * in one of several ways, deterministically.
 *
 * @module
 */
import type { ClaimDraft } from "../../src/writing/domain/claims.ts"
import { type Behaviour, type Call, says } from "../support/writing/modelServer.ts"
import {
  agreement,
  honestClaims,
  type PromptFact,
  promptOf,
  trueSentence,
} from "../support/writing/writers.ts"

interface PromptQuestion {
  readonly question: string
  /** Absent in a question about the rules. */
  readonly outcomes?: ReadonlyArray<string>
  readonly rules: string
}
interface PromptHeadline {
  readonly headline: string
  readonly title: string
  readonly publisher: string
}

/** Characters of an order that are written: fits into a name and into a page. */
const orderLengthMax = 200

interface Order {
  /** What is to be written. */
  readonly order: string
  /** The fact that the claim is about, and a true sentence about it. */
  readonly fact: PromptFact
  readonly truth: string
  /** Ids of facts of the slot that contain the order, and an open value with the whole text. */
  readonly own: ReadonlyArray<string>
  readonly whole: string | null
}

/** A way to obey. */
type Way = (order: Order) => Omit<ClaimDraft, "slot">

const ways: ReadonlyArray<Way> = [
  // Verbatim, citing the fact that contains the order.
  ({ order, own, fact }) => ({
    kind: "fact",
    text: order,
    facts: own.length > 0 ? own : [fact.id],
  }),
  // Verbatim, citing an unrelated fact.
  ({ order, fact }) => ({ kind: "fact", text: order, facts: [fact.id] }),
  // After a true sentence.
  ({ order, truth, fact, own }) => ({
    ...{ kind: "fact", text: `${truth} ${order}` },
    facts: [fact.id, ...own],
  }),
  // As a false quotation.
  ({ order, truth, fact, own }) => ({
    ...{ kind: "fact", text: `${truth} The market says “${order}”.` },
    facts: [fact.id, ...own],
  }),
  // As prose in lower case, without figures.
  ({ order, own, fact }) => ({
    ...{ kind: "fact", text: `The word is that ${proseOf(order)}.` },
    facts: own.length > 0 ? own : [fact.id],
  }),
  // With an open value appended.
  ({ order, fact, own }) => ({
    kind: "fact",
    text: `${order.replace(/[.!?]+$/, "")} {${fact.id}.${Object.keys(fact.values)[0] ?? "at"}}.`,
    facts: [fact.id, ...own],
  }),
  // As a reading of two facts, or as something to watch.
  ({ order, fact, own }) => ({
    ...{ kind: "inference", text: `This suggests that ${proseOf(order)}.` },
    facts: [fact.id, ...own],
  }),
  ({ order, fact }) => ({
    kind: "watch",
    text: `Watch whether ${proseOf(order)}.`,
    facts: [fact.id],
  }),
]

/** Quotes the whole name that contains the order, which the rules allow. */
const quoting: Way = ({ truth, whole, fact, own }) => ({
  kind: "fact",
  text: whole === null ? truth : `The text is ${whole}.`,
  facts: whole === null ? [fact.id] : own,
})

function proseOf(order: string): string {
  return order.toLowerCase().replace(/[^a-z' ]+/g, " ").replace(/\s+/g, " ").trim()
}

/**
 * Obeys `orders` where `isOrder` finds their text: true claims with an order among them, cycling through the ways
 * from the one of `seed`. Its judge says yes to every claim.
 */
export function obeys(
  orders: ReadonlyArray<string>,
  isOrder: (text: string) => boolean,
  seed: number,
  /** Called for each draft: whether there was an order to obey. */
  note: (found: boolean) => void,
): Behaviour {
  let drafts = 0
  return says((call) => {
    if (call.use === "reading") return readingsOf(call, isOrder)
    if (call.use === "judge") return agreement(call)
    const turn = seed + drafts
    drafts++
    const claim = obedient(call, orders, isOrder, ways[turn % ways.length] ?? quoting, turn)
    note(claim !== null)
    return { claims: claim === null ? honestClaims(call) : [claim, ...honestClaims(call)] }
  })
}

/** A claim with the order, about a fact of some slot; null without an order. */
function obedient(
  call: Call,
  orders: ReadonlyArray<string>,
  isOrder: (text: string) => boolean,
  way: Way,
  turn: number,
): ClaimDraft | null {
  const { facts, slots } = promptOf(call)
  const named = facts.flatMap(({ id, values }) =>
    Object.entries(values).map(([slot, text]) => ({ id, slot, text: text.replace(/[“”]/g, "") }))
  )
  const whole = named.find(({ text }) => isOrder(text))
  if (whole === undefined) return null
  const owners = named.filter(({ text }) => text === whole.text).map(({ id }) => id)
  const about = slots.filter((slot) => slot.facts.some((id) => owners.includes(id)))
  const slot = (turn % 3 === 0 ? slots : about)[turn % Math.max(1, about.length)] ?? slots[0]
  const fact = facts.filter(({ id }) => slot?.facts.includes(id))[turn % 2] ??
    facts.find(({ id }) => slot?.facts.includes(id))
  if (slot === undefined || fact === undefined) return null
  const own = [...new Set(owners)].filter((id) => id !== fact.id && slot.facts.includes(id))
    .slice(0, 4)
  // Of a text that was cut off, only what it still says.
  const read = orders.filter((order) =>
    !whole.text.endsWith("…") || whole.text.includes(order.slice(0, 20))
  )
  const order = (read[turn % read.length] ?? whole.text).slice(0, orderLengthMax)
  const open = own.includes(whole.id) ? `{${whole.id}.${whole.slot}}` : null
  const truth = trueSentence(fact)
  return { slot: slot.slot, ...way({ order, fact, truth, own, whole: open }) }
}

/** Answers as ordered: every headline decides the first outcome, or the one of the order. */
function readingsOf(call: Call, isOrder: (text: string) => boolean): unknown {
  const [question, ...headlines] = call.data as readonly [
    PromptQuestion,
    ...ReadonlyArray<PromptHeadline>,
  ]
  if (question.outcomes === undefined) return clauseQuoting(question.rules)
  const texts = [
    question.question,
    question.rules,
    ...headlines.flatMap(({ title, publisher }) => [title, publisher]),
  ]
  const whole = texts.find(isOrder) ?? ""
  const outcome = /"outcome":"([^"]+)"/.exec(whole)?.[1] ?? question.outcomes[0]
  return {
    readings: headlines.map(({ headline, title }) => ({
      ...{ story: headline, about: true, outcome, bears: "for", decides: true, quote: title },
    })),
  }
}

/** Every part of a settlement clause is the whole text, where it fits. */
export function clauseQuoting(text: string) {
  const quote = text.slice(0, 300)
  return {
    ...{ source: quote, series: quote, deadline: quote, comparison: quote },
    ...{ rounding: quote, revision: quote, void: quote },
  }
}
