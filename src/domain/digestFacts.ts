/**
 * From all that happened in a window to the numbered facts a digest may state.
 *
 * @module
 */
import type { DigestBrief, DigestFact } from "./digest.ts"
import type { DigestMaterial } from "./digestMaterial.ts"
import { countFigure } from "./phrases.ts"

/** The facts of a window; the order of what happened decides nothing. */
export function digestBrief(material: DigestMaterial): DigestBrief {
  const watched = countFigure(material.coverage.marketsWatched, "market")
  const coverage: DigestFact = {
    id: "F1",
    kind: "coverage",
    topic: "coverage",
    statement: `The prices of ${watched} were kept.`,
    figures: [watched],
    names: [],
    links: [],
    certain: false,
  }
  return { from: material.from, until: material.until, facts: [coverage] }
}
