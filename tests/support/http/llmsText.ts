/**
 * Reads llms.txt as its reference parser does, and refuses what that one drops in silence: a second
 * section of one name, headings and prose where none may stand.
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
  /** What stands between the summary and the first section. */
  readonly information: string
  readonly sections: ReadonlyMap<string, ReadonlyArray<Link>>
}

const linkPattern = /^- \[([^\]]+)\]\(([^()\s]+)\)(?:: (\S.*))?$/

/** The text, read; throws where it is not as llmstxt.org asks for. */
export function readLlmsText(text: string): LlmsText {
  const [head = "", ...rest] = text.split(/^##(?!#) */m)
  const read = /^# (\S[^\n]*)\n+(?:> (\S[^\n]*)\n+)?([^]*)$/.exec(head)
  const [, title, summary, information = ""] = read ?? []
  if (title === undefined) throw new Error("It does not begin with a title")
  if (/^#/m.test(information)) throw new Error("A heading stands among the information")
  if (/^>/m.test(information)) throw new Error("A quotation stands among the information")
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
  if (title === undefined || url === undefined) throw new Error(`No link of a list: ${line}`)
  return { title, url, note }
}
