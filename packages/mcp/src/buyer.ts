/**
 * Calls of tools by the client of the service, within the budget: who pays, and what a result says.
 *
 * @module
 */
import type { CallToolResult, Tool } from "@modelcontextprotocol/server"
import {
  BuyError,
  type CallName,
  calls,
  type Client,
  fileLedger,
  makeClient,
  type ParametersOf,
} from "bellwether-client"
import { answerResult, errorResult, failureResult, makeCheckBody, textResult } from "./results.ts"
import type { Called } from "./server.ts"
import { type Settings, WrongSetting } from "./settings.ts"
import { budgetToolName } from "./tools.ts"

/** Hosts give up after about a minute: a call ends before, and the same call fetches its answer. */
const callMsMaxDefault = 50_000

export interface Buyer {
  /** Calls a tool; it never rejects. */
  readonly call: (
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ) => Promise<Called>
  /** Waits until no call is in flight, at most this long. */
  readonly settled: (msMax: number) => Promise<void>
}

/** Builds the buyer of these settings; throws a `WrongSetting`. */
export function makeBuyer(
  settings: Settings,
  tools: ReadonlyArray<Tool>,
  log: (line: string) => void,
  callMsMax = callMsMaxDefault,
): Buyer {
  const { baseUrl, maxPriceUsd, budgetUsd, payTo } = settings
  const ledger = fileLedger(settings.budgetDir)
  const clientOf = (privateKey: string | null) =>
    makeClient({
      ...{ baseUrl, privateKey, maxPriceUsd, budgetUsd, ledger, callMsMax, onStep: log },
      ...payTo === null ? {} : { payTo },
    })
  const own = checked(() => clientOf(settings.privateKey))
  const checks = new Map(tools.map((tool) => [tool.name, makeCheckBody(tool)]))
  const inFlight = new Set<Promise<unknown>>()
  const track = <A>(running: Promise<A>): Promise<A> => {
    inFlight.add(running)
    return running.finally(() => inFlight.delete(running))
  }

  let simulated: Client | null = null
  /** The client that pays; null when there is no key and payments are real. */
  const payingClient = async (signal: AbortSignal): Promise<Client | null> => {
    if (settings.privateKey !== null || simulated !== null) return simulated ?? own
    if (await own.paymentMode({ signal }) === "live") return null
    log("payments are simulated: a throw-away key without money pays")
    return simulated ??= clientOf(throwAwayKey())
  }

  const callService = async (
    name: CallName,
    args: unknown,
    signal: AbortSignal,
  ): Promise<Called> => {
    const { priceUsd } = calls[name]
    const client = priceUsd === null ? own : await payingClient(signal)
    if (client === null) return unpaid(noKey(name))
    // The client checks the arguments against the contract. The payment counts as unclear until the
    // answer has been written, so that the same call fetches an answer that does not arrive.
    // A host that has given up does not always say so: its answer must not count as received.
    const options = {
      signal: AbortSignal.any([signal, AbortSignal.timeout(callMsMax)]),
      hold: true,
    }
    const answer = await client.call(name, args as ParametersOf<CallName>, options)
    const check = checks.get(name) ?? (() => null)
    const sentence = priceUsd === null ? null : answer.sentence + (client === own ? "" : play)
    const { paymentId } = answer.payment ?? {}
    return {
      result: answerResult(name, answer, { payer: client.address, check, sentence }),
      onWritten: () => {
        if (paymentId !== undefined) track(client.received(paymentId))
      },
    }
  }

  const call: Buyer["call"] = async (name, args, signal) => {
    try {
      if (name === budgetToolName) return unpaid(await budgetResult(simulated ?? own, settings))
      if (!isCallName(name)) return unpaid(errorResult(`There is no tool ${name}`))
      return await callService(name, args, signal)
    } catch (error) {
      if (error instanceof BuyError) return unpaid(failureResult(error))
      const reason = error instanceof Error ? error.message : String(error)
      log(`cannot answer ${name}: ${reason}`)
      return unpaid(defect(reason))
    }
  }
  return {
    call: (...parameters) => track(call(...parameters)),
    settled: (msMax) => Promise.race([Promise.all(inFlight).then(() => {}), after(msMax)]),
  }
}

/** A defect, or a record that cannot be written. */
const defect = (reason: string) =>
  errorResult(
    `This server failed: ${reason}. If it had sent a payment, that payment is in its record, ` +
      "and the same call with the same arguments sends it again, never a second one.",
  )

/** A result without a payment that waits for it. */
const unpaid = (result: CallToolResult): Called => ({ result, onWritten: () => {} })

/** All settings have their form by now, but not every number is a key. */
function checked<A>(make: () => A): A {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new WrongSetting("BUYER_PRIVATE_KEY is not the key of a wallet")
  }
}

/** What is left today, and every payment that a call still has to send again. */
async function budgetResult(
  client: Client,
  { budgetUsd, maxPriceUsd }: Settings,
): Promise<CallToolResult> {
  const [left, payments] = [await client.left(), await client.payments()]
  // Only its own payer can send a payment again.
  const unclear = payments.flatMap(({ paymentId, amountUsd, target, outcome, payer }) =>
    outcome === "unclear" && payer === client.address
      ? [{ paymentId, amountUsd, ...callOf(target) }]
      : []
  )
  const body = {
    ...{ payer: client.address, budgetUsd, leftUsd: left?.leftUsd ?? null, maxPriceUsd, unclear },
  }
  const sentence = client.address === null
    ? "This server has no key: free tools only, or a throw-away key where payments are simulated."
    : `$${
      left?.leftUsd ?? "?"
    } of $${budgetUsd} left today (UTC), at most $${maxPriceUsd} for a call.`
  const unclearText = unclear.length === 0
    ? "No payment is unclear."
    : "For each payment under `unclear`, call its tool with its arguments: the same payment is sent " +
      "again, and its answer is returned."
  return {
    ...textResult(`${sentence} ${unclearText}`, body),
    structuredContent: body,
  }
}

/** The tool and the arguments of a path with a query. */
function callOf(target: string) {
  const url = new URL(target, defaultOrigin)
  const [tool = target, row] =
    Object.entries(calls).find(([, { path }]) => path === url.pathname) ??
      []
  const isText = (name: string) =>
    row?.parameters.some((parameter) => parameter.name === name && parameter.type === "string")
  const args = [...url.searchParams].map(([name, value]) => [name, isText(name) ? value : +value])
  return { tool, arguments: Object.fromEntries(args) }
}

/** Completes a path, and is not used. */
const defaultOrigin = "http://localhost"

const isCallName = (name: string): name is CallName => Object.hasOwn(calls, name)

const freeNames = Object.entries(calls)
  .flatMap(([name, { priceUsd }]) => priceUsd === null ? [name] : [])
  .join(", ")

/** The result of a paid tool where there is no key and payments are real. */
const noKey = (name: CallName) =>
  errorResult(
    `Nothing was paid: ${name} costs $${calls[name].priceUsd}, and this server has no key to pay ` +
      "with. To buy, the user sets BUYER_PRIVATE_KEY in the settings of this server to the private " +
      `key of a wallet with USDC on Base, and starts it again. Free tools work: ${freeNames}.`,
  )

/** What follows the sentence about the money of a throw-away key. */
const play = " Payments are simulated here: no real money moved."

/** A key without money, for services whose payments are simulated. */
function throwAwayKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return `0x${bytes.reduce((hex, byte) => hex + byte.toString(16).padStart(2, "0"), "")}`
}

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref())
