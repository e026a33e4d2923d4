/**
 * The house rules that a machine can check: which way imports point, that the core is pure, that
 * every file says what it is, that nothing lies dead.
 *
 * @module
 */
import { variables } from "../src/settings.ts"

const root = new URL("..", import.meta.url)
const linesMax = 300
const testLinesMax = 400

interface Source {
  readonly path: string
  readonly text: string
  readonly imports: ReadonlyArray<string>
}

/** Modules of `effect` that hold values only: no time, no randomness, no running of anything. */
const valueModules = new Set([
  ...["Schema", "Result", "Option", "Array", "Order", "Ordering", "Record", "Struct", "Predicate"],
  ...["pipe", "Brand", "BigInt", "Number", "String", "Equal", "Hash", "Match", "Function", "Data"],
  ...["Chunk", "Duration", "Encoding", "flow", "identity", "HashMap", "HashSet", "Iterable"],
])

const entryPoints = [
  ...["src/launch.ts", "src/main.ts"],
  ...["src/refund-worker.ts", "src/migrate.ts", "src/backfill.ts", "src/buy.ts", "src/agent.ts"],
]
/** What the demonstration agent decides by: as pure as the domain. */
const decisions = new Set(
  ["contract", "items", "ledger", "llms", "pace", "plan", "trust", "verdict", "words"]
    .map((name) => `src/agent/${name}.ts`),
)
/** Stands in for the venue's own servers, in tests and measurements. */
const standIns = ["src/adapters/simulation/wire.ts"]

function sources(dir: string): ReadonlyArray<Source> {
  const found: Array<Source> = []
  for (const entry of Deno.readDirSync(new URL(dir, root))) {
    const path = `${dir}/${entry.name}`
    if (entry.isDirectory && entry.name !== "node_modules") found.push(...sources(path))
    if (entry.isFile && path.endsWith(".ts")) {
      const text = Deno.readTextFileSync(new URL(path, root))
      found.push({ path, text, imports: importsOf(path, text) })
    }
  }
  return found
}

/** Every module a file imports: project files by path from the root, packages by name. */
function importsOf(path: string, text: string): ReadonlyArray<string> {
  const specifiers = [
    ...text.matchAll(/^(?:import|export)\s[^"';]*?from\s+"([^"]+)"/gm),
    ...text.matchAll(/^import\s+"([^"]+)"/gm),
    ...text.matchAll(/\bimport\("([^"]+)"\)/g),
  ].map((match) => match[1] ?? "")
  return specifiers.map((specifier) =>
    specifier.startsWith(".")
      ? new URL(specifier, new URL(path, root)).href.slice(root.href.length)
      : specifier
  )
}

const src = sources("src")
const tests = sources("tests")

/** The part of the house a file belongs to: domain, services, http, one adapter family, or entry. */
function room(path: string): string {
  const [, first = "", second = ""] = path.split("/")
  if (first === "adapters") return `adapters/${second.replace(/\.ts$/, "")}`
  return first.endsWith(".ts") ? "entry" : first
}

/** Whether a file of one room may import a file of another. */
function mayImport(from: string, to: string): boolean {
  if (from === to || from === "entry") return true
  if (to === "entry") return false
  if (to === "domain") return true
  if (to === "services") return from !== "domain"
  return false
}

/** A file without its comments. */
function code(text: string): string {
  return text.replace(/\/\*[^]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "")
}

function fail(title: string, offences: ReadonlyArray<string>): void {
  if (offences.length > 0) throw new Error(`${title}:\n  ${offences.join("\n  ")}`)
}

Deno.test("imports point one way: domain <- services <- adapters, http <- entry points", () => {
  const offences = src.flatMap(({ path, imports }) =>
    imports
      .filter((to) => to.startsWith("src/") && !mayImport(room(path), room(to)))
      .map((to) => `${path} imports ${to}`)
  )
  fail("These imports point the wrong way", offences)
})

Deno.test("no files import one another in a circle", () => {
  const done = new Set<string>()
  const circles: Array<string> = []
  const visit = (path: string, above: ReadonlyArray<string>): void => {
    if (above.includes(path)) circles.push([...above.slice(above.indexOf(path)), path].join(" -> "))
    if (done.has(path)) return
    done.add(path)
    for (const to of src.find((file) => file.path === path)?.imports ?? []) {
      visit(to, [...above, path])
    }
  }
  src.forEach(({ path }) => visit(path, []))
  fail("These files import one another", circles)
})

Deno.test("the domain, and what an agent decides by, import only value modules of effect", () => {
  const pure = (path: string) => room(path) === "domain" || decisions.has(path)
  const offences = src.filter(({ path }) => pure(path)).flatMap(
    ({ path, text, imports }) => {
      const foreign = imports.filter((to) =>
        !to.startsWith("src/domain/") && to !== "effect" && to !== "effect/encoding" &&
        !(decisions.has(path) && decisions.has(to))
      )
      const names = [...text.matchAll(/import (?:type )?\{([^}]*)\} from "effect"/g)]
        .flatMap((match) => (match[1] ?? "").split(","))
        .map((name) => name.replace(/\btype\b/, "").split(" as ")[0]?.trim() ?? "")
        .filter((name) => name !== "" && !valueModules.has(name))
      return [...foreign, ...names].map((what) => `${path} imports ${what}`)
    },
  )
  fail("The domain reaches outside itself", offences)
})

Deno.test("every source file opens by saying what it is", () => {
  const offences = [...src, ...tests]
    .filter(({ text }) => !/^\/\*\*\n \* \S[^]*?@module\n \*\/\n/.test(text))
    .map(({ path }) => path)
  fail("These files have no header", offences)
})

Deno.test("no file is longer than a reader's patience", () => {
  const offences = [...src, ...tests]
    .map(({ path, text }) => ({ path, lines: text.split("\n").length }))
    .filter(({ path, lines }) => lines > (path.startsWith("src/") ? linesMax : testLinesMax))
    .map(({ path, lines }) => `${path}: ${lines} lines`)
  fail("These files are too long", offences)
})

Deno.test("no source file lies dead", () => {
  const reached = new Set<string>()
  const visit = (path: string): void => {
    if (reached.has(path)) return
    reached.add(path)
    for (const to of src.find((file) => file.path === path)?.imports ?? []) {
      if (to.startsWith("src/")) visit(to)
    }
  }
  ;[...entryPoints, ...standIns].forEach(visit)
  fail("No entry point reaches", src.map(({ path }) => path).filter((path) => !reached.has(path)))
})

Deno.test("sources hold nothing that is banned", () => {
  const banned: ReadonlyArray<readonly [RegExp, string, ReadonlyArray<string>]> = [
    [/\bas any\b|: any\b|<any>/, "any", []],
    [/\bas never\b/, "as never", []],
    [/@ts-ignore|@ts-expect-error|@ts-nocheck/, "a silenced compiler", []],
    [/\bDate\.now\(|new Date\(\)/, "the wall clock", []],
    [/\bMath\.random\(/, "unseeded randomness", []],
    [/\bDeno\.env\b/, "the environment", entryPoints],
    // Where Deno calls us back, an Effect runs with the context of the Layer it belongs to.
    [/\bEffect\.run(Promise|Sync|Fork)\(/, "running an Effect bare", [
      ...entryPoints,
      "src/untilSignal.ts",
    ]],
  ]
  const offences = src.flatMap(({ path, text }) =>
    banned
      .filter(([pattern, , allowed]) => pattern.test(code(text)) && !allowed.includes(path))
      .map(([, what]) => `${path}: ${what}`)
  )
  const promises = src.filter(({ text }) => /\bTODO\b|\bFIXME\b|\bXXX\b/.test(text))
  fail("Banned", [...offences, ...promises.map(({ path }) => `${path}: an untracked to-do`)])
})

Deno.test("every setting stands in the README's table", () => {
  const readme = Deno.readTextFileSync(new URL("README.md", root))
  const missing = Object.keys(variables).filter((name) => !readme.includes(`\`${name}\``))
  fail("The README does not name", missing)
})
