/**
 * Whether the figures of a claim are values of the cited facts, in the role and next to the name that the
 * claim gives them.
 *
 * @module
 */
import type { Fact } from "../facts.ts"
import { spelled, type Value } from "../values.ts"
import {
  type Binding,
  bindingOf,
  type Context,
  type Findings,
  governing,
  isOwnPair,
  stem,
} from "./context.ts"
import { type Figure, monthOf } from "./figures.ts"
import { slotBase } from "./names.ts"
import { isInOwnPlace, roleOf } from "./roles.ts"
import { directionOf } from "./words.ts"
import { states } from "./values.ts"

/** A value that a figure states. */
export interface Statement {
  readonly figure: Figure
  readonly fact: Fact
  readonly slot: string
  readonly binding: Binding
}

/** Slots with a role of their own; another slot may stand anywhere. */
const knownSlots = new Set([
  ...["from", "to", "change", "price", "bid", "ask", "spread", "depth", "volume", "window", "at"],
  ...["deviations", "publishedAt", "outlets", "lastAt", "lag", "stake", "entryPrice", "resolved"],
  ...["winRate", "meanEntryPrice", "edge", "edgeLow", "edgeHigh", "proposedAt", "age", "evidence"],
  ...["breakEven", "roundTrip", "halfLevel", "sum", "riskless", "base", "kept", "drift", "endsAt"],
  ...[
    "left",
    "liquidity",
    "low",
    "high",
    "startsAt",
    "baseLow",
    "baseHigh",
    "difference",
    "chance",
  ],
])

/** Checks every figure; returns the values that they state. */
export function checkQuantities(context: Context, findings: Findings): ReadonlyArray<Statement> {
  return context.figures.flatMap((figure) => {
    if (findings.confirmed.has(figure.first)) return []
    const stated = statementsOf(context, figure)
    const fitting = stated.filter(({ binding }) => binding !== "foreign")
    const role = roleOf(context, figure)
    const inRole = fitting.filter((statement) =>
      isInRole(statement, role) || isInOwnPlace(context, figure, statement.fact, statement.slot)
    )
    const wrong = wrongRelation(context, figure, inRole)
    if (wrong !== null) {
      findings.refused.push(wrong)
      return []
    }
    if (inRole.length > 0) {
      confirm(figure, findings)
      if (role === null && isAmbiguous(figure, inRole)) {
        findings.asked.push(`which value is ${figure.text}`)
      }
      return inRole
    }
    if (isOfName(context, figure) || isOwnWords(context, figure)) {
      confirm(figure, findings)
      return []
    }
    const reason = reasonOf(context, figure, stated, fitting, role)
    if (reason.asked) findings.asked.push(reason.text)
    else findings.refused.push(reason.text)
    return []
  })
}

/** `more than` a value that is not more; the time that is left, after its end. */
function wrongRelation(
  context: Context,
  { first, last, text, value }: Figure,
  found: ReadonlyArray<Statement>,
): string | null {
  const { tokens } = context
  const [before, than] = [tokens[first - 2]?.lower ?? "", tokens[first - 1]?.lower]
  const isBound = than === "than" && /^(?:more|less|fewer)$/.test(before) &&
    !isOwnPair(context, first - 2)
  const numbers = found.flatMap(({ fact, slot }) => {
    const own = fact.values[slot]
    return own === undefined
      ? []
      : own.type === "duration"
      ? [own.ms]
      : "value" in own
      ? [own.value]
      : []
  })
  const isMore = before === "more"
  if (isBound && numbers.length > 0 && !numbers.some((own) => isMore ? own > value : own < value)) {
    return `${text} is not ${before} than the value`
  }
  const [next, object] = [tokens[last + 1]?.lower ?? "", tokens[last + 2]?.lower]
  const isLeft = found.length > 0 && found.every(({ slot }) => slotBase(slot) === "left")
  const isAge = found.length > 0 && found.every(({ slot }) => slotBase(slot) === "age")
  const fromText = object === "this"
  return isLeft && (next === "after" && !fromText || next === "before" && fromText) ||
      isAge && (next === "later" || next === "after")
    ? `${text} is not the time ${next}`
    : null
}

/** Whether a value may have the role that the words give it. A time of news is its first, if not said. */
function isInRole(
  { fact, slot }: Statement,
  role: ReadonlyArray<string> | null,
): boolean {
  const base = slotBase(slot)
  const type = fact.values[slot]?.type
  if (type === "count" || type === "deviations" || !knownSlots.has(base)) return true
  return role === null ? !(fact.kind === "news" && base === "lastAt") : role.includes(base)
}

/** A figure in words that a cited statement has in its own words: `after a day`. */
function isOwnWords({ cited, tokens }: Context, { first, inWords, text }: Figure): boolean {
  const [before = "", than = ""] = [tokens[first - 2]?.lower, tokens[first - 1]?.lower]
  const bound = /^(?:than|least|most)$/.test(than) ? `${before} ${than} ` : ""
  return inWords &&
    cited.some(({ statement }) =>
      ` ${statement.replace(/“[^“”]*”/gu, " ").toLowerCase()}`.includes(
        ` ${bound}${text.toLowerCase()}`,
      )
    )
}

function confirm({ first, last }: Figure, { confirmed }: Findings): void {
  for (let at = first; at <= last; at++) confirmed.add(at)
}

function statementsOf(context: Context, figure: Figure): ReadonlyArray<Statement> {
  return context.cited.flatMap((fact) =>
    Object.entries(fact.values).flatMap(([slot, value]): ReadonlyArray<Statement> => {
      if (value.type === "count" && !isCounted(context, figure, value)) return []
      const bound = bindingOf(context, figure.first, fact, slot)
      const isOpposite = value.type === "price" && bound === "opposite"
      if (bound === "opposite" && !twoSidedKinds.has(fact.kind)) return []
      if (value.type === "count" && isOtherWay(context, figure, fact, slot)) return []
      // Only a price has another side: one less it. A wallet that bought “Yes” did not buy “No”.
      const binding = isOpposite && !isTwoSided(fact, slot) ? "foreign" : bound
      const counted = value.type === "count" ? withFirst(context, figure, value) : value
      return states(figure, counted, isOpposite) ? [{ figure, fact, slot, binding }] : []
    })
  )
}

/** `11 were up` of a statement with `11 moves down`. */
function isOtherWay(context: Context, { last }: Figure, fact: Fact, slot: string): boolean {
  const value = fact.values[slot]
  const spelling = value === undefined ? "" : spelled(value)
  const own = fact.statement.split(spelling)[1]?.trim().split(/\P{L}/u)[0] ?? ""
  const said = context.tokens.slice(last + 1, last + 1 + nounWithin)
    .flatMap(({ lower }) => directionOf(lower) ?? [])[0]
  return said !== undefined && directionOf(own) !== undefined && directionOf(own) !== said
}

/** `2 more outlets` are three outlets. */
function withFirst(
  { tokens }: Context,
  { first, last }: Figure,
  value: Extract<Value, { type: "count" }>,
): Value {
  const isMore = value.noun.startsWith("more ") || value.nouns.startsWith("more ")
  const saysMore = tokens.slice(Math.max(0, first - 1), last + 3)
    .some(({ lower }) => /^(?:more|others?|further|another)$/.test(lower))
  return isMore && !saysMore ? { ...value, value: value.value + 1 } : value
}

const twoSidedKinds = new Set(["mover", "price", "market", "upcoming", "relation"])

function isTwoSided({ kind }: Fact, slot: string): boolean {
  return twoSidedKinds.has(kind) && ["price", "from", "to"].includes(slotBase(slot))
}

/** Words that count the same things. */
const sameThings: ReadonlyArray<ReadonlyArray<string>> = [
  ["outlet", "publisher", "source", "paper", "newspaper", "site", "wire"],
  ["headlin", "report", "story", "article", "publication"],
  ["entry", "position", "bet", "trad", "purchas", "buy"],
  ["wallet", "account", "whal", "trader"],
  ["market", "contract"],
  ["mov", "chang", "swing"],
]

function isSameThing(a: string, b: string): boolean {
  return a === b || sameThings.some((things) => things.includes(a) && things.includes(b))
}

/** Words after a count whose noun was said before: `11 were down`, `2 on No`. */
const ellipses = new Set("on were was are is from up down for and have had".split(" "))

/** Nouns after a count are looked for in so many tokens. */
const nounWithin = 4

/** Whether the noun after a figure is the noun of a count: `26 past entries`, `three more outlets`. */
function isCounted(
  { tokens }: Pick<Context, "tokens">,
  { last }: Figure,
  { noun, nouns }: Extract<Value, { type: "count" }>,
): boolean {
  const next = tokens[last + 1]
  if (next === undefined || next.kind === "mark" || ellipses.has(next.lower)) return true
  const things = [noun, nouns].flatMap((words) => words.split(" ").map((word) => stem(word)))
  return tokens.slice(last + 1, last + 1 + nounWithin)
    .some(({ lower, kind }) =>
      kind === "word" && things.some((thing) => isSameThing(stem(lower), thing))
    )
}

/** Whether the words around a figure leave open which of several values it is. */
function isAmbiguous(
  figure: Figure,
  found: ReadonlyArray<Statement>,
): boolean {
  if (!["bare", "cents", "percent"].includes(figure.unit)) return false
  const slots = new Set(found.map(({ slot }) => slotBase(slot)))
  return !slots.has("price") && !slots.has("to") && !slots.has("outlets") &&
    !found.some(({ fact, slot }) => fact.values[slot]?.type === "count")
}

/** Whether a figure is a part of a cited name: `4.6%`, `November 29`, `Over 2.5`. */
function isOfName(context: Context, figure: Figure): boolean {
  const role = roleOf(context, figure)
  const isStrong = role !== null && figure.unit !== "date" && figure.sign === 0 &&
    !/^(?:above|below|over|under|than|gain|least|by)$/.test(
      context.tokens[figure.first - 1]?.lower ?? "",
    )
  if (isStrong && !isAfterName(context, figure)) return false
  const market = governing(context, figure.first, "market")
  const own = context.names.filter(({ cited }) => cited)
  const about = market === undefined || market.sentence !== context.tokens[figure.first]?.sentence
    ? own
    : own.filter((name) =>
      name.class !== "market" || market.refs.some((ref) => ref.fact === name.fact)
    )
  return about.some(({ text }) => hasFigure(text, figure) && isNameNumber(context, figure, text))
}

/** A whole number alone is a part of a name only next to another word of it: `O/U 2`, `Route 66`. */
function isNameNumber(
  { tokens }: Context,
  { first, last, unit, step }: Figure,
  name: string,
): boolean {
  if (unit !== "bare" || step < 1) return true
  const [before, own, next] = [tokens[first - 1], tokens[first], tokens[last + 1]].map((token) =>
    token?.text ?? ""
  )
  return name.includes(`${before} ${own}`) || name.includes(`${own} ${next}`)
}

function isAfterName({ tokens }: Context, { first }: Figure): boolean {
  const before = tokens[first - 1]
  return before?.kind === "word" && /^\p{Lu}/u.test(before.text) && before.refs.length > 0
}

function hasFigure(name: string, { unit, value, text }: Figure): boolean {
  if (unit === "date") {
    const dates = name.matchAll(/(\p{L}+) (\d{1,2})(?!\d|[:.]\d)/gu)
    return [...dates].some(([, month = "", ofMonth]) =>
      (monthOf(month.toLowerCase()) ?? 0) * 100 + Number(ofMonth) === value
    )
  }
  const bare = text.replace(/^\$/, "")
  const at = name.indexOf(bare)
  return at >= 0 && !/[\d.,]/.test(name[at - 1] ?? "") &&
    !/^(?:[\d%]|[.,]\d)/.test(name.slice(at + bare.length))
}

interface Reason {
  readonly asked: boolean
  readonly text: string
}

function reasonOf(
  context: Context,
  figure: Figure,
  stated: ReadonlyArray<Statement>,
  fitting: ReadonlyArray<Statement>,
  role: ReadonlyArray<string> | null,
): Reason {
  const { text } = figure
  if (fitting.length > 0) {
    return { asked: false, text: `${text} is not what the sentence says it is` }
  }
  if (stated.length > 0) {
    return {
      asked: isOfSameStory(context, figure, stated),
      text: `${text} belongs to another market, wallet or source`,
    }
  }
  if (isSumOrEnd(context, figure) || isGap(context, figure)) {
    return { asked: true, text: `computed from cited values: ${text}` }
  }
  if (countsFacts(context, figure)) return { asked: true, text: `count of cited facts: ${text}` }
  const isGivenRole = role !== null &&
    context.cited.some(({ values }) =>
      Object.keys(values).some((slot) => role.includes(slotBase(slot)))
    )
  if (context.kind !== "inference" && !isGivenRole && isDerived(context, figure)) {
    return { asked: true, text: `computed from cited values: ${text}` }
  }
  if (isUntyped(context, figure)) return { asked: true, text: `no typed value: ${text}` }
  return { asked: false, text: `no cited fact has ${text}` }
}

/** `three outlets` with three cited facts of different outlets; `one` alone is a pronoun. */
function countsFacts({ cited, tokens }: Context, figure: Figure): boolean {
  if (figure.unit !== "bare" || figure.value !== Math.floor(figure.value)) return false
  const next = tokens.slice(figure.last + 1, figure.last + 1 + nounWithin).map(({ lower }) =>
    stem(lower)
  )
  const distinct = (slot: string) =>
    new Set(cited.flatMap(({ values }) => {
      const value = values[slot]
      return value?.type === "name" ? [value.text] : []
    })).size
  const counts: ReadonlyArray<readonly [string, number]> = [
    ["outlet", distinct("publisher")],
    ["headlin", cited.filter(({ kind }) => kind === "news").length],
    ["market", distinct("market")],
    ["wallet", distinct("wallet")],
    ["entry", cited.filter(({ kind }) => kind === "whale_entry" || kind === "whale").length],
    ["mov", cited.filter(({ kind }) => kind === "mover").length],
  ]
  const named = counts.filter(([thing]) => next.some((word) => isSameThing(word, thing)))
  const isTyped = cited.some(({ values }) =>
    Object.values(values).some((value) =>
      value.type === "count" && isCounted({ tokens }, figure, value)
    )
  )
  if (isTyped) return false
  if (named.length > 0) return named.some(([, count]) => count === figure.value && count > 0)
  return figure.inWords && (figure.value === 1 || figure.value === cited.length)
}

/** `of seven entries`: the sum of the counts of one fact. `to 0 or 1`: the ends of a price. */
function isSumOrEnd(context: Context, figure: Figure): boolean {
  const { cited, tokens } = context
  if (figure.unit !== "bare" || figure.step < 1) return false
  const before = tokens[figure.first - 1]?.lower ?? ""
  if (!figure.inWords && figure.value <= 1) {
    return context.kind !== "fact" && /^(?:to|or|near|towards|worth|at|and)$/.test(before)
  }
  return before === "of" && cited.some(({ values }) => {
    const counts = Object.values(values).flatMap((value) =>
      value.type === "count" && isCounted(context, figure, value) ? [value.value] : []
    )
    return counts.length > 1 && counts.reduce((sum, count) => sum + count, 0) === figure.value
  })
}

/** A duration between two cited times. */
function isGap({ cited }: Context, { unit, value, step }: Figure): boolean {
  if (unit !== "duration") return false
  const times = cited.flatMap(({ values }) =>
    Object.values(values).flatMap((value) => value.type === "time" ? [value.at] : [])
  ).slice(0, pairedMax)
  return times.some((a) => times.some((b) => b > a && Math.abs(b - a - value) <= step / 2))
}

/** The time of another copy of the headline that is named: `The Harbor Ledger 00:11, then 00:21`. */
function isOfSameStory(
  context: Context,
  { first, unit }: Figure,
  stated: ReadonlyArray<Statement>,
): boolean {
  if (
    unit !== "clock" || !/^(?:then|and|again|later)$/.test(context.tokens[first - 1]?.lower ?? "")
  ) {
    return false
  }
  const named = governing(context, first, "source")?.refs.map(({ fact }) => headlineOf(fact)) ?? []
  return stated.some(({ fact }) => named.includes(headlineOf(fact)))
}

function headlineOf({ values }: Fact): string {
  const headline = values["headline"]
  return headline?.type === "name" ? headline.text : ""
}

/** Whether a figure of a statement has no typed value: then its role is unknown. */
function isUntyped({ cited }: Context, { text }: Figure): boolean {
  return cited.some(({ figures, values }) =>
    figures.some((own) => own === text || own.startsWith(`${text} `)) &&
    Object.values(values).length === 0
  )
}

/** Words that say that a figure is a difference of two others. */
const differing =
  /^(?:difference|gap|apart|less|more|cheaper|dearer|above|below|under|higher|lower|discount|premium)$/
const remaining = /^(?:left|upside|remaining|payout|par)$/
const sharing = /^(?:of|total|together|combined)$/
const computedWithin = 5
/** A computed figure may differ by half a percent, half a cent or a dollar. */
const tolerance = 0.005

/** Differences, remainders, shares and sums of cited values, when a word says that it is one. */
function isDerived({ cited, tokens }: Context, figure: Figure): boolean {
  const near = [
    ...tokens.slice(Math.max(0, figure.first - computedWithin), figure.first),
    ...tokens.slice(figure.last + 1, figure.last + 1 + computedWithin),
  ]
  const says = (words: RegExp) => near.some(({ lower }) => words.test(lower))
  const values = cited.flatMap(({ values }) => Object.values(values))
  const prices = values.flatMap((value) => value.type === "price" ? [value.value] : [])
  const pricePairs = pairs(prices)
  const amounts = pairs(values.flatMap((value) => value.type === "usd" ? [value.value] : []))
  const worth = figure.unit === "bare" ? 1 : 0.01
  const isNear = (value: number) => Math.abs(figure.value * worth - value) <= tolerance
  if (figure.unit === "usd") {
    return says(sharing) && amounts.some(([a, b]) => Math.abs(figure.value - a - b) <= 1)
  }
  if (!["bare", "cents", "points", "percent"].includes(figure.unit)) return false
  const shares = [
    ...amounts.flatMap(([a, b]) => [a / b, b / a, a / (a + b), b / (a + b)]),
    ...pricePairs.flatMap(([a, b]) => [Math.abs(a - b) / a, Math.abs(a - b) / b]),
  ]
  const midpoints = cited.flatMap(({ values: { from, to } }) =>
    from?.type === "price" && to?.type === "price" ? [(from.value + to.value) / 2] : []
  )
  return says(/^half/) && midpoints.some(isNear) ||
    says(differing) && pricePairs.some(([a, b]) => isNear(Math.abs(a - b))) ||
    says(remaining) && prices.some((price) => isNear(1 - price)) ||
    figure.unit === "percent" && says(sharing) && shares.some(isNear)
}

function pairs(of: ReadonlyArray<number>): ReadonlyArray<readonly [number, number]> {
  const some = of.slice(0, pairedMax)
  return some.flatMap((a, n) => some.slice(n + 1).map((b) => [a, b] as const))
}

/** Values of a kind that are paired. */
const pairedMax = 24
