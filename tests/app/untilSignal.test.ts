/**
 * A process ends itself when its launcher's end of its standard input closes, and only if it was
 * started by the launcher.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import { stopWithLauncher } from "../../src/app/untilSignal.ts"
import { liveTest } from "../support/effect.ts"

const root = new URL("../..", import.meta.url)

/** Prints how its program ended: "read" goes on for some turns after standard input has ended. */
const script = `
  import { Effect } from "effect"
  import { setImmediate } from "node:timers"
  import { untilSignal } from "./src/app/untilSignal.ts"
  const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  const inputEnded = Effect.promise(() => Deno.stdin.read(new Uint8Array(1)))
  const program = Deno.args[0] === "read"
    ? Effect.andThen(inputEnded, Effect.repeat(turn, { times: 100 }))
    : Effect.never
  const print = ({ _tag }) =>
    Effect.promise(() => Deno.stdout.write(new TextEncoder().encode(_tag)))
  await untilSignal(Effect.onExit(program, print))
  Deno.exit(0)`

/** How the program ended. Its standard input ends at once. */
const outcome = (args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", script, ...args],
      cwd: root,
      stdin: "null",
    }).output()
    const decoder = new TextDecoder()
    return decoder.decode(stdout) + decoder.decode(stderr)
  })

liveTest(
  "the end of the launcher's input interrupts a program, which runs its finalizers",
  () =>
    Effect.gen(function* () {
      equal(yield* outcome(["never", stopWithLauncher]), "Failure")
    }),
)

liveTest(
  "a program that no launcher started does not stop when its input ends",
  () =>
    Effect.gen(function* () {
      equal(yield* outcome(["read"]), "Success")
    }),
)
