/**
 * Reads /llms.txt as strictly as the reference parser: a title, a summary, free text without
 * headings, then sections that contain links and nothing else.
 *
 * @module
 */
import { Result, Schema } from "effect"

interface Link {
  readonly name: string
  readonly url: string
  readonly note: string | null
}

interface Section {
  readonly heading: string
  readonly links: ReadonlyArray<Link>
}

export interface Llms {
  readonly title: string
  readonly summary: string | null
  /** The text between the summary and the first section. */
  readonly details: string
  readonly sections: ReadonlyArray<Section>
}

/** The text is not a valid /llms.txt; `message` says why. */
class NotLlms extends Schema.TaggedError<NotLlms>()("NotLlms", {
  message: Schema.String,
}) {}

const linesMax = 1_000
const lineLengthMax = 2_000

const linkPattern = /^-\s*\[([^\]]+)\]\(([^)\s]+)\)(?::\s*(.*))?$/

/** Reads the whole text. */
export function readLlms(text: string): Result.Result<Llms, NotLlms> {
  const lines = text.split(/\r?\n/).map((line) => line.trimEnd())
  if (lines.length > linesMax || lines.some((line) => line.length > lineLengthMax)) {
    return failed("it has too many lines, or a line is too long")
  }
  const start = lines.findIndex((line) => line !== "")
  const title = /^#\s+(.+)$/.exec(lines[start] ?? "")?.[1]
  if (title === undefined) return failed("it does not begin with a title")

  const rest = lines.slice(start + 1)
  const first = rest.findIndex((line) => line.startsWith("## "))
  const head = first < 0 ? rest : rest.slice(0, first)
  const summaryLine = head.findIndex((line) => line !== "")
  const summary = /^>\s*(.+)$/.exec(head[summaryLine] ?? "")?.[1] ?? null
  const details = head.slice(summary === null ? 0 : summaryLine + 1).join("\n").trim()
  if (/^#/m.test(details)) return failed("a heading is before the sections")

  const sections: Array<{ heading: string; links: Array<Link> }> = []
  for (const line of first < 0 ? [] : rest.slice(first)) {
    const heading = /^##\s+(.+)$/.exec(line)?.[1]
    const [, name, url, note = null] = linkPattern.exec(line) ?? []
    if (heading !== undefined) sections.push({ heading, links: [] })
    else if (name !== undefined && url !== undefined) {
      sections.at(-1)?.links.push({ name, url, note })
    } else if (line !== "") {
      return failed(`a section contains more than links: ${line.slice(0, 60)}`)
    }
  }
  return Result.succeed({ title, summary, details, sections })
}

function failed(why: string): Result.Result<never, NotLlms> {
  return Result.fail(new NotLlms({ message: `/llms.txt cannot be read: ${why}` }))
}
