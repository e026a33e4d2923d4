/**
 * The program of /llms-full.txt, run as it is published, while its first answers are lost.
 *
 * @module
 */
import { deepStrictEqual as equal, match, strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { products } from "../../src/catalog/domain/product.ts"
import { address } from "../../src/payments/domain/payment.ts"
import { Ledger, playBalance } from "../../src/payments/simulated/ledger.ts"
import { liveTest } from "../support/effect.ts"
import { openShop } from "../support/http/servedService.ts"
import { buyer } from "../support/payments/buyers.ts"
import { market } from "../support/payments/sales.ts"

const root = new URL("../../", import.meta.url).pathname

/** How the first paid answers are lost on their way to the buyer. */
const losses: Readonly<Record<string, (response: Response) => Promise<Response>>> = {
  "a gateway's 503": async (response) => {
    await response.arrayBuffer()
    return new Response("the upstream timed out", { status: 503 })
  },
  "a body that breaks off": async (response) => {
    const bytes = new Uint8Array(await response.arrayBuffer())
    const { status, headers } = response
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(bytes.slice(0, 10)),
      pull: (controller) => controller.error(new Error("broken off")),
    })
    return new Response(body, { status, headers })
  },
}

/** A proxy that loses the first paid answers; returns its base address. */
const losingProxy = (base: string, lose: (response: Response) => Promise<Response>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        let left = 2
        return Deno.serve(
          { port: 0, hostname: "127.0.0.1", onListen: () => {} },
          async (request) => {
            const { pathname, search } = new URL(request.url)
            const response = await fetch(`${base}${pathname}${search}`, {
              headers: request.headers,
            })
            const isPaid = request.headers.has("payment-signature")
            return isPaid && left-- > 0 ? await lose(response) : response
          },
        )
      }),
      (server) => Effect.promise(() => server.shutdown()),
    ),
    ({ addr }) => `http://127.0.0.1:${addr.port}`,
  )

for (const [name, lose] of Object.entries(losses)) {
  liveTest(
    `the published program is charged once when its answer is lost twice: ${name}`,
    () =>
      Effect.gen(function* () {
        const service = yield* openShop()
        const base = yield* losingProxy(service, lose)
        const text = yield* Effect.promise(async () =>
          await (await fetch(`${service}/llms-full.txt`)).text()
        )
        const program = /```js\n([^]*?)```/.exec(text)?.[1] ?? ""
        const folder = yield* Effect.acquireRelease(
          Effect.promise(() => Deno.makeTempDir()),
          (folder) => Effect.promise(() => Deno.remove(folder, { recursive: true })),
        )
        const file = `${folder}/program.mjs`
        yield* Effect.promise(() => Deno.writeTextFile(file, program))
        const lock = `--lock=${root}tests/deno.lock`
        const run = Effect.promise(async () => {
          const { stdout } = await new Deno.Command(Deno.execPath(), {
            args: ["run", "-A", "--quiet", `--config=${root}deno.json`, lock, file],
            cwd: folder,
            env: { BASE_URL: base, BUYER_PRIVATE_KEY: `0x${"1".padStart(64, "0")}` },
            stderr: "null",
          }).output()
          return new TextDecoder().decode(stdout)
        })
        const files = Effect.sync(() =>
          [...Deno.readDirSync(folder)].map(({ name }) => name).sort()
        )

        match(yield* run, /"success": true/)
        equal(yield* files, ["program.mjs"])
        const ledger = yield* Ledger
        const balance = yield* ledger.balance(address(buyer(0).address))
        strictEqual(playBalance - balance, products.latest.price as bigint)
      }).pipe(Effect.provide(market())),
  )
}
