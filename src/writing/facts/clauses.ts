/**
 * The settlement clause: until when, by which source, and what in the rules a reader of the title would
 * not expect.
 *
 * @module
 */
import type { EpochMs } from "../../core/domain/time.ts"
import { excerpt, readableName } from "../../core/domain/untrusted.ts"
import { type Clause, decidingSentence, sentencesOf } from "../../markets/domain/clause.ts"
import { joined, phrase, type Statement } from "../domain/statement.ts"
import { type About, factOf, type NewFact, quotation, time } from "./fact.ts"

/** Characters of a quoted part; a longer one is left out. */
const quoteMax = 240
/** Characters of the rules that are read for exceptions. */
const rulesMax = 6_000

/** A source that says nothing: most markets name it. */
const ordinarySource =
  /^(?:an? |the )?(?:consensus of )?(?:credible|official) (?:reporting|publication|announcements?)$/i

/** A sentence on what does not count, or counts although the title does not say so. */
const exception =
  /\b(?:not|n['’]t) (?:\w+ )?(?:count|qualify|constitute|be considered|suffice|be included)|\bdoes not (?:include|constitute)|\bregardless of\b|\beven if\b|\bon its own\b/i

/**
 * What pays beyond the title, then at most `exceptionsMax` unusual sentences of the rules. The words are
 * the venue's: untrusted, and always in quotation marks. Empty for rules without visible text. `isBrief`:
 * without a source that most markets have.
 */
export function clauseFacts(
  about: About,
  rules: string,
  clause: Clause,
  today: EpochMs,
  exceptionsMax: number,
  isBrief = false,
): ReadonlyArray<NewFact> {
  const { comparison, deadlineAt, operator, rounding } = clause
  const source = clause.source?.replace(/\(?https?:.*$/i, "")
    .replace(/(?:[\s(:;,]|\b(?:available|found|from|at|on|via|here)\b)+$/i, "")
  const counts = operator?.includes("=") === true ? "counts" : "does not count"
  const sentence = excerpt(decidingSentence(rules) || rules, quoteMax)
  // Without a time, what decides it is in the sentence.
  const isVague = deadlineAt === null && !(isBrief && (comparison ?? clause.source))
  const isQuoted = (part: string | null) => isVague && sentence.includes(part ?? "")
  const parts = [
    ...isVague ? part("clause2", sentence, (it) => it) : [],
    ...deadlineAt === null
      ? []
      : [phrase`${deadlineAt <= today ? "passed at " : ""}${time("deadline", deadlineAt, today)}`],
    ...isQuoted(clause.series ?? source ?? null)
      ? []
      : part("clause", clause.series ?? source ?? null, (quote) => phrase`decided by ${quote}`),
    ...part(
      "threshold",
      comparison,
      (quote) =>
        isQuoted(comparison)
          ? phrase`the limit itself ${counts}`
          : phrase`${quote} (the limit itself ${counts})`,
    ),
    ...part("rounding", rounding, (quote) => phrase`precision ${quote}`),
  ]
  const isOrdinary = clause.series === null && ordinarySource.test(source ?? "")
  const shown = isBrief && isOrdinary && parts.length > 1
    ? parts.filter(({ values }) => !("clause" in values))
    : parts
  const pays = joined(shown, "; ")
  const unusual = [
    clause.void,
    ...sentencesOf(excerpt(rules, rulesMax)).filter((sentence) => exception.test(sentence)),
    clause.revision,
  ].flatMap((sentence, n, all) =>
    all.indexOf(sentence) === n &&
      !pays.text.includes(readableName(sentence ?? "", quoteMax).replace(/[.\s]+$/, ""))
      ? part("quote", sentence, (quote) => phrase`Unusual rule: ${quote}.`)
      : []
  )
  const label = deadlineAt === null ? "Pays" : "Deadline"
  return [
    ...pays.text === "" ? [] : [phrase`${label}: ${pays}.`],
    ...unusual.slice(0, exceptionsMax),
  ]
    .map((statement) => factOf("rules", about.slug, statement))
}

/** None where nothing of it is visible, or it is too long to be quoted whole. */
function part(
  slot: string,
  quote: string | null,
  words: (quote: Statement) => Statement,
): ReadonlyArray<Statement> {
  const text = (quote ?? "").trim().replace(/[.\s]+$/, "")
  if (!/[\p{L}\p{N}]/u.test(text) || text.length > quoteMax) return []
  return [words(quotation(slot, text, quoteMax))]
}

/** The rules could not be read, or the venue gives none. */
export function noClauseFact(about: About): NewFact {
  return factOf("rules", about.slug, phrase`The venue's rules could not be read.`)
}
