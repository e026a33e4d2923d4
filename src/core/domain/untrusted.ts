/**
 * Sanitizes untrusted text for a prompt, for a text that is sold, and for a log.
 *
 * A question, an outcome, a description, a headline or a pseudonym may contain anything. No text is
 * rejected. Characters that could change the surrounding text are removed or replaced: control
 * characters, direction marks, invisible marks, quotation marks that would end a quotation, and markup.
 *
 * @module
 */

/** Characters of a name in a text that is sold. */
export const nameLengthMax = 160
/** Combining marks on one letter: no script needs more, and a taller stack covers other lines. */
const marksMax = 4
/** Replaces a name without a visible character. */
const nameless = "unnamed"

/**
 * Untrusted text as a name: one line, at most `max` characters, never empty, and without the
 * quotation marks that a text puts around a name.
 */
export function safeName(text: string, max: number = nameLengthMax): string {
  const name = oneLine(text)
    .replace(/[“”„‟"«»‹›❛-❞〝〞〟＂″‴‵-‷⁗ʺˮ״⹂\u{1f676}-\u{1f678}]/gu, "'")
    .replace(/['‘’‚‛`´′ʹʼ＇]{2,}/g, "'")
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(name) ? cut(name, max) : nameless
}

/** A name in the quotation marks that the texts use. */
export function quoted(name: string): string {
  return `“${name}”`
}

/**
 * A name for Markdown that is read by people and programs alike: like `safeName`, and no character of it
 * has a meaning in Markdown. Such characters are replaced by similar ones, so nothing needs an escape.
 */
export function readableName(text: string, max: number = nameLengthMax): string {
  const name = [...safeName(text, max)].map((character) => lookAlikes[character] ?? character)
    .join("")
    // Signs of an address that imitate the plain ones, or become them in Unicode's compatible forms.
    .replace(/[․﹒．。｡]/g, ".").replace(/[：﹕︓]/g, ":").replace(/[／∕⁄]/g, "/")
    .replace(/:\/\//g, ": //")
    .replace(/:(?=[\w+-]+:)/g, ": ")
    // `evil.example` and `www.evil` could become links; `1.5`, `U.S.` and `a. b` could not.
    .replace(/(?<=[\p{L}\p{N}-])\.(?=[\p{L}\p{N}-]*\p{L}{2})/gu, ". ")
    // Also where the name ends: a reader adds what follows it to the link.
    .replace(/(?<=www)\. ?/gi, " ")
    .replace(/&(?=\w+;)/g, "＆")
  return cut(name.trimEnd(), max)
}

/** What replaces a character that has a meaning in Markdown; `$` stays. */
const lookAlikes: Readonly<Record<string, string>> = {
  "*": "∗",
  "_": "-",
  "#": "♯",
  "|": "/",
  "~": "∼",
  "\\": "/",
  "^": "∧",
  "@": "＠",
  "`": "'",
  "[": "(",
  "]": ")",
  "{": "(",
  "}": ")",
  "<": "＜",
  ">": "＞",
}

/** Longer untrusted text for a data block: one line, at most `max` characters. */
export function excerpt(text: string, max: number): string {
  return cut(oneLine(text), max)
}

/**
 * Removes control characters, direction marks, joiners and other invisible characters, lone surrogates
 * and stacked marks, and collapses whitespace. Stacks are cut before NFC, which sorts them in quadratic
 * time, and again after it, because NFC can split a mark.
 */
function oneLine(text: string): string {
  return text
    .replace(/[\p{M}&&\p{Default_Ignorable_Code_Point}]+/gv, "")
    .replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]+/gu, " ")
    .replace(stackedMarks, "$1")
    .normalize("NFC")
    .replace(/(?<=^|\s)\p{M}+/gu, "")
    .replace(/\s+/gu, " ")
    .replace(stackedMarks, "$1")
    .trim()
}

const stackedMarks = new RegExp(`(\\p{M}{${marksMax}})\\p{M}+`, "gu")

/** Counts code points, so that no surrogate pair is split. */
function cut(text: string, max: number): string {
  const characters = [...text]
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join("").trimEnd()}…`
}
