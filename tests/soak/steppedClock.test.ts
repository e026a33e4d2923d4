/**
 * The stepped clock: a jump wakes what is due, in this process and in others.
 *
 * @module
 */
import { Effect, Fiber } from "effect"
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Clock } from "effect"
import { registerSkipped } from "../support/venues/oracle.ts"
import { hasCompiler, startSteppedClock } from "./steppedClock.ts"

const hour = 3_600_000

/** Compiles the clock's library, so it needs a compiler. */
const test = hasCompiler
  ? Deno.test
  : (name: string) =>
    registerSkipped(name, "needs Linux and a C compiler; apt-get install gcc libc6-dev")

test("wakeDue() ends the sleeps that a jump has made due, and no other", async () => {
  const dir = await Deno.makeTempDir()
  const clock = await startSteppedClock(dir)
  const sleeping = (ms: number) =>
    Effect.runFork(
      Effect.as(Effect.sleep(ms), ms).pipe(Effect.provideService(Clock.Clock, clock.clock)),
    )
  const [short, long] = [sleeping(hour), sleeping(3 * hour)]
  const beganMs = clock.now()
  clock.jump(2 * hour)
  clock.wakeDue()
  equal(await Effect.runPromise(Fiber.join(short)), hour)
  ok(clock.now() - beganMs >= 2 * hour)
  equal(long.pollUnsafe(), undefined)
  await Effect.runPromise(Fiber.interrupt(long))
  await Deno.remove(dir, { recursive: true })
})

test("a jump moves the wall clock and the monotonic clock of another process", async () => {
  const dir = await Deno.makeTempDir()
  const clock = await startSteppedClock(dir)
  const code = `const read = () => [Date.now(), performance.now()]
        const began = read()
        console.log("ready")
        await Deno.stdin.read(new Uint8Array(1))
        console.log(JSON.stringify(read().map((ms, n) => ms - began[n])))`
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", code],
    ...{ env: clock.env, stdin: "piped", stdout: "piped" },
  }).spawn()
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  equal((await lines.read()).value, "ready\n")
  clock.jump(hour)
  const writer = child.stdin.getWriter()
  await writer.write(new Uint8Array([10]))
  const passed: ReadonlyArray<number> = JSON.parse((await lines.read()).value ?? "[]")
  equal(passed.map((ms) => ms >= hour && ms < 2 * hour), [true, true])
  await writer.close()
  await child.status
  await lines.cancel()
  await Deno.remove(dir, { recursive: true })
})
