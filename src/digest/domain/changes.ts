/**
 * What a digest says of a card next to the digest before: new, as before, or what it was.
 *
 * @module
 */
import type { DigestMaterial } from "./material.ts"

/** The first sentences of cards, by kind. */
const openings = [
  / together cost \$/,
  / is proposed/,
  / or less before the fee/,
  / (?:rose|fell) .* from /,
  / is reported by /,
  / bought .* at /,
]

/** The figures of a first sentence that can be acted on. */
const figuresOf = (statement: string): string =>
  (statement.match(/\b(?:at|to|gain at least) \$?\d[\d.,]*(?<=\d)/g) ?? []).join(", ")

/** `mark` stands behind the market of a card; `isBefore`: the digest before had a card of its kind. */
export function changeOf(
  previous: DigestMaterial["previous"],
  slug: string,
  opening: string,
): { readonly mark: string; readonly isBefore: boolean } {
  const own = (previous ?? []).filter(({ about }) => about === slug)
  const before = own.findLast(({ statement }) =>
    openings.some((kind) => kind.test(statement) && kind.test(opening))
  )?.statement
  if (previous === null) return { mark: "", isBefore: false }
  if (before === undefined) {
    return { mark: own.length === 0 ? " (new)" : " (named before)", isBefore: false }
  }
  const [then, now] = [before, opening].map(figuresOf)
  const was = then === now ? before.replace(/\.$/, "") : then
  return { mark: before === opening ? " (as before)" : ` (before: ${was})`, isBefore: true }
}
