/**
 * Whether the words and signs of direction agree with the cited facts, and the words for multiples with
 * their values.
 *
 * @module
 */
import type { Fact } from "../facts.ts"
import { bindingOf, type Context, type Findings, isOwnPair, stem } from "./context.ts"
import { slotBase } from "./names.ts"
import type { Statement } from "./quantities.ts"
import { causeWords, directionOf, hedgeWords } from "./words.ts"

const moveSlots = new Set(["from", "to", "change"])

/** The direction of a fact: its own, or that of its two prices. */
function directionOfFact({ direction, values }: Fact): "up" | "down" | null {
  if (direction !== null) return direction
  const { from, to } = values
  if (from?.type !== "price" || to?.type !== "price" || from.value === to.value) return null
  return to.value > from.value ? "up" : "down"
}

export function checkDirections(
  context: Context,
  stated: ReadonlyArray<Statement>,
  findings: Findings,
): void {
  context.tokens.forEach((token, at) => {
    const direction = token.kind === "word" && token.refs.length === 0
      ? directionOf(token.lower)
      : undefined
    if (direction !== undefined && !isIdiom(context, at)) {
      checkDirection(context, at, direction, stated, findings)
    }
  })
  for (const { figure, fact, slot, binding } of stated) {
    if (slotBase(slot) !== "change" || figure.sign === 0) continue
    const own = directionOfFact(fact)
    const said = (figure.sign > 0) === (binding !== "opposite") ? "up" : "down"
    if (own !== null && own !== said) findings.refused.push(`the sign of ${figure.text} is wrong`)
  }
}

/** `up to`, `higher than`, `over 1.5`: no movement. */
function isIdiom({ tokens }: Context, at: number): boolean {
  const [before, next] = [tokens[at - 1]?.lower ?? "", tokens[at + 1]?.lower ?? ""]
  const word = tokens[at]?.lower ?? ""
  return (word === "up" || word === "down") &&
    (next === "to" && tokens[at + 2]?.kind !== "number" ||
      /^(?:add|adds|adding|set|end|ends|ended|opened|close|closed|break|breaks|look|looks|add)$/
        .test(before))
}

function checkDirection(
  context: Context,
  at: number,
  said: "up" | "down",
  stated: ReadonlyArray<Statement>,
  findings: Findings,
): void {
  const word = context.tokens[at]?.text ?? ""
  const moved = movedFacts(context, at, stated)
  const agrees = moved.some(({ direction, opposite }) => (direction === said) !== opposite)
  if (agrees) {
    findings.confirmed.add(at)
    return
  }
  const isOfHeadline = context.nameStems.has(stem(word.toLowerCase())) &&
    context.cited.some(({ kind }) => kind === "news") && !isOfPrice(context, at, stated)
  const isFigured = moved.length > 0 && isOfPrice(context, at, stated)
  if (isOfHeadline || !isFigured && isPossible(context, at) || isComparison(context, at)) {
    findings.asked.push(`direction: ${word}`)
  } else if (moved.length > 0) {
    findings.refused.push(`“${word}” is the wrong direction`)
  } else if (context.ownStemSet.has(stem(word.toLowerCase()))) {
    findings.asked.push(`direction: ${word}`)
  } else {
    findings.refused.push(`no cited fact has a direction for “${word}”`)
  }
}

interface Moved {
  readonly direction: "up" | "down"
  readonly opposite: boolean
}

/** The facts whose direction a word may state: those with figures in its clause, else those named. */
function movedFacts(
  context: Context,
  at: number,
  stated: ReadonlyArray<Statement>,
): ReadonlyArray<Moved> {
  const { clause, sentence } = context.tokens[at] ?? {}
  const ofMoves = stated.filter(({ figure, slot, fact }) =>
    moveSlots.has(slotBase(slot)) && directionOfFact(fact) !== null &&
    context.tokens[figure.first]?.sentence === sentence
  )
  const inClause = ofMoves.filter(({ figure }) => context.tokens[figure.first]?.clause === clause)
  const next = ofMoves.filter(({ figure }) => figure.first > at).slice(0, 1)
  const chosen = inClause.length > 0 ? inClause : next
  const facts = chosen.length > 0
    ? chosen.map(({ fact }) => fact)
    : context.cited.filter((fact) => bindingOf(context, at, fact, "change") !== "foreign")
  return facts.flatMap((fact) => {
    const direction = directionOfFact(fact)
    if (direction === null) return []
    return [{ direction, opposite: bindingOf(context, at, fact, "change") === "opposite" }]
  })
}

/** Whether a figure of a move stands in the clause of a word. */
function isOfPrice({ tokens }: Context, at: number, stated: ReadonlyArray<Statement>): boolean {
  const { clause } = tokens[at] ?? {}
  return stated.some(({ figure, slot }) =>
    moveSlots.has(slotBase(slot)) && tokens[figure.first]?.clause === clause
  )
}

/** `a fall below 0.43 would …`, `if it rises`: what may come, in a text about what to watch. */
export function isConditional({ kind, tokens }: Context, at: number): boolean {
  if (kind === "fact") return false
  const { sentence } = tokens[at] ?? {}
  return tokens.some((token) =>
    token.sentence === sentence &&
    (/^(?:if|would|could|might|may|should|unless|whether|watch|expect)$/.test(token.lower) ||
      kind === "inference" && hedgeWords.has(token.lower))
  )
}

/** A movement that may come: `could fall`, `if it rises`, `watch for a fall`. */
function isPossible({ kind, tokens }: Context, at: number): boolean {
  if (kind === "fact") return false
  const { clause, sentence } = tokens[at] ?? {}
  return tokens.some(({ lower, clause: of, sentence: own }, n) =>
    own === sentence && /^(?:if|unless|whether|watch|expect)$/.test(lower) ||
    of === clause && n < at && /^(?:would|could|might|may|should)$/.test(lower)
  )
}

/** `higher than`, `lower on the day`: two things are compared, and nothing moved. */
function isComparison({ tokens }: Context, at: number): boolean {
  return /^(?:higher|lower|up|down|cheaper|dearer)$/.test(tokens[at]?.lower ?? "") &&
    tokens.slice(at + 1, at + 3).some(({ lower }) => lower === "than")
}

const multiples: ReadonlyMap<string, readonly [number, number]> = new Map<
  string,
  readonly [number, number]
>([
  ...["doubled", "doubles", "doubling", "double", "twice", "twofold"].map((word) =>
    [word, [1.9, 2.1]] as const
  ),
  ...["tripled", "trebled", "triples", "tripling", "triple", "thrice", "threefold"].map((word) =>
    [word, [2.85, 3.15]] as const
  ),
  ...["quadrupled", "fourfold"].map((word) => [word, [3.8, 4.2]] as const),
  ...["halved", "halves", "halving", "half"].map((word) => [word, [0.475, 0.525]] as const),
  ...["third", "thirds"].map((word) => [word, [0.32, 0.35]] as const),
  ...["quarter", "quarters", "quartered"].map((word) => [word, [0.24, 0.26]] as const),
])
/** Verbs that say how the price itself changed. */
const moveMultiple = /^(?:doubl|tripl|trebl|quadrupl|halv)/

/** `doubled`, `half`, `a third`: only when the cited values say so. */
export function checkMultiples(context: Context, findings: Findings): void {
  context.tokens.forEach(({ lower, kind, refs }, at) => {
    const range = kind === "word" && refs.length === 0 ? multiples.get(lower) : undefined
    if (range === undefined || findings.confirmed.has(at)) return
    const [low, high] = range
    const isMove = moveMultiple.test(lower) && lower !== "double"
    const ratios = isMove ? moveRatios(context, at) : allRatios(context)
    const isOwn = context.ownStemSet.has(stem(lower)) && !isMove
    if (ratios.some((ratio) => low <= ratio && ratio <= high)) {
      if (isMove) findings.confirmed.add(at)
      else findings.asked.push(`computed from cited values: ${lower}`)
    } else if (isOwn && isOwnPair(context, at)) findings.confirmed.add(at)
    else if (isOwn || hasHalfLevel(context, lower)) findings.asked.push(`multiple: ${lower}`)
    else findings.refused.push(`no two cited values make “${lower}”`)
  })
}

function hasHalfLevel({ cited }: Context, lower: string): boolean {
  return lower === "half" &&
    cited.some(({ values }) => values["halfLevel"] !== undefined || values["from"] !== undefined)
}

function moveRatios(context: Context, at: number): ReadonlyArray<number> {
  return context.cited.flatMap((fact) => {
    const { from, to } = fact.values
    const binding = bindingOf(context, at, fact, "change")
    if (from?.type !== "price" || to?.type !== "price" || binding === "foreign") return []
    return binding === "opposite" ? [(1 - to.value) / (1 - from.value)] : [to.value / from.value]
  })
}

/** Values that are compared with each other. */
const comparedMax = 30

function allRatios({ cited }: Context): ReadonlyArray<number> {
  const numbers = cited.flatMap(({ values }) =>
    Object.values(values).flatMap((value) =>
      "value" in value
        ? [{ type: value.type === "change" ? "price" : value.type, of: value.value }]
        : value.type === "duration"
        ? [{ type: "duration", of: value.ms }]
        : []
    )
  ).slice(0, comparedMax)
  return numbers.flatMap((a) =>
    numbers.filter((b) => b !== a && b.type === a.type && b.of !== 0).map((b) => a.of / b.of)
  )
}

/** Whether a word says why; `due to end` does not. */
export function isCause({ tokens }: Context, at: number): boolean {
  const { lower = "", kind, refs = [] } = tokens[at] ?? {}
  if (kind !== "word" || refs.length > 0) return false
  const next = tokens[at + 1]?.lower ?? ""
  if (lower === "due") {
    return next === "to" &&
      !/^(?:end|be|resolve|close|expire|start|begin)$/.test(tokens[at + 2]?.lower ?? "")
  }
  if (lower === "led") return next === "to"
  if (lower === "result" || lower === "consequence") return true
  if (lower === "thanks" || lower === "owing") return next === "to"
  return causeWords.has(lower)
}
