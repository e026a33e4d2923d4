/**
 * Another judge of what is published, written without a look at the check: what is left of a text
 * when its own facts' names, figures and links are taken out must be plain words of a small alphabet.
 *
 * @module
 */
import type { Fact, Passage } from "../../src/writing/domain/facts.ts"

/** What is wrong with a passage that was published; empty when nothing is. */
export function publishedFaults(
  { text, facts: ids }: Passage,
  facts: ReadonlyArray<Fact>,
): ReadonlyArray<string> {
  const own = facts.filter(({ id }) => ids.includes(id))
  const names = own.flatMap((fact) => fact.names)
  if (own.length === 0) return ["no facts"]
  const quotations = [...text.matchAll(/“([^“”]*)”/g)].map(([, quoted = ""]) => quoted)
  const foreign = quotations.filter((quoted) => !names.includes(quoted))
  const figures = longestFirst(own.flatMap((fact) => fact.figures))
  const links = longestFirst(own.flatMap((fact) => fact.links))
  const rest = without(without(text.replace(/“[^“”]*”/g, " ◦ "), links), figures)
  const prose = rest.normalize("NFKC")
  const nameWords = new Set(names.flatMap((name) => name.split(/[^\p{L}\p{M}'’]+/u)))
  const found = (pattern: RegExp) => prose.match(pattern) ?? []
  return [
    ...foreign.map((quoted) => `quotes “${quoted}”`),
    ...found(/\p{N}[\p{L}\p{N}.,%]*/gu).map((run) => `figure ${run}`),
    ...found(/[%‰$€£¥₿±−×÷=+<>]/gu).map((sign) => `sign ${sign}`),
    ...found(/\S*(?::\/\/|www\.|@|0x|\[\.\]|\p{L}\.\p{L})\S*/giu).map((run) => `address ${run}`),
    ...found(/[^\p{Script=Latin}\p{Zs}.,;:!?'’()◦–—-]/gu).map((sign) =>
      `sign U+${sign.codePointAt(0)?.toString(16)}`
    ),
    ...found(/[\p{C}\p{M}“”"«»„‟`*_#|\\[\]{}~^]/gu).map((sign) => `mark ${sign}`),
    ...own.some(({ certain }) => certain) ? [] : sureWords(prose).map((word) => `sure: ${word}`),
    ...capitals(prose).filter((word) => !nameWords.has(word)).map((word) => `capital ${word}`),
    ...numberWords(prose).map((word) => `number ${word}`),
  ]
}

const sure =
  /\b(?:guarantee\w*|certain|certainly|certainty|confirm\w*|won|resolved|settled|definite\w*|surely|proven|proved|officially|official|decided|inevitabl\w*|undoubted\w*|undeniabl\w*|final|will|must|never|always|locked|secured|lost)\b/giu
const numbers =
  /\b(?:zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w*(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)\w*|hundreds?|thousands?|millions?|billions?|trillions?|half|halves|double\w*|twice|triple\w*|thrice|dozens?|percent\w*|quarters?|thirds?)\b/giu

function sureWords(prose: string): ReadonlyArray<string> {
  return bare(prose).match(sure) ?? []
}

function numberWords(prose: string): ReadonlyArray<string> {
  return bare(prose).match(numbers) ?? []
}

/** Without accents: a word in disguise is the word. */
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

/** What would show as more than text: any mark of Markdown or HTML that is not escaped, bar headings. */
export function markdownFaults(markdown: string): ReadonlyArray<string> {
  const shown = markdown.replace(/^## [A-Za-z ,]+$/gm, "").replace(/\\[!-/:-@[-`{-~]/g, "")
  const active = /[\\`*_[\]<>|~&]|:\/\/|www\.|^[ \t]*(?:[-+=#]+|\d+[.)])(?:\s|$)/gm
  return [...shown.matchAll(active)].map(([mark]) => `mark ${mark}`)
}

/** Words that no text of ours would use: names of people, wallets, coins and places they invented. */
const foreignWords =
  /evil|airdrop|moonking|usdc|jane|doe|reuters|acme|lighthouse|keepers|friday|midnight|bellwether|resigned/giu

/** The words of a stranger's text that can only be its own. */
export function strangersWords(text: string): ReadonlyArray<string> {
  return [...new Set(text.toLowerCase().match(foreignWords) ?? [])]
}

/** Such words that stand in a published text outside every quotation. */
export function unquotedWords(
  text: string,
  stranger: ReadonlyArray<string>,
): ReadonlyArray<string> {
  const prose = text.replace(/“[^“”]*”/g, " ").toLowerCase()
  return stranger.filter((word) => new RegExp(`(?<!\\p{L})${word}(?!\\p{L})`, "u").test(prose))
}
