/**
 * The offers that each document publishes, read from its text alone: no reader here uses the
 * catalog that the documents are generated from.
 *
 * @module
 */
import type { Json } from "./a2a.ts"
import { objectIn } from "./a2a.ts"

/** A parameter as a document publishes it; null where the document omits a field. */
export interface ListedParameter {
  readonly name: string
  readonly type: unknown
  readonly required: boolean
  readonly minimum: number | null
  readonly maximum: number | null
  readonly default: unknown
  readonly values: ReadonlyArray<string> | null
  readonly pattern: string | null
}

/** A product as the documents publish it; each document has some of these fields. */
export interface Offer {
  readonly name: string
  readonly operationId: string
  readonly path: string
  readonly address: string
  readonly title: string
  readonly description: string
  readonly priceUsd: string
  readonly units: string
  readonly settlement: string
  readonly upfront: boolean
  readonly network: string
  readonly asset: string
  readonly payTo: string
  readonly parameters: ReadonlyArray<ListedParameter>
}
export type ListedOffer = Partial<Offer>

const listIn = (value: unknown) => (Array.isArray(value) ? value : []) as ReadonlyArray<Json>

/** A parameter from its JSON Schema. */
export function parameterIn(name: string, schema: unknown, required: boolean): ListedParameter {
  const { type, minimum, maximum, default: fallback, enum: values, pattern } = objectIn(schema)
  return {
    ...{ name, type, required, default: fallback ?? null },
    minimum: (minimum ?? null) as number | null,
    maximum: (maximum ?? null) as number | null,
    values: (values ?? null) as ReadonlyArray<string> | null,
    pattern: (pattern ?? null) as string | null,
  }
}

/** Parameters from the JSON Schema of their object. */
export function parametersIn(schema: unknown): ReadonlyArray<ListedParameter> {
  const { properties, required } = objectIn(schema)
  const needed = listIn(required) as ReadonlyArray<unknown>
  return Object.entries(objectIn(properties)).map(([name, of]) =>
    parameterIn(name, of, needed.includes(name))
  )
}

/** The offer of an x402 PaymentRequired, in a header, a body or a task. */
export function requestedBy(required: unknown): ListedOffer {
  const { accepts, resource } = objectIn(required)
  return { ...paidBy(accepts), description: String(objectIn(resource)["description"]) }
}

function paidBy(accepts: unknown): ListedOffer {
  const [entry, ...others] = listIn(accepts)
  if (others.length > 0) return {}
  const { amount, network, asset, payTo, extra } = objectIn(entry)
  return {
    ...{ units: String(amount), network: String(network), asset: String(asset) },
    ...{ payTo: String(payTo), upfront: objectIn(extra)["paymentFlow"] === "upfront" },
  }
}

/** The paid operations of /openapi.json. */
export function offersOfContract(document: Json): ReadonlyArray<ListedOffer> {
  const [server] = listIn(document["servers"])
  return Object.entries(objectIn(document["paths"])).flatMap(([path, item]) => {
    const operation = objectIn(objectIn(item)["get"])
    if (listIn(operation["security"]).length === 0) return []
    const price = objectIn(objectIn(operation["x-payment-info"])["price"])
    const query = listIn(operation["parameters"]).filter((row) => row["in"] === "query")
    return [{
      ...{ path, address: `${server?.["url"]}${path}`, priceUsd: String(price["amount"]) },
      operationId: String(operation["operationId"]),
      title: String(operation["summary"]).replace(`, $${price["amount"]}`, ""),
      description: String(operation["description"])
        .replace(`$${price["amount"]} per call, paid in USDC. `, ""),
      parameters: query.map(({ name, schema, required }) =>
        parameterIn(String(name), schema, required === true)
      ),
    }]
  })
}

/** The items of /discovery or /.well-known/x402. */
export function offersOfCatalog(document: Json): ReadonlyArray<ListedOffer> {
  return listIn(document["items"]).map((item) => {
    const { path, operationId, skill, title, settlement, price } = objectIn(item["metadata"])
    const bazaar = objectIn(objectIn(item["extensions"])["bazaar"])
    return {
      ...paidBy(item["accepts"]),
      ...{ address: String(item["resource"]), description: String(item["description"]) },
      ...{ path: String(path), operationId: String(operationId), name: String(skill) },
      ...{ title: String(title), settlement: String(settlement) },
      priceUsd: String(objectIn(price)["amount"]),
      parameters: declaredParameters(bazaar),
    }
  })
}

/** The query that a bazaar extension declares. */
export function declaredParameters(bazaar: Json): ReadonlyArray<ListedParameter> {
  const { input } = objectIn(objectIn(bazaar["schema"])["properties"])
  return parametersIn(objectIn(objectIn(input)["properties"])["queryParams"])
}

const priced = /^\$(\d+\.\d+)/

/** The links with a price in a section of /llms.txt. */
export function offersOfPage(
  links: ReadonlyArray<
    { readonly name: string; readonly url: string; readonly note: string | null }
  >,
): ReadonlyArray<ListedOffer> {
  return links.flatMap(({ name, url, note }) => {
    const priceUsd = priced.exec(note ?? "")?.[1]
    if (priceUsd === undefined || note === null) return []
    const [summary = "", query = ""] = note.split(". Query: ")
    return [{
      ...{ path: name.replace("GET ", ""), address: url, priceUsd },
      title: summary.replace(/^\$[\d.]+\. /, ""),
      parameters: query === "" ? [] : query.split("; ").map(parameterOfLine),
    }]
  })
}

/** Reads a line such as `count (integer, 1 to 20, default 10)`. */
function parameterOfLine(line: string): ListedParameter {
  const [, name = line, limits = ""] = /^(\w+) \((.*)\)$/.exec(line) ?? []
  const number = (pattern: RegExp) => {
    const found = pattern.exec(limits)?.[1]
    return found === undefined ? null : Number(found)
  }
  return {
    ...{ name, type: limits.split(", ")[0], required: limits.includes(", required") },
    minimum: number(/, (\d+) to \d+/) ?? number(/, at least (\d+)/),
    maximum: number(/, \d+ to (\d+)/),
    default: number(/, default (\d+)/),
    values: /, one of ([^)]*)$/.exec(limits)?.[1]?.split(", ") ?? null,
    pattern: /, matches (.*)$/.exec(limits)?.[1] ?? null,
  }
}

/** The calls with a price in /llms-full.txt. */
export function offersOfText(text: string): ReadonlyArray<ListedOffer> {
  const table = new Map(
    [...text.matchAll(/^\| `(\S+)` \| \$(\S+) \((\d+) units\) \| (\S+) \| (.*?) \| [^|]* kB \|$/gm)]
      .map(
        (
          [, path, priceUsd, units, settlement, title],
        ) => [path, { priceUsd, units, settlement, title }],
      ),
  )
  return callsOfText(text).flatMap(({ name, body }) => {
    const [, path = "", price = "", operationId = "", title = ""] =
      /^`GET (\S+)`, \$(\S+) a call \(operation `(\w+)`\)\. (.*)\.$/m.exec(body) ?? []
    const row = table.get(path)
    if (row === undefined || row.priceUsd !== price || row.title !== title) return []
    const address = /^`GET ([^\s?`]+)\S*` returns$/m.exec(body)?.[1] ?? ""
    return [{
      ...{ name, path, address, operationId, title },
      ...{ priceUsd: price, units: row.units ?? "", settlement: row.settlement ?? "" },
      description: body.split("\n\n")[1] ?? "",
      parameters: [...body.matchAll(/^- `(.*)`: /gm)].map(([, line = ""]) => parameterOfLine(line)),
    }]
  })
}

/** The sections of /llms-full.txt that describe a call. */
export function callsOfText(
  text: string,
): ReadonlyArray<{ readonly name: string; readonly body: string; readonly call: string }> {
  return text.split(/^### /m).slice(1).map((section) => {
    const [name = "", ...rest] = section.split("\n")
    const body = rest.join("\n").split(/^## /m)[0]?.trim() ?? ""
    return { name, body, call: /^`GET (\S+)` returns$/m.exec(body)?.[1] ?? "" }
  })
}

/** The skills with a price in the agent card. */
export function offersOfCard(card: Json): ReadonlyArray<ListedOffer> {
  return listIn(card["skills"]).flatMap(({ id, name, description }) => {
    const match = /^\$([\d.]+) in USDC \(x402\)\. (.*) Same as GET (\S+)\. ./.exec(
      String(description),
    )
    if (match === null) return []
    const [, priceUsd = "", about = "", path = ""] = match
    return [{ name: String(id), title: String(name), description: about, priceUsd, path }]
  })
}

/** The tools with a price in tools/list. */
export function offersOfTools(tools: unknown): ReadonlyArray<ListedOffer> {
  return listIn(tools).flatMap(({ name, title, description, inputSchema }) => {
    const priceUsd = /Costs \$(\d+\.\d+) in USDC/.exec(String(description))?.[1]
    return priceUsd === undefined ? [] : [{
      ...{ name: String(name), title: String(title), priceUsd },
      parameters: parametersIn(inputSchema).filter(({ name }) => name !== "payment").map(asQueried),
    }]
  })
}

/** A flag is a boolean in the arguments of a tool, and 0 or 1 in a query. */
function asQueried(parameter: ListedParameter): ListedParameter {
  return parameter.type === "boolean"
    ? { ...parameter, type: "string", values: ["0", "1"], default: null }
    : parameter
}
