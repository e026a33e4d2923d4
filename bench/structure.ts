/**
 * The size and shape of the sources: files, lines, long functions, full folders, modules with one
 * importer, circular imports.
 *
 *     deno task bench:structure [root of a checkout]
 *
 * @module
 */
import { Console, Effect } from "effect"

const root = Deno.args[0] ?? "."
const linesMax = 70
const filesMax = 20

interface Source {
  readonly path: string
  readonly lines: ReadonlyArray<string>
  readonly imports: ReadonlyArray<string>
}

function sources(folder: string): ReadonlyArray<Source> {
  return [...Deno.readDirSync(`${root}/${folder}`)].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`
    if (isDirectory) return name === "node_modules" ? [] : sources(path)
    if (!name.endsWith(".ts")) return []
    const text = Deno.readTextFileSync(`${root}/${path}`)
    const imports = [...text.matchAll(/(?:from|import)\s+"(\.[^"]+)"/g)]
      .map(([, to = ""]) => new URL(to, `file:///${path}`).pathname.slice(1))
    return [{ path, lines: text.trimEnd().split("\n"), imports }]
  })
}

/** The functions of a file, by the indentation that `deno fmt` gives their closing brace. */
function functionsOf({ path, lines }: Source) {
  return lines.flatMap((opening, index) => {
    const opens = /(=>|\bfunction\b.*|\)(: .*)?) \{$/.test(opening) &&
      !/^\s*(\} )?(if|for|while|switch|else|catch|try|return switch)\b/.test(opening)
    const indent = /^ */.exec(opening)?.[0] ?? ""
    const rest = lines.slice(index + 1).findIndex((line) => line.startsWith(`${indent}}`))
    return opens && rest >= 0 ? [{ at: `${path}:${index + 1}`, lines: rest + 2 }] : []
  })
}

function circles(files: ReadonlyArray<Source>): number {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const done = new Set<string>()
  let found = 0
  const visit = (path: string, above: ReadonlySet<string>): void => {
    if (above.has(path)) found++
    if (above.has(path) || done.has(path)) return
    byPath.get(path)?.imports.forEach((to) => visit(to, new Set([...above, path])))
    done.add(path)
  }
  files.forEach(({ path }) => visit(path, new Set()))
  return found
}

function sizeOf(folder: string): string {
  const files = sources(folder)
  const lines = files.reduce((sum, file) => sum + file.lines.length, 0)
  return `${folder}: ${files.length} files, ${lines} lines`
}

const there = new Set([...Deno.readDirSync(root)].map(({ name }) => name))
const src = sources("src")
const importers = Map.groupBy(src.flatMap(({ imports }) => [...new Set(imports)]), (to) => to)
const folders = Map.groupBy(src, ({ path }) => path.replace(/\/[^/]*$/, ""))
const functions = src.flatMap(functionsOf).sort((a, b) => b.lines - a.lines)
const full = [...folders].filter(([, files]) => files.length > filesMax).map(([name]) => name)
const single = [...importers.values()].filter((uses) => uses.length === 1)
const long = functions.filter(({ lines }) => lines > linesMax)

Effect.runSync(Console.log([
  ...["src", "examples", "tests", "bench"].filter((folder) => there.has(folder)).map(sizeOf),
  `folders of src with more than ${filesMax} files: ${full.join(", ") || "none"}`,
  `modules with one importer: ${single.length}`,
  `circles of imports: ${circles(src)}`,
  `longest function: ${functions[0]?.lines} lines, ${functions[0]?.at}`,
  `functions over ${linesMax} lines: ${long.length}`,
].join("\n")))
