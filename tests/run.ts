/**
 * Runs the tests: deno run -A tests/run.ts [--full] [--hunt] [capability or path...]
 *
 * Most test files share a few isolates, which load Effect and the embedded store once (`entry.ts`).
 * The domain tests run without any permission, next to all others but those in a browser, which run
 * alone at the end. A few files with failed tests run once more then, one after the other: a test that
 * passes now is reported as unsteady, not as failed. With --hunt laws are checked on other values in
 * each run; without it, always on the same ones.
 *
 * It says at the start how long they take and which of them need a tool that this machine does not
 * have, and at the end what was skipped, why, and the totals.
 *
 * @module
 */

const root = new URL("..", import.meta.url)
const usage = `Usage: deno task test [capability or path...]
  --full   also whole processes and long proofs, all at full size, as CI runs them
  --hunt   laws on values of a random seed
`
const options = Deno.args.filter((argument) => argument.startsWith("-"))
const isFull = options.includes("--full")
const isHunt = options.includes("--hunt")
const jobsMax = 4
const progressEveryMs = 20_000
/** More files with failed tests than these do not run again: the fault is in the code then. */
const repeatedFilesMax = 3

/** What some tests need besides Deno. `reason` matches the names of the tests that are skipped. */
interface Tool {
  readonly name: string
  readonly reason: RegExp
  readonly tests: string
  readonly install: string
  readonly path?: string
}

const tools: ReadonlyArray<Tool> = [
  {
    name: "PostgreSQL server",
    reason: /TEST_DATABASE_URL|PostgreSQL/,
    tests:
      "replicas, roles, refund workers; the stores are tested on the embedded PostgreSQL alone",
    install: "set TEST_DATABASE_URL=postgres://postgres@127.0.0.1:5432/test",
  },
  {
    name: "anvil, a real EVM",
    reason: /tests\/anvil/,
    tests: "payments on a real chain",
    install: "npm ci --prefix tests/anvil",
    path: "tests/anvil/node_modules",
  },
  {
    name: "Chromium",
    reason: /chromium|tests\/browser/,
    tests: "a page that buys in a browser; the pages for people",
    install: "apt-get install chromium && npm ci --prefix tests/browser",
    path: "tests/browser/node_modules",
  },
  {
    name: "the venue's official schemas",
    reason: /tests\/oracle/,
    tests: "our decoders compared with the official ones",
    install: "npm ci --prefix tests/oracle",
    path: "tests/oracle/node_modules",
  },
  {
    name: "x402-fetch, the stock buyer of x402 version 1",
    reason: /tests\/legacy/,
    tests: "purchases with x402 version 1",
    install: "npm ci --prefix tests/legacy",
    path: "tests/legacy/node_modules",
  },
  {
    name: "OpenAPI linters and crawlers",
    reason: /tests\/documents/,
    tests: "published documents checked with the tools of their readers",
    install: "npm ci --prefix tests/documents",
    path: "tests/documents/node_modules",
  },
  {
    name: "packages of the quickstarts",
    reason: /tests\/quickstarts/,
    tests: "examples/quickstarts with the stock buyer and agent frameworks",
    install: "npm ci --prefix tests/quickstarts && deno task pack",
    path: "tests/quickstarts/node_modules",
  },
  {
    name: "hosts of MCP servers, and their versions of Node",
    reason: /tests\/hosts/,
    tests: "the packed stdio server, installed and bought through",
    install: "npm ci --prefix tests/hosts",
    path: "tests/hosts/node_modules",
  },
  {
    name: "nginx",
    reason: /nginx/,
    tests: "the service behind deploy/nginx.conf",
    install: "apt-get install nginx-light",
    path: "/usr/sbin/nginx",
  },
  {
    name: "promtool, of Prometheus",
    reason: /promtool/,
    tests: "every alert of deploy/alerts.yml on its fault",
    install: "apt-get install prometheus",
    path: "/usr/bin/promtool",
  },
  {
    name: "a C compiler",
    reason: /C compiler/,
    tests: "the clock of a soak",
    install: "apt-get install gcc libc6-dev",
    path: "/usr/bin/cc",
  },
  {
    name: "recorded market data",
    reason: /recordings|shared\/data/,
    tests: "decoders and rules on recordings of the real venue",
    install: "not published: it belongs in ../shared/data, next to this checkout",
    path: "../shared/data",
  },
]

/**
 * What runs with `--full`, or when it is named: tests that start whole processes, laws of memory twins,
 * and long proofs. `tests/e2e/start.test.ts` is the one start that runs always.
 */
const fullOnly = [
  "tests/app/alerts.test.ts",
  "tests/e2e",
  "tests/http/server/descriptors.test.ts",
  "tests/packages/client/wholeService.test.ts",
  "tests/packages/mcp/hosts.test.ts",
  "tests/packages/mcp/process.test.ts",
  "tests/packages/mcp/stdio.test.ts",
  "tests/payments/refunds/refundWorker.process.test.ts",
  "tests/postgres/embedded.test.ts",
  "tests/quickstarts",
  "tests/soak",
  "tests/track-record/scores.truth.test.ts",
  "tests/whales/whaleStores.races.test.ts",
  "tests/whales/whales.crash.test.ts",
  "tests/whales/whales.truth.test.ts",
]
const always = "tests/e2e/start.test.ts"

/** A browser takes both cores for minutes, so these run alone, after all other tests. */
const inBrowser = ["tests/e2e/hostileNames.test.ts", "tests/e2e/pages.test.ts"]

/** Whole processes and outside tools: each file has an isolate of its own. */
const apart = ["tests/e2e", "tests/packages/mcp", "tests/quickstarts", "tests/soak"]

/** How many entries share the other files: more are better balanced, fewer load Effect less often. */
const entriesMax = 8

function exists(path: string): boolean {
  try {
    Deno.statSync(new URL(path, root))
    return true
  } catch {
    return false
  }
}

const isMissing = ({ path }: Tool) =>
  path === undefined ? (Deno.env.get("TEST_DATABASE_URL") ?? "") === "" : !exists(path)

function testFiles(dir: string): ReadonlyArray<string> {
  const found: Array<string> = []
  for (const { name, isDirectory } of Deno.readDirSync(new URL(dir, root))) {
    if (isDirectory && name !== "node_modules") found.push(...testFiles(`${dir}/${name}`))
    if (name.endsWith(".test.ts")) found.push(`${dir}/${name}`)
  }
  return found.sort()
}

const isIn = (folder: string) => (path: string) =>
  path === folder || path.startsWith(`${folder.replace(/\/$/, "")}/`)

/** The test files of capabilities (`payments`) and of paths (`tests/payments/sale`); all, of none. */
function selected(names: ReadonlyArray<string>): ReadonlyArray<string> {
  const all = testFiles("tests")
  if (names.length === 0) return all
  const folders = names.map((name) => name.startsWith("tests/") ? name : `tests/${name}`)
  return all.filter((path) => folders.some((folder) => isIn(folder)(path)))
}

interface Failure {
  readonly file: string
  readonly name: string
}

interface Outcome {
  readonly succeeded: boolean
  readonly passed: number
  readonly failed: number
  readonly failures: ReadonlyArray<Failure>
  /** Names of the tests that were not run. */
  readonly skipped: ReadonlyArray<string>
}

const encoder = new TextEncoder()

function print(text: string): void {
  Deno.stdout.writeSync(encoder.encode(`${text}\n`))
}

const started = performance.now()

function elapsed(): string {
  const seconds = Math.round((performance.now() - started) / 1_000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** Writes an entry for each share of the files; returns the paths of the entries. */
function writeEntries(folder: string, files: ReadonlyArray<string>): ReadonlyArray<string> {
  const count = Math.min(entriesMax, files.length)
  return Array.from({ length: count }, (_, index) => {
    const share = files.filter((_, position) => position % count === index)
    const path = `${folder}/entry${index}.ts`
    const loads = share.map((file) => `  "${file}": () => import("${new URL(file, root)}"),\n`)
    Deno.writeTextFileSync(
      path,
      `import { load } from "${new URL("tests/support/entry.ts", root)}"\n` +
        `await load({\n${loads.join("")}})\n`,
    )
    return path
  })
}

/**
 * Runs one `deno test`, prints its output as it comes, and reads the outcome from it. Files that have
 * reported a test are added to `seen`.
 */
async function run(
  permissions: ReadonlyArray<string>,
  files: ReadonlyArray<string>,
  seen: Set<string>,
  jobs = Deno.env.get("DENO_JOBS") ?? String(Math.min(navigator.hardwareConcurrency + 1, jobsMax)),
): Promise<Outcome> {
  const folder = Deno.makeTempDirSync({ prefix: "tests-" })
  const isApart = (path: string) => apart.some((folder) => isIn(folder)(path))
  const shared = files.filter((path) => !isApart(path))
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "test",
      "--lock=tests/deno.lock",
      ...permissions,
      "--no-check",
      "--parallel",
      "--preload",
      isHunt ? "src/core/fiberContext.ts" : "tests/support/seed.ts",
      ...files.filter(isApart),
      ...writeEntries(folder, shared),
      ...isFull ? ["--", "--full"] : [],
    ],
    cwd: root,
    env: { DENO_JOBS: jobs, NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn()
  const outcome = {
    passed: 0,
    failed: 0,
    failures: new Array<Failure>(),
    skipped: new Array<string>(),
  }
  let rest = ""
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines.map((line) => line.replace(/^\S*entry\d+\.ts => (?=\.\/tests)/, ""))) {
      print(line)
      read(line, seen, outcome)
    }
  }
  const { success } = await child.status
  Deno.removeSync(folder, { recursive: true })
  return { ...outcome, succeeded: success }
}

function read(
  line: string,
  seen: Set<string>,
  outcome: { passed: number; failed: number; failures: Array<Failure>; skipped: Array<string> },
): void {
  const [, file, name, result] = /^\.\/(\S+\.test\.ts) => (.*) \.\.\. (\w+)/.exec(line) ?? []
  if (file === undefined || name === undefined) return readTotals(line, outcome)
  seen.add(file)
  if (result === "ignored") outcome.skipped.push(name)
  if (result === "FAILED") outcome.failures.push({ file, name })
}

function readTotals(line: string, outcome: { passed: number; failed: number }): void {
  const [, passed, failed] = /^(?:ok|FAILED) \| (\d+) passed.*? \| (\d+) failed/.exec(line) ?? []
  outcome.passed += Number(passed ?? 0)
  outcome.failed += Number(failed ?? 0)
}

function announce(files: number, isAll: boolean): void {
  const time = isFull ? "about 20 minutes" : "at most 5 minutes"
  const size = isFull
    ? "full size"
    : "short: `deno task test:full` runs the long proofs at full size"
  print(`${files} test files, ${size}`)
  if (isAll) print(`This takes ${time} on 2 cores.`)
  if (isAll && !isFull) print(`Only at full size: ${fullOnly.join(", ")}`)
  const missing = tools.filter(isMissing)
  if (missing.length > 0) print("Some tests will be skipped. They need:")
  for (const { name, tests, install } of missing) {
    print(`  ${name}: ${tests}\n    to run them: ${install}`)
  }
  print("")
}

/**
 * The files to run once more; none when there are too many, or when something else failed than tests
 * with a name, such as a file that does not load.
 */
function filesToRepeat(outcomes: ReadonlyArray<Outcome>): ReadonlyArray<string> {
  const isNamed = ({ succeeded, failed, failures }: Outcome) => {
    const tests = new Set(failures.map(({ file, name }) => `${file} ${name.split(" ... ")[0]}`))
    return succeeded || (failed > 0 && tests.size === failed)
  }
  const files = [...new Set(outcomes.flatMap(({ failures }) => failures.map(({ file }) => file)))]
  return outcomes.every(isNamed) && files.length <= repeatedFilesMax ? files : []
}

/** Runs files with failed tests again, and returns the outcomes as the second run has them. */
async function repeat(
  outcomes: ReadonlyArray<Outcome>,
  files: ReadonlyArray<string>,
): Promise<ReadonlyArray<Outcome>> {
  const second: Array<Outcome> = []
  for (const file of files) {
    print(`\nOnce more, alone: ${file}`)
    second.push(await run(isDomain(file) ? [] : ["-A"], [file], new Set(), "1"))
  }
  const passedNow = ({ file }: Failure) => second[files.indexOf(file)]?.succeeded === true
  const failures = outcomes.flatMap((outcome) => outcome.failures)
  const unsteady = failures.filter(passedNow)
  if (unsteady.length > 0) print("\nUnsteady (failed next to other tests, passed alone):")
  for (const { file, name } of unsteady) print(`  ${file}: ${name}`)
  const failed = second.reduce((sum, outcome) => sum + outcome.failed, 0)
  const last: Outcome = {
    ...{ passed: -failed, failed, skipped: [] },
    failures: failures.filter((failure) => !passedNow(failure)),
    succeeded: second.every(({ succeeded }) => succeeded),
  }
  return [
    ...outcomes.map((outcome) => ({
      ...{ passed: outcome.passed + outcome.failed, failed: 0, failures: [] },
      ...{ skipped: outcome.skipped, succeeded: true },
    })),
    last,
  ]
}

function summarize(outcomes: ReadonlyArray<Outcome>): void {
  const skipped = outcomes.flatMap((outcome) => outcome.skipped)
  const toolOf = (name: string) => tools.find(({ reason }) => reason.test(name))
  if (skipped.length > 0) print("\nSkipped:")
  for (const [tool, names] of Map.groupBy(skipped, toolOf)) {
    const why = tool === undefined ? "no reason given" : `no ${tool.name} (${tool.install})`
    print(`  ${names.length}: ${why}`)
    for (const name of names) print(`    ${name.replace(/ \(skipped: [^)]*\)$/, "")}`)
  }
  const failures = outcomes.flatMap((outcome) => outcome.failures)
  if (failures.length > 0) print("\nFailed:")
  for (const { file, name } of failures) print(`  ${file}: ${name}`)
  const sum = (of: (outcome: Outcome) => number) =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0)
  print(
    `\n${sum(({ passed }) => passed)} tests passed, ${sum(({ failed }) => failed)} failed, ` +
      `${skipped.length} skipped in ${elapsed()}`,
  )
}

const wrong = options.filter((option) => !["--full", "--hunt"].includes(option))
if (wrong.length > 0) {
  print(["--help", "-h"].includes(wrong[0] ?? "") ? usage : `There is no ${wrong[0]}.\n${usage}`)
  Deno.exit(["--help", "-h"].includes(wrong[0] ?? "") ? 0 : 2)
}
const names = Deno.args.filter((argument) => !argument.startsWith("--"))
const isShort = !isFull && names.length === 0
const isOnlyFull = (path: string) =>
  path !== always && fullOnly.some((folder) => isIn(folder)(path))
const files = selected(names).filter((path) => !isShort || !isOnlyFull(path))
if (files.length === 0) {
  print(`No test file is in ${names.join(" or ")}`)
  Deno.exit(2)
}
announce(files.length, names.length === 0)
const isDomain = (path: string) => /\/domain\//.test(path)
const seen = new Set<string>()
const progress = setInterval(
  () => print(`--- ${seen.size} of ${files.length} files, ${elapsed()}`),
  progressEveryMs,
)
// Both at once: tests that wait leave their core to others.
const stages = [
  {
    permissions: ["-A"],
    files: files.filter((path) => !isDomain(path) && !inBrowser.includes(path)),
  },
  { permissions: [], files: files.filter(isDomain) },
].filter(({ files }) => files.length > 0)
const first = await Promise.all(stages.map((stage) => run(stage.permissions, stage.files, seen)))
const pages = files.filter((path) => inBrowser.includes(path))
if (pages.length > 0) first.push(await run(["-A"], pages, seen))
clearInterval(progress)
const repeatable = filesToRepeat(first)
const outcomes = repeatable.length === 0 ? first : await repeat(first, repeatable)
summarize(outcomes)
Deno.exit(outcomes.every(({ succeeded }) => succeeded) ? 0 : 1)
