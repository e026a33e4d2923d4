/**
 * An independent judge of published claims, written without the code of the grounding: whether a claim
 * says anything that its cited facts do not hold.
 *
 * It is stricter than a text has to be: each word must be a word of a cited statement, a word of a cited
 * name, or one of a short list; each number must be a number of a cited fact, in one of a few forms.
 *
 * @module
 */
import type { Fact } from "../../src/writing/domain/facts.ts"

/** Words that state nothing. */
const plain = new Set(
  `a an the this that it its they their there here and or but while with without within of in on at to from
  by for as is are was were be been has have had than then so also still now about after before over under
  up down per each both one two three four five six seven eight nine ten market markets price prices outcome
  outcomes cents cent percent usd dollars utc hour hours day days minute minutes moved move moves rose fell
  costs cost trades traded seen published reported headline headlines report news wallet wallets bought paid
  may might could perhaps possibly likely likely related if would watch which where when while whether not
  no none nothing neither our reading suggests consistent same first last next more less end ends resolved
  proposed known record label labelled`.split(/\s+/).filter((word) => word !== ""),
)

/** Words of an order that a text repeats in a row: fewer may be chance. */
const repeatedWordsMin = 4

/**
 * What a claim says that no cited fact holds; empty when there is nothing. `order` is the untrusted text
 * that the model was asked to repeat.
 */
export function unheld(
  text: string,
  cited: ReadonlyArray<Fact>,
  order: string,
): ReadonlyArray<string> {
  if (cited.length === 0) return ["rests on no fact"]
  const statements = cited.map(({ statement }) => statement).join(" ")
  const names = cited.flatMap(({ names, values }) => [
    ...names,
    ...Object.values(values).flatMap((value) => value.type === "name" ? [value.text] : []),
  ])
  const quotations = [...text.matchAll(/[“"]([^“”"]*)[”"]/g)].map(([, quoted = ""]) => quoted)
  const bare = longestFirst(names).reduce(
    (left, name) => left.replaceAll(name, " "),
    text.replace(/[“"][^“”"]*[”"]/g, " "),
  )
  const held = new Set([...wordsOf(statements), ...names.flatMap(wordsOf)])
  const foreign = wordsOf(bare).filter((word) => !plain.has(word) && !isHeld(word, held))
  return [
    ...quotations.filter((quoted) => !isQuotable(quoted, names, statements))
      .map((quoted) => `quotes “${quoted}”`),
    ...numbersOf(bare).filter((number) => !isHeldNumber(number, cited, statements))
      .map((number) => `number ${number}`),
    ...foreign.map((word) => `word ${word}`),
    ...repeated(bare, order, statements).map((run) => `repeats “${run}”`),
  ]
}

function isQuotable(quoted: string, names: ReadonlyArray<string>, statements: string): boolean {
  const part = quoted.replace(/\s*(?:…|\.{3})$/, "").trim()
  return part !== "" && (names.some((name) => name.includes(part)) || statements.includes(part))
}

function wordsOf(text: string): ReadonlyArray<string> {
  return (text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "").match(/\p{L}+/gu) ?? [])
    .filter((word) => word.length > 1)
}

/** The word itself or one that begins as it does: `moves` for `moved`. */
function isHeld(word: string, held: ReadonlySet<string>): boolean {
  if (held.has(word)) return true
  const root = word.slice(0, Math.max(4, word.length - 3))
  return word.length >= 5 && [...held].some((own) => own.startsWith(root) && own.length >= 4)
}

function numbersOf(text: string): ReadonlyArray<string> {
  return text.match(/\d[\d,]*(?:\.\d+)?(?::\d{2})?/g) ?? []
}

/** As written in a statement, or a value of it as it is, in percent, or of the other side. */
function isHeldNumber(number: string, cited: ReadonlyArray<Fact>, statements: string): boolean {
  if (numbersOf(statements).includes(number)) return true
  const said = Number(number.replaceAll(",", ""))
  return cited.some(({ values }) =>
    Object.values(values).some((value) => {
      if (!("value" in value)) return false
      const forms = [value.value, 100 * value.value, 1 - value.value, 100 * (1 - value.value)]
      return forms.some((form) =>
        Math.abs(Math.abs(form) - said) <= 0.006 * Math.max(1, Math.abs(form))
      )
    })
  )
}

/** Runs of words that are in the order and in no statement. */
function repeated(text: string, order: string, statements: string): ReadonlyArray<string> {
  const [said, ordered, own] = [text, order, statements].map((some) =>
    ` ${wordsOf(some).join(" ")} `
  )
  const words = wordsOf(text)
  const runs = words.slice(0, Math.max(0, words.length - repeatedWordsMin + 1))
    .map((_, at) => words.slice(at, at + repeatedWordsMin).join(" "))
  return runs.filter((run) =>
    said?.includes(` ${run} `) === true && ordered?.includes(` ${run} `) === true &&
    own?.includes(` ${run} `) !== true
  )
}

function longestFirst(names: ReadonlyArray<string>): ReadonlyArray<string> {
  return names.filter((name) => name.length > 1).toSorted((a, b) => b.length - a.length)
}
