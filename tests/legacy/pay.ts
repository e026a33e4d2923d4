/**
 * The stock buyer of x402 version 1, unmodified: an address and a key on standard input, what it got
 * on standard output.
 *
 * It runs as a process of its own, because its packages are next to it in `node_modules`, outside of
 * the project's dependencies: `npm ci --prefix tests/legacy` puts them there.
 *
 * @module
 */
interface Buyer {
  createSigner(network: string, key: string): Promise<unknown>
  wrapFetchWithPayment(
    fetch: typeof globalThis.fetch,
    signer: unknown,
    maxValue: bigint,
  ): typeof globalThis.fetch
}

interface Errand {
  readonly url: string
  readonly key: string
}

const { url, key }: Errand = await new Response(Deno.stdin.readable).json()
const home = new URL(
  "node_modules/x402-fetch/dist/esm/index.mjs",
  import.meta.url,
)
const { createSigner, wrapFetchWithPayment }: Buyer = await import(home.href)
const statuses: Array<number> = []
const pay = wrapFetchWithPayment(
  async (input, init) => {
    const response = await fetch(input, init)
    statuses.push(response.status)
    return response
  },
  await createSigner("base", key),
  1_000_000n,
)
const response = await pay(url)
const result = {
  statuses,
  body: await response.json(),
  receipt: response.headers.get("x-payment-response"),
}
await new Blob([JSON.stringify(result)]).stream().pipeTo(Deno.stdout.writable)
