/**
 * The service in text, for language models: /llms.txt is a page in the form of llmstxt.org, whose
 * sections hold lists of links and nothing else, as its reference parser wants it; /llms-full.txt has
 * everything an agent needs, and needs no other text. Calls, bounds and prices come from the tables,
 * examples from the sample, errors from theirs.
 *
 * @module
 */
import { Duration, Record } from "effect"
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { exampleOf, type Parameter } from "../../catalog/domain/parameter.ts"
import { type Product, products } from "../../catalog/domain/product.ts"
import { operationId, type Skill, skillName, skills } from "../../catalog/domain/skill.ts"
import { usd, usdDecimals } from "../../core/domain/money.ts"
import { second } from "../../core/domain/time.ts"
import { paymentIdFormula } from "../../payments/domain/payment.ts"
import { type PaymentTerms, requirements } from "../../payments/domain/x402/terms.ts"
import { paidTaskLife, taskLife } from "../a2a/domain/task.ts"
import { x402Keys } from "../a2a/domain/taskView.ts"
import { paymentKey, receiptKey } from "../mcp/tools.ts"
import { examplesFor } from "../openapi/examples.ts"
import { paymentsPrefix } from "../paywall/paymentStatus.ts"
import { bodyBytesMax, paymentLengthMax, rules, targetLengthMax } from "../server/errors.ts"
import { policyField, type RateBudget } from "../server/limits.ts"
import { description, links, paths } from "./addresses.ts"

export interface LlmsOptions {
  readonly terms: PaymentTerms
  readonly version: string
  readonly paymentMode: "live" | "simulated"
  readonly limits: {
    readonly free: RateBudget
    readonly documents: RateBudget
    readonly invalidPayments: RateBudget
  }
}

/** What the mode of payments means to a reader. */
const modeNotes = {
  live: "Payments are real: USDC on the network that the 402 names.",
  simulated: "Payments are simulated here: signatures are checked, and no money moves.",
} as const

/** The page, as text. */
export function llmsText({ terms, paymentMode, limits }: LlmsOptions): string {
  const { publicBaseUrl, serviceName } = terms
  const link = (name: string, path: string, note: string) =>
    `- [${name}](${publicBaseUrl}${path}): ${note}`
  const free = [freeRows.index, freeRows.pulse, freeRows.digest_brief, freeRows.track_record]
    .map(({ path, title }) => link(`GET ${path}`, path, title))
  return [
    `# ${serviceName}`,
    "",
    `> ${description}. JSON over HTTP, x402 version 2, USDC on ` +
    `eip155:${terms.chainId}. No account, no API key.`,
    "",
    `- Base address: ${publicBaseUrl}. ${modeNotes[paymentMode]}`,
    `- Start free: poll \`GET ${freeRows.index.path}\` about every 10 minutes. When \`index\` has ` +
    `moved, buy \`GET ${products.signals.path}\` with \`since\` set to the last index you saw.`,
    ...(limits.free === "off" ? [] : [
      `- Free calls: ${limits.free.limit} in ${limits.free.windowMs / second} seconds for each ` +
      "address, all of them together; then 429 with Retry-After.",
    ]),
    "- Pay: call without a payment; the 402's `PAYMENT-REQUIRED` header (base64 JSON) says what it " +
    "costs. Sign the one entry of `accepts`, and send the same request again with " +
    "`PAYMENT-SIGNATURE`. `PAYMENT-RESPONSE` is the receipt.",
    "- An error or an empty answer is not charged, or is refunded: `charged` says which.",
    "- Informational only; not financial advice.",
    "",
    "## Free",
    "",
    ...free,
    link(`GET ${freeRows.sample.path}`, freeRows.sample.path, freeRows.sample.title),
    "",
    "## Paid",
    "",
    ...Object.values(products).map((product) =>
      link(`GET ${product.path}`, product.path, paidNote(product))
    ),
    "",
    "## Machine interfaces",
    "",
    link("OpenAPI 3.1", paths.openApi, "every path, shape and price"),
    link("Catalog", paths.discovery, "what is sold, as readers of the x402 Bazaar want it"),
    link("A2A agent card", paths.agentCard, `protocol 0.3.0, JSON-RPC at ${paths.a2a}`),
    link("MCP", paths.mcpCard, `the same skills as tools, over streamable HTTP: POST ${paths.mcp}`),
    "",
    "## Optional",
    "",
    link("Full text", paths.llmsFull, "how to pay, every call with an example, errors, limits"),
    link("Terms", freeRows.terms_text.path, "what paying accepts"),
    link("Health", freeRows.health.path, "liveness and payment mode"),
    link("Family", freeRows.family.path, "sibling products"),
    "",
  ].join("\n")
}

function paidNote({ price, title, parameters }: Product): string {
  const query = parameters.length === 0
    ? ""
    : `. Query: ${parameters.map(parameterLine).join("; ")}`
  return `$${usd(price)}. ${title}${query}`
}

/** The whole text. */
export function llmsFullText(options: LlmsOptions): string {
  const { terms, version, paymentMode } = options
  return [
    `# ${terms.serviceName} ${version}`,
    `> ${description}.`,
    `Base address: ${terms.publicBaseUrl}. ${modeNotes[paymentMode]} No account and no API key. ` +
    "Everything served is informational; it is not financial advice.",
    about,
    "## What is free and what it costs",
    priceTable(),
    payingSection(terms),
    "## Calls",
    callsNote,
    ...skills.map((skill) => callSection(skill, options)),
    "## Errors, and who is charged",
    errorsNote(),
    errorTable(),
    "## Limits",
    limitsSection(options),
    "## A2A and MCP",
    agentsSection(terms.publicBaseUrl),
    "## Other documents",
    links.map(({ rel, path, type }) => `- ${terms.publicBaseUrl}${path} (${rel}, ${type})`)
      .join("\n"),
    "",
  ].join("\n\n").replace(/\n+$/, "\n")
}

const about = [
  "## What it is",
  "The service watches a prediction-market venue and sells what it finds, one call at a time. " +
  "Its feed unifies three types of items, in one index that only grows:",
  [
    "- `mover`: a market whose price really moved. It has enough volume and depth, its move is large " +
    "against its own history, and trades or persistence confirm it. It carries the order book's " +
    "microstructure.",
    "- `whale_entry`: a position that a tracked wallet entered, with what that wallet's earlier " +
    "entries came to when held to resolution, as it was known before the entry.",
    "- `predetermined`: a market whose outcome already exists in definitive form while its price says " +
    "otherwise, with the evidence.",
  ].join("\n"),
  "The pattern of use: poll the index, which is free, about every 10 minutes; when it has moved, buy " +
  "the items after the last index you saw. Nothing is pushed and nothing is streamed. Prices and " +
  "rates are numbers from 0 to 1, sums in USD are numbers, times are ISO 8601 in UTC.",
].join("\n\n")

function priceTable(): string {
  const free = Object.values(freeRows).map(({ path, title }) =>
    `| \`${path}\` | free | | ${title} |`
  )
  const paid = Object.values(products).map(({ path, price, settlementOrder, title }) =>
    `| \`${path}\` | $${usd(price)} (${price} units) | ${settlementOrder} | ${title} |`
  )
  return ["| GET | price | settlement | what |", "|---|---|---|---|", ...free, ...paid].join("\n")
}

const callsNote = "Every call is a GET, and answers JSON with `success`. The name is that of the " +
  "skill over A2A and of the tool over MCP. The examples are made up: their shapes are real, the " +
  "markets are not. Answers may gain fields."

function callSection(skill: Skill, { terms }: LlmsOptions): string {
  const price = skill.kind === "free" ? "free" : `$${usd(skill.product.price)} a call`
  const example: unknown = examplesFor(terms)[skill.id]
  const call = exampleCall(skill)
  return [
    `### ${skill.name}`,
    `\`GET ${skill.path}\`, ${price} (operation \`${operationId(skill)}\`). ${skill.title}.`,
    skill.description,
    skill.parameters.length === 0
      ? "No parameters."
      : skill.parameters.map((parameter) =>
        `- \`${parameterLine(parameter)}\`: ${parameter.description}`
      ).join("\n"),
    `\`GET ${terms.publicBaseUrl}${call}\` answers`,
    skill.id === "sample" ? sampleNote : fenced("json", jsonText(example)),
  ].join("\n\n")
}

const sampleNote = "`success`, `_notice` (`type` and `message`, which say that all is made up), " +
  "`feedItems` (one item of each type), `whales`, `digest`, `resolving` and `research`, each as in " +
  "the examples here."

/** Beyond this many characters an example is one line: a model reads it as well, and pays for less. */
const spreadMax = 800

function jsonText(value: unknown): string {
  const line = JSON.stringify(value)
  return line.length > spreadMax ? line : JSON.stringify(value, null, 1)
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``
}

const errorsNote = () =>
  'An error is JSON: `{"success":false,"error":{"code","message","status","retryable",' +
  '"charged","requestId"}}`, with `hint` where there is something to do, `details` (`param`, ' +
  "`in`, `message`) on a 400, `retryAfterSeconds` equal to Retry-After, `receipt` of a payment that " +
  "was used, and `refund` (`id`, `state`, `amountUsd`, `to`) of one that is given back. `charged` is " +
  "what counts: false, nothing was taken for this call; true, it was taken, and `refund` says how it " +
  "comes back; null, it is not known yet: send the same payment again after Retry-After, it is never " +
  "taken twice. Calls with the settlement `compute-first` are settled only when the answer is ready, " +
  "so their errors are never charged. Calls with `settle-early` check first all that can be known " +
  "beforehand, uncharged; what fails after settlement is refunded in full."

function errorTable(): string {
  const rows = Record.toEntries(rules).map(([code, { status, retryable, meaning }]) =>
    `| \`${code}\` | ${status} | ${retryable ? "yes" : "no"} | ${meaning} |`
  )
  return ["| code | status | worth a retry | what it means |", "|---|---|---|---|", ...rows]
    .join("\n")
}

function limitsSection({ limits }: LlmsOptions): string {
  const said = (name: string, budget: RateBudget) =>
    budget === "off" ? "no limit" : `\`${policyField({ name, ...budget })}\``
  return [
    `- Free paths: ${said("free", limits.free)}, one budget for each client address over all of ` +
    "them, whether they are asked for over HTTP, A2A or MCP.",
    `- Documents, unpaid calls of paid paths, lookups of payments, other messages of A2A and MCP: ` +
    `${said("documents", limits.documents)}.`,
    "- Calls that show a valid payment: none. Payments that turn out to be invalid: " +
    `${said("invalid_payments", limits.invalidPayments)}.`,
    "- Over a budget: 429 with Retry-After, RateLimit and RateLimit-Policy (`q` requests in `w` " +
    "seconds). IPv6 addresses count by network.",
    "- Free answers and documents carry an ETag; with If-None-Match an unchanged one is a 304.",
    `- Path and query: ${targetLengthMax} characters. A payment header: ${paymentLengthMax}. A body ` +
    `posted to ${paths.a2a} or ${paths.mcp}: ${bodyBytesMax} bytes.`,
    `- A task of A2A lives for ${Duration.format(taskLife)}, and from its payment on for ` +
    `${Duration.format(paidTaskLife)}: then it is not found any more.`,
    "- Unknown parameters are ignored over HTTP; repeated and empty ones are a 400.",
    "- `get_research` may take a minute: wait 90 seconds before you give up.",
  ].join("\n")
}

function agentsSection(publicBaseUrl: string): string {
  const params = exampleOf(products.signals.parameters)
  const skill = skillName(products.signals)
  const meta = (key: string) => `\`metadata["${key}"]\``
  return [
    `**A2A 0.3.0**: JSON-RPC, POST ${publicBaseUrl}${paths.a2a}; the card is ` +
    `${publicBaseUrl}${paths.agentCard}. Send \`message/send\` with a data part such as ` +
    `\`${
      JSON.stringify({ skill, params })
    }\`. A free skill gives a completed task with the answer ` +
    "as an artifact. A paid one gives a task in the state `input-required`, whose status message " +
    `has the x402 terms in ${meta(x402Keys.required)}; answer on the same task, with ` +
    `${meta(x402Keys.status)} = \`payment-submitted\` and the payment in ` +
    `${meta(x402Keys.payload)}. The receipt is in ${meta(x402Keys.receipts)}. No streaming, no ` +
    "push notifications.",
    `**MCP**: streamable HTTP, POST ${publicBaseUrl}${paths.mcp}, one tool a skill, no session ` +
    `needed. Call \`${skill}\` with \`${
      JSON.stringify(params)
    }\`. Without a payment the result is ` +
    "an error whose structured content has the x402 terms; call again with the payment in " +
    `\`_meta["${paymentKey}"]\`. The receipt is in \`_meta["${receiptKey}"]\`.`,
    "If the answer is lost on the way, send the same message with the same payment again. Over A2A the " +
    "task id is the secret that fetches the answer: tell it to nobody. Over MCP it is the header " +
    "Idempotency-Key, or the `payment-identifier` extension of the payment; without one of them a " +
    "payment that was used gives no answer twice.",
    "Prices, parameters, refunds and limits are the same by every way, and one payment buys one " +
    `answer, whichever way it goes. What became of a payment: GET ${publicBaseUrl}` +
    `${paymentsPrefix}{paymentId}, free, where paymentId is ${paymentIdFormula}.`,
  ].join("\n\n")
}

/** The section, with its heading. */
function payingSection(terms: PaymentTerms): string {
  const { signals } = products
  const { publicBaseUrl } = terms
  const call = `${publicBaseUrl}${exampleCall(signals)}`
  return [
    "## How to pay",
    steps(call, terms),
    "With the reference client, which does all of this (`npm install @x402/fetch @x402/evm viem`):",
    ["```js", sampleCode(publicBaseUrl), "```"].join("\n"),
    "If the answer is lost on the way, send the same request with the same payment and the same " +
    "Idempotency-Key: it is given again (`Idempotent-Replayed: true`) and not charged again. Without " +
    "a key a payment that was used is a 409, because a settled authorization is public. The key may " +
    "also be the `payment-identifier` extension of the payment.",
    "Refunds: an answer that was paid for and cannot be given is refunded in full to its payer, by " +
    "itself; the error has the refund's id, and GET " +
    `${publicBaseUrl}${paymentsPrefix}{id} says where it stands. Terms: ` +
    `${publicBaseUrl}${freeRows.terms_text.path}`,
  ].join("\n\n")
}

function steps(call: string, terms: PaymentTerms): string {
  const { signals } = products
  const { network, amount, asset, payTo, extra } = requirements(signals, terms)
  const steps = [
    `GET ${call} without a payment. It answers 402. Parameters are not looked at yet.`,
    "Decode the header `PAYMENT-REQUIRED`: base64 of JSON, `x402Version` 2. `accepts` has one entry: " +
    `scheme \`exact\`, network \`${network}\`, amount \`${amount}\`, asset \`${asset}\`, payTo ` +
    `\`${payTo}\`. The amount is in units of 10^-${usdDecimals} USDC: ${amount} is ` +
    `$${usd(signals.price)}. The body of the 402 is a summary for people.`,
    "Sign an EIP-3009 `TransferWithAuthorization` for that amount to payTo: EIP-712 domain " +
    `\`{name: "${extra.name}", version: "${extra.version}", chainId: ${terms.chainId}, ` +
    "verifyingContract: asset}`, a fresh random 32-byte nonce, `validAfter` in the past, " +
    `\`validBefore\` ${terms.maxTimeoutSeconds} seconds from now.`,
    "Repeat the same request with the header `PAYMENT-SIGNATURE`: base64 of the JSON `{x402Version: " +
    "2, payload: {signature, authorization}, accepted}`, where `accepted` is the entry you signed " +
    "for. `X-PAYMENT` is read too, for older clients. Send an `Idempotency-Key` of your own, a " +
    "secret of 16 to 128 letters, digits, - or _, with this first paid call.",
    "A 200 has the answer, and the receipt in `PAYMENT-RESPONSE` (base64 of JSON: payer, " +
    "transaction, network). `charged: false` in the body means that there was nothing worth the " +
    "price, and nothing was taken. Any other status: read `charged` in the error.",
  ]
  return steps.map((step, at) => `${at + 1}. ${step}`).join("\n")
}

/** A buyer of one page of the feed. */
function sampleCode(publicBaseUrl: string): string {
  return [
    'import { ExactEvmScheme } from "@x402/evm"',
    'import { wrapFetchWithPaymentFromConfig } from "@x402/fetch"',
    'import { privateKeyToAccount } from "viem/accounts"',
    "",
    "const account = privateKeyToAccount(process.env.PRIVATE_KEY)",
    "const pay = wrapFetchWithPaymentFromConfig(fetch, {",
    '  schemes: [{ network: "eip155:*", client: new ExactEvmScheme(account) }],',
    "})",
    `const base = "${publicBaseUrl}"`,
    `const { index } = await (await fetch(base + "${freeRows.index.path}")).json()`,
    `const response = await pay(base + "${products.signals.path}?since=" + Math.max(0, index - 5), {`,
    '  headers: { "Idempotency-Key": crypto.randomUUID() },',
    "})",
    "console.log(response.status, await response.json())",
  ].join("\n")
}

interface Callable {
  readonly path: string
  readonly parameters: ReadonlyArray<Parameter>
}

/** The example call of a row: its path with the parameters that have an example or a default. */
function exampleCall({ path, parameters }: Callable): string {
  const query = new URLSearchParams(
    Object.entries(exampleOf(parameters)).map(([name, value]) => [name, String(value)]),
  ).toString()
  return query === "" ? path : `${path}?${query}`
}

/** A parameter in a few words: `count (integer, 1 to 20, default 10)`. */
function parameterLine(parameter: Parameter): string {
  return `${parameter.name} (${limitsOf(parameter).join(", ")})`
}

function limitsOf(
  { type, required, minimum, maximum, default: fallback, values, pattern }: Parameter,
): ReadonlyArray<string> {
  const bounds = minimum !== undefined && maximum !== undefined
    ? `${minimum} to ${maximum}`
    : minimum !== undefined
    ? `at least ${minimum}`
    : null
  return [
    type,
    required === true ? "required" : null,
    bounds,
    fallback === undefined ? null : `default ${fallback}`,
    values === undefined ? null : `one of ${values.join(", ")}`,
    pattern === undefined ? null : `matches ${pattern}`,
  ].filter((part) => part !== null)
}
