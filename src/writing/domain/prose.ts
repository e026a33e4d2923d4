/**
 * Prose, cut into what can be judged: words, exact figures, quoted names, exact links.
 *
 * Text is a row of chunks with spaces between. A chunk is a word, a figure, a quoted name or a
 * link, with brackets around it and one mark after it at the most, or a dash alone. Whatever has
 * another build (`evil.com`, `0.62x`, `-0.62`, `<b>`) is no chunk but a stray. Nothing is searched
 * for: one pass reads from left to right, and each pattern is tried at one place only.
 *
 * @module
 */

/** What a passage may hold apart from words: its own facts' figures, names and links. */
export interface Vocabulary {
  /** Longest first. */
  readonly figures: ReadonlyArray<string>
  readonly names: ReadonlySet<string>
  /** Longest first. */
  readonly links: ReadonlyArray<string>
}

export interface ProseToken {
  readonly kind: "word" | "figure" | "name" | "link" | "dash" | "stray"
  /** The word, the figure, what stands between the quotation marks, the address; or all of a stray. */
  readonly text: string
  /** Whether a sentence begins here: at the start, and after . ! ? : */
  readonly first: boolean
  /** The mark of punctuation behind it, if there is one. */
  readonly mark: string
}

/** The chunks of a text, in order. */
export function tokenize(text: string, vocabulary: Vocabulary): ReadonlyArray<ProseToken> {
  const chunks: Array<ProseToken> = []
  let at = 0
  let first = true
  while (at < text.length) {
    if (text[at] === " ") {
      at++
      continue
    }
    const { length, ...found } = chunkAt(text, at, vocabulary)
    chunks.push({ ...found, first })
    at += length
    if (found.kind !== "dash") first = /[.!?:]/.test(found.mark)
  }
  return chunks
}

type Found = Omit<ProseToken, "first"> & { readonly length: number }

/** The chunk that begins at `at`, where no space is. */
function chunkAt(text: string, at: number, vocabulary: Vocabulary): Found {
  const dash = matchAt(/[–—](?= )/y, text, at)
  if (dash !== "") return { kind: "dash", text: dash, mark: "", length: 1 }
  const open = text[at] === "(" ? 1 : 0
  for (const solid of solidsAt(text, at + open, vocabulary)) {
    const end = at + open + solid.length
    const close = matchAt(/(?:\)?[.,;:!?]?|[.!?]\))(?= |$)/y, text, end)
    if (close !== "" || end === text.length || text[end] === " ") {
      const mark = close.replace(")", "")
      return { kind: solid.kind, text: solid.text, mark, length: end + close.length - at }
    }
  }
  const stray = matchAt(/[^ ]+/y, text, at)
  return { kind: "stray", text: stray, mark: "", length: stray.length }
}

interface Solid {
  readonly kind: "word" | "figure" | "name" | "link"
  readonly text: string
  readonly length: number
}

/** What may stand at `at`, the longest first. */
function* solidsAt(text: string, at: number, { figures, links }: Vocabulary): Generator<Solid> {
  for (const figure of figures) {
    if (text.startsWith(figure, at)) yield { kind: "figure", text: figure, length: figure.length }
  }
  for (const link of links) {
    if (text.startsWith(link, at)) yield { kind: "link", text: link, length: link.length }
  }
  const name = matchAt(/“[^“”]*”/y, text, at)
  if (name !== "") yield { kind: "name", text: name.slice(1, -1), length: name.length }
  const word = matchAt(/[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*(?:(?<=s)['’])?/uy, text, at)
  if (word !== "") yield { kind: "word", text: word, length: word.length }
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ""
}
