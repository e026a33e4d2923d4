/**
 * Builds the packages that buyers install, and the files that the service serves under /packages/.
 *
 *     deno task pack [--scope @owner]
 *
 * A release runs it. `npm publish packages/built/FILE.tgz` publishes a file under the given scope.
 * `bellwether-client` becomes JavaScript and declarations, file by file. `bellwether-mcp` becomes one
 * file without dependencies, so that `npx` downloads one tarball; the licences of what it contains are
 * next to it, and it is also an `.mcpb` bundle for desktop hosts. What both read from the catalog
 * becomes data or a copy: they are built from a copy of their sources (`packageSources.ts`).
 *
 * @module
 */
import { bundle } from "./bundle.ts"
import { contractText } from "./clientContract.ts"
import { packageSources } from "./packageSources.ts"
import { tarball } from "./tarball.ts"

const root = new URL("../", import.meta.url)
const built = new URL("packages/built/", root)
const client = new URL("packages/client/", root)
const mcp = new URL("packages/mcp/", root)

/** Not an import: it would become a peer of the service's own packages, and be downloaded with them. */
const compiler = "npm:typescript@5.9.3/tsc"

/**
 * Builds the `dist` of a package. Each file replaces the earlier one at once, because a program or a
 * test may be using it.
 */
async function build(folder: URL, make: (output: URL) => Promise<void>): Promise<void> {
  const dist = new URL("dist/", folder)
  const output = new URL(`dist-${crypto.randomUUID()}/`, folder)
  await Deno.mkdir(output)
  try {
    await make(output)
    await Deno.mkdir(dist, { recursive: true })
    const names = [...Deno.readDirSync(output)].map(({ name }) => name)
    for (const name of names) await Deno.rename(new URL(name, output), new URL(name, dist))
    for (const { name } of Deno.readDirSync(dist)) {
      if (!names.includes(name)) await Deno.remove(new URL(name, dist), { recursive: true })
    }
  } finally {
    await Deno.remove(output, { recursive: true })
  }
}

async function deno(args: ReadonlyArray<string>): Promise<void> {
  const command = new Deno.Command(Deno.execPath(), { args: [...args], cwd: root })
  const { success, stdout, stderr } = await command.output()
  if (success) return
  throw new Error([stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join(""))
}

async function buildClient(output: URL): Promise<void> {
  await deno([
    ...["run", "-A", "--quiet", "--no-config", "--no-lock", compiler],
    new URL("packages/client/src/client.ts", sources).pathname,
    ...["--outDir", output.pathname, "--strict", "--noCheck"],
    ...["--target", "es2022", "--module", "nodenext"],
    // `deno check` checks the types, with the packages that are not installed here.
    ...["--declaration", "--rewriteRelativeImportExtensions"],
  ])
}

/** A folder of Deno's cache of packages, as the bundler names modules: path, package, version. */
const packageFolder = /[^\s"]*\/npm\/[^/\s"]+\/((?:@[^/\s"]+\/)?[^/\s"]+)\/([^/\s"]+)\//g

async function buildServer(output: URL): Promise<void> {
  const bundle = new URL("main.js", output)
  await deno([
    ...["bundle", "--quiet", "--platform", "deno", "--output", bundle.pathname],
    ...["--config=deno.json", `--import-map=${new URL("imports.json", sources).pathname}`],
    new URL("packages/mcp/src/main.ts", sources).pathname,
  ])
  const text = await Deno.readTextFile(bundle)
  const folders = new Map<string, URL>()
  const named = text.replace(packageFolder, (folder, name: string, version: string) => {
    folders.set(`${name} ${version}`, new URL(folder, root))
    return `npm:${name}@${version}/`
  })
  await Deno.writeTextFile(bundle, `#!/usr/bin/env node\n${named}`)
  await Deno.writeTextFile(new URL("LICENSES.txt", output), await licences(folders))
}

/** The licences of the bundled packages. */
async function licences(folders: ReadonlyMap<string, URL>): Promise<string> {
  const texts = [...folders].sort().map(async ([name, folder]) =>
    `${name}\n\n${(await licence(folder)).trim()}\n`
  )
  return (await Promise.all(texts)).join(`\n${"-".repeat(72)}\n\n`)
}

/** The text of a package's licence, or its name where the package has no text. */
async function licence(folder: URL): Promise<string> {
  for await (const { name } of Deno.readDir(folder)) {
    if (/^licen[cs]e/i.test(name)) return await Deno.readTextFile(new URL(name, folder))
  }
  const { license } = JSON.parse(await Deno.readTextFile(new URL("package.json", folder)))
  return `License: ${license}`
}

/** The owner's scope on npm; null without one. */
function scopeOf([flag, scope]: ReadonlyArray<string>): string | null {
  if (flag === undefined) return null
  if (flag === "--scope" && /^@[a-z0-9][a-z0-9._-]*$/.test(scope ?? "")) return scope ?? null
  throw new Error("usage: deno task pack [--scope @owner]")
}

const sources = await packageSources(await contractText())
try {
  await build(client, buildClient)
  await build(mcp, buildServer)
  await Deno.mkdir(built, { recursive: true })
  for (const folder of [client, mcp]) {
    const { name, bytes } = await tarball(folder, scopeOf(Deno.args))
    await Deno.writeFile(new URL(name, built), bytes)
  }
  const { name, bytes } = await bundle(mcp)
  await Deno.writeFile(new URL(name, built), bytes)
} finally {
  await Deno.remove(sources, { recursive: true })
}
