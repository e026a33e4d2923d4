/**
 * The clause of the rules that says what pays, quoted.
 *
 * @module
 */
import { excerpt, quoted } from "../../core/domain/untrusted.ts"
import { rulesExcerpt } from "../../markets/domain/rulesExcerpt.ts"
import { phrase, type Statement } from "../domain/statement.ts"
import { type About, factOf, named, type NewFact } from "./fact.ts"

/** Characters of a quoted clause. */
const clauseMax = 280

/**
 * Without a sentence that decides, the start of the rules; null where they have no visible text. The
 * words are the venue's: untrusted, and always in quotation marks.
 */
export function clauseFact(about: About, rules: string): NewFact | null {
  const clause = rulesExcerpt(rules, clauseMax) ?? excerpt(rules, clauseMax)
  if (clause === "") return null
  const name = named("clause", clause.replace(/[.…\s]+$/, ""), clauseMax)
  const words: Statement = name.text.startsWith("“") ? name : { ...name, text: quoted(name.text) }
  return factOf("rules", about.slug, phrase`What pays: ${words}.`)
}

/** The rules could not be read, or the venue gives none. */
export function noClauseFact(about: About): NewFact {
  return factOf("rules", about.slug, phrase`The venue's rules could not be read.`)
}
