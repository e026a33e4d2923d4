/**
 * Splits prose into the tokens that the fact check judges: words, exact figures, quoted names, exact
 * links.
 *
 * Tokens are separated by spaces. A token is a word, a figure, a quoted name or a link, optionally in
 * brackets and followed by at most one punctuation mark; or a dash. Anything else (`evil.com`, `0.62x`,
 * `-0.62`, `<b>`) is an invalid token. One pass from left to right; every pattern is anchored at the
 * current position, so there is no backtracking over the text.
 *
 * @module
 */

/** What a passage may contain apart from words: the figures, names and links of its facts. */
export interface Vocabulary {
  /** Longest first. */
  readonly figures: ReadonlyArray<string>
  readonly names: ReadonlySet<string>
  /** Longest first. */
  readonly links: ReadonlyArray<string>
}

export interface ProseToken {
  readonly kind: "word" | "figure" | "name" | "link" | "dash" | "invalid"
  /** The token without brackets, punctuation and quotation marks; an invalid token unchanged. */
  readonly text: string
  /** Whether it is at the start of the text, or follows . ! ? or : */
  readonly first: boolean
  /** The punctuation mark that follows it; empty without one. */
  readonly mark: string
}

export function tokenize(text: string, vocabulary: Vocabulary): ReadonlyArray<ProseToken> {
  const tokens: Array<ProseToken> = []
  let at = 0
  let first = true
  while (at < text.length) {
    if (text[at] === " ") {
      at++
      continue
    }
    const { length, ...found } = tokenAt(text, at, vocabulary)
    tokens.push({ ...found, first })
    at += length
    if (found.kind !== "dash") first = /[.!?:]/.test(found.mark)
  }
  return tokens
}

type Found = Omit<ProseToken, "first"> & { readonly length: number }

/** The token that begins at `at`, which is not a space. */
function tokenAt(text: string, at: number, vocabulary: Vocabulary): Found {
  const dash = matchAt(/[–—](?= )/y, text, at)
  if (dash !== "") return { kind: "dash", text: dash, mark: "", length: 1 }
  const open = text[at] === "(" ? 1 : 0
  for (const candidate of candidatesAt(text, at + open, vocabulary)) {
    const end = at + open + candidate.length
    const close = matchAt(/(?:\)?[.,;:!?]?|[.!?]\))(?= |$)/y, text, end)
    if (close !== "" || end === text.length || text[end] === " ") {
      const mark = close.replace(")", "")
      return { kind: candidate.kind, text: candidate.text, mark, length: end + close.length - at }
    }
  }
  const invalid = matchAt(/[^ ]+/y, text, at)
  return { kind: "invalid", text: invalid, mark: "", length: invalid.length }
}

interface Candidate {
  readonly kind: "word" | "figure" | "name" | "link"
  readonly text: string
  readonly length: number
}

/** The possible tokens at `at`, before brackets and punctuation; of figures and links the longest first. */
function* candidatesAt(
  text: string,
  at: number,
  { figures, links }: Vocabulary,
): Generator<Candidate> {
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
