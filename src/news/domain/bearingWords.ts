/**
 * The words by which a headline favours or opposes the first outcome of a market, by the kind of its
 * question. Each list is short: a word that often means something else is left out.
 *
 * @module
 */
import { wordsOf } from "./oldWords.ts"

/** Words in sequence, in the form of `Word.term`. */
export type Phrase = ReadonlyArray<string>

export interface Cue {
  readonly phrase: Phrase
  /** 1: for what the question asks; -1: against it. */
  readonly sign: 1 | -1
  /** Whether the subject stands in front of the phrase or behind it. */
  readonly subject: "before" | "behind"
}

const phrasesOf = (list: string): ReadonlyArray<Phrase> =>
  list.trim().split(/\s*,\s*/).map((phrase) => wordsOf(phrase).map(({ term }) => term))

const cues = (
  lists: { readonly for: string; readonly against: string },
  subject: Cue["subject"] = "before",
): ReadonlyArray<Cue> => [
  ...phrasesOf(lists.for).map((phrase): Cue => ({ phrase, sign: 1, subject })),
  ...phrasesOf(lists.against).map((phrase): Cue => ({ phrase, sign: -1, subject })),
]

/** A set of single words. */
const termsOf = (list: string): ReadonlySet<string> =>
  new Set(wordsOf(list).map(({ term }) => term))

/** Who wins: elections, prizes, leaderboards. */
export const contestCues: ReadonlyArray<Cue> = [
  ...cues({
    for:
      `gain in, gain on, gain ground, gain support, gain momentum, gains momentum, climb in, rise in,
      surge in, jump in, surge ahead, pull ahead, ahead in, lead in poll, lead in new poll,
      lead in race, lead in survey, lead poll, lead race, lead field,
      lead the field, lead the race, widen lead, widen its lead, widen their lead, take lead,
      take the lead, extend lead, stronger model, front runner, frontrunner, favourite to win,
      favorite to win`,
    against:
      `lose ground, lose support, lose lead, lose voter, lose momentum, slip in, fall in, drop in,
      sink in, slide in, fall behind, fall short, lag behind, trail in, trail by, trail with, delay model,
      delay its next model, delay its model, drop out of, pull out of, concede defeat, concede race, concede election,
      knock out of, knock out by, eliminate from, eliminate by, withdraw from, lead narrow, lead shrink, out of the race, out of race`,
  }),
  ...cues({
    for: "applause for, boost for, boost to, drift to, swing to, shift to, endorse",
    against: "cool on, cool to, cool towards, blow for, blow to, setback for, doubt over",
  }, "behind"),
]

/** Whether two sides come to an agreement. */
export const agreementCues: ReadonlyArray<Cue> = cues({
  for: `close in on, close to, near deal, near accord, near agreement, near treaty, near pact,
    near ceasefire, near truce, agree on, agree to, finalise, finalize, on verge of, on the verge of,
    breakthrough, make progress`,
  against:
    `break off, break down, collapse, stall, walk out, reject, call off, cancel, deadlock, impasse,
    delay, postpone, fall apart, suspend talk`,
})

/** The level of what trades. */
export const priceCues: ReadonlyArray<Cue> = cues({
  for: "climb, rise, rose, gain, surge, rally, jump, soar, rebound, advance, hit record",
  against: `drop, fall, fell, slide, slid, slump, plunge, tumble, sink, sank, retreat, dip, slip,
    decline, fall short, rally stall, rally fade, rally end, gain fade`,
})

const rateCues: ReadonlyArray<Cue> = cues({
  for: "climb, rise, rose, surge, jump, faster, higher, accelerate, quicken, hotter, pick up",
  against: "ease, fall, fell, drop, slow, slower, lower, cool, decline, slide, slip, cooler",
})

/** Quantities that a title names by a word of their own. */
export const topics: ReadonlyArray<{
  /** The word of the question. */
  readonly term: string
  /** What a title must say; null when the cues say it. */
  readonly title: RegExp | null
  readonly cues: ReadonlyArray<Cue>
}> = [
  {
    term: "temperature",
    title: null,
    cues: cues({
      for: "warm, warmer, warming, hot, hotter, heat, heatwave",
      against: "cool, cooler, cooling, cold, colder, chill, chilly, frost",
    }),
  },
  {
    term: "inflation",
    title:
      /\binflation\b|\b(?:consumer|food|fuel|energy|grocery|producer|import) prices?\b|\bCPI\b/i,
    cues: rateCues,
  },
  { term: "unemployment", title: /\bunemployment\b|\bjobless rate\b/i, cues: rateCues },
  { term: "gdp", title: /\bGDP\b|\beconomy grows?\b/i, cues: rateCues },
]

/** Who wins a match; the other side stands behind the verb. */
export const resultCues: ReadonlyArray<Cue> = cues({
  for:
    `beat, defeat, thrash, edge, rout, stun, outlast, eliminate, sweep, win against, win over, win at,
    knock out, overcome`,
  against: "lose to, lose against, fall to, fell to, beaten by, defeated by",
})

/** What makes one side of a match weaker. */
export const sideCues: ReadonlyArray<Cue> = cues({
  for: "at full strength, captain back, captain returns",
  against: `without their, without its, without captain, without star, without key, without top,
    lose captain, lose star`,
})

/** What may follow the verb of a price; another word is its object: "drops lawsuit", "gains approval". */
export const afterPrice: ReadonlySet<string> = new Set(
  `after as amid while ahead despite when since following during then but again further sharply
  slightly steeply strongly today overnight high`.trim().split(/\s+/),
)
/** With a level behind it, it may follow too: "slides below $90,000", "to a record". */
export const beforeLevel: ReadonlySet<string> = new Set(
  "above below under over past by from to toward towards near nearly almost at".split(" "),
)
export const levelWords: ReadonlySet<string> = new Set(
  "record high low highest lowest support resistance".split(" "),
)

/** Of these one in front of a cue reverses it. */
export const negators = termsOf(
  `not no never unlikely refuse reject fail deny decline without cannot neither nor hardly rule delay
  postpone prevent avoid avert halt block stop abandon scrap shelve`,
)
/** With one of these in front, what is said is no sign: "urged to sign", "vows to win". */
export const doubtful = termsOf(
  `urge call ask want demand threaten hope vow seek try aim bid pledge promise debate consider weigh mull
  pressure fight push beg dream claim pretend allege joke bet should must urged asked vowed aimed tried split warn fear`,
)
/** With one of these anywhere, a title states nothing, or it is about another subject. */
export const open = termsOf(`if unless whether why how what who which despite although
  rival opponent foe challenger`)

/** Forms of a verb that its ending does not give away. */
export const irregular: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["win", ["win", "won", "winning", "winner"]],
  ["meet", ["meet", "met"]],
  ["leav", ["leav", "left"]],
])
