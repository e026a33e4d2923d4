/**
 * A demo buyer: makes one call with bellwether-client, pays for it, and prints requests, responses
 * and the whole body. `deno task buy /v1/latest [base address]`; `--help` prints the options.
 *
 * By default it uses a throw-away key without money, which works only where payments are simulated.
 *
 * @module
 */
import {
  BuyError,
  calls,
  Charged,
  type Client,
  fileLedger,
  nearest,
  plain,
} from "bellwether-client"
import { parseArgs } from "node:util"
import { clientFromEnvironment, readBase, readKey } from "./environment.ts"

const usage = `\
deno task buy [path and query] [base address] [--json] [--out FILE]

  --json      print one JSON object and nothing else: status, charged, receipt, body, sentence, hint
              (what to do), error
  --out FILE  write the body to this file, byte for byte, and print the rest

The path is one of the contract (default /v1/latest); the address is BASE_URL, else that of the service
on this machine: http://127.0.0.1:8402, or at its PORT.

Environment:

  BUYER_PRIVATE_KEY  the key it pays with (default: a throw-away key, for simulated payments only)
  BUDGET_USD         the most that is signed in a UTC day (default 1.00)
  MAX_PRICE_USD      the most this call may cost (default 1.00)
  BUDGET_DIR         where signed payments are kept, so that the next run of the same call sends an
                     unclear payment again (default .data/buyer with BUYER_PRIVATE_KEY, else nowhere)

Exit codes: 0 delivered, 1 not charged, 2 charged without an answer or with a wrong receipt,
3 unclear: run it again`

const exitCodes = { delivered: 0, notCharged: 1, charged: 2, unclear: 3 } as const

interface Exchange {
  readonly status: number
  readonly payment: string | null
  readonly challenge: string | null
  readonly receipt: string | null
  /** What the service advises after an error. */
  readonly hint: string | null
}

interface Options {
  readonly target: string
  readonly call: ReturnType<typeof callAt>
  readonly base: URL
  readonly isJson: boolean
  readonly out: string | null
}

/** A call that cannot be made as it was typed. */
class CannotBuy extends Error {
  override readonly name = "CannotBuy"
  readonly code: string
  readonly hint: string

  constructor(code: string, message: string, hint: string) {
    super(message)
    this.code = code
    this.hint = hint
  }
}

function readOptions(args: ReadonlyArray<string>): Options {
  const { values, positionals: [path = "/v1/latest", address] } = parse(args)
  return {
    target: path,
    call: callAt(path),
    base: readBase(address),
    isJson: values.json === true,
    out: values.out ?? null,
  }
}

function parse(args: ReadonlyArray<string>) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: "boolean" }, out: { type: "string" } },
    })
  } catch (error) {
    throw new CannotBuy("invalid_argument", error instanceof Error ? error.message : "", usage)
  }
}

/** The call at a path, with the parameters of its query. */
function callAt(target: string) {
  const { pathname, searchParams } = new URL(target, "http://service.invalid")
  const found = Object.entries(calls).find(([, { path }]) => path === pathname)
  if (found === undefined) {
    const paths = Object.values(calls).map(({ path }) => path)
    const meant = nearest(paths, pathname)
    throw new CannotBuy(
      "unknown_path",
      `No call has the path ${pathname}.`,
      `${meant === null ? "" : `Did you mean ${meant}? `}The paths are ${paths.join(", ")}.`,
    )
  }
  return { name: found[0] as keyof typeof calls, parameters: Object.fromEntries(searchParams) }
}

/** The client, which records what it sends and receives. */
function clientFor({ base }: Options, exchanges: Array<Exchange>): Client {
  const folder = Deno.env.get("BUDGET_DIR") || (readKey() === null ? null : ".data/buyer")
  return clientFromEnvironment(base, "1.00", {
    ...(folder === null ? {} : { ledger: fileLedger(folder) }),
    onStep: (line) => printError(line),
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const response = await fetch(request)
      exchanges.push({
        status: response.status,
        payment: request.headers.get("PAYMENT-SIGNATURE"),
        challenge: response.headers.get("PAYMENT-REQUIRED"),
        receipt: response.headers.get("PAYMENT-RESPONSE"),
        hint: await hintOf(response),
      })
      return response
    },
  })
}

/** The hint of an error, which is text of a stranger. */
async function hintOf(response: Response): Promise<string | null> {
  if (response.ok || response.status === 402) return null
  const body = await response.clone().json().catch(() => null)
  const hint: unknown = body?.error?.hint
  return typeof hint === "string" ? plain(hint, 300) : null
}

/** What the call ended with, as `--json` prints it. */
interface Outcome {
  readonly exitCode: number
  readonly charged: boolean | null
  /** The body as it was received, or the JSON of one with a wrong receipt; null without an answer. */
  readonly text: string | null
  readonly sentence: string
  /** What to do after an error; the service's own hint is of its answer. */
  readonly hint: string | null
  readonly error: { readonly code: string; readonly paymentId: string | null } | null
}

async function buy(options: Options, client: Client): Promise<Outcome> {
  const { call: { name, parameters } } = options
  try {
    const { charged, text, sentence } = await client.call(name, parameters)
    return { exitCode: exitCodes.delivered, charged, text, sentence, hint: null, error: null }
  } catch (error) {
    if (!(error instanceof BuyError)) return defect(error)
    const { charged, code, next, payment, sentence } = error
    return {
      exitCode: charged === null
        ? exitCodes.unclear
        : charged
        ? exitCodes.charged
        : exitCodes.notCharged,
      charged,
      text: paidText(error),
      sentence,
      hint: next,
      error: { code, paymentId: payment?.paymentId ?? null },
    }
  }
}

/** What was paid for and came with a wrong receipt. */
function paidText(error: BuyError): string | null {
  return error instanceof Charged ? JSON.stringify(error.body ?? undefined) ?? null : null
}

/** An error that the client does not define: a payment may have been sent. */
function defect(error: unknown): Outcome {
  printError(error)
  return {
    ...{ exitCode: exitCodes.unclear, charged: null, text: null },
    sentence: "It is not known whether anything was charged: this program failed.",
    hint: "Run the same command again: with BUYER_PRIVATE_KEY it sends the same payment.",
    error: { code: "defect", paymentId: null },
  }
}

/** A wrong argument or setting. Its message never contains a key. */
function refusal(error: unknown): Outcome | null {
  const isSetting = error instanceof TypeError
  if (!isSetting && !(error instanceof CannotBuy)) return null
  return {
    ...{ exitCode: exitCodes.notCharged, charged: false, text: null },
    sentence: isSetting ? `${error.message}.` : error.message,
    hint: isSetting ? "Correct it; nothing was sent." : error.hint,
    error: { code: isSetting ? "invalid_setting" : error.code, paymentId: null },
  }
}

/** One object; a receipt is decoded. */
function jsonOf(outcome: Outcome, exchanges: ReadonlyArray<Exchange>, out: string | null): string {
  const { charged, text, sentence, hint, error } = outcome
  const receipt = exchanges.findLast(({ receipt }) => receipt !== null)?.receipt ?? null
  const answer = exchanges.findLast(({ payment }) => payment !== null) ?? exchanges.at(-1)
  return JSON.stringify({
    status: answer?.status ?? null,
    charged,
    receipt: receipt === null ? null : decoded(receipt),
    body: text === null || out !== null ? null : parsed(text),
    ...(out === null ? {} : { file: out }),
    sentence,
    hint: error === null ? null : answer?.hint ?? hint,
    error,
  })
}

function printExchange({ status, payment, challenge, receipt }: Exchange): void {
  if (payment !== null) print(`\npayment sent\n${withoutSignature(payment)}`)
  print(`\n<- ${status}`)
  if (challenge !== null) print(`challenge\n${pretty(decoded(challenge))}`)
  if (receipt !== null) print(`receipt\n${pretty(decoded(receipt))}`)
}

/** JSON, or the text itself: what was paid for is printed, whatever it is. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The JSON in a header; the header itself when it has none. */
function decoded(header: string): unknown {
  try {
    return parsed(atob(header))
  } catch {
    return header
  }
}

/** Of extensions, which are long, only the names. */
function pretty(value: unknown): string {
  const namesOnly = (key: string, value: unknown) =>
    key === "extensions" && value instanceof Object ? Object.keys(value) : value
  return JSON.stringify(value, namesOnly, 2)
}

/** A signature can move the money, so only its ends are printed. */
function withoutSignature(header: string): string {
  return pretty(decoded(header)).replace(
    /("signature": "0x[0-9a-f]{8})[0-9a-f]+([0-9a-f]{4}")/i,
    "$1...$2",
  )
}

/** Writes the body; null when there is no file, so that a body that was paid for is printed. */
async function written(out: string | null, text: string): Promise<string | null> {
  if (out === null) return null
  try {
    await Deno.writeTextFile(out, text)
    return out
  } catch (error) {
    printError(`Cannot write ${out}: ${error instanceof Error ? error.message : error}`)
    return null
  }
}

function print(line: string): void {
  // deno-lint-ignore no-console
  console.log(line)
}

function printError(line: unknown): void {
  // deno-lint-ignore no-console
  console.error(line)
}

/** Makes the call; returns the exit code. */
async function main(): Promise<number> {
  if (Deno.args.includes("--help")) {
    print(usage)
    return 0
  }
  const options = readOptions(Deno.args)
  const exchanges: Array<Exchange> = []
  const client = clientFor(options, exchanges)
  if (!options.isJson) print(`GET ${options.target}\nbuyer ${client.address}`)
  const outcome = await buy(options, client)
  try {
    await report(options, outcome, exchanges)
  } catch (error) {
    printError(error)
    return exitCodes.unclear
  }
  return outcome.exitCode
}

/** Prints what the call ended with, and writes the body. */
async function report(
  options: Options,
  outcome: Outcome,
  exchanges: ReadonlyArray<Exchange>,
): Promise<void> {
  const { text, sentence } = outcome
  const file = text === null ? null : await written(options.out, text)
  if (options.isJson) return print(jsonOf(outcome, exchanges, file))
  exchanges.filter(({ payment, challenge }) => payment !== null || challenge !== null)
    .forEach(printExchange)
  if (text !== null) {
    print(`\nbody\n${file ?? JSON.stringify(parsed(text), null, 2)}`)
  }
  print(`\n${sentence}`)
}

try {
  Deno.exit(await main())
} catch (error) {
  const outcome = refusal(error) ?? defect(error)
  if (Deno.args.includes("--json")) print(jsonOf(outcome, [], null))
  else printError(`${outcome.sentence} ${outcome.hint}`)
  Deno.exit(outcome.exitCode)
}
