/**
 * The functions of the news that work in parts, without a pause.
 *
 * @module
 */
import { type Parts, runParts } from "../../../src/core/domain/parts.ts"
import { newStories as newStoriesInParts } from "../../../src/news/domain/headline.ts"
import {
  newsIndex as newsIndexInParts,
  related as relatedInParts,
} from "../../../src/news/domain/relation.ts"

const unsliced =
  <Given extends ReadonlyArray<unknown>, A>(f: (...given: Given) => Parts<A>) =>
  (...given: Given): A => runParts(f(...given))

export const newsIndex = unsliced(newsIndexInParts)
export const related = unsliced(relatedInParts)
export const newStories = unsliced(newStoriesInParts)
