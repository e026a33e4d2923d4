/**
 * Reads llms.txt as its reference parser does, but rejects what that parser ignores: a second
 * section with the same name, and headings or prose where none may be.
 *
 * @module
 */
export interface Link {
  readonly title: string
  readonly url: string
  readonly note: string | null
}

export interface LlmsText {
  readonly title: string
  readonly summary: string | null
  /** The text between the summary and the first section. */
  readonly information: string
  readonly sections: ReadonlyMap<string, ReadonlyArray<Link>>
}

const linkPattern = /^- \[([^\]]+)\]\(([^()\s]+)\)(?:: (\S.*))?$/

/** Reads the text; throws where it breaks the format of llmstxt.org. */
export function readLlmsText(text: string): LlmsText {
  const [head = "", ...rest] = text.split(/^##(?!#) */m)
  const read = /^# (\S[^\n]*)\n+(?:> (\S[^\n]*)\n+)?([^]*)$/.exec(head)
  const [, title, summary, information = ""] = read ?? []
  if (title === undefined) throw new Error("The text does not begin with a title")
  if (/^#/m.test(information)) throw new Error("The information contains a heading")
  if (/^>/m.test(information)) throw new Error("The information contains a quotation")
  const sections = new Map<string, ReadonlyArray<Link>>()
  for (const section of rest) {
    const [name = "", ...lines] = section.split("\n")
    if (name === "" || sections.has(name)) throw new Error(`There are two sections ${name}`)
    const links = lines.filter((line) => line.trim() !== "").map(linkOf)
    if (links.length === 0) throw new Error(`The section ${name} has no links`)
    sections.set(name, links)
  }
  return { title, summary: summary ?? null, information: information.trim(), sections }
}

function linkOf(line: string): Link {
  const [, title, url, note = null] = linkPattern.exec(line) ?? []
  if (title === undefined || url === undefined) {
    throw new Error(`Not a list item with a link: ${line}`)
  }
  return { title, url, note }
}
