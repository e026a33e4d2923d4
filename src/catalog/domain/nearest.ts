/**
 * The name that was probably meant by a misspelt one. `bellwether-client` has a copy of this file.
 *
 * @module
 */

/** How much of a wrong name or value an error reads and repeats. */
export const receivedLengthMax = 40

/** Most letters of a misspelt name that differ from the one that was meant, one in two of it. */
export const misspeltMax = 2

/**
 * The one of these names that was probably meant, in any case of letters; null where none is near. A
 * name that contains another, as `feedIndex` does `index`, is near.
 */
export function nearest(known: ReadonlyArray<string>, name: string): string | null {
  const sent = name.slice(0, receivedLengthMax).toLowerCase()
  const all = known.map((name) => ({ name, distance: editDistance(name.toLowerCase(), sent) }))
  const [best] = all.toSorted((a, b) => a.distance - b.distance)
  if (best === undefined || sent.includes(best.name.toLowerCase())) return best?.name ?? null
  return best.distance <= Math.min(misspeltMax, sent.length / 2) ? best.name : null
}

/** Fewest characters to insert, delete or replace between two texts (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let at = 0; at < from.length; at++) {
    const next = [at + 1]
    for (let end = 1; end <= to.length; end++) {
      const replaced = (row[end - 1] ?? 0) + (from[at] === to[end - 1] ? 0 : 1)
      next.push(Math.min((row[end] ?? 0) + 1, (next[end - 1] ?? 0) + 1, replaced))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
