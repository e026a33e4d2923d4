/**
 * What strangers wrote, made harmless: for a prompt, for a text that is sold, for a log.
 *
 * A question, an outcome, a description, a headline, a pseudonym may hold anything. Nothing here
 * judges it; it only takes away what could pass for something else: control characters, marks that
 * turn or hide text, quotation marks that would end a quotation, markup.
 *
 * @module
 */

/** Characters of a name in a text that is sold. */
export const nameLengthMax = 160
/** Marks on one letter: scripts that stack them need no more, towers of them cover other lines. */
const marksMax = 4
/** What a name that nobody could see is called. */
const nameless = "unnamed"

/**
 * A stranger's words as a name: one line, at most `max` characters, never empty, and nothing in it
 * that could pass for the quotation marks a text puts round it.
 */
export function named(text: string, max: number = nameLengthMax): string {
  const name = oneLine(text)
    .replace(/[“”„‟"«»‹›❛-❞〝〞〟＂″‴‵-‷⁗ʺˮ״⹂\u{1f676}-\u{1f678}]/gu, "'")
    .replace(/['‘’‚‛`´′ʹʼ＇]{2,}/g, "'")
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(name) ? cut(name, max) : nameless
}

/** A name as a text repeats it. */
export function quoted(name: string): string {
  return `“${name}”`
}

/** A stranger's longer text for a data block: one line, at most `max` characters. */
export function excerpt(text: string, max: number): string {
  return cut(oneLine(text), max)
}

/**
 * Plain text as Markdown that shows just it, as one line: no emphasis, link, list, heading, entity
 * or HTML. Figures and sentences stay as readable as they were: only what could mean something is
 * escaped, and of dots and colons those that could make an address.
 */
export function escapedMarkdown(text: string): string {
  return oneLine(text)
    .replace(/[\\`*_[\]<>&|~$#@^{}]/g, "\\$&")
    .replace(/(?<=\p{L})[.:](?=\S)|(?<=\S)\.(?=\p{L})|:(?=\p{L})/gu, "\\$&")
    .replace(/^[-+=](?!\d)/, "\\$&")
    .replace(/^(\d+)([.)])(?=\s|$)/, "$1\\$2")
}

/**
 * Without controls, marks of direction, joiners and other invisible characters, lone surrogates and
 * stacks of marks; runs of spaces made one. Stacks are cut before NFC, which sorts them in quadratic time,
 * and after it, for it can split a mark.
 */
function oneLine(text: string): string {
  return text
    .replace(/[\p{M}&&\p{Default_Ignorable_Code_Point}]+/gv, "")
    .replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]+/gu, " ")
    .replace(towers, "$1")
    .normalize("NFC")
    .replace(/(?<=^|\s)\p{M}+/gu, "")
    .replace(/\s+/gu, " ")
    .replace(towers, "$1")
    .trim()
}

const towers = new RegExp(`(\\p{M}{${marksMax}})\\p{M}+`, "gu")

/** Whole characters only. */
function cut(text: string, max: number): string {
  const characters = [...text]
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join("").trimEnd()}…`
}
