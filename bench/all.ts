/**
 * Runs every measurement in turn and writes `docs/benchmarks.md`: each figure with its command, on one
 * commit and one machine. Takes about a quarter of an hour; the machine must do nothing else.
 * The proofs that are tests print their figures in `deno task test:full`, `test:simulation` and
 * `test:kill`.
 *
 *     deno task bench:all [name ...]
 *
 * With names (`paid`, `tick`, ...) only those run, and their output is printed, not written.
 *
 * @module
 */
import { Console, Effect } from "effect"

const linesMax = 40
/** The first chapter that is written by hand; it and what follows are kept. */
const handWritten = "## Measured elsewhere"

interface Measurement {
  readonly name: string
  readonly what: string
  /** As it is typed in a shell. */
  readonly command: string
  /** Which lines of its output are kept; all, when absent. */
  readonly keep?: RegExp
  /** Its output is Markdown. */
  readonly isMarkdown?: true
}

const chapters: Readonly<Record<string, ReadonlyArray<Measurement>>> = {
  "Speed": [
    {
      name: "start",
      what: "`deno task dev`: time to the first answer, `/v1/index` in the first 70 s, peak memory",
      command: "deno task bench:start",
    },
    {
      name: "http",
      what: "Free answers and unpaid 402s, compared with a bare `Deno.serve` and with `@x402/hono`",
      command: "SECONDS=3 deno task bench:http",
    },
    {
      name: "pages",
      what: "Pages for people: speed, weight, how long they block, and ticks while people read",
      command: "deno task bench:pages",
      isMarkdown: true,
    },
    {
      name: "paid",
      what: "Paid answers, verified and stored, compared with `@x402/hono` that stores nothing",
      command: "ROUNDS=3 deno task bench:paid",
    },
    {
      name: "signatures",
      what: "Signature checks on one core, compared with viem",
      command: "deno run --lock=tests/deno.lock -A bench/signatures.ts",
      keep: /checks\/s/,
    },
    {
      name: "tick",
      what: "A tick over 50,000 markets and 5,000 books, the venue in another process",
      command: "deno task bench:tick",
      keep: /^tick/,
    },
    {
      name: "backtest",
      what: "`deno task backtest` over a million rows of 500 markets",
      command: "deno run --lock=tests/deno.lock -A --no-check bench/backtest.ts",
      keep: /rows/,
    },
    {
      name: "whalestore",
      what: "1,000 newly resolved markets with 5 million entries in the store",
      command: "deno task bench:whalestore",
    },
    {
      name: "whalepages",
      what: "`/v1/track-record` and `/v1/whales` with 5,000 wallets",
      command: "deno task bench:whalepages",
    },
    {
      name: "growth",
      what: "Bytes a row of each large table, and WAL of what is written",
      command: "deno task bench:growth",
    },
    {
      name: "feed",
      what: "Pollers that follow `since` while three writers append 21,000 items",
      command: "deno task bench:feed",
    },
  ],
  "Truth": [
    {
      name: "movers",
      what: "Movers compared with planted jumps",
      command: "deno task bench:movers",
    },
    {
      name: "whales",
      what: "Whale labels compared with known skill",
      command: "deno task bench:whales",
    },
  ],
}

interface Result {
  readonly measurement: Measurement
  readonly lines: ReadonlyArray<string>
  readonly seconds: number
  readonly isGood: boolean
}

const decoder = new TextDecoder()

async function output(command: string) {
  const deno = Deno.execPath()
  const { code, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-c", command.replace(/\bdeno (?=task|test|run)/, `"${deno}" `)],
    env: { NO_COLOR: "1" },
  }).output()
  return { code, text: decoder.decode(stdout) + decoder.decode(stderr) }
}

async function run(measurement: Measurement): Promise<Result> {
  const began = performance.now()
  const { code, text } = await output(measurement.command)
  const lines = text.split("\n")
    .map((line) => line.trimEnd())
    .filter((line) =>
      (line !== "" || measurement.isMarkdown) && !/^(Task|Check|running \d)/.test(line)
    )
    .filter((line) => measurement.keep?.test(line) ?? true)
  const seconds = Math.round((performance.now() - began) / 1_000)
  return { measurement, lines: lines.slice(-linesMax), seconds, isGood: code === 0 }
}

function section({ measurement, lines, seconds, isGood }: Result): string {
  const { what, command, isMarkdown } = measurement
  return [
    `### ${what}`,
    "",
    `\`${command}\` (${seconds} s${isGood ? "" : "; FAILED"})`,
    "",
    ...isMarkdown ? [...lines, ""] : ["```", ...lines, "```", ""],
  ].join("\n")
}

async function machine(): Promise<ReadonlyArray<string>> {
  const commit = (await output("git rev-parse --short HEAD")).text.trim()
  const memory = /MemTotal:\s+(\d+)/.exec(Deno.readTextFileSync("/proc/meminfo"))?.[1]
  const postgres = (await output("psql --version")).text.trim()
  return [
    `Measured on ${new Date().toISOString().slice(0, 10)}, commit ${commit}.`,
    `${navigator.hardwareConcurrency} shared cores, ${
      Math.round(Number(memory) / 1_048_576)
    } GiB, Deno ${Deno.version.deno}, ${postgres} on loopback.`,
  ]
}

const named = Deno.args
const print = (line: string) => Effect.runSync(Console.log(line))
const document = [
  "# Benchmarks",
  "",
  "Every figure with its command. `deno task bench:all` writes this file in one go, on one commit and one machine; rates and times include the load generator and PostgreSQL on the same cores. `deno test`, and `deno run` of a file in `bench`, also need `--lock=tests/deno.lock`.",
  "",
  ...await machine(),
  "",
]
let isGood = true
for (const [chapter, measurements] of Object.entries(chapters)) {
  document.push(`## ${chapter}`, "")
  for (const measurement of measurements) {
    if (named.length > 0 && !named.includes(measurement.name)) continue
    print(`${measurement.name}: ${measurement.command}`)
    const result = await run(measurement)
    isGood &&= result.isGood
    print(`  ${result.seconds} s${result.isGood ? "" : ", FAILED"}`)
    if (named.length > 0) print(result.lines.join("\n"))
    document.push(section(result))
  }
}
if (named.length === 0) {
  const file = "docs/benchmarks.md"
  const before = Deno.readTextFileSync(file)
  const kept = before.slice(before.indexOf(`${handWritten}\n`))
  Deno.writeTextFileSync(file, `${document.join("\n")}\n${kept}`)
}
Deno.exit(isGood ? 0 : 1)
