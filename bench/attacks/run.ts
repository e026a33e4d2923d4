/**
 * The attack drills: a real service on a real PostgreSQL, with a facilitator and a chain
 * over sockets and real latencies, is attacked while honest buyers buy. Prints figures, and what is
 * not as it must be. Ends with 1 when a drill has a fault.
 *
 *     deno task bench:attacks --attack 2 [--seconds 30] [--json]
 *     deno task bench:attacks --all
 *     deno task bench:attacks --attack soak --seconds 1800
 *
 * Drills: none, the control without an attacker; 1 journal on a full disk, 2 payments of empty keys, 3 a transfer larger than the treasury,
 * 4 caps of refunds, 5 sales a second, 6 file descriptors, 7 one payment on many connections,
 * 13 invalid payments of one IPv6 site; soak: 2, 5 and 7 together. `--replicas`, `--buyers` and
 * `--connections` change the size. Each drill makes a database of its own (`needs.ts`).
 *
 * @module
 */
import { Cause, Console, Effect, Exit, Fiber } from "effect"
import { attack6 } from "./connections.ts"
import type { Drill, DrillOptions, DrillResult } from "./drill.ts"
import { attack13, attack2, attack7, control } from "./floods.ts"
import { needProgram } from "../needs.ts"
import { attack1 } from "./journal.ts"
import { soak } from "./soak.ts"
import { attack5 } from "./throughput.ts"
import { attack3, attack4 } from "./treasury.ts"

const drills: Readonly<Record<string, Drill>> = {
  ...{
    none: control,
    "1": attack1,
    "2": attack2,
    "3": attack3,
    "4": attack4,
    "5": attack5,
    "6": attack6,
  },
  ...{ "7": attack7, "13": attack13, soak },
}

interface Options extends DrillOptions {
  readonly names: ReadonlyArray<string>
  readonly isJson: boolean
}

const print = (line: string) => Effect.runSync(Console.log(line))

function optionsOf(args: ReadonlyArray<string>): Options {
  const text = (name: string) => args[args.indexOf(`--${name}`) + 1] ?? ""
  const has = (name: string) => args.includes(`--${name}`)
  const whole = (name: string, fallback: number) => {
    const value = has(name) ? Number(text(name)) : fallback
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number`)
    return value
  }
  const names = has("all")
    ? Object.keys(drills).filter((name) => name !== "soak")
    : has("attack")
    ? [text("attack")]
    : []
  if (names.length === 0 || names.some((name) => drills[name] === undefined)) {
    throw new Error(`Name a drill: --attack ${Object.keys(drills).join("|")}, or --all`)
  }
  const isSoak = names.includes("soak")
  return {
    names,
    isJson: has("json"),
    seconds: whole("seconds", isSoak ? 1_800 : 30),
    buyers: whole("buyers", 100),
    connections: whole("connections", 3_000),
    replicas: whole("replicas", isSoak ? 2 : 1),
    print: has("json") ? () => {} : print,
  }
}

function report({ attack, figures, faults }: DrillResult, isJson: boolean): void {
  if (isJson) {
    return print(JSON.stringify({ attack, isGreen: faults.length === 0, figures, faults }))
  }
  const text = Object.entries(figures).map(([name, value]) => `${name}: ${value}`)
  const verdict = faults.length === 0 ? "green" : `red (${faults.join("; ")})`
  print(`attack ${attack} | ${verdict} | ${text.join(" | ")}`)
}

const program = Effect.gen(function* () {
  const options = optionsOf(Deno.args)
  let isGreen = true
  for (const name of options.names) {
    const drill = drills[name]
    if (drill === undefined) continue
    const result = yield* Effect.scoped(drill(options))
    report(result, options.isJson)
    isGreen &&= result.faults.length === 0
  }
  return isGreen
})

needProgram("prlimit", "apt-get install util-linux")
const fiber = Effect.runFork(program)
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    Effect.runFork(Fiber.interrupt(fiber))
  })
}
const exit = await Effect.runPromise(Fiber.await(fiber))
if (Exit.isFailure(exit)) print(Cause.pretty(exit.cause))
Deno.exit(Exit.isSuccess(exit) && exit.value ? 0 : 1)
