/**
 * How plain the English of a checkout is: counts of the words that `docs/glossary.md` replaces, and
 * the Flesch reading ease of comments and documents.
 *
 *     deno task bench:words [root of a checkout] [folder ...]
 *
 * @module
 */
import { Console, Effect } from "effect"
import {
  commentsOf,
  occurrences,
  plainWords,
  proseOf,
  readability,
  replacedWords,
} from "../tests/support/words.ts"

const [root = ".", ...given] = Deno.args
const folders = given.length > 0 ? given : ["src", "tests", "migrations", "examples", "bench", "."]
const sourceName = /\.(ts|sql|zig)$/

interface File {
  readonly folder: string
  readonly path: string
  readonly text: string
}

function filesOf(folder: string, path: string): ReadonlyArray<File> {
  return [...Deno.readDirSync(`${root}/${path}`)].flatMap((entry) => {
    const below = path === "." ? entry.name : `${path}/${entry.name}`
    if (entry.isDirectory) {
      const isOwn = folder !== "." || below === "docs" || below.startsWith("docs/")
      return isOwn && entry.name !== "node_modules" ? filesOf(folder, below) : []
    }
    const isRead = entry.isFile &&
      (folder === "." ? entry.name.endsWith(".md") : /\.(ts|sql|zig|md)$/.test(entry.name))
    return isRead && below !== "docs/glossary.md"
      ? [{ folder, path: below, text: Deno.readTextFileSync(`${root}/${below}`) }]
      : []
  })
}

const existing = folders.filter((folder) => {
  try {
    return Deno.statSync(`${root}/${folder}`).isDirectory
  } catch {
    return false
  }
})
const files = existing.flatMap((folder) => filesOf(folder, folder))
const glossary = Deno.readTextFileSync(new URL("../docs/glossary.md", import.meta.url))
const words = replacedWords(glossary)

function textOf(folder: string, isSource: boolean): string {
  return files
    .filter((file) => file.folder === folder && sourceName.test(file.path) === isSource)
    .map(({ text }) => isSource ? commentsOf(text) : proseOf(text))
    .join("\n\n")
}

const readabilityLines = existing.flatMap((folder) =>
  [true, false].flatMap((isSource) => {
    const { words, sentences, flesch } = readability(textOf(folder, isSource))
    if (words < 200) return []
    const perSentence = (words / sentences).toFixed(1)
    const name = `${folder === "." ? "documents" : folder} ${isSource ? "comments" : "prose"}`
    return `  ${name.padEnd(24)} ${flesch.toFixed(1)}   ${words} words, ${perSentence} a sentence`
  })
)

const all = existing.map((folder) =>
  occurrences(
    files.filter((file) => file.folder === folder).map(({ text }) => text).join("\n"),
    words,
  )
)
const wordLines = words.map(({ word, isRejected }) =>
  `  ${plainWords(word).padEnd(14)}${
    all.map((counts) => String(counts.get(word)).padStart(8)).join("")
  }${isRejected ? "" : "   (counted only)"}`
)

Effect.runSync(Console.log(
  [
    "Flesch reading ease (higher is easier)",
    ...readabilityLines,
    "",
    "Replaced words, in names, comments and texts",
    `  ${"".padEnd(14)}${existing.map((folder) => folder.padStart(8)).join("")}`,
    ...wordLines,
  ].join("\n"),
))
