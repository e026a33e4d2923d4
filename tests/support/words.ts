/**
 * Finds the words that `docs/glossary.md` replaces, in sources and documents.
 *
 * @module
 */

/** A row of the second table of `docs/glossary.md`. */
export interface ReplacedWord {
  readonly word: string
  /** Whether its use fails the build; otherwise it is only counted. */
  readonly isRejected: boolean
}

/** The words of the glossary's second table. */
export function replacedWords(glossary: string): ReadonlyArray<ReplacedWord> {
  const rows = [...glossary.matchAll(/^\| ([^|]+) \| [^|]+ \| (rejected|counted) \|$/gm)]
  return rows.flatMap(([, words = "", checked]) =>
    words.split(",").map((word) => ({ word: word.trim(), isRejected: checked === "rejected" }))
  )
}

/** Splits `camelCase`, `snake_case` and `kebab-case` into words, so that names are searched too. */
function plainWords(text: string): string {
  return text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[_-]/g, " ").toLowerCase()
}

/** How often each word occurs in a text; lower and upper case and parts of names count. */
export function occurrences(
  text: string,
  words: ReadonlyArray<ReplacedWord>,
): ReadonlyMap<string, number> {
  const plain = plainWords(text)
  return new Map(words.map(({ word }) => [
    word,
    [...plain.matchAll(new RegExp(`\\b${plainWords(word)}\\b`, "g"))].length,
  ]))
}
