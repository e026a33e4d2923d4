/**
 * `deno task backtest` over files: the example, bad rows, and refused files.
 *
 * @module
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert"
import { Effect, Exit, Result } from "effect"
import { backtestCommand } from "../../src/backtest/domain/backtestArguments.ts"
import { readTable } from "../../src/backtest/readTable.ts"
import { examplePrices } from "../support/backtest/prices.ts"

const root = new URL("../..", import.meta.url)
const fixture = new URL("fixtures/backtest/prices.csv", root).pathname

/** Runs the task as `deno.json` has it, in a folder of its own. */
async function backtest(...args: ReadonlyArray<string>) {
  const folder = await Deno.makeTempDir()
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-prompt", "--no-check", "--allow-read", "--allow-write=backtest.svg"],
      ...[new URL("src/backtest.ts", root).pathname, ...args],
    ],
    cwd: folder,
  }).output()
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
  const plot = await Deno.readTextFile(`${folder}/backtest.svg`).catch(() => null)
  await Deno.remove(folder, { recursive: true })
  return { code, out: text(stdout), error: text(stderr), plot }
}

async function withFile<A>(text: string, use: (path: string) => Promise<A>): Promise<A> {
  const path = await Deno.makeTempFile()
  try {
    await Deno.writeTextFile(path, text)
    return await use(path)
  } finally {
    await Deno.remove(path)
  }
}

Deno.test("the example is what its program writes", async () => {
  strictEqual(await Deno.readTextFile(fixture), examplePrices())
})

Deno.test("the task prints a table of the example and writes a plot", async () => {
  const { code, out, plot } = await backtest(fixture)
  strictEqual(code, 0)
  ok(/^prices\.csv: 807 rows/.test(out), out)
  ok(/^movers +\d+ /m.test(out) && /^naive 5 points +\d+ /m.test(out), out)
  ok(plot?.startsWith("<svg") && plot.trimEnd().endsWith("</svg>"))
  ok(!/NaN|undefined/.test(plot ?? ""))
})

Deno.test("bad rows are counted with the line of the first one", async () => {
  const lines = examplePrices().split("\n")
  lines.splice(3, 0, "no,row", "ferry-line-starts-in-april,f,never,.4,.5,,,,", "x".repeat(200_000))
  const { code, out } = await withFile(lines.join("\n"), (path) => backtest(path))
  strictEqual(code, 0)
  ok(out.includes("bad rows: 1 wrong_column_count, the first in line 4"), out)
  ok(out.includes("bad rows: 1 bad_time, the first in line 5"), out)
  ok(out.includes("bad rows: 1 too_long, the first in line 6"), out)
  ok(/: 807 rows/.test(out), out)
})

Deno.test("a missing file, a missing column and a wrong option end with code 1", async () => {
  const missing = await backtest("no-such-file.csv")
  deepStrictEqual([missing.code, missing.error], [
    1,
    "Cannot open no-such-file.csv: there is no such file\n",
  ])
  const columns = await withFile("market,mid\na,.5\n", (path) => backtest(path))
  strictEqual(columns.code, 1)
  ok(columns.error.includes("has no column time"), columns.error)
  const json = await withFile('{"market":"a","time":1,"bid":0.4}\n', (path) => backtest(path))
  ok(json.code === 1 && json.error.includes("has no column mid or ask"), json.error)
  const empty = await withFile("market,time,mid\n", (path) => backtest(path))
  ok(empty.code === 1 && empty.error.includes("has no usable row"), empty.error)
  strictEqual((await backtest("--fast", fixture)).code, 1)
})

Deno.test("readTable() does not depend on how the file is cut into pieces", async () => {
  const text = Array.from({ length: 30_000 }, (_, n) => `{"n":${n},"text":"é"}`).join("\r\n")
  const seen: Array<unknown> = []
  const exit = await withFile(text, (path) =>
    Effect.runPromiseExit(readTable(path, {
      required: [["n"]],
      rowsMax: Number.POSITIVE_INFINITY,
      onRow: (row) => {
        seen.push(row["n"])
        return null
      },
    })))
  ok(Exit.isSuccess(exit))
  deepStrictEqual(seen, Array.from({ length: 30_000 }, (_, n) => n))
})

Deno.test("backtestCommand() reads the options and refuses others", () => {
  deepStrictEqual(
    backtestCommand([
      "a.csv",
      "--tick",
      "60",
      "--order",
      "market",
      "--bins",
      "--from",
      "2026-03-02",
    ]),
    Result.succeed({
      ...{
        kind: "prices",
        file: "a.csv",
        tickIntervalMs: 3_600_000,
        order: "market",
        withBins: true,
        from: Date.UTC(2026, 2, 2),
      },
    }),
  )
  for (
    const args of [[], ["a", "b"], ["a", "--tick", "0"], ["a", "--order", "x"], [
      "a",
      "--from",
      "x",
    ], ["--all"]]
  ) {
    ok(Result.isFailure(backtestCommand(args)), args.join(" "))
  }
})
