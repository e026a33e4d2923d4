/**
 * The processes of the service under their real flags: every forbidden operation is denied, and the
 * launcher and its process end together.
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
    `every forbidden operation of the process of ${command} is denied`,
    () =>
      Effect.gen(function* () {
        const words = yield* argumentsOf(command, env)
        const entry = words.findIndex((word) => word.startsWith("src/"))
        const worker = words[entry] === "src/refund-worker.ts"
        const owner = words[entry] === "src/command.ts"
        const allowed = (yield* attemptEscapes(words.slice(1, entry), "far"))
          .filter(([, outcome]) => !denials.test(outcome))
          .map(([name]) => name)
        equal(allowed, worker ? [ownKey] : owner ? ["read the owner's login"] : [])
      }),
  )
}

liveTest("without the sandbox the same attempts succeed", () =>
  Effect.gen(function* () {
    const denied = (yield* attemptEscapes(["-A", "--no-lock", "--config=deno.json"], "near"))
      .filter(([, outcome]) => outcome !== "done")
    equal(denied, [])
  }))

/** The launcher as a process; `listening` waits until its service listens. */
const launched = Effect.fnUntraced(function* () {
  const dir = yield* Effect.acquireRelease(
    Effect.promise(() => Deno.makeTempDir()),
    removeFolder,
  )
  const output = { text: "" }
  const port = String(freePort())
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const env = { PORT: port, ADMIN_PORT: String(freePort()), DATA_DIR: dir }
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
  const listening = Effect.suspend(() =>
    output.text.includes("listening http") ? Effect.void : Effect.fail("not yet")
  ).pipe(Effect.retry(Schedule.spaced("100 millis")), Effect.timeout(outputTimeout), Effect.orDie)
  return { child, listening, port: Number(port) }
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
  liveTest(
    "the launcher ends with its process, and with its code",
    () =>
      Effect.gen(function* () {
        const { child, listening } = yield* launched()
        yield* listening
        Deno.kill(yield* childOf(child.pid, "src/dev.ts"), "SIGKILL")
        equal((yield* Effect.promise(() => child.status)).code, 137)
      }),
  )

  liveTest(
    "the process of a killed launcher stops by itself and frees its port",
    () =>
      Effect.gen(function* () {
        const { child, listening, port } = yield* launched()
        yield* listening
        const service = yield* childOf(child.pid, "src/dev.ts")
        Deno.kill(child.pid, "SIGKILL")
        yield* ended(service)
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
