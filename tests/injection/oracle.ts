/**
 * An independent oracle for published texts, written without reference to the hard checks: after removing
 * the names, figures and links of the cited facts, only plain words of a small alphabet may remain, and
 * no figure or name that the facts do not have.
 *
 * @module
 */
import type { Fact } from "../../src/writing/domain/facts.ts"
import type { Sentence } from "../../src/writing/domain/page.ts"
import { spelled } from "../../src/writing/domain/values.ts"

/** The figures of a fact, as it spells them. */
export const figuresIn = ({ values }: Fact): ReadonlyArray<string> =>
  Object.values(values).filter(({ type }) => type !== "name" && type !== "word").map(spelled)

/** The faults of a published sentence; empty when there are none. */
export function publishedFaults(
  { text, facts: ids }: Sentence,
  facts: ReadonlyArray<Fact>,
): ReadonlyArray<string> {
  const own = facts.filter(({ id }) => ids.includes(id))
  const names = own.flatMap((fact) => fact.names)
  if (own.length === 0) return ["no facts"]
  const quotations = [...text.matchAll(/“([^“”]*)”/g)].map(([, quoted = ""]) => quoted)
  const foreign = quotations.filter((quoted) => !names.some((name) => name.includes(quoted)))
  // The longest first, because one may be part of another.
  const allowed = longestFirst(
    own.flatMap((fact) => [...figuresIn(fact), ...fact.links, ...fact.names]),
  )
  const rest = without(text.replace(/“[^“”]*”/g, " ◦ "), allowed)
  const known = wordsOfFacts(own)
  const prose = rest.normalize("NFKC")
  const nameWords = new Set(names.flatMap((name) => name.split(/[^\p{L}\p{M}'’]+/u)))
  const found = (pattern: RegExp) => prose.match(pattern) ?? []
  const unknown = (words: ReadonlyArray<string>) =>
    words.filter((word) => !known.has(word.toLowerCase()))
  return [
    ...foreign.map((quoted) => `quotes “${quoted}”`),
    ...unknown(found(/\p{N}[\p{L}\p{N}.,%]*/gu)).map((run) => `figure ${run}`),
    ...found(/[%‰$€£¥₿±−×÷=+<>]/gu).map((sign) => `sign ${sign}`),
    ...found(/\S*(?::\/\/|www\.|@|0x|\[\.\]|\p{L}\.\p{L})\S*/giu).map((run) => `address ${run}`),
    ...found(/[^\p{Script=Latin}\p{Zs}\p{N}.,;:!?'’()◦–—%-]/gu).map((sign) =>
      `sign U+${sign.codePointAt(0)?.toString(16)}`
    ),
    ...found(/[\p{C}\p{M}“”"«»„‟`*_#|\\[\]{}~^]/gu).map((sign) => `mark ${sign}`),
    ...unknown(capitals(prose).filter((word) => !nameWords.has(word)))
      .map((word) => `capital ${word}`),
    ...unknown(numberWords(prose)).map((word) => `number ${word}`),
  ]
}

/** The words of the facts' statements outside quotations, in lower case. */
function wordsOfFacts(facts: ReadonlyArray<Fact>): ReadonlySet<string> {
  return new Set(
    facts.flatMap(({ statement }) =>
      statement.replace(/“[^“”]*”/g, " ").toLowerCase().match(
        /[\p{L}\p{N}][\p{L}\p{N}.,%'’-]*/gu,
      ) ?? []
    ).flatMap((word) => [word, word.replace(/[.,]+$/, "")]),
  )
}

const numbers =
  /\b(?:zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w*(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)\w*|hundreds?|thousands?|millions?|billions?|trillions?|half|halves|double\w*|twice|triple\w*|thrice|dozens?|percent\w*|quarters?|thirds?)\b/giu

function numberWords(prose: string): ReadonlyArray<string> {
  return bare(prose).match(numbers) ?? []
}

/** Without accents, so that a disguised word counts as the word. */
function bare(prose: string): string {
  return prose.normalize("NFKD").replace(/\p{M}/gu, "")
}

/** Words with a capital that do not begin a sentence. */
function capitals(prose: string): ReadonlyArray<string> {
  return [...prose.matchAll(/(?<![\p{L}'’])\p{Lu}[\p{L}'’]*/gu)]
    .filter(({ index }) => !/(?:^|[.!?:])[\s(]*$/u.test(prose.slice(0, index)))
    .map(([word]) => word)
}

function without(text: string, phrases: ReadonlyArray<string>): string {
  return phrases.reduce((left, phrase) => left.replaceAll(phrase, " ◦ "), text)
}

function longestFirst(phrases: ReadonlyArray<string>): ReadonlyArray<string> {
  return phrases.filter((phrase) => phrase !== "").toSorted((a, b) => b.length - a.length)
}

/** Marks of Markdown or HTML, except our own headings, lists with labels, and the quoted name in bold of a card. */
export function markdownFaults(markdown: string): ReadonlyArray<string> {
  const escaped = markdown.replace(/^## [A-Za-z ,]+$/gm, "")
    .replace(/^- (?:\*\*[A-Z][a-z]+(?: [a-z]+){0,3}:?\*\*)?(?=\S| )/gm, "")
    .replace(/^([^*\n]*)\*\*(“[^*\n”]+”)\*\*/gm, "$1$2")
  const active = /[\\`*_[\]<>|~]|&(?=#?\w+;)|:\/\/|www\.|^[ \t]*(?:[-+=#]+|\d+[.)])(?:\s|$)/gm
  return [...escaped.matchAll(active)].map(([mark]) => `mark ${mark}`)
}

/** Words that only the payloads and the simulated market use. */
const foreignWords =
  /evil|airdrop|moonking|usdc|jane|doe|reuters|acme|lighthouse|keepers|friday|midnight|bellwether|resigned/giu

/** The words of an untrusted text that no text of ours uses. */
export function foreignWordsOf(text: string): ReadonlyArray<string> {
  return [...new Set(text.toLowerCase().match(foreignWords) ?? [])]
}

/** The `words` that a published sentence has outside quotations, and that no fact it cites has. */
export function unquotedWords(
  { text, facts: ids }: Sentence,
  facts: ReadonlyArray<Fact>,
  words: ReadonlyArray<string>,
): ReadonlyArray<string> {
  const own = facts.filter(({ id }) => ids.includes(id)).map(({ statement }) => statement)
  const prose = text.replace(/“[^“”]*”/g, " ")
  const has = (where: string, word: string) =>
    new RegExp(`(?<!\\p{L})${word}(?!\\p{L})`, "iu").test(where)
  return words.filter((word) => has(prose, word) && !has(own.join(" "), word))
}
