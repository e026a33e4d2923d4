/**
 * The settlement clause: until when, by which source, and what in the rules a reader of the title would
 * not expect.
 *
 * @module
 */
import type { EpochMs } from "../../core/domain/time.ts"
import { excerpt, quoted } from "../../core/domain/untrusted.ts"
import type { Clause } from "../../markets/domain/clause.ts"
import { rulesExcerpt, sentencesOf } from "../../markets/domain/rulesExcerpt.ts"
import { joined, phrase, type Statement } from "../domain/statement.ts"
import { type About, factOf, named, type NewFact, time } from "./fact.ts"

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
  const parts = [
    ...deadlineAt === null ? [] : [time("deadline", deadlineAt, today)],
    ...part("clause", clause.series ?? source ?? null, (quote) => phrase`decided by ${quote}`),
    ...part("threshold", comparison, (quote) => phrase`${quote} (the limit itself ${counts})`),
    ...part("rounding", rounding, (quote) => phrase`precision ${quote}`),
  ]
  const quote = rulesExcerpt(rules, quoteMax) ?? excerpt(rules, quoteMax)
  const isOrdinary = clause.series === null && ordinarySource.test(source ?? "")
  const shown = isBrief && isOrdinary && parts.length > 1
    ? parts.filter(({ values }) => !("clause" in values))
    : parts
  const pays = joined(parts.length > 0 ? shown : part("clause", quote, (it) => it), "; ")
  const unusual = [
    clause.void,
    ...sentencesOf(excerpt(rules, rulesMax)).filter((sentence) => exception.test(sentence)),
    clause.revision,
  ].flatMap((sentence, n, all) =>
    all.indexOf(sentence) === n && !pays.text.includes((sentence ?? "").replace(/[.\s]+$/, ""))
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
  const name = named(slot, text, quoteMax)
  return [words(name.text.startsWith("“") ? name : { ...name, text: quoted(name.text) })]
}

/** The rules could not be read, or the venue gives none. */
export function noClauseFact(about: About): NewFact {
  return factOf("rules", about.slug, phrase`The venue's rules could not be read.`)
}
