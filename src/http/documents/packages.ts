/**
 * /packages/: the packages that buyers install, as the release has built them or as `deno task pack`
 * builds them while the service runs, and how a command names them.
 *
 * A name that is not registered can be registered by a stranger, who would then be given the keys of
 * buyers. So commands name the file that this service serves, until its owner says that the packages
 * are on npm under a scope of his own.
 *
 * @module
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { version } from "../../core/domain/version.ts"
import { answer } from "../server/answer.ts"
import type { Source } from "../server/route.ts"

const names = ["bellwether-mcp", "bellwether-client"] as const
type PackageName = typeof names[number]

export const packagesPrefix = "/packages/"

/** The files that were built at the start, by name. */
type PackageFiles = ReadonlyMap<string, Uint8Array<ArrayBuffer>>

export interface PackageOptions {
  readonly publicBaseUrl: string
  readonly files: PackageFiles
  /** Reads a file that was not built at the start; null while it is not. */
  readonly read: (name: string) => Promise<Uint8Array<ArrayBuffer> | null>
  /** The owner's scope on npm, such as `@owner`, once the packages are there; else null. */
  readonly scope: string | null
}

/** One built file, as others name it. */
interface PackageFile {
  readonly url: string
  /** 64 hexadecimal digits. */
  readonly sha256: string
}

/** The packages of a service. */
export interface Packages extends PackageOptions {
  /** What a command installs or runs: an address, or a name with the owner's scope. */
  readonly specs: Readonly<Record<PackageName, string>>
  /** What runs the stdio server for this service, which its package does not know. */
  readonly stdioCommand: string
  /** The stdio server as a bundle for desktop hosts; null where it is not built. */
  readonly bundle: PackageFile | null
  /** Where they come from, with the hashes of the files, in a sentence. */
  readonly note: string
}

const tarball = (name: PackageName) => `${name}-${version}.tgz`
const bundleName = `bellwether-mcp-${version}.mcpb`
const fileNames = [...names.map(tarball), bundleName]

/** What of the files can be read now. */
export async function builtFiles(read: PackageOptions["read"]): Promise<PackageFiles> {
  const found = await Promise.all(fileNames.map(async (name) => [name, await read(name)] as const))
  return new Map(found.flatMap(([name, bytes]) => bytes === null ? [] : [[name, bytes]]))
}

export function packagesOf(options: PackageOptions): Packages {
  const { publicBaseUrl, files, scope } = options
  const specOf = (name: PackageName) =>
    scope === null
      ? `${publicBaseUrl}${packagesPrefix}${tarball(name)}`
      : `${scope}/${name}@${version}`
  const hashes = [...files].map(([name, bytes]) => `\`${name}\` \`${integrityOf(bytes)}\``)
  return {
    ...options,
    specs: {
      "bellwether-mcp": specOf("bellwether-mcp"),
      "bellwether-client": specOf("bellwether-client"),
    },
    stdioCommand: `BASE_URL=${publicBaseUrl} npx -y ${specOf("bellwether-mcp")}`,
    bundle: bundleOf(options),
    note: [
      scope === null
        ? "The service serves its own packages: they are on no registry, and one of their names there " +
          "would be a stranger's."
        : `The packages are on npm under ${scope}; the same name without it would be a stranger's.`,
      ...(files.size === 0 ? scope === null ? [notBuilt] : [] : [`Hashes: ${hashes.join(", ")}.`]),
    ].join(" "),
  }
}

function bundleOf({ publicBaseUrl, files }: PackageOptions): PackageFile | null {
  const bytes = files.get(bundleName)
  return bytes === undefined ? null : {
    url: `${publicBaseUrl}${packagesPrefix}${bundleName}`,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  }
}

/** What to do where the service has no files, as after `deno task dev` alone. */
export const notBuilt =
  "While a package's address answers 404, run `npx -y deno@2.9.6 task pack` in " +
  "the service's checkout; it needs no restart."

/** The address under which a text in this repository names a package. */
const placeholder = /http:\/\/127\.0\.0\.1:8402\/packages\/(bellwether-(?:mcp|client))-[\d.]+\.tgz/g

/** A text with the packages as this service's commands name them. */
export function withPackages(text: string, { specs }: Packages): string {
  return text.replaceAll(placeholder, (named, name: string) => {
    const found = names.find((one) => one === name)
    return found === undefined ? named : specs[found]
  })
}

/** The hash of a file as npm writes it. */
function integrityOf(bytes: Uint8Array): string {
  return `sha512-${createHash("sha512").update(bytes).digest("base64")}`
}

/** npm prints the text of `error`; of the service's usual errors it prints "[object Object]". */
const missing = (error: string) =>
  Effect.succeed(
    answer({ status: 404, cache: "none", body: JSON.stringify({ success: false, error }) }),
  )

const fileAnswer = (name: string, body: Uint8Array<ArrayBuffer>) =>
  answer({ body, contentType: typeOf(name), cache: "document" })

/** The source of the answers to each name below the prefix. */
export function packageAnswers({ files, read }: Packages): (name: string) => Source {
  const known = new Map([...files].map(([name, body]) => [name, fileAnswer(name, body)] as const))
  const readNow = (name: string) =>
    Effect.flatMap(
      Effect.promise(() => read(name)),
      (body) =>
        body === null
          ? missing(`${name} is not built here. ${notBuilt}`)
          : Effect.succeed(fileAnswer(name, body)),
    )
  return (name) => {
    if (!fileNames.includes(name)) {
      return () => missing(`No such package: this service has ${fileNames.join(", ")}`)
    }
    const answer = known.get(name)
    return () => answer === undefined ? readNow(name) : Effect.succeed(answer)
  }
}

const typeOf = (name: string) => name.endsWith(".tgz") ? "application/gzip" : "application/zip"
