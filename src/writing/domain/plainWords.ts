/**
 * The plain words: all words that a text may use outside quotations.
 *
 * Everything else must come from a fact. These words are left out on purpose:
 *
 * - proper names, and words for places, peoples, months and days;
 * - words that are also names, if a text can do without them (target, bill, mark, grant, gap);
 * - number words, units of price and words of certainty (certainty.ts lists them);
 * - words that instruct the reader (you, should, please);
 * - verbs that report an event (elected, signed, resigned, launched, ruled), because a text may state an
 *   event only by quoting a headline.
 *
 * To use a new word, add it to the list it belongs to.
 *
 * @module
 */
import { adjectiveList, fixedList, nounList, verbList } from "./plainWordLists.ts"

/** Whether a word in lower case is in a list, or is a regular form of a listed word. */
export function isPlainWord(word: string): boolean {
  return plainWords.has(word.replace(/(?:'s|(?<=s)')$/, ""))
}

/**
 * Whether a word may directly follow a figure without a unit. Only joining words may: `0.62 to`,
 * `0.62 at`. A noun or an adjective would give the figure a unit: `0.62 whole hours`.
 */
export function mayFollowFigure(word: string): boolean {
  return followers.has(word)
}

/** Whether a word counts or measures: it may not follow a figure that already has a unit. */
export function isUnitWord(word: string): boolean {
  return units.has(word)
}

function wordsOf(list: string): ReadonlyArray<string> {
  return list.split(/\s+/).filter((word) => word !== "")
}

/** market -> markets; entry -> entries; loss -> losses. */
function withS(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  return /(?:s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`
}

/** move -> moved, moving; carry -> carried, carrying; climb -> climbed, climbing. */
function formsOfVerb(word: string): ReadonlyArray<string> {
  const past = word.endsWith("e")
    ? `${word}d`
    : /[^aeiou]y$/.test(word)
    ? `${word.slice(0, -1)}ied`
    : `${word}ed`
  const going = /[^eoy]e$/.test(word) ? `${word.slice(0, -1)}ing` : `${word}ing`
  return [word, withS(word), past, going]
}

/** sharp -> sharply; steady -> steadily; notable -> notably; economic -> economically. */
function formsOfAdjective(word: string): ReadonlyArray<string> {
  if (word.endsWith("ic")) return [word, `${word}ally`]
  if (word.endsWith("ll")) return [word, `${word}y`]
  if (/[^aeiou]le$/.test(word)) return [word, `${word.slice(0, -1)}y`]
  return [word, /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ily` : `${word}ly`]
}

/** Joining words: the only ones that may directly follow a figure without a unit. */
export const followerList = `
after again against ago ahead already also although amid among and are around as at away back
because before behind below beside between beyond but by can could did do does down during either even ever
for from had has have here if in instead into is it its just later like may meanwhile might near nor
not now on only onto or out over rather says since so soon still than that the their then
there these they this those though through throughout till to today together too toward towards
under unless until up upon versus via was well were when where whereas whether which while who whose
why with within without would yesterday yet stands stood means meant leaves left sits sat`

/** Words that count or measure: none may follow a figure that already has a unit. */
export const unitList = `
minute minutes hour hours day days week weeks month months year years share shares wallet wallets
whale whales market markets entry entries event events item items trade trades fill fills headline
headlines source sources order orders side sides level levels outcome outcomes trader traders buyer
buyers seller sellers bet bets wager wagers position positions time times`

const plainWords: ReadonlySet<string> = new Set([
  ...wordsOf(fixedList),
  ...wordsOf(followerList),
  ...wordsOf(unitList),
  ...wordsOf(nounList).flatMap((word) => [word, withS(word)]),
  ...wordsOf(verbList).flatMap(formsOfVerb),
  ...wordsOf(adjectiveList).flatMap(formsOfAdjective),
])
const followers: ReadonlySet<string> = new Set(wordsOf(followerList))
const units: ReadonlySet<string> = new Set(wordsOf(unitList))
