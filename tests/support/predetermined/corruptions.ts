/**
 * Operators that turn a true answer of a detector into a wrong one, by a change of its headlines, of the
 * question's times or of the answer.
 *
 * @module
 */
import { hour } from "../../../src/core/domain/time.ts"
import { type PlantedCase, type PlantedHeadline, plantedNow } from "./planted.ts"

/** The corrupted case; null where the operator does not apply. */
type Corruption = (planted: PlantedCase) => PlantedCase | null

const titleOf = (headline: PlantedHeadline): string =>
  typeof headline === "string" ? headline : headline.title

const withTitles = (
  planted: PlantedCase,
  change: (title: string, n: number) => string,
): PlantedCase => ({
  ...planted,
  headlines: planted.headlines.map((headline, n) => ({
    ...(typeof headline === "string" ? {} : headline),
    title: change(titleOf(headline), n),
  })),
})

/** Null when no title changes. */
const changed = (planted: PlantedCase, change: (title: string, n: number) => string) => {
  const after = withTitles(planted, change)
  const isChanged = after.headlines.every((headline, n) =>
    titleOf(headline) !== titleOf(planted.headlines[n] ?? "")
  )
  return isChanged ? after : null
}

const monthOf = /\b(?:October|November|December)\b/
const isMatch = ({ outcomes }: PlantedCase) => outcomes !== undefined
const hasLevel = ({ question }: PlantedCase) => /\d (?:or|in|by)|%|°/.test(question)

const places: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bPortugal\b/g, "Peru"],
  [/\bKenya\b/g, "Poland"],
  [/\bChile\b/g, "Japan"],
  [/\bLisbon\b/g, "Oslo"],
  [/\b(Marenport|Skerry Point)\b/g, "Brindle Cove"],
]

const subjects: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bCivic Alliance\b/g, "Harvest Party"],
  [/\b(?:Ann )?Lee\b/g, "Ida Quill"],
  [/\bOlga Vane\b|\bVane\b/g, "Petra Lind"],
  [/\b(?:Carl )?Brandt\b/g, "Emil Sorge"],
  [/\bLab (?:Quillon|Tessera)\b/g, "Lab Ostrava"],
  [/“Lantern Year”/g, "“Paper Harbor”"],
  [/\bBitcoin\b/g, "Ethereum"],
  [/\bQuarrow Motors\b/g, "Ostria Motors"],
  [/\b(?:Harbor City )?Gulls\b/g, "Northgate Rovers"],
  [/\b(?:Quarry )?Wolves\b/g, "Northgate Rovers"],
  [/\b(?:Lakeside )?Herons\b/g, "Northgate Rovers"],
  [/\bDana Roe\b/g, "Ivo Brand"],
  [/\bSupreme Court\b/g, "Labor Court"],
  [/\bTellmark\b/g, "Vessing"],
]

/** With the first replacement that changes every title. */
const replacedBy = (
  planted: PlantedCase,
  replacements: ReadonlyArray<readonly [RegExp, string]>,
): PlantedCase | null =>
  replacements.map(([from, to]) => changed(planted, (title) => title.replace(from, to)))
    .find((found) => found !== null) ?? null

/** A verb that a title ends with, or none. */
const appended = (planted: PlantedCase, words: string) =>
  withTitles(planted, (title) => `${title} ${words}`)

export const corruptions: Readonly<Record<string, Corruption>> = {
  "another month": (planted) => {
    const dated = changed(
      planted,
      (title) => monthOf.test(title) ? title.replace(monthOf, "July") : `${title} in July`,
    )
    return dated
  },
  "another year": (planted) => appended(planted, "in 2019"),
  "another place": (planted) => replacedBy(planted, places),
  "another subject": (planted) => replacedBy(planted, subjects),
  "another level": (planted) =>
    planted.answer === "Yes" && hasLevel(planted) && !/below|dip/.test(planted.question)
      ? changed(
        planted,
        (title) =>
          title.replace(/\$?\d[\d,.]*k?(?= |%|°)/, (level) => level.startsWith("$") ? "$0.1" : "2"),
      )
      : null,
  "the other answer": (planted) => {
    const [first, second] = planted.outcomes ?? ["Yes", "No"]
    return { ...planted, answer: planted.answer === first ? second : first }
  },
  "before the match": (planted) =>
    planted.gameStartsAt === undefined
      ? null
      : { ...planted, gameStartsAt: new Date(plantedNow + hour).toISOString() },
  "before the period": (planted) =>
    /\b(?:in|on) (?:October|November)/.test(planted.question)
      ? { ...planted, now: "2026-09-20T12:00:00Z", endsAt: "2026-11-30T00:00:00Z" }
      : null,
  "one text": (planted) =>
    planted.proposed === undefined
      ? { ...planted, headlines: planted.headlines.slice(0, 1) }
      : null,
  "copies of one text": (planted) =>
    planted.proposed === undefined
      ? withTitles(planted, (_, n) => `${titleOf(planted.headlines[0] ?? "")}${n > 0 ? "!" : ""}`)
      : null,
  "one publisher": (planted) =>
    planted.proposed === undefined
      ? {
        ...planted,
        headlines: planted.headlines.map((headline) => ({
          ...(typeof headline === "string" ? { title: headline } : headline),
          publisher: "One Wire",
        })),
      }
      : null,
  "a correction": (planted) =>
    withTitles(planted, (title, n) => n === 0 ? `Correction: ${title}` : title),
  "a denied report": (planted) => ({
    ...planted,
    headlines: [
      ...planted.headlines,
      { title: `Report that ${titleOf(planted.headlines[0] ?? "")} was false`, hoursAgo: 1 },
    ],
  }),
  "a hedge": (planted) => withTitles(planted, (title) => `Reportedly ${title}`),
  "a plan": (planted) => appended(planted, "next week, officials expect"),
  "a question": (planted) => appended(planted, "?"),
  "an exit poll": (planted) => appended(planted, "in exit poll"),
  "a semi-final": (planted) =>
    /\bcup\b|festival/.test(planted.question) ? appended(planted, "in semi-final") : null,
  "a youth match": (planted) => isMatch(planted) ? appended(planted, "in U19 match") : null,
  "invented decisive words": (planted) => ({
    ...planted,
    decisiveWords: "as the result certifies",
  }),
  "words of the question": (planted) => ({ ...planted, decisiveWords: planted.question }),
}
