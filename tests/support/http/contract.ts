/**
 * /openapi.json, as text and as a value.
 *
 * @module
 */
import { openApiText } from "../../../src/http/documents/openapi.ts"
import { documentOptions } from "./httpService.ts"

type Json = Readonly<Record<string, unknown>>

export const contractText = openApiText(documentOptions)

export const contract: Json & { readonly paths: Json; readonly components: Json } = JSON.parse(
  contractText,
)
