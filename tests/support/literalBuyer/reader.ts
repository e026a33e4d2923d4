/**
 * A literal-minded buyer: it does what the published texts say, and nothing else. It knows one form
 * of words for each thing that a text can ask for, and decides by the words alone. Over HTTP, MCP
 * and A2A.
 *
 * @module
 */
import { privateKeyToAccount } from "viem/accounts"

export type Transport = "HTTP" | "MCP" | "A2A"
export const transports: ReadonlyArray<Transport> = ["HTTP", "MCP", "A2A"]

/** What it wants to buy: a call without parameters. */
export interface Wanted {
  readonly path: string
  readonly skill: string
}

/** What the buyer believes at the end. */
export interface Belief {
  readonly end: "answered" | "answered, not charged" | "refunded" | "not charged" | "unclear"
  /** How many payments it signed, and how often it sent one. */
  readonly signatures: number
  readonly sends: number
  /** The last text that it read. */
  readonly text: string
}

type Json = Readonly<Record<string, unknown>>

/** An answer, as far as the texts say how to read it. */
type Read =
  | { readonly kind: "lost" }
  | { readonly kind: "answer"; readonly charged: boolean }
  | { readonly kind: "terms"; readonly terms: Json; readonly text: string }
  | {
    readonly kind: "text"
    readonly text: string
    readonly refundId: string | null
    readonly waitMs: number | null
  }

/** llms-full.txt, Limits: "Use a timeout of 90 seconds." */
const timeoutMs = 90_000
/** No text says how long to wait without Retry-After. */
const waitMs = 2_000
const sendsMax = 60
const refundPollsMax = 120

/** Buys one answer, as the texts say. */
export async function buyLiterally(
  base: string,
  transport: Transport,
  wanted: Wanted,
  privateKey: `0x${string}`,
): Promise<Belief> {
  const account = privateKeyToAccount(privateKey)
  // "Send an Idempotency-Key with this first paid call, and keep it"
  const purchase = { base, wanted, key: crypto.randomUUID(), taskId: null as string | null }
  const first = await untilRead(() => send[transport](purchase, null))
  if (first.kind !== "terms") return { ...none, end: "not charged", text: JSON.stringify(first) }
  let payment = await signed(account, first.terms)
  let signatures = 1
  for (let sends = 1; sends <= sendsMax; sends += 1) {
    const read = await send[transport](purchase, payment)
    const counts = { signatures, sends, text: "text" in read ? read.text : "" }
    if (read.kind === "answer") {
      return { ...counts, end: read.charged ? "answered" : "answered, not charged" }
    }
    if (read.kind === "text" && read.refundId !== null) {
      return { ...counts, end: await refundEnd(base, read.refundId) }
    }
    const next = nextStep(read)
    if (next === "end") return { ...counts, end: "not charged" }
    if (next === "sign") {
      payment = await signed(account, read.kind === "terms" ? read.terms : first.terms)
      signatures += 1
    }
    await sleep(read.kind === "text" ? read.waitMs ?? waitMs : waitMs)
  }
  return { ...none, signatures, sends: sendsMax, end: "unclear" }
}

const none = { signatures: 0, sends: 0, text: "" }

/** What a text asks for. The words are those of the texts. */
function nextStep(read: Exclude<Read, { readonly kind: "answer" }>): "send" | "sign" | "end" {
  // "Answer lost or 503: send the same payment again with the same key"
  if (read.kind === "lost") return "send"
  const { text } = read
  if (/send the same payment again/i.test(text)) return "send"
  // "sign a new one, with the same key"
  if (/sign a new one, with the same key/i.test(text)) return "sign"
  // A2A: "Send the same message again, or call tasks/get"
  if (/send the same message again/i.test(text)) return "send"
  // The table of errors: "Too many requests from this address. Wait for Retry-After."
  return /too many requests|rate_limited/i.test(text) ? "send" : "end"
}

/** "GET /v1/payments/{id} returns the state of the refund" */
async function refundEnd(base: string, id: string): Promise<Belief["end"]> {
  for (let polls = 0; polls < refundPollsMax; polls += 1) {
    const body = await fetch(`${base}/v1/payments/${id}`).then((answer) => answer.json())
      .catch(() => ({}))
    if (objectIn(body["refund"])["state"] === "confirmed") return "refunded"
    await sleep(waitMs)
  }
  return "unclear"
}

interface Purchase {
  readonly base: string
  readonly wanted: Wanted
  readonly key: string
  taskId: string | null
}

/** A call without a payment costs nothing, so it is simply repeated. */
async function untilRead(call: () => Promise<Read>): Promise<Read> {
  for (let calls = 0; calls < sendsMax; calls += 1) {
    const read = await call()
    if (read.kind === "terms") return read
    await sleep(waitMs)
  }
  return { kind: "lost" }
}

/** "Sign an EIP-3009 TransferWithAuthorization for that amount to payTo" */
async function signed(account: ReturnType<typeof privateKeyToAccount>, required: Json) {
  const [accepted = {}] = Array.isArray(required["accepts"]) ? required["accepts"] : []
  const now = Math.floor(Date.now() / 1_000)
  const nonce = `0x${crypto.getRandomValues(new Uint8Array(32)).toHex()}` as const
  const authorization = {
    from: account.address,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: String(now - 600),
    validBefore: String(now + accepted.maxTimeoutSeconds),
    nonce,
  }
  const signature = await account.signTypedData({
    domain: {
      name: accepted.extra.name,
      version: accepted.extra.version,
      chainId: Number(String(accepted.network).split(":")[1]),
      verifyingContract: accepted.asset,
    },
    types: {
      TransferWithAuthorization: [
        { name: "from", type: "address" },
        { name: "to", type: "address" },
        { name: "value", type: "uint256" },
        { name: "validAfter", type: "uint256" },
        { name: "validBefore", type: "uint256" },
        { name: "nonce", type: "bytes32" },
      ],
    },
    primaryType: "TransferWithAuthorization",
    message: {
      ...authorization,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
    },
  })
  return { x402Version: 2, payload: { signature, authorization }, accepted }
}

type Payment = Awaited<ReturnType<typeof signed>>
type Send = (purchase: Purchase, payment: Payment | null) => Promise<Read>

const overHttp: Send = async ({ base, wanted, key }, payment) => {
  const headers: Record<string, string> = payment === null
    ? {}
    : { "PAYMENT-SIGNATURE": btoa(JSON.stringify(payment)), "Idempotency-Key": key }
  const found = await answerTo(`${base}${wanted.path}`, { headers })
  if (found === null) return { kind: "lost" }
  const { status, headers: received, body } = found
  const terms = received.get("payment-required")
  if (status === 402 && terms !== null) {
    return { kind: "terms", terms: JSON.parse(atob(terms)), text: String(body["error"]) }
  }
  return status === 200
    ? { kind: "answer", charged: body["charged"] !== false }
    : errorIn(objectIn(body["error"]))
}

/** A call of JSON-RPC; its result, or what the error says. */
async function rpc(
  base: string,
  path: string,
  headers: Record<string, string>,
  method: string,
  params: Json,
): Promise<{ readonly result: Json } | Read> {
  const accept = "application/json, text/event-stream"
  const found = await answerTo(`${base}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept, ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  })
  if (found === null) return { kind: "lost" }
  const { result, error } = found.body
  if (result !== undefined) return { result: objectIn(result) }
  const { message, data } = objectIn(error)
  return errorIn({ message, ...objectIn(data) })
}

const overMcp: Send = async ({ base, wanted, key }, payment) => {
  const _meta = payment === null ? {} : { _meta: { "x402/payment": payment } }
  const headers: Record<string, string> = payment === null ? {} : { "Idempotency-Key": key }
  const called = await rpc(base, "/mcp", headers, "tools/call", {
    ...{ name: wanted.skill, arguments: {}, ..._meta },
  })
  if (!("result" in called)) return called
  const { isError, structuredContent, content, _meta: meta } = called.result
  if (isError !== true) {
    return { kind: "answer", charged: "x402/payment-response" in objectIn(meta) }
  }
  const structured = objectIn(structuredContent)
  const text = (Array.isArray(content) ? content : []).map((part) => part.text).join(" ")
  if ("accepts" in structured) {
    // Its sentence ends with the rule for a lost answer, which is not what has happened here.
    const refused = /The payment was not accepted: [^]*?\. /.exec(text)?.[0]
    return { kind: "terms", terms: structured, text: refused ?? "" }
  }
  return errorIn(objectIn(structured["error"]), text)
}

const overA2a: Send = async (purchase, payment) => {
  const { base, wanted } = purchase
  const data = { kind: "data", data: { skill: wanted.skill, params: {} } }
  const message = payment === null
    ? { kind: "message", role: "user", messageId: purchase.key, parts: [data] }
    : {
      ...{ kind: "message", role: "user", messageId: `${purchase.key}-pay` },
      taskId: purchase.taskId,
      parts: [{ kind: "text", text: "The payment is attached." }],
      metadata: {
        "x402.payment.status": "payment-submitted",
        "x402.payment.payload": payment,
      },
    }
  const called = await rpc(base, "/a2a", {}, "message/send", { message })
  if (!("result" in called)) return called
  const { id, status } = called.result
  purchase.taskId ??= String(id)
  const { state, message: reply } = objectIn(status)
  const { parts, metadata } = objectIn(reply)
  const meta = objectIn(metadata)
  const [first, second] = Array.isArray(parts) ? parts : []
  const text = String(objectIn(first)["text"])
  if (state === "completed") {
    return { kind: "answer", charged: meta["x402.payment.status"] === "payment-completed" }
  }
  if (payment === null) {
    return { kind: "terms", terms: objectIn(meta["x402.payment.required"]), text }
  }
  return errorIn(objectIn(objectIn(objectIn(second)["data"])["error"]), text)
}

const send: Readonly<Record<Transport, Send>> = { HTTP: overHttp, MCP: overMcp, A2A: overA2a }

/** An error of the service: every text in it, and its refund. */
function errorIn(error: Json, text = ""): Read {
  const { code, message, hint, refund, retryAfterSeconds } = error
  const { id } = objectIn(refund)
  return {
    kind: "text",
    text: [text, code, message, hint].filter((part) => typeof part === "string").join(" "),
    refundId: typeof id === "string" ? id : null,
    waitMs: typeof retryAfterSeconds === "number" ? retryAfterSeconds * 1_000 : null,
  }
}

/** An answer with a JSON body; null when it is lost, or not the service's. */
async function answerTo(url: string, init: RequestInit) {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) })
    const body = objectIn(JSON.parse(await response.text()))
    return { status: response.status, headers: response.headers, body }
  } catch {
    return null
  }
}

function objectIn(value: unknown): Json {
  return typeof value === "object" && value !== null ? value as Json : {}
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
