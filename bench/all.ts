/**
 * Runs every measurement in turn on one machine and prints what each says, for docs/benchmarks.md. The
 * machine must do nothing else. The proofs that are tests print their figures in `deno task test:full`,
 * `test:simulation` and `test:kill`.
 *
 *     deno task bench:all [name ...]
 *
 * With names (`paid`, `tick`, ...) only those run. Ends with 1 when one of them fails.
 *
 * @module
 */
import { Console, Effect } from "effect"
import { Argument } from "effect/cli"
import { benchArguments } from "./needs.ts"

/** The commands by name, as they are typed in a shell. */
const measurements: Readonly<Record<string, string>> = {
  start: "deno task bench:start",
  http: "SECONDS=3 deno task bench:http",
  pages: "deno task bench:pages",
  paid: "ROUNDS=3 deno task bench:paid",
  signatures: "deno run --lock=tests/deno.lock -A bench/signatures.ts",
  tick: "deno task bench:tick",
  whalestore: "deno task bench:whalestore",
  whalepages: "deno task bench:whalepages",
  growth: "deno task bench:growth",
  feed: "deno task bench:feed",
  movers: "deno task bench:movers",
  skill: "deno task bench:skill",
}

/** Whether the command succeeds. Its output is that of this process. */
async function run(command: string): Promise<boolean> {
  const deno = Deno.execPath()
  const { success } = await new Deno.Command("bash", {
    args: ["-c", command.replace(/\bdeno (?=task|run)/, `"${deno}" `)],
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).spawn().status
  return success
}

const all = Object.keys(measurements)
const { names } = await benchArguments("all", {
  names: Argument.Literals("name", all).pipe(Argument.variadic()),
})
let isGood = true
for (const name of names.length === 0 ? all : names) {
  const command = measurements[name] ?? ""
  const began = performance.now()
  const succeeded = await run(command)
  const seconds = Math.round((performance.now() - began) / 1_000)
  Effect.runSync(Console.log(`${command} (${seconds} s${succeeded ? "" : "; FAILED"})\n`))
  isGood &&= succeeded
}
Deno.exit(isGood ? 0 : 1)
