/**
 * `deno task verify` against a service on a socket: what it reads, and its exit codes.
 *
 * @module
 */
import { match, ok, strictEqual } from "node:assert"
import { Clock, Console, Effect, Ref } from "effect"
import { freeRows } from "../../src/catalog/domain/freeRow.ts"
import { products } from "../../src/catalog/domain/product.ts"
import { isoTime } from "../../src/core/domain/time.ts"
import { verifyService } from "../../tools/verify.ts"
import { linksOf } from "../support/feed/chain.ts"
import { liveTest } from "../support/effect.ts"
import { makeService, makeWorld, serviceOptions } from "../support/http/httpService.ts"

const limits = { ...serviceOptions.limits, free: "off" } as const

const onSocket = (handler: Deno.ServeHandler) =>
  Effect.acquireRelease(
    Effect.sync(() => Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, handler)),
    (server) => Effect.promise(() => server.shutdown()),
  )

/** The exit code of the task against a server, and what it prints. */
const run = Effect.fnUntraced(function* (
  { addr }: Deno.HttpServer<Deno.NetAddr>,
  args: ReadonlyArray<string>,
) {
  const lines: Array<string> = []
  const print = (...parts: ReadonlyArray<unknown>) => void lines.push(parts.join(" "))
  const console = { ...globalThis.console, log: print, error: print }
  const code = yield* verifyService([`http://127.0.0.1:${addr.port}`, ...args]).pipe(
    Effect.provideService(Console.Console, console),
    Effect.catch(({ message }) => Effect.sync(() => (print(message), 2))),
  )
  return { code, text: lines.join("\n") }
})

/** A service with items on a socket, and a run of the task against it. */
const served = Effect.gen(function* () {
  const world = yield* makeWorld(20)
  const { handle } = yield* makeService(world, undefined, { ...serviceOptions, limits })
  const server = yield* onSocket((request, { remoteAddr }) =>
    handle(request, { remoteAddr: remoteAddr as Deno.NetAddr })
  )
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => Deno.makeTempDir()),
    (folder) => Effect.promise(() => Deno.remove(folder, { recursive: true })),
  )
  return { world, folder, run: (...args: ReadonlyArray<string>) => run(server, args) }
})

liveTest(
  "an honest service passes, with items and with what was seen before; another history fails",
  () =>
    Effect.gen(function* () {
      const { world, folder, run } = yield* served
      const items = yield* Ref.get(world.items)
      const links = linksOf(items)
      const bought = items.slice(4, 9).map((item, n) => {
        const { previousHash = "", skipHash = "", hash = "" } = links[n + 4] ?? {}
        return { ...item, chain: { salt: "", previousHash, skipHash, hash } }
      })
      const [file, seen] = [`${folder}/items.json`, `${folder}/seen.json`]
      yield* Effect.promise(() => Deno.writeTextFile(file, JSON.stringify({ data: bought })))
      const args = ["--items", file, "--seen", seen]
      for (const _ of ["first", "second"]) {
        const { code, text } = yield* run(...args)
        match(text, /7 ok, 0 warn, 0 fail/)
        match(text, /5 items\n/)
        match(text, /offers and receipts +1 signatures\n/)
        strictEqual(code, 0)
      }
      const now = yield* Clock.currentTimeMillis
      yield* Ref.update(world.items, (all) =>
        all.map((item) =>
          item.feedIndex === 6 ? { ...item, title: `Not that, ${now}` } : item
        ))
      const { code, text } = yield* run(...args)
      strictEqual(code, 1)
      match(text, /item 6 is not the one in the chain/)
      match(text, /there are two hashes of item 6/)
    }),
)

liveTest(
  "a service that withholds its proofs fails, and its text cannot move the cursor",
  () =>
    Effect.gen(function* () {
      const hash = "a".repeat(64)
      const days = [4, 3].map((index) => ({
        ...{
          day: `2026-11-0${index}\u001b[2J`,
          index,
          hash,
          madeAt: isoTime(Date.now()),
          jws: "a.b.c",
        },
      }))
      const head = { index: 5, hash }
      const answers: Record<string, unknown> = {
        [freeRows.index.path]: { ...freeRows.index.sample, index: 5, head },
        [freeRows.feed_heads.path]: { success: true, head, days },
        [freeRows.outcomes.path]: { success: true, since: 0, count: 0, data: [] },
        "/.well-known/jwks.json": { keys: [] },
      }
      const server = yield* onSocket((request) => {
        const { pathname } = new URL(request.url)
        if (pathname === products.latest.path) {
          return new Response(null, { status: 402, headers: { "PAYMENT-REQUIRED": btoa("{}") } })
        }
        const body = answers[pathname]
        return body === undefined ? new Response(null, { status: 404 }) : Response.json(body)
      })
      const { code, text } = yield* run(server, [])
      strictEqual(code, 1)
      match(text, /there is no proof of item 4, which is kept/)
      match(text, /the signature of 2026-11-04/)
      ok(!text.includes("\u001b"), text)
    }),
)

liveTest("what cannot be read is exit code 2, and says why", () =>
  Effect.gen(function* () {
    const { world, folder, run } = yield* served
    for (const args of [["--proofs", "x"], ["--nothing"], ["--items", `${folder}/none`]]) {
      const { code, text } = yield* run(...args)
      strictEqual(code, 2)
      match(text, /^(.* deno task verify --help shows what it takes|Cannot read .*)$/)
    }
    const help = yield* run("--help")
    strictEqual(help.code, 0)
    match(help.text, /--seen string/)
    yield* Ref.set(world.items, [])
    const { code, text } = yield* run("--proofs", "0")
    ok(code === 0, text)
  }))
