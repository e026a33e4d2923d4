/**
 * Builds the numbered facts of a digest from its material.
 *
 * All events of a kind are counted, and the strongest get a fact of their own. The limits are per kind,
 * so many events of one kind never displace another kind.
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

/** The result does not depend on the order of the material. */
export function digestBrief(material: DigestMaterial): DigestBrief {
  const { from, until } = material
  const [window, ...coverage] = coverageFacts(material)
  const rest = [
    ...coverage,
    ...moveFacts(material.movers, until),
    ...whaleFacts(material.whaleEntries, until),
    ...predeterminedFacts(material.predetermined, material),
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
