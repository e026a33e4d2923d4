/**
 * Starts the process of a task in its sandbox, waits for its end, and ends with its code. `plan.ts` says
 * what to start; with `--print`, `--help` or `--version` it prints that, and nothing is started.
 *
 * It imports nothing, so that it needs little memory while the process runs.
 *
 * @module
 */

/** Enough for the service to drain and to finish the requests in flight. */
const stopMsMax = 60_000
/** How often the launcher of `dev` looks whether its parent process is still running. */
const parentEveryMs = 1_000

const deno = Deno.execPath()
const cwd = new URL("..", import.meta.url)

const planning = await new Deno.Command(deno, {
  args: ["run", "--no-prompt", "--allow-env", "--allow-read", "src/plan.ts", ...Deno.args],
  cwd,
  stdin: "null",
  stderr: "inherit",
}).output()
const planned = new TextDecoder().decode(planning.stdout)
if (!planning.success || !planned.startsWith("{")) {
  await Deno.stdout.write(planning.stdout)
  Deno.exit(planning.code)
}
const { args, variables }: Record<"args" | "variables", Array<string>> = JSON.parse(planned)

/**
 * It leads its own process group, so that Ctrl-C in a terminal reaches it once, through the launcher. Its
 * standard input is never written to: it ends when the launcher exits, and the process stops then.
 */
const child = new Deno.Command(deno, {
  args,
  cwd,
  clearEnv: true,
  env: {
    ...Object.fromEntries(variables.flatMap((name) => {
      const value = Deno.env.get(name)
      return value === undefined ? [] : [[name, value]]
    })),
    DENO_NO_UPDATE_CHECK: "1",
  },
  stdin: "piped",
  detached: true,
}).spawn()

function send(signal: Deno.Signal): void {
  try {
    child.kill(signal)
  } catch {
    // It has ended already.
  }
}

/** A second signal ends the process without waiting for its requests. */
function stop(): void {
  send("SIGTERM")
  Deno.unrefTimer(setTimeout(() => send("SIGKILL"), stopMsMax))
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) Deno.addSignalListener(signal, stop)

// A terminal or test that was killed sends no signal, and the process would keep its port and store.
if (Deno.args[0] === "dev") {
  const parent = Deno.ppid
  const watch = setInterval(() => {
    if (Deno.ppid === parent) return
    clearInterval(watch)
    stop()
  }, parentEveryMs)
}

Deno.exit((await child.status).code)
