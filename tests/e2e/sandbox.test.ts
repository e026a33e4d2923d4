/**
 * The processes of the service under their real flags: every forbidden operation is denied, and the
 * launcher starts and stops the processes together.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect, Schedule } from "effect"
import { liveTest } from "../support/effect.ts"
import { freePort, killAndWait, removeFolder } from "../support/process.ts"

const root = new URL("../..", import.meta.url)
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
  Effect.promise(async () => {
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: [...args],
      cwd: root,
      env: { TREASURY_PRIVATE_KEY: "a canary", NO_COLOR: "1", ...env },
      stdin: "null",
      stderr: "null",
    }).output()
    return new TextDecoder().decode(stdout)
  })

/** The arguments of each process, without `deno`. */
const commandLines = (command: string, env: Readonly<Record<string, string>>) =>
  Effect.map(
    deno(["run", "-A", "src/launch.ts", command, "--print"], env),
    (lines) => lines.trim().split("\n").map((line) => line.split(" ").slice(1)),
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
  const dir = yield* Effect.acquireRelease(
    Effect.promise(() => Deno.makeTempDir()),
    removeFolder,
  )
  const secret = `${dir}/secret.json`
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
  liveTest(
    `every forbidden operation of the processes of ${command} is denied`,
    () =>
      Effect.gen(function* () {
        const lines = yield* commandLines(command, env)
        equal(lines.length, command === "dev" ? 2 : 1)
        for (const words of lines) {
          const entry = words.findIndex((word) => word.startsWith("src/"))
          const worker = words[entry] === "src/refund-worker.ts"
          const owner = words[entry] === "src/command.ts"
          const allowed = (yield* attemptEscapes(words.slice(1, entry), "far"))
            .filter(([, outcome]) => !denials.test(outcome))
            .map(([name]) => name)
          equal(allowed, worker ? [ownKey] : owner ? ["read the owner's login"] : [])
        }
      }),
  )
}

liveTest("without the sandbox the same attempts succeed", () =>
  Effect.gen(function* () {
    const denied = (yield* attemptEscapes(["-A", "--no-lock", "--config=deno.json"], "near"))
      .filter(([, outcome]) => outcome !== "done")
    equal(denied, [])
  }))

/**
 * The launcher as a process; `times` waits until it has printed `words` at least `count` times.
 * `variables` are added to its environment.
 */
const launched = Effect.fnUntraced(function* (
  variables: Readonly<Record<string, string>> = {},
) {
  const dir = yield* Effect.acquireRelease(
    Effect.promise(() => Deno.makeTempDir()),
    removeFolder,
  )
  const output = { text: "" }
  const port = String(freePort())
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const env = { PORT: port, ADMIN_PORT: String(freePort()), DATA_DIR: dir, ...variables }
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "src/launch.ts", "dev"],
        cwd: root,
        env: { ...env, DATABASE_URL: "", NO_COLOR: "1" },
        stdin: "null",
        stdout: "piped",
        stderr: "null",
      }).spawn()
      child.stdout.pipeThrough(new TextDecoderStream())
        .pipeTo(new WritableStream({ write: (text) => void (output.text += text) }))
        .catch(() => {})
      return child
    }),
    (child) => Effect.promise(() => killAndWait(child, "SIGTERM")),
  )
  const times = (words: string, count: number) =>
    Effect.suspend(() =>
      output.text.split(words).length > count ? Effect.void : Effect.fail("not yet")
    ).pipe(Effect.retry(Schedule.spaced("100 millis")), Effect.timeout(outputTimeout), Effect.orDie)
  return { child, times, port: Number(port) }
})

const workerBanner = "Bellwether 1.0.0, refund worker"

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
  liveTest(
    "a killed worker is restarted, and a worker ends with the service",
    () =>
      Effect.gen(function* () {
        const { child, times } = yield* launched()
        yield* times(workerBanner, 1)
        Deno.kill(yield* childOf(child.pid, "src/refund-worker.ts"), "SIGKILL")
        yield* times(workerBanner, 2)
        const worker = yield* childOf(child.pid, "src/refund-worker.ts")
        Deno.kill(yield* childOf(child.pid, "src/main.ts"), "SIGKILL")
        equal((yield* Effect.promise(() => child.status)).code, 137)
        ok(!(yield* alive(worker)), "the worker outlived the service")
      }),
  )

  liveTest(
    "the processes of a killed launcher stop by themselves and free their ports",
    () =>
      Effect.gen(function* () {
        const { child, times, port } = yield* launched()
        yield* times(workerBanner, 1)
        const service = yield* childOf(child.pid, "src/main.ts")
        const worker = yield* childOf(child.pid, "src/refund-worker.ts")
        Deno.kill(child.pid, "SIGKILL")
        for (const pid of [service, worker]) yield* ended(pid)
        Deno.listen({ hostname: "127.0.0.1", port }).close()
      }),
  )

  liveTest(
    "a start with all packages in the cache asks no registry",
    () =>
      Effect.gen(function* () {
        const dir = yield* packageCache
        const proxy = yield* refusingProxy
        const output = yield* Effect.promise(() =>
          new Deno.Command(Deno.execPath(), {
            args: ["task", "migrate"],
            cwd: root,
            env: {
              ...{ DENO_DIR: dir, HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url, NO_COLOR: "1" },
              DATABASE_URL: "postgres://none@127.0.0.1:1/none",
            },
            stdin: "null",
          }).output()
        )
        const stderr = new TextDecoder().decode(output.stderr)
        ok(stderr.includes("Cannot reach or use PostgreSQL"), stderr)
        equal(proxy.asked, 0, stderr)
      }),
  )
}

/**
 * A copy of the package cache as the first start from a fresh clone leaves it: all packages, and of
 * the registry's metadata only that of the launcher's one package.
 */
const packageCache = Effect.acquireRelease(
  Effect.gen(function* () {
    const { denoDir, npmCache } = JSON.parse(yield* deno(["info", "--json"]))
    const dir = yield* Effect.promise(() => Deno.makeTempDir({ dir: denoDir, prefix: "test-" }))
    yield* command("cp", ["--archive", "--link", npmCache, `${dir}/npm`])
    yield* command("find", [
      ...[`${dir}/npm`, "-name", "registry.json"],
      ...["-not", "-path", "*/effect/registry.json", "-delete"],
    ])
    return dir
  }),
  removeFolder,
)

const command = (name: string, args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const { success, stderr } = await new Deno.Command(name, { args: [...args] }).output()
    ok(success, new TextDecoder().decode(stderr))
  })

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
const ended = (pid: number) =>
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
