/**
 * The attack drills: a real service on a real PostgreSQL, with a facilitator and a chain
 * over sockets and real latencies, is attacked while honest buyers buy. Prints figures, and what is
 * not as it must be. Ends with 1 when a drill has a fault.
 *
 *     deno task bench:attacks --attack 2 [--seconds 30] [--json]
 *     deno task bench:attacks
 *
 * Drills: none, the control without an attacker; 2 payments of empty keys, 5 sales a second, 7 one payment
 * on many connections; refunded, void and unpaid, what attackers do
 * after a verification; sweep, the rows that an attack leaves; clocks, a replica with a wrong clock.
 * `--replicas`, `--buyers`, `--connections`, `--wallets` and `--addresses` change the size, `--root` the
 * version that is attacked. Each drill makes a database of its own (`needs.ts`).
 *
 * @module
 */
import { Cause, Console, Effect, Exit, Fiber, Option } from "effect"
import { Flag } from "effect/cli"
import { clocks } from "./clocks.ts"
import type { Drill, DrillOptions, DrillResult } from "./drill.ts"
import { attack2, attack7, control } from "./floods.ts"
import { benchArguments } from "../needs.ts"
import { attack5 } from "./throughput.ts"
import { refunded, sweep, unpaid, unsettled } from "./verified.ts"
import { whole } from "../../tests/support/program.ts"

const drills: Readonly<Record<string, Drill>> = {
  none: control,
  "2": attack2,
  "5": attack5,
  "7": attack7,
  refunded,
  void: unsettled,
  unpaid,
  sweep,
  clocks,
}

interface Options extends DrillOptions {
  readonly names: ReadonlyArray<string>
  readonly isJson: boolean
}

const print = (line: string) => Effect.runSync(Console.log(line))

async function readOptions(): Promise<Options> {
  const { attack, json, root, ...sizes } = await benchArguments("attacks", {
    attack: Flag.Literals("attack", Object.keys(drills)).pipe(
      Flag.optional,
      Flag.withDescription("One drill; without it all"),
    ),
    json: Flag.Boolean("json").pipe(Flag.withDefault(false)),
    seconds: whole("seconds", 30),
    buyers: whole("buyers", 100),
    connections: whole("connections", 3_000),
    replicas: whole("replicas", 1),
    wallets: whole("wallets", 3),
    addresses: whole("addresses", 1),
    root: Flag.String("root").pipe(
      Flag.optional,
      Flag.withDescription("The checkout whose service runs; by default this one"),
    ),
  })
  const names = Option.match(attack, {
    onSome: (name) => [name],
    onNone: () => Object.keys(drills),
  })
  return {
    names,
    isJson: json,
    ...sizes,
    root: Option.getOrUndefined(root),
    print: json ? () => {} : print,
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

const options = await readOptions()
const program = Effect.gen(function* () {
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

const fiber = Effect.runFork(program)
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    Effect.runFork(Fiber.interrupt(fiber))
  })
}
const exit = await Effect.runPromise(Fiber.await(fiber))
if (Exit.isFailure(exit)) print(Cause.pretty(exit.cause))
Deno.exit(Exit.isSuccess(exit) && exit.value ? 0 : 1)
