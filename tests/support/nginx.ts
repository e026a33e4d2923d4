/**
 * The real nginx with `deploy/nginx.conf`, on a free loopback port and without TLS.
 *
 * @module
 */
import { Effect, Schedule } from "effect"
import { freePort, removeFolder } from "./process.ts"

/** A text of the file, and what replaces it. */
export type Change = readonly [string | RegExp, string]

export interface Nginx {
  readonly port: number
  readonly origin: string
  /** Sends new requests to these ports only; requests that are open finish where they are. */
  readonly sendTo: (servicePorts: ReadonlyArray<number>) => Effect.Effect<void>
}

const program = "/usr/sbin/nginx"

export const hasNginx = [...Deno.readDirSync("/usr/sbin")].some(({ name }) => name === "nginx")

/** Listens until the scope closes. `changes` are made in the shipped configuration. */
export const startNginx = Effect.fn("startNginx")(function* (
  servicePorts: ReadonlyArray<number>,
  changes: ReadonlyArray<Change> = [],
) {
  const port = freePort()
  const dir = yield* Effect.acquireRelease(
    Effect.promise(() => Deno.makeTempDir()),
    removeFolder,
  )
  const file = `${dir}/nginx.conf`
  const write = (ports: ReadonlyArray<number>) =>
    Effect.promise(() => Deno.writeTextFile(file, configuration(port, ports, changes)))
  yield* write(servicePorts)
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => new Deno.Command(program, { args: ["-p", dir, "-c", file] }).spawn()),
    (child) =>
      Effect.promise(async () => {
        child.kill("SIGTERM")
        await child.status
      }),
  )
  yield* Effect.tryPromise(async () =>
    (await Deno.connect({ hostname: "127.0.0.1", port })).close()
  )
    .pipe(Effect.retry(Schedule.spaced("50 millis")), Effect.timeout("10 seconds"), Effect.orDie)
  const nginx: Nginx = {
    port,
    origin: `http://127.0.0.1:${port}`,
    sendTo: (ports) => Effect.andThen(write(ports), Effect.sync(() => child.kill("SIGHUP"))),
  }
  return nginx
})

/** Replaces what differs here; fails when the file has changed. */
function configuration(
  port: number,
  servicePorts: ReadonlyArray<number>,
  changes: ReadonlyArray<Change>,
): string {
  const servers = servicePorts.map((port) => `server 127.0.0.1:${port};`).join(" ")
  const all: ReadonlyArray<Change> = [
    ["pid /run/nginx.pid;", "pid nginx.pid; daemon off;"],
    ["error_log stderr warn;", "error_log error.log warn;"],
    ["server 127.0.0.1:8402;", servers],
    ["listen 443 ssl backlog=4096", `listen 127.0.0.1:${port}`],
    ["listen [::]:443 ssl backlog=4096", `listen [::1]:${port}`],
    [/ssl_certificate .*/, ""],
    [/ssl_certificate_key .*/, ""],
    ...changes,
  ]
  return all.reduce((text, [from, to]) => {
    const changed = text.replace(from, to)
    if (changed === text) throw new Error(`deploy/nginx.conf has no ${from}`)
    return changed
  }, Deno.readTextFileSync(new URL("../../deploy/nginx.conf", import.meta.url)))
}
