/**
 * The text documents for language models. /llms.txt is one page in the form of llmstxt.org, whose
 * reference parser allows only lists of links in sections. The texts are `llms.md` and `llms-full.md`,
 * with the calls, prices, errors and limits of this service.
 *
 * @module
 */
import { Record } from "effect"
import { type FreeRow, freeRows } from "../../catalog/domain/freeRow.ts"
import { exampleCall, exampleOf, limitsOf, type Parameter } from "../../catalog/domain/parameter.ts"
import { type Product, products } from "../../catalog/domain/product.ts"
import { errorRules, resend, resendRule } from "../../catalog/domain/refusal.ts"
import { firstRows } from "../../catalog/domain/sample.ts"
import { operationId, type Skill, skillName, skills } from "../../catalog/domain/skill.ts"
import { usd, usdDecimals } from "../../core/domain/money.ts"
import { second } from "../../core/domain/time.ts"
import { version } from "../../core/domain/version.ts"
import { testHeader, testSlugOf, type TestTrigger } from "../../core/testCall.ts"
import { paymentIdFormula } from "../../payments/domain/payment.ts"
import { networkOf, requirements, testNote } from "../../payments/domain/x402/terms.ts"
import { x402Keys } from "../a2a/task.ts"
import { paymentArgument, paymentKey, receiptKey } from "../mcp/tools.ts"
import { bodyBytesMax, paymentLengthMax, targetLengthMax } from "../server/errors.ts"
import { handshakeBudget, policyField, type RateBudget, unpaidBudget } from "../server/limits.ts"
import { pendingPerClientMax } from "../server/route.ts"
import { simulationNotes, type Site } from "../site.ts"
import { description, type DocumentRow, documentRows, links } from "./addresses.ts"
import { fill, quickstartText } from "./docs.ts"
import llmsFull from "./llms-full.md" with { type: "text" }
import llms from "./llms.md" with { type: "text" }

/** What of the payments and the market is real. */
const modeNote = (site: Site) =>
  [
    ...site.paymentMode === "simulated" || testNote(site.terms.chainId) !== null
      ? []
      : ["Payments are real: USDC on the network named in the 402."],
    ...simulationNotes(site),
    ...site.paymentMode === "simulated"
      ? [
        "Use a key without money: signatures are checked, and would be valid for real USDC.",
      ]
      : [],
  ].join(" ")

/** The text of /llms.txt. */
export function llmsText(site: Site): string {
  const { terms, limits } = site
  const { publicBaseUrl, serviceName } = terms
  const link = (name: string, path: string, note: string) =>
    `- [${name}](${publicBaseUrl}${path}): ${note}`
  const documentsOf = (section: DocumentRow["section"]) =>
    documentRows.filter((row: DocumentRow) => row.section === section)
      .map(({ title, path, description }) => link(title, path, description)).join("\n")
  return fill(llms, {
    name: serviceName,
    description,
    chainId: terms.chainId,
    base: publicBaseUrl,
    mode: modeNote(site),
    freeLimit: limits.free === "off"
      ? ""
      : `- Free calls: ${limits.free.limit} in ${limits.free.windowMs / second} seconds per ` +
        "address over all; then 429.\n",
    resendRule,
    free: Object.values(freeRows).filter(({ tags }: FreeRow) => !tags.includes("service"))
      .map(({ path, title }) => link(`GET ${path}`, path, title)).join("\n"),
    paid: Object.values(products).map(({ path, price, title, parameters }: Product) => {
      const query = parameters.map(parameterLine).join("; ")
      const note = `$${usd(price)}. ${title}${query === "" ? "" : `. Query: ${query}`}`
      return link(`GET ${path}`, path, note)
    }).join("\n"),
    interfaces: documentsOf("Machine interfaces"),
    optional: documentsOf("Optional"),
  })
}

/** A parameter in short: `count (integer, 1 to 20, default 10)`. */
const parameterLine = (parameter: Parameter): string => `${parameter.name} (${limitsOf(parameter)})`

/** The text of /llms-full.txt. */
export function llmsFullText(site: Site): string {
  const { terms, packages, limits, testTriggers = [] } = site
  const { publicBaseUrl } = terms
  const { signals } = products
  const { network, amount, asset, payTo, extra } = requirements(signals, terms)
  const params = exampleOf(signals.parameters)
  const version1Name = networkOf(terms.chainId)?.v1Name
  const limitText = (name: string, budget: RateBudget) =>
    budget === "off" ? "no limit" : `\`${policyField({ name, ...budget })}\``
  return fill(llmsFull, {
    name: terms.serviceName,
    version,
    description,
    base: publicBaseUrl,
    mode: modeNote(site),
    prices: priceTable(),
    call: `${publicBaseUrl}${exampleCall(signals)}`,
    network,
    networkName: version1Name === undefined ? "" : ` (${version1Name})`,
    amount,
    asset,
    payTo,
    decimals: usdDecimals,
    price: usd(signals.price),
    tokenName: extra.name,
    tokenVersion: extra.version,
    chainId: terms.chainId,
    validSeconds: terms.maxTimeoutSeconds,
    resend,
    resendRule,
    program: quickstartText("typescript.mjs", packages).trimEnd(),
    paymentId: paymentIdFormula,
    calls: skills.map((skill) => callSection(skill, publicBaseUrl)).join("\n\n"),
    errors: errorTable(),
    freeLimit: limitText("free", limits.free),
    unpaidLimit: limitText("unpaid", unpaidBudget(limits.documents)),
    documentsLimit: limitText("documents", limits.documents),
    invalidLimit: limitText("invalid_payments", limits.invalidPayments),
    handshakesLimit: limitText("handshakes", handshakeBudget(limits.documents)),
    pendingMax: pendingPerClientMax,
    targetMax: targetLengthMax,
    paymentMax: paymentLengthMax,
    bodyMax: bodyBytesMax,
    part: JSON.stringify({ skill: skillName(signals), params }),
    skill: skillName(signals),
    params: JSON.stringify(params),
    requiredKey: x402Keys.required,
    statusKey: x402Keys.status,
    payloadKey: x402Keys.payload,
    receiptsKey: x402Keys.receipts,
    paymentKey,
    paymentArgument,
    receiptKey,
    packagesNote: packages.note,
    stdioCommand: packages.stdioCommand,
    testTriggers: testTriggers.length === 0 ? "" : triggerSection(testTriggers),
    links: links.map(({ rel, path, type }) => `- ${publicBaseUrl}${path} (${rel}, ${type})`)
      .join("\n"),
  })
}

/** The section of /llms-full.txt with this title, without the title; empty where there is none. */
export function sectionOf(text: string, title: string): string {
  const [, section = ""] = text.split(`\n## ${title}\n`)
  return section.split("\n## ")[0]?.trim() ?? ""
}

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
  return tableOf("| GET | price | settlement | returns | size |", [...free, ...paid])
}

function tableOf(header: string, rows: ReadonlyArray<string>): string {
  return [header, header.replaceAll(/[^|]+/g, "---"), ...rows].join("\n")
}

function callSection(skill: Skill, publicBaseUrl: string): string {
  const price = skill.kind === "free" ? "free" : `$${usd(skill.product.price)} a call`
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
    `\`GET ${publicBaseUrl}${exampleCall(skill)}\` returns`,
    ...exampleText(skill),
  ].join("\n\n")
}

/** A longer example has one row of each list; every one is on one line, which costs fewer tokens. */
const wholeLengthMax = 5_000

function exampleText({ sample }: Skill): ReadonlyArray<string> {
  if (typeof sample === "string") return [sample]
  const text = JSON.stringify(sample)
  const isWhole = text.length <= wholeLengthMax
  const shown = isWhole ? text : JSON.stringify(firstRows(sample))
  return [...isWhole ? [] : ["with one row of each list here:"], `\`\`\`json\n${shown}\n\`\`\``]
}

/** The values of `charged` in an error, in words. */
const chargedWords = (charged: boolean | null): string =>
  charged === null ? "not known yet" : charged ? "yes" : "no"

/** Every error code: whether it charged, and whether to send the same request again. */
function errorTable(): string {
  const rows = Record.toEntries(errorRules).map(([code, rule]) => {
    const charged = rule.charged.map(chargedWords).join(", or ")
    return `| \`${code}\` | ${rule.status} | ${charged} | ${rule.retryable ? "yes" : "no"} | ` +
      `${rule.meaning} |`
  })
  return tableOf("| code | status | charged | retry may help | meaning |", rows)
}

/** The section about test triggers, where payments are simulated. */
function triggerSection(triggers: ReadonlyArray<TestTrigger>): string {
  const rows = triggers.map((trigger) =>
    `| \`${trigger.name}\` | ${trigger.happens} | ${trigger.end} |`
  )
  return [
    "## Test triggers",
    "Payments are simulated here, so a buyer can be tested against failures. Name one in the header " +
    `\`${testHeader}\` of a paid call, over HTTP, A2A or MCP; or buy \`${products.research.path}\` ` +
    `for the market \`${testSlugOf({ name: "NAME" })}\`, which returns the sample ` +
    "report in the end. A trigger acts on the first call with a payment; later calls with the same " +
    "payment are answered as usual. Where payments are real, the header is refused with 400 and these markets do not exist.",
    tableOf("| trigger | what happens | what a correct buyer gets |", rows),
    "",
  ].join("\n\n")
}
