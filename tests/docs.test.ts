/**
 * The documents are held to the code where a machine can: links, paths, commands, prices,
 * dependencies, the length of the README, and the words of the glossary.
 *
 * @module
 */
import { products } from "../src/catalog/domain/product.ts"
import { usdDecimals } from "../src/core/domain/money.ts"
import { occurrences, replacedWords } from "./support/words.ts"

const root = new URL("..", import.meta.url)
const readmeLinesMax = 150
const readmeWordsMax = 1_200
/** The words of the README, of docs and of the packages' READMEs together. */
const wordsMax = 30_000

interface TextFile {
  readonly path: string
  readonly text: string
}

function read(path: string): string {
  return Deno.readTextFileSync(new URL(path, root))
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(new URL(path, root)) !== null
  } catch {
    return false
  }
}

function filesBelow(folder: string, pattern: RegExp): ReadonlyArray<TextFile> {
  return [...Deno.readDirSync(new URL(folder, root))].flatMap((entry) => {
    const path = folder === "./" ? entry.name : `${folder}${entry.name}`
    if (entry.isDirectory) {
      return folder === "./" || entry.name === "node_modules" ? [] : filesBelow(`${path}/`, pattern)
    }
    return entry.isFile && pattern.test(path) ? [{ path, text: read(path) }] : []
  })
}

const documents = [...filesBelow("./", /\.md$/), ...filesBelow("docs/", /\.md$/)]
const readme = read("README.md")

function fail(title: string, offences: ReadonlyArray<string>): void {
  if (offences.length > 0) throw new Error(`${title}:\n  ${offences.join("\n  ")}`)
}

/** The id that a heading gets on the common hosts of Git. */
function headingIds(markdown: string): ReadonlyArray<string> {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading.toLowerCase().replace(/[^\w\- ]/g, "").replaceAll(" ", "-")
  )
}

/** The cells of the rows of all tables, without the backquotes. */
function tableRows(markdown: string): ReadonlyArray<ReadonlyArray<string>> {
  return [...markdown.matchAll(/^\| (.+) \|$/gm)].map(([, row = ""]) => row.split(" | "))
}

const quotedNames = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)

Deno.test("the README has the commands that start and test", () => {
  const lines = readme.split("\n")
  for (const task of ["dev", "test"]) {
    const isThere = lines.some((line) => line.startsWith(`npx -y deno@2.9.6 task ${task} `))
    if (!isThere) throw new Error(`The README does not start \`task ${task}\``)
  }
})

Deno.test("the README is short", () => {
  const [lines, words] = [readme.trimEnd().split("\n").length, readme.trim().split(/\s+/).length]
  if (lines > readmeLinesMax || words > readmeWordsMax) {
    throw new Error(`The README has ${lines} lines and ${words} words`)
  }
})

Deno.test("all documents together are short", () => {
  const texts = [
    { text: readme },
    ...filesBelow("docs/", /\.md$/),
    ...["client", "mcp"].map((name) => ({ text: read(`packages/${name}/README.md`) })),
  ]
  const words = texts.reduce((sum, { text }) => sum + text.trim().split(/\s+/).length, 0)
  if (words > wordsMax) throw new Error(`The documents have ${words} words`)
})

Deno.test("every link in a document leads to a file and a heading", () => {
  const offences = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(
      ([link, target = "", heading]) => {
        const file = target === "" ? path : new URL(target, `file:///${path}`).pathname.slice(1)
        if (!exists(file)) return [`${path}: ${link}`]
        const isFound = heading === undefined || headingIds(read(file)).includes(heading)
        return isFound ? [] : [`${path}: ${link}`]
      },
    )
  )
  fail("These links lead nowhere", offences)
})

Deno.test("every path in a document exists", () => {
  const offences = documents.flatMap(({ path, text }) =>
    [...text.replace(/```[^]*?```/g, "").matchAll(/`([\w.-]+(?:\/[\w.-]+)+\.(?:ts|sql|md|json))`/g)]
      .map(([, name = ""]) => name)
      .filter((name) => !exists(name) && !exists(`src/${name}`))
      .map((name) => `${path}: ${name}`)
  )
  fail("These paths do not exist", offences)
})

Deno.test("every test that a script of CI names exists", () => {
  const offences = [".ci/run", ".ci/dates"].flatMap((path) =>
    [...read(path).matchAll(/\b[\w-]+(?:\/[\w-]+)+(?:\.[\w]+)*\.ts\b/g)]
      .filter(([name]) => !exists(name))
      .map(([name]) => `${path}: ${name}`)
  )
  fail("These paths do not exist", offences)
})

Deno.test("the lines and tests of every mutant exist", () => {
  const mutants = read("bench/mutants.txt").split(/^## /m).slice(1)
  const offences = mutants.flatMap((section) => {
    const [name = "", place = "", ...lines] = section.split("\n")
    const [file = "", tests = ""] = place.split(": ")
    const before = lines.filter((line) => line.startsWith("-")).map((line) => line.slice(1))
    const isThere = before.length === 0 || exists(file) && read(file).includes(before.join("\n"))
    return isThere && tests.split(" ").every(exists) ? [] : [`${file}: ${name}`]
  })
  fail("These mutants change nothing", offences)
})

Deno.test("every task in a document exists", () => {
  const { tasks } = JSON.parse(read("deno.json")) as { tasks: Record<string, unknown> }
  const texts = [...documents, { path: ".ci/run", text: read(".ci/run") }]
  const offences = texts.flatMap(({ path, text }) =>
    [...text.matchAll(/(?:deno(?:@[\d.]+)?|\$\w+") task (?:-q )?([\w:]+)/g)]
      .map(([, task = ""]) => task)
      .filter((task) => tasks[task] === undefined)
      .map((task) => `${path}: ${task}`)
  )
  fail("These tasks do not exist", offences)
})

Deno.test("the README's price table is the catalog's", () => {
  const usd = (atomic: bigint) => (Number(atomic) / 10 ** usdDecimals).toFixed(2)
  const expected = Object.values(products).map(({ path, price }) => `${path} ${usd(price)}`)
  const found = tableRows(readme).flatMap(([cell = "", price = ""]) =>
    /^\d+\.\d\d$/.test(price)
      ? quotedNames(cell).map((name) => `${name.replace(/\?.*/, "")} ${price}`)
      : []
  )
  fail("The README lacks", expected.filter((row) => !found.includes(row)))
  fail("The catalog lacks", found.filter((row) => !expected.includes(row)))
})

Deno.test("the table of dependencies has every package with its version", () => {
  const { imports } = JSON.parse(read("imports.json")) as { imports: Record<string, string> }
  const rows = tableRows(read("docs/dependencies.md"))
  const packages = Object.values(imports).filter((specifier) => /^npm:[^/]/.test(specifier))
  const missing = packages.filter((specifier) => {
    const [, name = "", version = ""] = /^npm:(.+)@([\d.]+)$/.exec(specifier) ?? []
    return !rows.some(([names = "", versions = ""]) =>
      names.includes(`\`${name}\``) && versions.split(", ").includes(version)
    )
  })
  fail("The table lacks", missing)
})

/** Words that a file must contain; the others are rejected there too. */
const requiredWords: Readonly<Record<string, ReadonlyArray<string>>> = {
  "src/news/domain/words.ts": ["tell", "sound"],
  "src/predetermined/domain/predetermined.ts": ["nobody"],
  // Stored values: the folder of the delivery journal, a key of a JSON column.
  "src/app/settings.ts": ["handed over"],
  "tests/app/sandbox.test.ts": ["handed over"],
  "tests/kill/drills/drill.ts": ["handed over"],
  "docs/operations.md": ["handed over"],
  "src/whales/postgres/countingStore.ts": ["beside"],
}

Deno.test("names, comments, texts and documents use none of the rejected words", () => {
  const rejected = replacedWords(read("docs/glossary.md")).filter(({ isRejected }) => isRejected)
  const exempt = [
    "docs/glossary.md",
    "tests/docs.test.ts",
    "docs/benchmarks.md",
  ]
  const files = [
    ...documents,
    ...["src/", "packages/", "tests/", "examples/", "bench/"].flatMap((folder) =>
      filesBelow(folder, /\.tsx?$/)
    ),
    ...filesBelow("migrations/", /\.sql$/),
  ].filter(({ path }) => !exempt.includes(path))
  const offences = files.flatMap(({ path, text }) =>
    [...occurrences(text, rejected)]
      .filter(([word, count]) => count > 0 && !requiredWords[path]?.includes(word))
      .map(([word, count]) => `${path}: ${word} (${count})`)
  )
  fail("The glossary replaces these words", offences)
})
