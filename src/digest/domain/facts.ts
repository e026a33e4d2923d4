/**
 * Builds the numbered facts of a digest from its material.
 *
 * The strongest events of each kind get a fact of their own. The limits are per kind, so many events of
 * one kind never displace another kind.
 *
 * @module
 */
import { mapParts, type Parts, runParts } from "../../core/domain/parts.ts"
import type { DigestBrief, DigestSection } from "./digest.ts"
import { coverageFacts } from "./coverage.ts"
import type { NewDigestFact } from "./factBuilders.ts"
import type { DigestMaterial } from "./material.ts"
import { describedMoves, moveFacts } from "./moves.ts"
import { describedFindings, endedFacts, predeterminedFacts } from "./outcomes.ts"
import { relationFacts } from "./relations.ts"
import { reportedFacts } from "./reported.ts"
import { storyFacts, type Subject } from "./stories.ts"
import { describedUpcoming, upcomingFacts } from "./upcoming.ts"
import { describedEntries, whaleFacts } from "./whales.ts"

/** The result does not depend on the order of the material. */
export function digestBrief(material: DigestMaterial): DigestBrief {
  return runParts(digestBriefInParts(material))
}

/** `digestBrief` in parts, one for each kind of fact. */
export function* digestBriefInParts(material: DigestMaterial): Parts<DigestBrief> {
  const { from, until } = material
  const others = otherSubjects(material)
  const sections = new Map<string, DigestSection>(
    [...others].reverse().map(({ section, slug }) => [slug, section]),
  )
  yield
  for (const { data } of describedMoves(material)) sections.set(data.market.slug, "repriced")
  const [window, ...gaps] = coverageFacts(material)
  const builders: ReadonlyArray<() => ReadonlyArray<NewDigestFact>> = [
    () => gaps,
    () => moveFacts(material),
    () => relationFacts(material, (slug) => sections.get(slug) ?? null),
    () => storyFacts(material, others),
    () => whaleFacts(material),
    () => {
      const reported = reportedFacts(material)
      return [...reported, ...predeterminedFacts(material, reported.length > 0)]
    },
    () => endedFacts(material),
    () => upcomingFacts(material),
  ]
  const rest = (yield* mapParts(builders, (build) => build())).flat()
  const numbered = (fact: NewDigestFact, place: number) => ({ id: `F${place + 1}`, ...fact })
  return {
    from,
    until,
    facts: [numbered(window, 0), ...rest.map((fact, i) => numbered(fact, i + 1))],
  }
}

interface Named {
  readonly slug: string
  readonly question: string
  readonly outcomes?: readonly [string, string]
}

/** The described markets that may have news, apart from those that moved: findings first. */
function otherSubjects(material: DigestMaterial): ReadonlyArray<Subject> {
  const subject = (section: DigestSection) => ({ outcomes, question, slug }: Named): Subject => ({
    slug,
    question,
    outcome: outcomes?.[0] ?? null,
    section,
  })
  return [
    ...describedFindings(material).map(({ data }) => data.market).map(subject("predetermined")),
    ...describedEntries(material).map(({ data }) => data.market).map(subject("whales")),
    ...describedUpcoming(material).map(subject("watch")),
  ]
}
