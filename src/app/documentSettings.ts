/**
 * The settings of the documents about the service: the catalogue of sibling products, where the
 * predecessor's paths went, and who hears of security problems.
 *
 * @module
 */
import { Config, Effect, Result, Schema, SchemaIssue } from "effect"
import { type Family, Family as FamilySchema, familyOfOne } from "../http/documents/family.ts"
import {
  type LegacyRoutes,
  LegacyRoutes as LegacyRoutesSchema,
  usualLegacyRoutes,
} from "../http/pages/legacy.ts"
import { type Read, refuse } from "./settingsReader.ts"

export interface DocumentSettings {
  readonly family: Family
  readonly legacyRoutes: LegacyRoutes
  /** Where security problems are reported: a `mailto:` or `https:` address. */
  readonly contact: string
  /** The files that these settings were read from. */
  readonly files: ReadonlyArray<string>
}

/** Most bytes of a file of settings. */
const fileBytesMax = 64 * 1_024

/** Reads the settings, and each file they name once. */
export const documentSettings = Effect.fnUntraced(function* (publicBaseUrl: string, read: Read) {
  const familyFile = yield* read("FAMILY_FILE", Config.NonEmptyString, "a JSON file", null)
  const routesFile = yield* read("LEGACY_ROUTES_FILE", Config.NonEmptyString, "a JSON file", null)
  const settings: DocumentSettings = {
    family: familyFile === null
      ? familyOfOne(publicBaseUrl)
      : yield* fileOf("FAMILY_FILE", familyFile, FamilySchema),
    legacyRoutes: routesFile === null ? usualLegacyRoutes : new Map(
      Object.entries(yield* fileOf("LEGACY_ROUTES_FILE", routesFile, LegacyRoutesSchema)),
    ),
    contact: yield* read(
      "SECURITY_CONTACT",
      Config.NonEmptyString,
      "an address such as mailto:security@example.com, or an https one",
      usualContact(publicBaseUrl),
      (contact) => contactPattern.test(contact),
    ),
    files: [familyFile, routesFile].filter((file) => file !== null),
  }
  return settings
})

/** No space, no control character: it stands on a line of security.txt. */
const contactPattern = /^(mailto:[!-;=?-~]{1,64}@[A-Za-z0-9.-]{1,253}|https:\/\/[!-~]{1,500})$/

/** The mailbox that RFC 2142 names; an IP address has none. */
function usualContact(publicBaseUrl: string): string {
  const { hostname } = new URL(publicBaseUrl)
  const isAddress = hostname.startsWith("[") || /^[\d.]+$/.test(hostname)
  return `mailto:security@${isAddress ? "localhost" : hostname}`
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** What a file of JSON holds; refused in words that say where it is wrong. */
const fileOf = Effect.fnUntraced(function* <A>(
  name: "FAMILY_FILE" | "LEGACY_ROUTES_FILE",
  path: string,
  schema: Schema.Codec<A, unknown>,
) {
  const text = yield* Effect.tryPromise(() => textOf(path)).pipe(
    Effect.catch(() => refuse(`${name} must be a file that can be read: ${path}`)),
  )
  if (text === null) {
    return yield* refuse(`${name} must be a file of at most ${fileBytesMax} bytes: ${path}`)
  }
  const json = Result.try((): unknown => JSON.parse(text))
  if (Result.isFailure(json)) return yield* refuse(`${name} must be a file of JSON: ${path}`)
  return yield* Schema.decodeUnknownEffect(schema)(json.success).pipe(
    Effect.catch(({ issue }) => {
      const [first] = issuesOf(issue).issues
      const where = first?.path?.join(".") ?? ""
      return refuse(`${name} is wrong${where === "" ? "" : ` at ${where}`}: ${first?.message}`)
    }),
  )
})

/** The text of a file; null when it is too large. */
async function textOf(path: string): Promise<string | null> {
  const { size } = await Deno.stat(path)
  return size > fileBytesMax ? null : await Deno.readTextFile(path)
}
