/**
 * The whole contract: both OpenAPI documents as one, with every path of the service.
 *
 * @module
 */
import { paths } from "../../../src/http/documents/addresses.ts"
import { documents } from "../../../src/http/documents/documents.ts"
import { documentOptions } from "./httpService.ts"

type Json = Readonly<Record<string, unknown>>
interface Document extends Json {
  readonly tags: ReadonlyArray<Json>
  readonly paths: Json
  readonly components: Readonly<Record<string, Json>>
}

const built = documents(documentOptions)

/** The text of each document, by its path. */
export const contractTexts: ReadonlyMap<string, string> = new Map(
  [paths.openApi, paths.openApiService].map((path) => [
    path,
    new TextDecoder().decode(built.get(path)?.().bytes),
  ]),
)

/** The first document, with the tags, paths and components of all of them. */
export const wholeContract: Document = merged(
  [...contractTexts.values()].map((text) => JSON.parse(text)),
)

/** A component that two documents have is the same in both. */
export function merged(parts: ReadonlyArray<Document>): Document {
  const [first] = parts
  const kinds = new Set(parts.flatMap(({ components }) => Object.keys(components)))
  return {
    ...first,
    tags: parts.flatMap(({ tags }) => tags),
    paths: Object.assign({}, ...parts.map(({ paths }) => paths)),
    components: Object.fromEntries(
      [...kinds].map((
        kind,
      ) => [kind, Object.assign({}, ...parts.map(({ components }) => components[kind]))]),
    ),
  }
}
