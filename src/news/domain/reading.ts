/**
 * What a model read in a story about a market: whether it bears on the question, and whether it decides
 * it. A reading is a claim until code has checked it.
 *
 * @module
 */
import type { Story } from "./stories.ts"

/** A checked reading of a story that is about the question. */
interface StoryReading {
  /** The outcome that it bears on, as the market spells it; null for none. */
  readonly outcome: string | null
  readonly bears: "for" | "against" | null
  /** Whether it reports that the outcome is settled. */
  readonly decides: boolean
  /** Words of the story's title, letter by letter. */
  readonly quote: string
}

/**
 * How closely a story is about a market: about its own subject, side and period; about another candidate,
 * outcome or side of its event; or about another period, threshold or match of its subject.
 */
export type Strength = "direct" | "sibling" | "family"

/** A story that shares names or numbers with a question. */
export interface RelatedStory extends Story {
  readonly strength: Strength
  readonly score: number
  /** The shared words, as the question spells them. */
  readonly shared: ReadonlyArray<string>
  /** Null when no model has read it: then it shares words, and nothing follows from that. */
  readonly reading: StoryReading | null
}
