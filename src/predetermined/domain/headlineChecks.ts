/**
 * Whether a headline reports a completed event, and about which market. They choose the headlines that
 * `headlineReading.ts` reads more strictly.
 *
 * The checks use words, not meaning, and work for English only; they cannot detect a false headline.
 * They reject forecasts, questions, claims, anniversaries, and headlines about something else.
 *
 * @module
 */
import { familiesOf, isEventVerb } from "./eventVerbs.ts"
import { withPlainVerbs } from "./titleWords.ts"

/**
 * A verb of this list or of `eventVerbs.ts`, not after “to”, marks a completed event; with a number, a
 * verb of `levelVerbs` does too.
 */
const decisive: ReadonlySet<string> = new Set([
  ...["win", "wins", "won", "beat", "beats", "beaten", "defeat", "defeats", "defeated", "lose"],
  ...["loses", "lost", "clinch", "clinches", "clinched", "crowned", "advances", "advanced"],
  ...[
    "qualifies",
    "qualified",
    "eliminated",
    "elect",
    "elects",
    "elected",
    "reelected",
    "appoints",
  ],
  ...[
    "appointed",
    "named",
    "sworn",
    "inaugurated",
    "nominated",
    "declares",
    "declared",
    "concedes",
  ],
  ...["conceded", "confirms", "confirmed", "announces", "announced", "approves", "approved"],
  ...["passes", "passed", "rejects", "rejected", "adopts", "adopted", "enacts", "enacted"],
  ...[
    "ratifies",
    "ratified",
    "vetoes",
    "vetoed",
    "signed",
    "bans",
    "banned",
    "struck",
    "overturns",
  ],
  ...[
    "overturned",
    "upholds",
    "upheld",
    "ruled",
    "convicted",
    "acquitted",
    "sentenced",
    "arrested",
  ],
  ...["charged", "indicted", "resigns", "resigned", "quits", "quit", "ousted", "fired", "dies"],
  ...["died", "dead", "killed", "launches", "launched", "releases", "released", "opens", "opened"],
  ...["closes", "closed", "completes", "completed", "landed", "arrives", "arrived", "cuts"],
  ...["raises", "raised", "hikes", "hiked", "holds", "held", "keeps", "kept", "hits", "hit"],
  ...["reaches", "reached", "tops", "topped", "surpasses", "surpassed", "exceeds", "exceeded"],
  ...["falls", "fell", "rises", "rose", "ends", "ended", "fails", "failed", "cancels", "cancelled"],
  ...["canceled", "postponed", "withdraws", "withdrew", "acquires", "acquired", "buys", "bought"],
  ...["sold", "merges", "merged", "secures", "secured", "settles", "settled", "recognises"],
  ...["recognizes", "recognised", "recognized", "certifies", "certified", "gained"],
  ...["gives", "gave", "given", "goes", "went", "handed"],
])

const levelVerbs: ReadonlySet<string> = new Set([
  ...["was", "were", "stayed", "stays", "slows", "slowed", "climbs", "climbed", "drops", "dropped"],
  ...["eases", "eased", "comes", "came", "stands"],
])

/**
 * A word of this list marks a forecast, wish, claim or anniversary instead. “Not” does too, except in
 * “does not”, “do not” and “did not”, which report that an event did not happen.
 */
const hedges: ReadonlySet<string> = new Set([
  ...["may", "might", "could", "would", "should", "will", "shall", "can", "cannot", "ll"],
  ...["expect", "expects", "expected", "expectation", "expectations", "likely", "unlikely"],
  ...["possible", "possibly", "potential", "potentially", "probable", "probably", "perhaps"],
  ...["plan", "plans", "planned", "planning", "hope", "hopes", "hoping", "aim", "aims", "seek"],
  ...["seeks", "want", "wants", "eye", "eyes", "mull", "mulls", "weigh", "weighs", "consider"],
  ...["considers", "considering", "vow", "vows", "pledge", "pledges", "promise", "promises"],
  ...["threaten", "threatens", "urge", "urges", "warn", "warns", "propose", "proposes"],
  ...["predict", "predicts", "predicted", "prediction", "predictions", "forecast", "forecasts"],
  ...[
    "project",
    "projects",
    "projected",
    "odds",
    "bet",
    "bets",
    "betting",
    "favorite",
    "favourite",
  ],
  ...["favored", "favoured", "tipped", "poised", "preview", "poll", "polls", "rumor", "rumors"],
  ...["rumour", "rumours", "rumored", "rumoured", "reportedly", "allegedly", "alleges", "alleged"],
  ...["claim", "claims", "claimed", "appears", "seems", "apparently", "if", "unless", "whether"],
  ...["before", "until", "how", "why", "when", "what", "who", "which", "nears", "near", "nearly"],
  ...["almost", "soon", "chance", "chances", "risk", "risks", "scenario", "simulation", "satire"],
  ...["not", "never", "nor", "deny", "denies", "denied", "fake", "false", "hoax", "wrongly"],
  ...["await", "awaits", "awaiting", "need", "needs", "must", "try", "tries", "trying", "attempt"],
  ...["attempts", "face", "faces", "anniversary", "throwback", "history", "remembering", "ago"],
  ...["demand", "demands", "tomorrow", "survey", "suggests", "suggest", "push"],
])

/** Phrases with the same effect as `hedges`. */
const hedgingPhrases = [
  ...["set to", "due to", "about to", "close to", "on track", "on course", "ahead of"],
  ...["call for", "calls for", "last year", "this day", "on pace", "in talks", "on the verge"],
  ...["next week", "next month", "next year", "exit poll", "close in", "closes in"],
]

/**
 * A word of this list disputes an earlier report: what it was about is undetermined.
 */
const disputing: ReadonlySet<string> = new Set([
  ...["correction", "corrections", "corrected", "corrects", "correcting", "retraction", "retracts"],
  ...[
    "retracted",
    "retract",
    "clarification",
    "withdrawn",
    "erroneous",
    "erroneously",
    "mistakenly",
  ],
  ...[
    "wrongly",
    "hoax",
    "fake",
    "false",
    "falsely",
    "denies",
    "denied",
    "deny",
    "denial",
    "refutes",
  ],
  ...["refuted", "debunked", "debunks", "recount", "recounted", "annulled", "annuls", "voided"],
  ...["overturned", "disputes", "disputed", "inconclusive", "contradicts", "untrue", "premature"],
])

/** Words that occur in any question or headline and do not identify its subject. */
const common: ReadonlySet<string> = new Set([
  ...[
    "the",
    "and",
    "for",
    "with",
    "from",
    "into",
    "over",
    "under",
    "than",
    "that",
    "this",
    "there",
  ],
  ...[
    "are",
    "was",
    "were",
    "been",
    "has",
    "have",
    "had",
    "does",
    "did",
    "its",
    "his",
    "her",
    "their",
  ],
  ...["our", "your", "you", "they", "she", "him", "them", "all", "any", "more", "most", "less"],
  ...["least", "new", "first", "second", "next", "last", "after", "during", "between", "against"],
  ...["above", "below", "out", "off", "out", "per", "via", "about", "again", "yes", "day", "week"],
  ...[
    "month",
    "year",
    "end",
    "time",
    "today",
    "says",
    "say",
    "said",
    "january",
    "february",
    "march",
  ],
  ...["april", "june", "july", "august", "september", "october", "november", "december"],
])

export function reportsCompletedEvent(title: string): boolean {
  if (/[?？؟]/u.test(title)) return false
  const words = wordsOf(withPlainVerbs(title).replace(/, (?:which|who|when)\b/gi, ","))
  const isDenial = (word: string, n: number) =>
    word === "not" && /^(?:do|does|did)$/.test(words[n - 1] ?? "")
  if (words.some((word, n) => hedges.has(word) && !isDenial(word, n))) return false
  const text = ` ${words.join(" ")} `
  if (hedgingPhrases.some((phrase) => text.includes(` ${phrase} `))) return false
  const hasNumber = /\p{N}/u.test(title)
  return words.some((word, n) =>
    words[n - 1] !== "to" && (decisive.has(word) || isEventVerb(word)) ||
    hasNumber && levelVerbs.has(word) || word === "without" || isDenial(word, n)
  )
}

/** Whether a headline corrects or denies another report. `question` excepts its own words. */
export function disputesReport(title: string, question: string): boolean {
  const asked = wordsOf(question)
  const families = new Set(asked.flatMap(familiesOf))
  return wordsOf(title).some((word) =>
    disputing.has(word) && !asked.some((own) => stem(own) === stem(word)) &&
    !familiesOf(word).some((family) => families.has(family))
  )
}

/** Informative words that a headline and a question must share; a question with fewer needs all. */
const sharedWordsMin = 2

/**
 * Whether a headline is about a market's question: it shares informative words with it, at least one of
 * which is not in `decisive`.
 */
export function isAbout(title: string, question: string): boolean {
  const ofQuestion = informative(question)
  const shared = [...informative(title)].filter((word) => ofQuestion.has(word))
  return shared.length >= Math.min(sharedWordsMin, ofQuestion.size) &&
    shared.some((word) => !decisiveStems.has(word))
}

/** A function that finds the headlines about a question; its index is built once for many questions. */
export function headlineFinder<H extends { readonly title: string }>(
  headlines: ReadonlyArray<H>,
): (question: string) => ReadonlyArray<H> {
  const byWord = new Map<string, Array<H>>()
  for (const headline of headlines) {
    for (const word of informative(headline.title)) {
      const withWord = byWord.get(word)
      if (withWord === undefined) byWord.set(word, [headline])
      else withWord.push(headline)
    }
  }
  return (question) => {
    const sharing = new Set([...informative(question)].flatMap((word) => byWord.get(word) ?? []))
    return [...sharing].filter(({ title }) => isAbout(title, question))
  }
}

/**
 * The registered domain of an address, so that two pages of one publisher are one source. Null when it
 * is not a web address.
 */
export function siteOf(url: string): string | null {
  if (!URL.canParse(url)) return null
  const { protocol, hostname } = new URL(url)
  if (protocol !== "https:" && protocol !== "http:") return null
  const labels = hostname.split(".")
  // `co.uk`, `com.au`: a short second level below a country code is a public suffix.
  const publicSuffix = (labels.at(-1)?.length ?? 0) === 2 && (labels.at(-2)?.length ?? 0) <= 3
  return labels.slice(publicSuffix ? -3 : -2).join(".")
}

/** The words of a text in lower case, without accents; `won't` becomes `not`, without `won`. */
function wordsOf(text: string): ReadonlyArray<string> {
  const plain = text.normalize("NFKD").toLowerCase().replace(/\p{M}+/gu, "")
  return plain.replace(/n[^\p{L}\p{N}\s]t(?!\p{L})/gu, " not").match(/[\p{L}\p{N}]+/gu) ?? []
}

/** The words that identify a text's subject; a year does not. */
function informative(text: string): ReadonlySet<string> {
  return new Set(
    wordsOf(text)
      .filter((word) => /\p{N}/u.test(word) ? !/^(?:19|20)\d\d$/.test(word) : word.length >= 3)
      .filter((word) => !common.has(word) && !hedges.has(word))
      .map(stem),
  )
}

/** Removes a final `s` of a plural or a verb. */
function stem(word: string): string {
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word
}

const decisiveStems: ReadonlySet<string> = new Set([...decisive].map(stem))
