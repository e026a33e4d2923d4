/**
 * Whether tests notice faults of money, limits, rights and the chain of the
 * feed: applies each change of `mutants.txt` to a copy of the last commit and runs its test files, which
 * must fail. Ends with 1 when a change survives.
 *
 *     deno task bench:mutants [--quick] [--tree FOLDER] ["part of an area or name"]
 *
 * `--quick` leaves out the run without a change, which must pass; `--tree` names another checkout. Needs a PostgreSQL (`needs.ts`) for the rights.
 *
 * @module
 */
import { Console, Effect } from "effect"
import { Argument, Flag } from "effect/cli"
import { benchArguments, benchDatabase } from "./needs.ts"

interface Mutant {
  readonly area: string
  readonly name: string
  readonly file: string
  readonly tests: ReadonlyArray<string>
  /** Empty for a migration, which is added. */
  readonly before: string
  readonly after: string
}

/** Each has a copy of the tree of its own. */
const workers = 2
/** Their laws hold for roles, which only a server has. */
const onServer = "tests/postgres/roles.test.ts"
const addedMigration = "9999_mutant.sql"

const table = await Deno.readTextFile(new URL("mutants.txt", import.meta.url))
const print = (line: string) => Effect.runSync(Console.log(line))

function mutantsOf(text: string): ReadonlyArray<Mutant> {
  return text.split(/^# /m).slice(1).flatMap((area) =>
    area.split(/^## /m).slice(1).map((section) => {
      const [name = "", place = "", ...lines] = section.trimEnd().split("\n")
      const [file = "", tests = ""] = place.split(": ")
      const part = (sign: string) =>
        lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1)).join("\n")
      return {
        area: area.split("\n")[0] ?? "",
        name,
        file,
        tests: tests.split(" "),
        before: part("-"),
        after: part("+"),
      }
    })
  )
}

async function run(command: string, args: ReadonlyArray<string>, cwd: string, env = {}) {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    cwd,
    env: { ...env, NO_COLOR: "1" },
    stdin: "null",
  }).output()
  const text = new TextDecoder()
  return { success, output: text.decode(stdout) + text.decode(stderr) }
}

/** Copies the last commit of a checkout. */
async function copyOf(tree: string): Promise<string> {
  const dir = await Deno.makeTempDir({ prefix: "mutants-" })
  const { success, output } = await run("bash", [
    ...["-c", `set -o pipefail; git -C "$0" archive HEAD | tar -x -C "$1"`, tree, dir],
  ], ".")
  if (!success) throw new Error(output)
  return dir
}

/** Applies a change; returns what undoes it. */
async function applied({ name, file, before, after }: Mutant, dir: string) {
  if (before === "") {
    const path = `${dir}/${file}/${addedMigration}`
    await Deno.writeTextFile(path, after)
    return () => Deno.remove(path)
  }
  const path = `${dir}/${file}`
  const text = await Deno.readTextFile(path)
  const times = text.split(before).length - 1
  if (times !== 1) throw new Error(`${name}: its text occurs ${times} times in ${file}`)
  await Deno.writeTextFile(path, text.replace(before, () => after))
  return () => Deno.writeTextFile(path, text)
}

const testsPass = (tests: ReadonlyArray<string>, dir: string, server: string) =>
  run(
    Deno.execPath(),
    ["test", "--quiet", "--fail-fast", "--lock=tests/deno.lock", "-A", "--no-check", ...tests],
    dir,
    { TEST_DATABASE_URL: tests.includes(onServer) ? server : "" },
  )

async function isCaught(mutant: Mutant, dir: string, server: string): Promise<boolean> {
  const undo = await applied(mutant, dir)
  const { success } = await testsPass(mutant.tests, dir, server)
  await undo()
  return !success
}

/** Runs all; returns those that no test noticed. */
async function survivors(mutants: ReadonlyArray<Mutant>, tree: string, server: string) {
  const waiting = [...mutants]
  const survived: Array<Mutant> = []
  const work = async () => {
    const dir = await copyOf(tree)
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const began = performance.now()
      const caught = await isCaught(mutant, dir, server)
      if (!caught) survived.push(mutant)
      const seconds = ((performance.now() - began) / 1_000).toFixed(0)
      print(`${caught ? "caught  " : "SURVIVED"} ${mutant.area}: ${mutant.name} (${seconds} s)`)
    }
    await Deno.remove(dir, { recursive: true })
  }
  await Promise.all(Array.from({ length: workers }, work))
  return survived
}

/** A test that fails without a change would seem to catch every one. */
async function checkUnchanged(mutants: ReadonlyArray<Mutant>, tree: string, server: string) {
  const dir = await copyOf(tree)
  const files = [...new Set(mutants.flatMap(({ tests }) => tests))].toSorted()
  const { success, output } = await testsPass(files, dir, server)
  await Deno.remove(dir, { recursive: true })
  if (!success) throw new Error(`The tests fail without a change:\n${output}`)
}

const { quick, tree, words } = await benchArguments("mutants", {
  quick: Flag.Boolean("quick").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Do not run the tests without a change first"),
  ),
  tree: Flag.String("tree").pipe(Flag.withDefault("."), Flag.withDescription("Of a checkout")),
  words: Argument.String("name").pipe(
    Argument.withDefault(""),
    Argument.withDescription("Part of the name of the mutants"),
  ),
})

async function main(server: string): Promise<boolean> {
  const mutants = mutantsOf(table).filter(({ area, name }) => `${area}: ${name}`.includes(words))
  if (!quick) await checkUnchanged(mutants, tree, server)
  const survived = await survivors(mutants, tree, server)
  print(`${mutants.length - survived.length} of ${mutants.length} caught`)
  return survived.length === 0
}

const isGood = await Effect.runPromise(Effect.scoped(
  Effect.flatMap(benchDatabase, (server) => Effect.promise(() => main(server))),
))
Deno.exit(isGood ? 0 : 1)
