/**
 * A demonstration agent: it compares the service's prices with those that it knows, polls the free
 * index, buys what is new with bellwether-client, verifies each receipt, and stops when the budget or
 * the polls are used up. `deno task agent --help` prints the options.
 *
 * By default it uses a throw-away key without money, which works only where payments are simulated.
 *
 * @module
 */
import {
  BuyError,
  calls,
  ChargeUnknown,
  type Client,
  fileLedger,
  memoryLedger,
  quoted,
} from "bellwether-client"
import { parseArgs } from "node:util"
import { clientFromEnvironment, readBase, readKey } from "./environment.ts"

const usage = `\
deno task agent [base address] [--polls N] [--every SECONDS] [--since INDEX]

  --polls N        how often to poll the index (default 8)
  --every SECONDS  the time between two polls (default 15)
  --since INDEX    continue after the last index of an earlier run (default: ten before the newest)
Environment:
  BUDGET_USD         the most that is signed in a UTC day (default 0.25)
  MAX_PRICE_USD      the most one call may cost (default 1.00)
  BUYER_PRIVATE_KEY  the key it pays with (default: a throw-away key, for simulated payments only)
  BUDGET_DIR         where its payments are kept, to send an unclear one again (default .data/buyer)`

export interface AgentOptions {
  readonly base: URL
  readonly client: Client
  readonly receipts: Receipts
  /** Whether the key has no money, and can pay only where payments are simulated. */
  readonly isThrowawayKey: boolean
  readonly polls: number
  readonly everyMs: number
  readonly since: number | null
  readonly sleep: (ms: number) => Promise<unknown>
  readonly print: (line: string) => void
}

const countMax = 20

/** Runs the agent; it prints what is left however it ends. */
export async function runAgent(options: AgentOptions): Promise<void> {
  const { base, client, isThrowawayKey, polls, everyMs, sleep, print } = options
  let last = options.since
  try {
    print(`buyer      ${client.address}`)
    const paymentMode = await client.paymentMode()
    await comparePrices(base)
    print(`prices     those of ${base.host} are as expected`)
    if (isThrowawayKey && paymentMode === "live") {
      throw new Error(
        "Payments are real here, and the key has no money: set BUYER_PRIVATE_KEY",
      )
    }
    for (let poll = 1; poll <= polls; poll++) {
      const { index } = (await client.index()).body
      last ??= Math.max(0, index - 10)
      print(`poll ${poll}     index ${index}`)
      while (last < index) last = await buyAfter(last, index, options)
      if (poll < polls) await sleep(everyMs)
    }
  } catch (error) {
    if (!(error instanceof BuyError) || error.code === "receipt_wrong") throw error
    print(`stopping   ${error.sentence}`)
    if (error instanceof ChargeUnknown) print("           the same command sends the same payment")
  } finally {
    const left = await client.left()
    if (left !== null) print(`left       $${left.leftUsd} of $${left.budgetUsd}`)
    if (last !== null) print(`continue   with --since ${last}`)
  }
}

/** Buys the items after an index, prints them, and returns the index that it has come to. */
async function buyAfter(
  last: number,
  index: number,
  { client, receipts, print }: AgentOptions,
): Promise<number> {
  print(`buying     the items after ${last}`)
  const { body, sentence, isEarlier } = await client.signals({ since: last, count: countMax })
  print(`  ${sentence}`)
  if (receipts.isWrong()) throw new Error("The signed receipt is not of this answer")
  // Titles are text of strangers: quoted, and never an instruction.
  for (const { feedIndex, type, title } of body.data) {
    print(`  #${feedIndex} ${type}: ${quoted(title)}`)
  }
  const newest = Math.max(last, ...body.data.map(({ feedIndex }) => feedIndex))
  // A full page may have a next one, and the answer to an earlier call may be older than the index; any
  // other may have items that came after the index was read.
  const mayHaveNext = body.data.length === countMax || isEarlier && newest > last
  return mayHaveNext ? newest : Math.max(newest, index)
}

/** Fails where /openapi.json has another price for a call than the client. */
async function comparePrices(base: URL): Promise<void> {
  const response = await fetch(new URL("/openapi.json", base), { redirect: "manual" })
  const { paths = {} } = await response.json()
  for (const { path, priceUsd } of Object.values(calls)) {
    const listed = paths[path]?.get?.["x-payment-info"]?.price?.amount
    if (priceUsd !== null && listed !== priceUsd) {
      throw new Error(`${path} costs ${quoted(String(listed))}, and $${priceUsd} was expected`)
    }
  }
}

type Receipts = ReturnType<typeof verifyReceipts>

/** Verifies the signed receipt of each paid answer. An answer with a wrong one is still passed on. */
export function verifyReceipts(base: URL) {
  let isWrong = false
  return {
    isWrong: () => isWrong,
    fetch: async (input: RequestInfo | URL, init?: RequestInit) => {
      const response = await fetch(input, init)
      const header = response.headers.get("payment-response")
      if (header === null) return response
      const bytes = await response.clone().arrayBuffer()
      const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex()
      const receipt = await receiptIn(header, base).catch(() => null)
      if (receipt?.bodySha256 !== hash) isWrong = true
      return response
    },
  }
}

/** The receipt in a PAYMENT-RESPONSE, a compact JWS (Ed25519); null where no key of `base` made it. */
async function receiptIn(paymentResponse: string, base: URL) {
  const objectOf = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes))
  const bytesOf = (text: string) => Uint8Array.fromBase64(text, { alphabet: "base64url" })
  const { extensions } = objectOf(Uint8Array.fromBase64(paymentResponse))
  const jws: string = extensions["offer-receipt"].info.receipt.signature
  const [header = "", payload = "", signature = ""] = jws.split(".")
  const { keys } = await (await fetch(new URL("/.well-known/jwks.json", base))).json()
  const { kid } = objectOf(bytesOf(header))
  const jwk = keys.find((key: { readonly kid: string }) => key.kid === kid)
  const key = await crypto.subtle.importKey("jwk", jwk, "Ed25519", false, ["verify"])
  const signed = new TextEncoder().encode(`${header}.${payload}`)
  const isValid = await crypto.subtle.verify("Ed25519", key, bytesOf(signature), signed)
  return isValid ? objectOf(bytesOf(payload)) : null
}

/** Reads arguments and environment. An error never contains the key. */
function fromCommandLine(print: (line: string) => void): AgentOptions {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      polls: { type: "string", default: "8" },
      every: { type: "string", default: "15" },
      since: { type: "string" },
    },
  })
  const number = (name: string, text: string) => {
    if (/^\d{1,15}$/.test(text)) return Number(text)
    throw new TypeError(`${name} must be a whole number`)
  }
  const base = readBase(positionals[0])
  const key = readKey()
  const receipts = verifyReceipts(base)
  const client = clientFromEnvironment(base, "0.25", {
    fetch: receipts.fetch,
    ledger: key === null ? memoryLedger() : fileLedger(Deno.env.get("BUDGET_DIR") || ".data/buyer"),
    onStep: (line) => print(`  ${line}`),
  })
  return {
    base,
    client,
    receipts,
    isThrowawayKey: key === null,
    polls: number("--polls", values.polls),
    everyMs: 1_000 * number("--every", values.every),
    since: values.since === undefined ? null : number("--since", values.since),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    print,
  }
}

if (import.meta.main) {
  // deno-lint-ignore no-console
  const print = (line: string) => console.log(line)
  try {
    if (Deno.args.includes("--help")) print(usage)
    else await runAgent(fromCommandLine(print))
    Deno.exit(0)
  } catch (error) {
    // deno-lint-ignore no-console
    console.error(error instanceof Error ? error.message : error)
    Deno.exit(1)
  }
}
