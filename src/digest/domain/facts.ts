/**
 * From all that happened in a window to the numbered facts a digest may state.
 *
 * Of each kind the strongest are stated and all are counted. Kinds do not compete for places: however
 * much there is of one, it takes nothing from another.
 *
 * @module
 */
import type { DigestBrief } from "./digest.ts"
import { newsFacts, upcomingFacts } from "./context.ts"
import { coverageFacts, methodFacts } from "./coverage.ts"
import type { NewDigestFact } from "./factBuilders.ts"
import type { DigestMaterial } from "./material.ts"
import { moveFacts } from "./moves.ts"
import { endedFacts, predeterminedFacts } from "./outcomes.ts"
import { whaleFacts } from "./whales.ts"

/** The facts of a window. The order in which its material comes decides nothing. */
export function digestBrief(material: DigestMaterial): DigestBrief {
  const { from, until } = material
  const [window, ...coverage] = coverageFacts(material)
  const rest = [
    ...coverage,
    ...moveFacts(material.movers, until),
    ...whaleFacts(material.whaleEntries, until),
    ...predeterminedFacts(material.predetermined, until),
    ...endedFacts(material),
    ...newsFacts(material),
    ...upcomingFacts(material),
    ...methodFacts(),
  ]
  const numbered = (fact: NewDigestFact, place: number) => ({ id: `F${place + 1}`, ...fact })
  return {
    from,
    until,
    facts: [numbered(window, 0), ...rest.map((fact, i) => numbered(fact, i + 1))],
  }
}
