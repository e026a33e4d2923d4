/**
 * The text documents for language models. /llms.txt is one page in the form of llmstxt.org, whose
 * reference parser allows only lists of links in sections. /llms-full.txt contains everything an
 * agent needs. Calls, bounds, prices, examples and errors come from the catalog and the table of
 * errors.
 *
 * @module
 */
import { Record } from "effect"
import { type FreeRow, freeRows } from "../../catalog/domain/freeRow.ts"
import { exampleOf, type Parameter } from "../../catalog/domain/parameter.ts"
import { type Product, products } from "../../catalog/domain/product.ts"
import { resend, resendRule } from "../../catalog/domain/refusal.ts"
import { operationId, type Skill, skillName, skills } from "../../catalog/domain/skill.ts"
import { usd, usdDecimals } from "../../core/domain/money.ts"
import { second } from "../../core/domain/time.ts"
import { paymentIdFormula } from "../../payments/domain/payment.ts"
import {
  idPlaceholder,
  payerProofExtension,
  payerProofText,
} from "../../payments/domain/payerProof.ts"
import { type PaymentTerms, requirements, v1Networks } from "../../payments/domain/x402/terms.ts"
import { x402Keys } from "../a2a/taskView.ts"
import { paymentArgument, paymentKey, receiptKey } from "../mcp/tools.ts"
import { paymentsPrefix } from "../paywall/paymentStatus.ts"
import { bodyBytesMax, errorRules, paymentLengthMax, targetLengthMax } from "../server/errors.ts"
import { pendingPerClientMax } from "../server/admission.ts"
import { handshakeBudget, policyField, type RateBudget, unpaidBudget } from "../server/limits.ts"
import type { TestTrigger } from "../../core/testCall.ts"
import { description, type DocumentRow, documentRows, links, paths } from "./addresses.ts"
import { exampleAnswer, firstRows } from "./examples.ts"
import { fieldReference } from "./fieldReference.ts"
import type { Packages } from "./packages.ts"
import { testTriggerSection } from "./testTriggers.ts"

export interface LlmsOptions {
  readonly terms: PaymentTerms
  readonly version: string
  readonly paymentMode: "live" | "simulated"
  readonly testTriggers?: ReadonlyArray<TestTrigger>
  readonly packages: Packages
  readonly limits: {
    readonly free: RateBudget
    readonly documents: RateBudget
    readonly invalidPayments: RateBudget
  }
}

const modeNotes = {
  live: "Payments are real: USDC on the network named in the 402.",
  simulated: "Payments are simulated here: signatures are checked, but no money moves. Use a key " +
    "without money: what it signs would be valid for real USDC.",
} as const

/** The text of /llms.txt. */
export function llmsText({ terms, paymentMode, limits }: LlmsOptions): string {
  const { publicBaseUrl, serviceName } = terms
  const link = (name: string, path: string, note: string) =>
    `- [${name}](${publicBaseUrl}${path}): ${note}`
  const documentsOf = (section: DocumentRow["section"]) =>
    documentRows.filter((row: DocumentRow) => row.section === section)
      .map(({ title, path, description }) => link(title, path, description))
  return [
    `# ${serviceName}`,
    "",
    `> ${description}. JSON over HTTP, x402 version 2, USDC on ` +
    `eip155:${terms.chainId}. No account, no API key.`,
    "",
    `- Base address: ${publicBaseUrl}. ${modeNotes[paymentMode]}`,
    `- Start free: poll \`GET ${freeRows.index.path}\` about every 10 minutes. When \`index\` has ` +
    `increased, buy \`GET ${products.signals.path}\` with \`since\` set to the last index you saw.`,
    ...(limits.free === "off" ? [] : [
      `- Free calls: ${limits.free.limit} in ${
        limits.free.windowMs / second
      } seconds per address ` +
      "over all free paths; then 429 with Retry-After.",
    ]),
    "- Pay: call without a payment; the `PAYMENT-REQUIRED` header of the 402 (base64 JSON) has the " +
    "price. Sign a payment for the only entry of `accepts`, and send the same request again with it " +
    "in the header `PAYMENT-SIGNATURE`, and an `Idempotency-Key` that you keep. The header " +
    "`PAYMENT-RESPONSE` is the receipt. A client of x402 version 1 adds `?x402Version=1`.",
    `- ${resendRule}`,
    "- You do not pay for an error or an empty answer: it is not charged, or the payment is refunded. " +
    "`charged` in the body says which.",
    `- Informational only; not financial advice. Terms: ${publicBaseUrl}${freeRows.terms_text.path}`,
    "",
    "## Free",
    "",
    ...Object.values(freeRows).filter(({ tags }: FreeRow) => !tags.includes("service"))
      .map(({ path, title }) => link(`GET ${path}`, path, title)),
    "",
    "## Paid",
    "",
    ...Object.values(products).map((product) =>
      link(`GET ${product.path}`, product.path, paidNote(product))
    ),
    "",
    ...(["Machine interfaces", "Optional"] as const).flatMap((section) => [
      `## ${section}`,
      "",
      ...documentsOf(section),
      "",
    ]),
  ].join("\n")
}

function paidNote({ price, title, parameters }: Product): string {
  const query = parameters.length === 0
    ? ""
    : `. Query: ${parameters.map(parameterLine).join("; ")}`
  return `$${usd(price)}. ${title}${query}`
}

/** The text of /llms-full.txt. */
export function llmsFullText(options: LlmsOptions): string {
  const { terms, version, paymentMode } = options
  return [
    `# ${terms.serviceName} ${version}`,
    `> ${description}.`,
    `Base address: ${terms.publicBaseUrl}. ${modeNotes[paymentMode]} No account and no API key. ` +
    "All answers are informational and not financial advice.",
    aboutSection,
    textsSection,
    "## Prices",
    priceTable(),
    settlementNote,
    payingSection(terms),
    "## Calls",
    callsNote,
    ...skills.map((skill) => callSection(skill, options)),
    "## Fields",
    fieldsNote,
    fieldReference(),
    historySection,
    "## Errors and charges",
    errorsNote(),
    errorTable(),
    "## Limits",
    limitsSection(options),
    "## A2A and MCP",
    agentsSection(options.packages),
    ...testTriggerSection(options.testTriggers),
    "## Other documents",
    links.map(({ rel, path, type }) => `- ${terms.publicBaseUrl}${path} (${rel}, ${type})`)
      .join("\n"),
    "",
  ].join("\n\n").replace(/\n+$/, "\n")
}

const historySection = [
  "## How to check that an item was not changed",
  "Every hash is the SHA-256 of canonical JSON (RFC 8785), in hexadecimal digits.",
  [
    '- `contentHash`: of `{"item": {type, title, createdAt, data}, "salt"}`, the item as you received ' +
    "it without `feedIndex` and `chain`, and its `chain.salt`.",
    '- `hash`: of `{"contentHash", "feedIndex", "previousHash", "skipHash"}`. `previousHash` belongs to ' +
    "the item before. `skipHash` belongs to an earlier one: write the index as a sum of numbers 2^k - 1, " +
    "the largest first, and subtract the last of them. Before the first item a hash is 64 zeros.",
    `- ${freeRows.feed_proof.path}: the first link has the hash of \`head\`, each other one ` +
    "`previousHash` or `skipHash` of the link before it by its index, and the last is the item's.",
    `- ${freeRows.feed_heads.path}: the head of each day, signed. Keep some: a head that you kept shows ` +
    "a later change.",
  ].join("\n"),
].join("\n\n")

/** The page that digests link to. */
const textsSection = [
  "## How digests and reports are made",
  "Code collects facts with typed values, and every sentence rests on some of them. The ids in " +
  "brackets (`F3`) name entries of `facts` in the same answer. Without a model, code writes all " +
  "sentences. A model may replace them, sentence by sentence: code fills in every figure and name, " +
  "and a sentence that does not agree with its facts is left out. A sentence after `Our reading:` is " +
  "an inference.",
  [
    "- Headlines are matched to markets by their words, and are neither read in full nor verified. A " +
    "headline that came before a move need not be its cause.",
    "- Standard deviations are those of the market's own earlier changes over the same time.",
    "- The gain of two contradicting quotes is computed at the quotes shown, after taker fees, and " +
    "needs both markets to be paid by their rules. Gains of one ladder share markets: do not add them.",
    "- A break-even probability is the price of the ask plus the taker fee. A round trip buys at the " +
    "ask and sells at the bid.",
    "- Entries of wallets are counted as held to resolution; sales are not tracked.",
  ].join("\n"),
].join("\n\n")

const aboutSection = [
  "## What the service does",
  "The service watches a prediction-market venue and sells signals, paid per call. Its feed has three " +
  "types of items in one index that only increases:",
  [
    "- `mover`: a market that repriced. It has enough volume and depth, and its price moved by 5 " +
    "cents or more, `running` or `settled` for 40 minutes. The item includes the order book's microstructure.",
    "- `whale_entry`: a position that a tracked wallet entered, with the results of that wallet's " +
    "earlier entries held to resolution, as they were known before the entry.",
    "- `predetermined`: of kind `evidence`, a market whose outcome headlines report while its price " +
    "says otherwise; of kind `proposal`, an outcome that was proposed at the venue and not disputed, at a " +
    "price from 0.90 that is not there yet, with the share of earlier ones that were upheld (paid in full). A " +
    "proposal that traders doubt is no item: digests, reports and /v1/resolving have it.",
  ].join("\n"),
  "How to use it: poll the free index about every 10 minutes; when it has increased, buy the items " +
  `after the last index you saw (at the first start keep the current index and buy nothing), with ` +
  `\`count=20\`: up to 20 items cost the same as one. Continue from ` +
  "the last `feedIndex` you got, until an answer has fewer than `count` items. With a small budget wait " +
  "until several items are new. The service has no push and no streaming. Prices and rates are " +
  "numbers from 0 to 1, USD amounts are numbers, times are ISO 8601 in UTC.",
].join("\n\n")

function priceTable(): string {
  const free = Object.values(freeRows).map(({ path, title }) =>
    `| \`${path}\` | free | | ${title} | |`
  )
  const paid = Object.values(products).map((product: Product) => {
    const { path, price, settlementOrder, title, answerBytes: { p50, p99 } } = product
    const size = `${p50 / 1_000} to ${p99 / 1_000} kB`
    return `| \`${path}\` | $${
      usd(price)
    } (${price} units) | ${settlementOrder} | ${title} | ${size} |`
  })
  return [
    "Size: of half of the answers, and of 99 of 100; a token is about 3 bytes.",
    "",
    "| GET | price | settlement | returns | size |",
    "|---|---|---|---|---|",
    ...free,
    ...paid,
  ].join("\n")
}

const settlementNote =
  "A `compute-first` call is settled only when its answer is ready, so an error before that is not " +
  "charged. Only `charged: false` in an error of this service means that nothing was taken: after " +
  "`charged: null`, a lost connection, or a body that is not JSON of this service (a proxy's 502), " +
  `${resend}. ` +
  "A `settle-early` call is settled before its answer is computed, after every check that needs no " +
  "payment; if it fails after that, it is refunded in full."

const callsNote =
  "Every call is a GET and returns JSON with `success`. Each heading below is the name of the skill " +
  "over A2A and of the tool over MCP. The examples are invented: the shapes are real, the " +
  "markets are not. Answers may gain fields in later versions."

/** How to read the field reference. */
const fieldsNote =
  "Every field of every answer, error and payment header. A name in bold is a type, with the calls " +
  "that return it; the other types are parts of these. Fields of an object, or of a list's rows, are " +
  "indented below it. `time` is ISO 8601 in UTC with milliseconds. An `optional` field may be absent."

function callSection(skill: Skill, { terms }: LlmsOptions): string {
  const price = skill.kind === "free" ? "free" : `$${usd(skill.product.price)} a call`
  const example = exampleAnswer(skill, terms)
  const call = exampleCall(skill)
  return [
    `### ${skill.name}`,
    `\`GET ${skill.path}\`, ${price} (operation \`${operationId(skill)}\`). ${skill.title}.`,
    skill.description,
    skill.use,
    skill.parameters.length === 0
      ? "No parameters."
      : skill.parameters.map((parameter) =>
        `- \`${parameterLine(parameter)}\`: ${parameter.description}`
      ).join("\n"),
    `\`GET ${terms.publicBaseUrl}${call}\` returns`,
    ...(skill.id === "sample" ? [sampleNote] : exampleText(example)),
  ].join("\n\n")
}

const sampleNote =
  "`success`, `_notice` (`type` and `message`, which say that these are samples), " +
  "`feedItems` (one item of each type), `whales`, `digest`, `resolving` and `research`, each as in " +
  "the examples here."

/** Of a longer example only the first row of each list is printed. */
const wholeLengthMax = 5_000

function exampleText(example: unknown): ReadonlyArray<string> {
  const isWhole = JSON.stringify(example).length <= wholeLengthMax
  return isWhole
    ? [fenced("json", jsonText(example))]
    : ["with one row of each list here:", fenced("json", jsonText(firstRows(example)))]
}

/** A longer example is printed on one line, which costs a model fewer tokens. */
const indentedLengthMax = 800

function jsonText(value: unknown): string {
  const line = JSON.stringify(value)
  return line.length > indentedLengthMax ? line : JSON.stringify(value, null, 1)
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``
}

/** The body of an error. */
export const errorsNote = () =>
  'An error is JSON: `{"success":false,"error":{"code","message","status","retryable",' +
  '"charged","requestId"}}`. It may also have `hint` (what you can do), `details` ' +
  "(`param`, `in` and `message` of each error in a 400), `retryAfterSeconds` (equal to Retry-After), " +
  "`receipt` (of a payment that was used) and `refund` (`id`, `state`, `amountUsd`, `to` and " +
  "`paymentTransaction` of a payment that is refunded; the headers Refund-Id and Payment-Transaction have " +
  "the id and the transaction too). `charged` says whether you paid. false: nothing was taken for this call; " +
  "an earlier call with the same payment and no answer may still have taken it. true: the payment was " +
  `taken, and \`refund\` shows its refund. null: not known yet; after Retry-After, ${resend}. To ` +
  "send the same payment again is safe after every 5xx and after no answer: it is never taken twice."

/** The values of `charged` in an error, in words. */
const chargedWords = (charged: boolean | null): string =>
  charged === null ? "not known yet" : charged ? "yes" : "no"

/** Every error code: whether it charged, and whether to send the same request again. */
export function errorTable(): string {
  const rows = Record.toEntries(errorRules).map(([code, rule]) => {
    const charged = rule.charged.map(chargedWords).join(", or ")
    return `| \`${code}\` | ${rule.status} | ${charged} | ${rule.retryable ? "yes" : "no"} | ` +
      `${rule.meaning} |`
  })
  return [
    "| code | status | charged | retry may help | meaning |",
    "|---|---|---|---|---|",
    ...rows,
  ]
    .join("\n")
}

/** The limits of requests and sizes, as a list. */
export function limitsSection({ limits }: LlmsOptions): string {
  const policyText = (name: string, budget: RateBudget) =>
    budget === "off" ? "no limit" : `\`${policyField({ name, ...budget })}\``
  return [
    `- Free paths: ${
      policyText("free", limits.free)
    }, one limit per client address over all of them, ` +
    "for calls over HTTP, A2A and MCP together.",
    `- Unpaid calls of paid paths over HTTP: ${
      policyText("unpaid", unpaidBudget(limits.documents))
    }.`,
    `- Documents, unpaid tools, payment lookups, and other A2A and MCP messages: ` +
    `${policyText("documents", limits.documents)}.`,
    "- Paid and answered calls: no limit. Invalid payments, wrong parameters and uncharged answers " +
    `together: ${policyText("invalid_payments", limits.invalidPayments)}.`,
    `- MCP messages that start a connection (such as \`initialize\` and \`tools/list\`): ` +
    `${policyText("handshakes", handshakeBudget(limits.documents))}.`,
    "- All users of a hosted client share its address, and so its limits. When the free limit is used " +
    "up, wait as the answer says; calls with a payment have no limit. A client on your own " +
    "machine has limits of its own, and so has each user of a gateway whose `X-Forwarded-For` the " +
    "service trusts.",
    `- Requests that wait at once: ${pendingPerClientMax} per client address.`,
    "- Over a limit: 429 with Retry-After, RateLimit and RateLimit-Policy (`q` requests in `w` " +
    "seconds); over MCP a tool's result with `isError` and the seconds to wait. IPv6 addresses are counted per /64 and per /48 network.",
    "- Free answers and documents have an ETag; with If-None-Match an unchanged one returns 304.",
    `- Path and query: ${targetLengthMax} characters. A payment header: ${paymentLengthMax}. A body ` +
    `posted to ${paths.a2a} or ${paths.mcp}: ${bodyBytesMax} bytes.`,
    "- An A2A task does not expire. It pays once: while its answer is kept, 24 hours, every payment " +
    "for it returns that answer.",
    "- A parameter that a paid call does not have returns 400 with the nearest name, and the payment " +
    "stays unused; so do repeated and empty ones. The 402 before it already names it.",
    `- \`get_research\` may take a minute. Use a timeout of 90 seconds; after it, ${resend}.`,
  ].join("\n")
}

/** The calls over A2A and MCP. */
export function agentsSection(packages: Packages): string {
  const { publicBaseUrl } = packages
  const params = exampleOf(products.signals.parameters)
  const skill = skillName(products.signals)
  const meta = (key: string) => `\`metadata["${key}"]\``
  return [
    `**A2A 0.3.0**: JSON-RPC, POST ${publicBaseUrl}${paths.a2a}; the card is ` +
    `${publicBaseUrl}${paths.agentCard}. Send \`message/send\` with a data part such as ` +
    `\`${
      JSON.stringify({ skill, params })
    }\`. A free skill returns a completed task with the answer ` +
    "as an artifact. A paid skill returns a task in the state `input-required`, whose status message " +
    `has the x402 payment requirements in ${
      meta(x402Keys.required)
    }; reply on the same task, with ` +
    `${meta(x402Keys.status)} = \`payment-submitted\` and the payment in ` +
    `${meta(x402Keys.payload)}. The receipt is in ${meta(x402Keys.receipts)}. No streaming, no ` +
    "push notifications. The SDK `@a2a-js/sdk` 1.3.0 ends with `No compatible transport found` unless " +
    "it has its option for 0.3:",
    ["```js", currentA2aClient(publicBaseUrl), "```"].join("\n"),
    `**MCP**: streamable HTTP, POST ${publicBaseUrl}${paths.mcp}, one tool per skill, no session ` +
    `needed. Call \`${skill}\` with \`${
      JSON.stringify(params)
    }\`. Without a payment the result is ` +
    "an error (`isError`): a sentence with the price, and the x402 payment requirements as structured " +
    "content. Call again with the same arguments and the payment in " +
    `\`_meta["${paymentKey}"]\`, or in base64 as the argument \`${paymentArgument}\` where a host ` +
    `cannot send \`_meta\`. The receipt is in \`_meta["${receiptKey}"]\`. The package ` +
    "`bellwether-mcp` (Node 20 or later) is an MCP server over stdio that signs and pays within " +
    "`BUDGET_USD` per UTC day, kept in a file over restarts, for hosts that cannot sign. " +
    `${packages.note} Its entry in \`mcpServers\` of a host:`,
    fenced("json", JSON.stringify(stdioServer(packages))),
    "Without a key its free tools work. It stores each signed payment with its key before it sends it. " +
    `${resendRule} It does so when the same tool is called again with the same arguments.`,
    `${resendRule} Over A2A send it on the same task: the task id is the key, so keep it private. Over ` +
    "MCP the key is the header Idempotency-Key, or the `payment-identifier` extension of the payment. " +
    "Without a key only a `payer-proof` in the payment returns the answer again (see How to pay).",
    "Prices, parameters, refunds and limits are the same over HTTP, A2A and MCP. One payment buys one " +
    `answer. The state of a payment: GET ${publicBaseUrl}` +
    `${paymentsPrefix}{paymentId}, free, where paymentId is ${paymentIdFormula}.`,
  ].join("\n\n")
}

/** Code that connects with the current A2A SDK, whose defaults are for 1.0 only. */
const currentA2aClient = (publicBaseUrl: string) =>
  [
    "import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from " +
    '"@a2a-js/sdk/client"',
    "const legacyCompat = { enabled: true }",
    "const client = await new ClientFactory({ transports: [new JsonRpcTransportFactory({ legacyCompat })], " +
    `cardResolver: new DefaultAgentCardResolver({ legacyCompat }) }).createFromUrl("${publicBaseUrl}")`,
  ].join("\n")

/** How a host starts the stdio server; the limits are its defaults. */
const stdioServer = ({ publicBaseUrl, specs }: Packages) => ({
  bellwether: {
    command: "npx",
    args: ["-y", specs["bellwether-mcp"]],
    env: {
      BASE_URL: publicBaseUrl,
      BUYER_PRIVATE_KEY: "0x…",
      MAX_PRICE_USD: "1.00",
      BUDGET_USD: "1.00",
    },
  },
})

/** The section "How to pay", with its heading. */
export function payingSection(terms: PaymentTerms): string {
  const { signals } = products
  const { publicBaseUrl } = terms
  const call = `${publicBaseUrl}${exampleCall(signals)}`
  return [
    "## How to pay",
    steps(call, terms),
    `${resendRule} The key is the \`Idempotency-Key\`, or the \`payment-identifier\` extension of the ` +
    "payment. For 24 hours after its delivery, the answer is returned again to the same request with " +
    "the same key (`Idempotent-Replayed: true`), and nothing more is charged, even if the same payer " +
    "has made a new signature. Without the key, or after that time, a new signature pays again. The " +
    "rule also holds after `validBefore`: a payment that was taken returns its answer, and one that " +
    "can no longer be taken returns 402; only then sign a new one, with the same key.",
    "The reference client (`npm install @x402/fetch @x402/evm viem`) does steps 1 to 4. It makes a new signature " +
    "on every call, so this program keeps its request and its key in a file until it has the answer. " +
    "Until it prints an answer, run it again with the same `PRIVATE_KEY` within 24 hours: it is charged " +
    "once. After an answer its file is gone, and each run is a new purchase.",
    ["```js", sampleCode(terms), "```"].join("\n"),
    "Without a key a used payment returns 409: a settled authorization is " +
    "public, so it does not prove that you are the buyer. The payer can prove it for a limited time: " +
    `send the same payment with \`extensions["${payerProofExtension}"] = {"signature": "0x..."}\`, ` +
    `the EIP-191 signature (\`personal_sign\`) of the text \`${
      payerProofText(idPlaceholder, publicBaseUrl)
    }\`.`,
    "Refunds: a payment that was taken without an answer is refunded automatically and in full to its " +
    "payer. The error has the refund's id, and GET " +
    `${publicBaseUrl}${paymentsPrefix}{id} returns its state. Terms: ` +
    `${publicBaseUrl}${freeRows.terms_text.path}`,
  ].join("\n\n")
}

function steps(call: string, terms: PaymentTerms): string {
  const { signals } = products
  const { network, amount, asset, payTo, extra } = requirements(signals, terms)
  const steps = [
    `GET ${call} without a payment. It returns 402, whatever its parameters.`,
    "Decode the header `PAYMENT-REQUIRED`: base64 of JSON, `x402Version` 2. `accepts` has one entry: " +
    `scheme \`exact\`, network \`${network}\`${
      networkName(terms)
    }, amount \`${amount}\`, asset \`${asset}\`, payTo ` +
    `\`${payTo}\`. The amount is in units of 10^-${usdDecimals} USDC: ${amount} is ` +
    `$${usd(signals.price)}. The body of the 402 is a summary for people.`,
    "Sign an EIP-3009 `TransferWithAuthorization` for that amount to payTo: EIP-712 domain " +
    `\`{name: "${extra.name}", version: "${extra.version}", chainId: ${terms.chainId}, ` +
    "verifyingContract: asset}`, a fresh random 32-byte nonce, `validAfter` in the past, " +
    `\`validBefore\` ${terms.maxTimeoutSeconds} seconds from now.`,
    "Repeat the same request with the header `PAYMENT-SIGNATURE`: base64 of the JSON `{x402Version: " +
    "2, payload: {signature, authorization}, accepted}`, where `accepted` is the entry you signed " +
    "for. A client of x402 version 1 adds `?x402Version=1` to the address, or it finds no terms, and " +
    "sends `X-PAYMENT`. Send an `Idempotency-Key` with this first paid call, and " +
    "keep it: a secret of 16 to 128 letters, digits, - or _ that you choose, one for each purchase.",
    "A 200 has the answer in its body and the receipt in `PAYMENT-RESPONSE` (base64 of JSON: payer, " +
    'transaction, network; `extensions["offer-receipt"]` has it signed, with the SHA-256 of the ' +
    "body, and that of the 402 has a signed offer; the keys are in /.well-known/jwks.json). " +
    "`charged: false` in the body means that the answer was not worth its " +
    "price and nothing was taken. A second 402 means that the payment was not accepted: `error` in its " +
    "body says why. On any other status read `error.charged`.",
  ]
  return steps.map((step, at) => `${at + 1}. ${step}`).join("\n")
}

/** The name of the network in x402 version 1, where it has one. */
function networkName({ chainId }: PaymentTerms): string {
  const name = v1Networks[chainId]
  return name === undefined ? "" : ` (${name})`
}

/** Code that buys one page of the feed. */
function sampleCode({ publicBaseUrl, chainId }: PaymentTerms): string {
  return [
    'import { ExactEvmScheme } from "@x402/evm"',
    'import { wrapFetchWithPaymentFromConfig } from "@x402/fetch"',
    'import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"',
    'import { privateKeyToAccount } from "viem/accounts"',
    "",
    "const account = privateKeyToAccount(process.env.PRIVATE_KEY)",
    "const pay = wrapFetchWithPaymentFromConfig(fetch, {",
    `  schemes: [{ network: "eip155:${chainId}", client: new ExactEvmScheme(account) }],`,
    `  spendControls: { maxAmountPerPayment: "$${usd(products.signals.price)}" },`,
    "})",
    `const base = "${publicBaseUrl}"`,
    'const file = "purchase.json" // One purchase: its request and its key.',
    "if (!existsSync(file)) {",
    `  const { index } = await (await fetch(base + "${freeRows.index.path}")).json()`,
    `  const url = base + "${products.signals.path}?since=" + Math.max(0, index - 5)`,
    "  writeFileSync(file, JSON.stringify({ url, key: crypto.randomUUID() }))",
    "}",
    'const { url, key } = JSON.parse(readFileSync(file, "utf8"))',
    'const response = await pay(url, { headers: { "Idempotency-Key": key } })',
    "const body = await response.json()",
    "console.log(response.status, body)",
    "const isFinal = body.error?.charged === false && !body.error.retryable",
    "if (response.ok || response.status === 410 || isFinal) rmSync(file)",
  ].join("\n")
}

interface Callable {
  readonly path: string
  readonly parameters: ReadonlyArray<Parameter>
}

/** The example call of a row: its path and the parameters that have an example or a default. */
export function exampleCall({ path, parameters }: Callable): string {
  const query = new URLSearchParams(
    Object.entries(exampleOf(parameters)).map(([name, value]) => [name, String(value)]),
  ).toString()
  return query === "" ? path : `${path}?${query}`
}

/** A parameter in short: `count (integer, 1 to 20, default 10)`. */
function parameterLine(parameter: Parameter): string {
  return `${parameter.name} (${limitsOf(parameter).join(", ")})`
}

/** The type and the limits of a parameter, in words. */
export function limitsOf(
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
