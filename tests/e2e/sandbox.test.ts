/**
 * The processes of the service under their real flags: every forbidden operation is denied, and the
 * launcher and its process end together.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect, Schedule } from "effect"
import { liveTest } from "../support/effect.ts"
import { removeFolder, run, startService, temporaryFolder } from "../support/process.ts"

const outputTimeout = "60 seconds"

const live: Readonly<Record<string, string>> = {
  ...{ VENUE: "polymarket", PUBLIC_BASE_URL: "https://bell.example", PAYMENTS: "live" },
  ...{ DATABASE_URL: "postgres://service:word@db.example/bell" },
  ...{ PAY_TO_ADDRESS: `0x${"a1".repeat(20)}`, TREASURY_ADDRESS: `0x${"b2".repeat(20)}` },
  ...{ FACILITATOR_URL: "https://facilitator.example", RPC_URL: "https://rpc.example" },
  TREASURY_PRIVATE_KEY: `0x${"c3".repeat(32)}`,
  SIGNING_PRIVATE_KEY: `0x${"d4".repeat(32)}`,
}

const deno = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.map(
    run([Deno.execPath(), ...args], { env: { TREASURY_PRIVATE_KEY: "a canary", ...env } }),
    ({ stdout }) => stdout,
  )

/** The arguments of a process, without `deno`. */
const argumentsOf = (command: string, env: Readonly<Record<string, string>>) =>
  Effect.map(
    deno(["run", "-A", "src/launch.ts", command, "--print"], env),
    (line) => line.trim().split(" ").slice(1),
  )

/** The outcome of each attempt under these flags, with a real file and a real server as targets. */
const attemptEscapes = Effect.fnUntraced(function* (
  flags: ReadonlyArray<string>,
  reach: "near" | "far",
) {
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
        if (request.headers.get("upgrade") === "websocket") {
          return Deno.upgradeWebSocket(request).response
        }
        return new Response("export default 1", {
          headers: { "content-type": "text/javascript" },
        })
      })
    ),
    (server) => Effect.promise(() => server.shutdown()),
  )
  const secret = `${yield* temporaryFolder}/secret.json`
  yield* Effect.promise(() => Deno.writeTextFile(secret, "{}"))
  const { port } = server.addr
  const out = yield* deno([
    ...["run", ...flags, "tests/e2e/sandboxEscapes.ts"],
    ...[String(port), secret, `http://127.0.0.1:${port}/module.js`, reach],
  ])
  return Object.entries(JSON.parse(out) as Readonly<Record<string, string>>)
})

const denials =
  /^(NotCapable: |EvalError: |TypeError: Requires |TypeError: A remote specifier|TypeError: Failed loading)/

/** The only attempt that the refund worker may do: it needs the key. */
const ownKey = "read the treasury's key"

for (
  const [command, env] of [
    ["dev", {}],
    ["start", live],
    ["refunds", live],
    ["migrate", live],
  ] as const
) {
  liveTest(`every forbidden operation of the process of ${command} is denied`, function* () {
    const words = yield* argumentsOf(command, env)
    const entry = words.findIndex((word) => word.startsWith("src/"))
    const worker = words[entry] === "src/refund-worker.ts"
    const allowed = (yield* attemptEscapes(words.slice(1, entry), "far"))
      .filter(([, outcome]) => !denials.test(outcome))
      .map(([name]) => name)
    equal(allowed, worker ? [ownKey] : [])
  })
}

liveTest("without the sandbox the same attempts succeed", function* () {
  const denied = (yield* attemptEscapes(["-A", "--no-lock", "--config=deno.json"], "near"))
    .filter(([, outcome]) => outcome !== "done")
  equal(denied, [])
})

/** The launcher as a process, whose service listens. */
const launched = Effect.gen(function* () {
  const launcher = yield* startService(["run", "-A", "src/launch.ts", "dev"], {
    DATA_DIR: yield* temporaryFolder,
  })
  yield* Effect.suspend(() =>
    launcher.printed().includes("listening http") ? Effect.void : Effect.fail("not yet")
  ).pipe(Effect.retry(Schedule.spaced("100 millis")), Effect.timeout(outputTimeout), Effect.orDie)
  return launcher
})

/** The child of a process that runs an entry point. */
const childOf = (pid: number, entry: string) =>
  Effect.promise(async () => {
    const children = (await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`)).trim()
    for (const child of children.split(" ")) {
      if ((await Deno.readTextFile(`/proc/${child}/cmdline`)).includes(entry)) return Number(child)
    }
    throw new Error(`${pid} runs no ${entry}: ${children}`)
  })

if (Deno.build.os === "linux") {
  liveTest("the launcher ends with its process, and with its code", function* () {
    const { pid, ended } = yield* launched
    Deno.kill(yield* childOf(pid, "src/dev.ts"), "SIGKILL")
    equal(yield* ended, 137)
  })

  liveTest("the process of a killed launcher stops by itself and frees its port", function* () {
    const { pid, port } = yield* launched
    const service = yield* childOf(pid, "src/dev.ts")
    Deno.kill(pid, "SIGKILL")
    yield* hasEnded(service)
    Deno.listen({ hostname: "127.0.0.1", port }).close()
  })

  liveTest("a start with all packages in the cache asks no registry", function* () {
    const dir = yield* packageCache
    const proxy = yield* refusingProxy
    const { stderr } = yield* run([Deno.execPath(), "task", "migrate"], {
      env: {
        ...{ DENO_DIR: dir, HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url },
        DATABASE_URL: "postgres://none@127.0.0.1:1/none",
      },
    })
    ok(stderr.includes("Cannot reach or use PostgreSQL"), stderr)
    equal(proxy.asked, 0, stderr)
  })
}

/**
 * A copy of the package cache as the first start from a fresh clone leaves it: all packages, and of
 * the registry's metadata only that of the launcher's one package.
 */
const packageCache = Effect.acquireRelease(
  Effect.gen(function* () {
    const { denoDir, npmCache } = JSON.parse(yield* deno(["info", "--json"]))
    const dir = yield* Effect.promise(() => Deno.makeTempDir({ dir: denoDir, prefix: "test-" }))
    yield* succeeds("cp", "--archive", "--link", npmCache, `${dir}/npm`)
    yield* succeeds(
      ...["find", `${dir}/npm`, "-name", "registry.json"],
      ...["-not", "-path", "*/effect/registry.json", "-delete"],
    )
    return dir
  }),
  removeFolder,
)

const succeeds = (...command: ReadonlyArray<string>) =>
  Effect.map(run(command), ({ code, stderr }) => ok(code === 0, stderr))

/** A proxy that refuses every connection; `asked` counts them. */
const refusingProxy = Effect.acquireRelease(
  Effect.sync(() => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 })
    const proxy = { asked: 0, url: `http://127.0.0.1:${listener.addr.port}`, listener }
    void (async () => {
      for await (const connection of listener) {
        proxy.asked += 1
        connection.close()
      }
    })()
    return proxy
  }),
  ({ listener }) => Effect.sync(() => listener.close()),
)

/** Waits until a process that is not a child of the test has ended. */
const hasEnded = (pid: number) =>
  alive(pid).pipe(
    Effect.filterOrFail((running) => !running, () => "not yet"),
    Effect.retry(Schedule.spaced("100 millis")),
    Effect.timeout(outputTimeout),
    Effect.orDie,
  )

const alive = (pid: number) =>
  Effect.promise(async () => {
    try {
      await Deno.lstat(`/proc/${pid}`)
      return true
    } catch {
      return false
    }
  })
