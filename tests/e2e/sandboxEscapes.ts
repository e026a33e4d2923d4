/**
 * Attempts every forbidden operation and prints the outcome of each as JSON. sandbox.test.ts runs it
 * under the flags of each process of the service.
 *
 * Imports are dynamic with computed specifiers, because Deno permits static imports.
 *
 * @module
 */

/** A port, a file and a module of the test, outside the permissions of the service. */
const [port = "0", secretFile = "", remoteModule = "", reach = "far"] = Deno.args

const nearAttempts: Readonly<Record<string, () => unknown>> = {
  "fetch from another port": () => fetch(`http://127.0.0.1:${port}/`),
  "connect to another port": () => Deno.connect({ hostname: "127.0.0.1", port: Number(port) }),
  "connect to another port by another spelling": () =>
    Deno.connect({ hostname: "2130706433", port: Number(port) }),
  "listen elsewhere": () => Deno.listen({ hostname: "127.0.0.1", port: 0 }),
  "open a web socket": () =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/`)
      socket.onopen = resolve
      socket.onerror = reject
    }),
  "read the system's users": () => Deno.readTextFile("/etc/passwd"),
  "read a file outside the project": () => Deno.readTextFile(secretFile),
  "read its own source": () => Deno.readTextFile("src/main.ts"),
  "read its environment as a file": () => Deno.readTextFile("/proc/self/environ"),
  "read through node": async () => (await import("node:fs")).readFileSync(secretFile),
  "write outside the project": () => Deno.writeTextFile(`${secretFile}.mine`, ""),
  "write its own source": () => Deno.writeTextFile("src/main.ts", "", { append: true }),
  "write a temporary file": () => Deno.makeTempFile(),
  "start a process": () => new Deno.Command("/bin/true").output(),
  "start Deno again": () => new Deno.Command(Deno.execPath(), { args: ["eval", "1"] }).output(),
  "start a process through node": async () =>
    (await import("node:child_process")).execFileSync("/bin/true", [], { env: {} }),
  "load a library": () => Deno.dlopen("libc.so.6", {}),
  "read the hostname": () => Deno.hostname(),
  "read the treasury's key": () => Deno.env.get("TREASURY_PRIVATE_KEY"),
  "read an unrelated variable": () => Deno.env.get("AWS_SECRET_ACCESS_KEY"),
  "read every variable": () => Deno.env.toObject(),
  "import from the network": () => import(remoteModule),
  "import a file outside the project": () =>
    import(`file://${secretFile}`, { with: { type: "json" } }),
  "make a function of a string": () => new Function("return 1")(),
  "evaluate a string": () => globalThis.eval("1"),
  "request more permissions": async () => {
    for (const name of ["run", "ffi", "net", "env", "read", "write", "sys"] as const) {
      const { state } = await Deno.permissions.request({ name })
      if (state === "granted") return name
    }
    throw new Deno.errors.NotCapable("nothing was granted")
  },
}

/** These use the internet when they are not denied, so they run only in the sandbox. */
const farAttempts: Readonly<Record<string, () => unknown>> = {
  "fetch from another host": () => fetch("https://example.com/"),
  "look up a name": () => Deno.resolveDns("example.com", "A"),
  "import from a module registry": () => import(["https://esm.sh", "left-pad"].join("/")),
  "import a package that is not installed": () =>
    import(["npm:", "a-package-that-is-not-installed@1.0.0"].join("")),
}

/** The time limit of an attempt; a denial is immediate. */
const attemptTimeoutMs = 3_000

async function outcome(attempt: () => unknown): Promise<string> {
  const timeout = new Promise<string>((resolve) =>
    setTimeout(() => resolve("timeout"), attemptTimeoutMs)
  )
  const tried = (async () => {
    try {
      await attempt()
      return "done"
    } catch (error) {
      return error instanceof Error ? `${error.name}: ${error.message}` : "error"
    }
  })()
  return await Promise.race([tried, timeout])
}

const attempts = reach === "far" ? { ...nearAttempts, ...farAttempts } : nearAttempts
const outcomes: Record<string, string> = {}
for (const [name, attempt] of Object.entries(attempts)) outcomes[name] = await outcome(attempt)
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(outcomes)))
Deno.exit(0)
