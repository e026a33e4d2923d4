/**
 * The rules of the source tree that a machine can check: which capability may import which, that
 * domain modules are pure, that functions are short, that every file says what it is, that no file
 * and no export is dead, and how many lines each folder may have.
 *
 * @module
 */

const root = new URL("..", import.meta.url)
const functionLinesMax = 70

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
  "SchemaIssue",
])

const entryPoints = [
  ...["src/launch.ts", "src/plan.ts", "src/main.ts", "src/dev.ts", "src/refund-worker.ts"],
  "src/command.ts",
  ...["examples/buyer.ts", "examples/agent.ts"],
  ...["packages/client/src/client.ts", "packages/mcp/src/main.ts"],
  "tools/verify.ts",
  "tools/backtest.ts",
]

/**
 * Which capabilities each one may import. Every capability's `postgres/` folder may also import
 * `postgres`; `app` and the entry points may import all.
 */
const mayImport: Readonly<Record<string, ReadonlyArray<string>>> = {
  core: [],
  signing: [],
  postgres: ["core"],
  markets: ["core"],
  feed: ["core", "markets", "signing"],
  news: ["core", "markets", "writing"],
  writing: ["core", "markets"],
  movers: ["core", "markets", "feed"],
  whales: ["core", "markets", "feed"],
  predetermined: ["core", "markets", "feed", "news"],
  digest: ["core", "markets", "feed", "whales", "news", "writing", "track-record"],
  research: [
    ...["core", "markets", "feed", "whales", "news", "writing"],
    "track-record",
  ],
  "track-record": ["core", "markets", "feed", "predetermined", "whales"],
  status: ["core", "digest"],
  catalog: ["core", "markets", "feed", "whales", "digest", "research", "track-record"],
  payments: ["core", "catalog", "signing"],
  venues: ["core", "markets", "news"],
  http: [
    ...["core", "markets", "feed", "whales", "digest", "research", "track-record"],
    ...["catalog", "payments", "signing", "status"],
  ],
}

/** Adapters: only `app`, the entry points and the adapter's own folder import them. */
const adapter =
  /^src\/(venues\/|postgres\/|news\/sources\/|writing\/openai\/|signing\/ed25519\/|payments\/(chain|facilitator|simulated|postgres)\/|[\w-]+\/postgres\/)/

function sources(dir: string): ReadonlyArray<Source> {
  const found: Array<Source> = []
  for (const entry of Deno.readDirSync(new URL(dir, root))) {
    const path = `${dir}/${entry.name}`
    if (entry.isDirectory && !["node_modules", "dist"].includes(entry.name)) {
      found.push(...sources(path))
    }
    if (entry.isFile && /\.tsx?$/.test(path)) {
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
    ...text.matchAll(/\bnew Worker\(new URL\("([^"]+)"/g),
  ].map((match) => match[1] ?? "")
  return specifiers.map((specifier) =>
    specifier === "bellwether-client"
      ? "packages/client/src/client.ts"
      : specifier.startsWith(".")
      ? new URL(specifier, new URL(path, root)).href.slice(root.href.length)
      : specifier
  )
}

const src = sources("src")
/** What buyers run: the packages and the examples. */
const buyers = [...sources("packages"), ...sources("examples")]
const tests = sources("tests")
const bench = sources("bench")
/** What a person runs on files and answers: no part of the service. */
const tools = sources("tools")

/** The capability a file belongs to, or `entry`. */
function capability(path: string): string {
  const [, first = ""] = path.split("/")
  return first.endsWith(".ts") ? "entry" : first
}

/** Whether a path is part of a functional core. */
function isDomain(path: string): boolean {
  return /^src\/(.*\bdomain|writing\/facts)\//.test(path)
}

/** A file without its comments. */
function code(text: string): string {
  return text.replace(/\/\*[^]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "")
}

function fail(title: string, offences: ReadonlyArray<string>): void {
  if (offences.length > 0) throw new Error(`${title}:\n  ${offences.join("\n  ")}`)
}

Deno.test("capabilities import one another as the table says", () => {
  const allowed = (from: string, to: string) => {
    const [a, b] = [capability(from), capability(to)]
    if (a === b || a === "app" || a === "entry") return true
    return mayImport[a]?.includes(b) === true || (b === "postgres" && from.includes("/postgres/"))
  }
  const offences = src.flatMap(({ path, imports }) =>
    imports
      .filter((to) => !to.startsWith("src/") ? /^\w+\/.*\.ts$/.test(to) : !allowed(path, to))
      .map((to) => `${path} imports ${to}`)
  )
  fail("These imports are not in the table", offences)
})

Deno.test("every arrow of the table is used", () => {
  const used = new Set(
    src.flatMap(({ path, imports }) =>
      imports.map((to) => `${capability(path)} -> ${capability(to)}`)
    ),
  )
  const arrows = Object.entries(mayImport)
    .flatMap(([from, tos]) => tos.map((to) => `${from} -> ${to}`))
  fail("Nothing uses these arrows", arrows.filter((arrow) => !used.has(arrow)))
})

Deno.test("the table of imports has no circle", () => {
  const visit = (name: string, above: ReadonlyArray<string>): ReadonlyArray<string> =>
    above.includes(name)
      ? [[...above, name].join(" -> ")]
      : (mayImport[name] ?? []).flatMap((to) => visit(to, [...above, name]))
  fail(
    "These capabilities form a circle",
    Object.keys(mayImport).flatMap((name) => visit(name, [])),
  )
})

Deno.test("adapters are imported by app and the entry points alone", () => {
  const folder = (path: string) => adapter.exec(path)?.[0]
  const offences = src.flatMap(({ path, imports }) =>
    imports
      .filter((to) => {
        const own = folder(to)
        if (own === undefined || ["app", "entry"].includes(capability(path))) return false
        return !path.startsWith(own) && !(own === "src/postgres/" && path.includes("/postgres/"))
      })
      .map((to) => `${path} imports ${to}`)
  )
  fail("These files know an adapter", offences)
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

Deno.test("domain modules import only domain modules and value modules of effect", () => {
  const offences = src.filter(({ path }) => isDomain(path)).flatMap(({ path, text, imports }) => {
    const foreign = imports.filter((to) =>
      !isDomain(to) && to !== "effect" && to !== "effect/encoding"
    )
    const names = [...text.matchAll(/import (?:type )?\{([^}]*)\} from "effect"/g)]
      .flatMap((match) => (match[1] ?? "").split(","))
      .map((name) => name.replace(/\btype\b/, "").split(" as ")[0]?.trim() ?? "")
      .filter((name) => name !== "" && !valueModules.has(name))
    return [...foreign, ...names].map((what) => `${path} imports ${what}`)
  })
  fail("The domain imports what is not pure", offences)
})

Deno.test("every source file opens by saying what it is", () => {
  const offences = [...src, ...buyers, ...tests, ...tools]
    .filter(({ text }) => !/^\/\*\*\n \* \S[^]*?@module\n \*\/\n/.test(text))
    .map(({ path }) => path)
  fail("These files have no header", offences)
})

Deno.test("no function is longer than 70 lines", () => {
  const offences = [...src, ...buyers, ...tools].flatMap(({ path, text }) =>
    functionsOf(text)
      .filter(({ lines }) => lines > functionLinesMax)
      .map(({ line, lines }) => `${path}:${line}: ${lines} lines`)
  )
  fail("These functions are too long", offences)
})

/** Every function with a block body, by the line it opens on; `deno fmt` aligns its closing brace. */
function functionsOf(text: string): ReadonlyArray<{ line: number; lines: number }> {
  const lines = text.split("\n")
  return lines.flatMap((opening, index) => {
    const opens = /(=>|\bfunction\b.*|\)(: .*)?) \{$/.test(opening) &&
      !/^\s*(\} )?(if|for|while|switch|else|catch|try|return switch)\b/.test(opening)
    if (!opens) return []
    const indent = /^ */.exec(opening)?.[0] ?? ""
    const length = lines.slice(index + 1).findIndex((line) => line.startsWith(`${indent}}`))
    return length < 0 ? [] : [{ line: index + 1, lines: length + 2 }]
  })
}

/** Everything these files import, directly or not, and the files themselves. */
function reachedFrom(
  starts: ReadonlyArray<string>,
  importsOf = ({ imports }: Source) => imports,
): ReadonlySet<string> {
  const reached = new Set<string>()
  const visit = (path: string): void => {
    if (reached.has(path)) return
    reached.add(path)
    const file = [...src, ...buyers, ...tools].find((file) => file.path === path)
    if (file !== undefined) importsOf(file).forEach(visit)
  }
  starts.forEach(visit)
  return reached
}

Deno.test("of real money only the refund worker reaches what signs with the treasury's key", () => {
  const signing = ["src/payments/refunds/Treasury.ts", "viem/accounts"]
  const worker = "src/refund-worker.ts"
  const ofPlayMoney = "src/dev.ts"
  const missing = signing.filter((path) => !reachedFrom([worker]).has(path))
  fail("The refund worker does not reach", missing)
  const offences = entryPoints
    .filter((entry) => entry.startsWith("src/") && entry !== worker && entry !== ofPlayMoney)
    .flatMap((entry) => {
      const reached = reachedFrom([entry])
      return signing.filter((path) => reached.has(path)).map((path) => `${entry} reaches ${path}`)
    })
  fail("These processes could sign with the treasury's key", offences)
})

Deno.test("the refund worker, which has the treasury's key, loads no more than it needs", () => {
  const needed = /^src\/(refund-worker\.ts|app\/|core\/|payments\/|postgres\/|signing\/jws\.ts)/
  const besides = ["src/catalog/domain/prices.ts", "src/news/sources/feeds.ts"]
  const loads = ({ path, text }: Source) =>
    importsOf(path, text.replace(/^(import|export) type [^"]*"[^"]*"/gm, ""))
  const offences = [...reachedFrom(["src/refund-worker.ts"], loads)].filter((path) =>
    path === "effect/sql/Migrator" ||
    path.startsWith("src/") && !needed.test(path) && !besides.includes(path)
  )
  fail("The refund worker loads", offences)
})

Deno.test("the fibers of every process are kept small before Effect loads", () => {
  const first = 'import "./core/fiberContext.ts"'
  // The launcher imports nothing.
  const entries = src.filter(({ path }) => /^src\/(?!launch)[^/]+$/.test(path))
  fail(
    `The first import is not: ${first}`,
    entries.filter(({ text }) => /^import .*/m.exec(text)?.[0] !== first).map(({ path }) => path),
  )
})

Deno.test("an entry point reaches every source file", () => {
  const reached = reachedFrom(entryPoints)
  fail(
    "No entry point reaches",
    [...src, ...buyers, ...tools].map(({ path }) => path).filter((path) => !reached.has(path)),
  )
})

/** What a file declares for others. */
function exportsOf(text: string): ReadonlyArray<string> {
  const declared = text.matchAll(
    /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm,
  )
  return [...new Set([...declared].map((match) => match[1] ?? ""))]
}

const names = (name: string, text: string) => new RegExp(`\\b${name}\\b`).test(text)

Deno.test("the service imports no tool", () => {
  const offences = [...src, ...buyers].flatMap(({ path, imports }) =>
    imports.filter((to) => to.startsWith("tools/")).map((to) => `${path} imports ${to}`)
  )
  fail("A tool is no part of the service", offences)
})

Deno.test("another file imports every export", () => {
  const everything = [...src, ...buyers, ...tests, ...bench, ...tools]
  const offences = [...src, ...tools].flatMap(({ path, text }) => {
    const users = everything.filter(({ imports }) => imports.includes(path))
    return exportsOf(text)
      .filter((name) => !users.some((user) => names(name, user.text)))
      .map((name) => `${path}: ${name}`)
  })
  fail("Nothing imports these exports", offences)
})

/** What `deno task pack` replaces by data, or by the file itself. */
const generated = [
  "packages/client/src/contract.ts",
  "packages/client/src/nearest.ts",
  "packages/mcp/src/serviceTools.ts",
  "packages/mcp/src/compactText.ts",
]

Deno.test("what buyers run imports nothing of the service, and the packages not even effect", () => {
  const offences = buyers.filter(({ path }) => !generated.includes(path)).flatMap((
    { path, imports },
  ) =>
    imports
      .filter((to) => to.startsWith("src/") || path.startsWith("packages/") && /^effect\b/.test(to))
      .map((to) => `${path} imports ${to}`)
  )
  fail("A buyer cannot install these imports", offences)
})

/** A test may read a limit, or try a rule, that the runtime uses in its own file. */
Deno.test("the runtime itself uses every export", () => {
  const runtime = [...src, ...buyers, ...bench, ...tools]
  const offences = src.flatMap(({ path, text }) => {
    const users = runtime.filter(({ imports }) => imports.includes(path)).map(({ text }) => text)
    const own = (name: string) =>
      code(text).replace(new RegExp(`^export [\\w ]+\\*? ${name}\\b.*$`, "gm"), "")
    return exportsOf(text)
      .filter((name) => ![own(name), ...users.map(code)].some((user) => names(name, user)))
      .map((name) => `${path}: ${name}`)
  })
  fail("Only tests use these exports", offences)
})

Deno.test("no file hands on what it imported", () => {
  const offences = [...src, ...tools].filter(({ text }) => /^export (?:type )?[{*]/m.test(text))
  fail("These files export again", offences.map(({ path }) => path))
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
      "src/app/untilSignal.ts",
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

/** Fails for what is not excepted, and for an exception that is not needed any more. */
function failUnless(title: string, offences: Iterable<string>, excepted: ReadonlyArray<string>) {
  const found = new Set(offences)
  fail(title, [...found].filter((offence) => !excepted.includes(offence)))
  fail("Not needed any more; remove it", excepted.filter((offence) => !found.has(offence)))
}

Deno.test("no rooms inside http and payments import one another", () => {
  const room = (path: string) => /^src\/(?:http|payments)\/[\w-]+(?=\/)/.exec(path)?.[0]
  const arrows = new Set(src.flatMap(({ path, imports }) =>
    imports.flatMap((to) => {
      const [from, other] = [room(path), room(to)]
      const inOne = from !== undefined && other !== undefined && from !== other &&
        capability(path) === capability(to)
      return inOne ? [`${from} ${other}`] : []
    })
  ))
  const pairs = [...arrows].map((arrow) => arrow.split(" "))
    .filter(([a = "", b = ""]) => a < b && arrows.has(`${b} ${a}`))
  fail("These rooms import one another", pairs.map(([a, b]) => `${a} and ${b}`))
})

Deno.test("the README and docs/architecture.md name every folder of src, and no other", () => {
  const folders = new Set(
    src.map(({ path }) => capability(path)).filter((name) => name !== "entry"),
  )
  const text = (path: string) => Deno.readTextFileSync(new URL(path, root))
  const table = /\| folder of `src` \|[^]*?\n\n/.exec(text("README.md"))?.[0] ?? ""
  const picture = /```\nsrc\/\n([^]*?)^\S/m.exec(text("docs/architecture.md"))?.[1] ?? ""
  const named = {
    "README.md": [...table.matchAll(/^\|([^|]*)\|/gm)]
      .flatMap(([, cell = ""]) => [...cell.matchAll(/`([\w-]+)\/`/g)]),
    "docs/architecture.md": [...picture.matchAll(/^ {2}((?:[\w-]+\/ {2}(?! ))*[\w-]+\/)/gm)]
      .flatMap(([, line = ""]) => [...line.matchAll(/([\w-]+)\//g)]),
  }
  for (const [path, matches] of Object.entries(named)) {
    const known = new Set(matches.map(([, name = ""]) => name))
    fail(`${path} does not name`, [...folders].filter((name) => !known.has(name)))
    fail(`${path} names what is no folder of src`, [...known].filter((name) => !folders.has(name)))
  }
})

Deno.test("generated files are not committed", () => {
  const { stdout } = new Deno.Command("git", {
    args: ["ls-files", "-z", ...generatedFiles],
    cwd: root,
    stderr: "null",
  }).outputSync()
  const committed = new TextDecoder().decode(stdout).split("\0").filter((path) => path !== "")
  fail("A task makes these files", committed)
})

/** What `deno task pack` and `deploy/release` make, as paths of git. */
const generatedFiles = [
  "*reference.json",
  "*tools.json",
  "*.bru",
  "*grafana*.json",
  "migrations/schema.sql",
]

/** A file that is so small reads better in the file that imports it. */
const fileLinesMin = 30

Deno.test("no small file has one importer, except ports and entry points", () => {
  const small = src.filter(({ path, text }) =>
    text.split("\n").length < fileLinesMin && !/\bContext\.Service\b/.test(text) &&
    !entryPoints.includes(path) && !path.endsWith("Worker.ts") &&
    [...src, ...tools].filter(({ imports }) => imports.includes(path)).length === 1
  )
  failUnless("Merge these into their importer", small.map(({ path }) => path), smallFiles)
})

/** Small files of today. */
const smallFiles: ReadonlyArray<string> = [
  "src/track-record/contestedRecord.ts",
]

Deno.test("no folder is larger than its budget", () => {
  const code = [...src, ...tests, ...buyers, ...bench, ...tools]
  const lines = (files: ReadonlyArray<Pick<Source, "text">>) =>
    files.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0)
  const migrations = [...Deno.readDirSync(new URL("migrations", root))].map(({ name }) => ({
    text: Deno.readTextFileSync(new URL(`migrations/${name}`, root)),
  }))
  const offences = Object.entries(budgets).flatMap(([folders, budget]) => {
    const of = folders.split(", ").flatMap((folder) =>
      folder === "migrations"
        ? migrations
        : folder === "src"
        ? src.filter(({ path }) => capability(path) === "entry")
        : code.filter(({ path }) => path.startsWith(`${folder}/`))
    )
    const count = lines(of)
    return of.length === 0 || count > budget ? [`${folders}: ${count} lines of ${budget}`] : []
  })
  fail("Over the budget", offences)
  const counted = Object.keys(budgets).flatMap((folders) => folders.split(", "))
  const without = src.map(({ path }) => `src/${capability(path)}`)
    .filter((folder) => folder !== "src/entry" && !counted.includes(folder))
  fail("Without a budget", [...new Set(without)])
})

/**
 * Lines of TypeScript and SQL, blank lines and comments counted; `src` is the entry points. Lowering
 * one needs no reason. A commit that raises one says what the buyer, operator or reader gets for it.
 */
const budgets: Readonly<Record<string, number>> = {
  // The launcher takes 36 MB while it waits, not 90: 62 lines, of which app lost 109.
  // No process of a launcher looks for a newer Deno, whatever started it: 1 line.
  src: 168,
  // The refund worker has the store's time, whatever its machine's clock says: 10 lines.
  // An operator sees that LIMITS was removed, and the journal is where DATA_DIR is: 7 lines.
  // Services on one machine differ in PORT alone, and a port in use is named by its variable: 34 lines.
  "src/app": 4_165,
  // An unknown skill is answered with the names and the near one: 7 lines.
  // The client has a copy of the search for near names: 12 lines.
  "src/catalog": 1_891,
  "src/core": 1_840,
  // A digest follows its calls until they end, says when nothing can be bought, and leads with baskets.
  "src/digest": 2_338,
  "src/feed": 1_189,
  // A refused method or path, also on the page of a 404, is answered with the one to send: 20 lines.
  "src/http": 9_499,
  "src/markets": 3_569,
  "src/movers": 878,
  "src/news": 2_618,
  // An operator sees that endpoints differ about the newest state, and a failed claim interrupts no
  // refund: 24 lines.
  "src/payments": 9_859,
  // One codec of resolutions instead of two: 20 lines.
  "src/postgres": 1_163,
  "src/predetermined": 472,
  // A report says what a share of each side loses at its ask: 7 lines.
  // An unknown market is answered with the slugs that share its words: 33 lines.
  // An agent gets no limit price where a report has no view: 2 lines.
  "src/research": 1_850,
  "src/signing": 226,
  "src/status": 770,
  "src/track-record": 2_586,
  // Exclusive outcomes of the simulated venue add up to one.
  "src/venues": 3_686,
  // The answer for a tracked wallet without a row says why it has none: 17 lines.
  "src/whales": 3_850,
  // A ladder's median, the rate that an ask must win, and the score of our own numbers: 64 lines.
  // A basket names its legs, with prices and shares: 30 lines.
  "src/writing": 5_185,
  // Every use of a clock is listed with its source and its test: 182 lines.
  // A sale names its product, and refund workers with wrong clocks pay: 42 lines.
  // The recount of every score from its item has 280 lines.
  // One move and one warning in every text, compared over rendered worlds: 115 lines.
  // Late payments of an attacker count, and a login in a removed variable is refused: 20 lines.
  // Readers of src/payments read no flat record of a payment, which only tests need: 47 lines.
  // The launcher stays free of imports: 4 lines.
  // A name that is near no parameter gets no guess, and a harness knows its client: 10 lines.
  // A view over refunds gives no role their signatures: 13 lines and this one.
  // A fault of the kill loop that dies fails its run instead of stopping unseen: 7 lines.
  // The A2A lines that a developer copies run as they stand, and wrong doors are tried: 44 lines.
  // The admin ports of services that differ in PORT alone do not collide: 39 lines.
  // Rivals of the simulated venue, followed calls and baskets are tested: 150 lines.
  // An operator's replica with a wrong clock is seen to run no leased job, without a server: 49 lines.
  // What a declined settlement, contract wallets and full queues take from other buyers: 42 lines.
  tests: 85_263,
  // A misspelt argument of the client or of bellwether-mcp is answered with the one meant: 26 lines.
  // A visitor with only an address buys one answer by one npx command: 44 lines.
  "packages, bench, examples, tools": 10_378,
  // A DBA reads every right as SQL: 59 lines, instead of 160 in src/postgres.
  // A store of an earlier commit loses a column that nothing read: 6 lines.
  // The service gets no rights on a view of the operator over refunds: 3 lines.
  migrations: 1_764,
}
