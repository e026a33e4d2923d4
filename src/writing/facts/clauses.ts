/**
 * The settlement clause: what pays, and the parts of the rules that traders overlook, all quoted.
 *
 * @module
 */
import type { EpochMs } from "../../core/domain/time.ts"
import { excerpt, quoted, safeName } from "../../core/domain/untrusted.ts"
import type { Clause } from "../../markets/domain/clause.ts"
import { rulesExcerpt } from "../../markets/domain/rulesExcerpt.ts"
import { phrase, type Statement } from "../domain/statement.ts"
import { type About, factOf, named, type NewFact, time } from "./fact.ts"

/** Characters of a quoted clause. */
const clauseMax = 280

/** Parts of the clause in one text. */
const partsMax = 4

/**
 * Without a sentence that decides, the start of the rules; null where they have no visible text. The
 * words are the venue's: untrusted, and always in quotation marks.
 */
export function clauseFact(about: About, rules: string): NewFact | null {
  const pays = paysOf(rules)
  return pays === "" ? null : factOf(
    "rules",
    about.slug,
    phrase`What pays: ${quotation("clause", pays)}.`,
  )
}

/** The parts of the clause that the quotation of `clauseFact` leaves out, those that decide first. */
export function clausePartFacts(
  about: About,
  rules: string,
  clause: Clause,
  today: EpochMs,
): ReadonlyArray<NewFact> {
  return partStatements(clause, paysOf(rules), today).slice(0, partsMax)
    .map((statement) => factOf("rules", about.slug, statement))
}

function paysOf(rules: string): string {
  return rulesExcerpt(rules, clauseMax) ?? excerpt(rules, clauseMax)
}

function partStatements(clause: Clause, pays: string, today: EpochMs): ReadonlyArray<Statement> {
  const part = (quote: string | null, words: (quote: Statement) => Statement) =>
    quote === null || pays.includes(safeName(quote, clauseMax))
      ? []
      : [words(quotation("quote", quote))]
  const { operator, deadlineAt } = clause
  const counts = operator?.includes("=") === true ? "counts" : "does not count"
  return [
    ...part(
      isWithin(clause.series, clause.source) ? null : clause.series,
      (quote) => phrase`What is measured: ${quote}.`,
    ),
    ...part(
      clause.comparison,
      (quote) => phrase`The threshold is ${quote}: a value equal to it ${counts}.`,
    ),
    ...part(clause.rounding, (quote) => phrase`On precision the rules say ${quote}.`),
    ...part(clause.source, (quote) => phrase`The source that decides: ${quote}.`),
    ...deadlineAt === null ? [] : [
      phrase`What counts must happen by ${time("deadline", deadlineAt, today)}.`,
    ],
    ...part(clause.void, (quote) => phrase`In another case: ${quote}.`),
    ...part(clause.revision, (quote) => phrase`On revisions: ${quote}.`),
  ]
}

/** Whether the words of the source name the series too. */
function isWithin(series: string | null, source: string | null): boolean {
  return series !== null && source?.includes(series) === true
}

function quotation(slot: string, text: string): Statement {
  const name = named(slot, text.replace(/[.\s]+$/, ""), clauseMax)
  return name.text.startsWith("“") ? name : { ...name, text: quoted(name.text) }
}

/** The rules could not be read, or the venue gives none. */
export function noClauseFact(about: About): NewFact {
  return factOf("rules", about.slug, phrase`The venue's rules could not be read.`)
}
