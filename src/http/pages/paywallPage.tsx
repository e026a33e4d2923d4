/**
 * The page of a paid path for a person who opens it without a payment: what the call costs, what it
 * returns, and how a program pays. Its status is 402, with the header that a wallet reads.
 *
 * @module
 */
import { exampleOf } from "../../catalog/domain/parameter.ts"
import type { Product } from "../../catalog/domain/product.ts"
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { skillName } from "../../catalog/domain/skill.ts"
import { usd } from "../../core/domain/money.ts"
import type { SignedExtension } from "../../payments/domain/x402/offerReceipt.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import { paths } from "../documents/addresses.ts"
import { exampleCall, limitsOf } from "../documents/llms.ts"
import { firstRows } from "../openapi/examples.ts"
import { challengeFor } from "../paywall/paywall.ts"
import { Card, Cards, CodeBlock, Fact, Facts, Prose } from "./blocks.tsx"
import { claudeCommand } from "./commands.ts"
import type { PageMeta } from "./layout.tsx"
import { Table } from "./parts.tsx"
import { pagePaths } from "./paths.ts"
import { networkName, type Site } from "./site.ts"

/** The status and the header are those of the JSON answer. */
export function paywallMeta(
  product: Product,
  terms: PaymentTerms,
  offer: SignedExtension,
): PageMeta {
  const { status, headers } = challengeFor(product, terms, { offer })
  return {
    path: product.path,
    title: `${product.title}: $${usd(product.price)} per call`,
    description: product.description.replaceAll("`", ""),
    status,
    headers: [["payment-required", headers["payment-required"] ?? ""]],
    noindex: true,
  }
}

const chargedWhen = {
  "compute-first": "when the answer is ready",
  "settle-early": "before the answer is computed",
} as const satisfies Record<Product["settlementOrder"], string>

const onFailure = {
  "compute-first":
    "The payment is taken only when the answer is ready. An error or an empty answer is not charged.",
  "settle-early":
    "The payment is taken after all checks that need no payment, and before the answer is computed. " +
    "If there is no answer then, the payment is refunded in full to its payer.",
} as const satisfies Record<Product["settlementOrder"], string>

export function PaywallPage({ site, product }: { site: Site; product: Product }) {
  const { title, price, settlementOrder, description, parameters, sample } = product
  return (
    <>
      <p class="quiet">
        402 Payment Required · <code>GET {product.path}</code>
      </p>
      <h1>{title}</h1>
      <p class="lead">
        <Prose>{description}</Prose>
      </p>
      <Facts>
        <Fact name="Price of one call">${usd(price)}</Fact>
        <Fact name="Paid in">USDC on {networkName(site.network)}</Fact>
        <Fact name="Paid">{chargedWhen[settlementOrder]}</Fact>
      </Facts>
      <p>
        This address is for programs: an AI agent or a wallet pays for each request, without an
        account. You have paid nothing by opening it.{" "}
        <a href={pagePaths.home}>What is Bellwether?</a>
      </p>
      {parameters.length === 0 ? null : <ParameterTable parameters={parameters} />}
      <h2 id="pay">How to pay</h2>
      <WaysToPay site={site} product={product} />
      <h2 id="failure">If it fails</h2>
      <p>{onFailure[settlementOrder]}</p>
      <p>
        Each error says in <code>charged</code>{" "}
        whether you paid. After a lost answer, send the same payment again with the same{" "}
        <code>Idempotency-Key</code>: it is never taken twice. The{" "}
        <a href={freeRows.terms_text.path}>terms</a> have the details, and the{" "}
        <a href={pagePaths.trackRecord}>track record</a> shows how earlier answers did.
      </p>
      <h2 id="sample">What the answer looks like</h2>
      <p>
        A sample: the fields are real, and the values are invented. Of each list it has the first
        row.
      </p>
      <CodeBlock label="Sample of the answer">
        {JSON.stringify(firstRows(sample), null, 2)}
      </CodeBlock>
    </>
  )
}

function ParameterTable({ parameters }: Pick<Product, "parameters">) {
  return (
    <Table
      caption="Parameters of the query"
      columns={[{ title: "Name" }, { title: "Values" }, { title: "Meaning" }]}
      rows={parameters.map((parameter) => [
        <code key={parameter.name}>{parameter.name}</code>,
        limitsOf(parameter).join(", "),
        <Prose key={parameter.name}>{parameter.description}</Prose>,
      ])}
    />
  )
}

function WaysToPay({ site: { publicBaseUrl }, product }: { site: Site; product: Product }) {
  const input = JSON.stringify(exampleOf(product.parameters))
  return (
    <Cards>
      <Card title="See the terms, with curl">
        <CodeBlock label="Unpaid call with curl">
          {`curl -i '${publicBaseUrl}${exampleCall(product)}'`}
        </CodeBlock>
        <p>
          The header <code>PAYMENT-REQUIRED</code>{" "}
          has the terms to sign, as JSON in base64. A client of x402 version 2 signs them and sends
          the request again with <code>PAYMENT-SIGNATURE</code>.
        </p>
      </Card>
      <Card title="Let Claude pay, over MCP">
        <CodeBlock label="Command that adds Bellwether to Claude Code">
          {claudeCommand(publicBaseUrl, product.price)}
        </CodeBlock>
        <p>
          Then ask for the tool <code>{skillName(product)}</code>. See the{" "}
          <a href={`${paths.quickstarts}claude.md`}>Claude quickstart</a>.
        </p>
      </Card>
      <Card title="Pay from code">
        <CodeBlock label="Call with bellwether-client">
          {`client.call("${skillName(product)}"${input === "{}" ? "" : `, ${input}`})`}
        </CodeBlock>
        <p>
          With <code>bellwether-client</code> (<a href={`${paths.quickstarts}client.mjs`}>
            TypeScript
          </a>), which signs nothing over its budget; or{" "}
          <a href={pagePaths.docs}>Python, LangChain and others</a>.
        </p>
      </Card>
    </Cards>
  )
}
