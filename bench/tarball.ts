/**
 * A package as npm packs it: a tar file in the form of ustar, gzipped. The same files make the same
 * bytes, so the hash of a release can be checked by building it again.
 *
 * @module
 */
import { gzipSync } from "node:zlib"

const blockBytes = 512
const utf8 = new TextEncoder()

interface TarEntry {
  readonly path: string
  readonly bytes: Uint8Array
}

/** The tarball of a package's folder, by its `files` and its README; `scope` goes before its name. */
export async function tarball(
  folder: URL,
  scope: string | null,
): Promise<{ readonly name: string; readonly bytes: Uint8Array }> {
  const { scripts: _, ...manifest } = JSON.parse(
    await Deno.readTextFile(new URL("package.json", folder)),
  )
  const name = scope === null ? manifest.name : `${scope}/${manifest.name}`
  const json = utf8.encode(`${JSON.stringify({ ...manifest, name }, null, 2)}\n`)
  const entries: Array<TarEntry> = [
    { path: "package.json", bytes: json },
    { path: "README.md", bytes: await Deno.readFile(new URL("README.md", folder)) },
  ]
  const dist = [...Deno.readDirSync(new URL("dist/", folder))].map(({ name }) => name).sort()
  for (const file of dist) {
    const bytes = await Deno.readFile(new URL(`dist/${file}`, folder))
    entries.push({ path: `dist/${file}`, bytes })
  }
  const blocks = [...entries.flatMap(tarBlocks), new Uint8Array(2 * blockBytes)]
  return {
    name: `${manifest.name}-${manifest.version}.tgz`,
    bytes: gzipSync(await new Blob(blocks.map((block) => new Uint8Array(block))).bytes(), {
      level: 9,
    }),
  }
}

/** The header of a file and its bytes, each in whole blocks. Dates are npm's: 26 October 1985. */
function tarBlocks({ path, bytes }: TarEntry): ReadonlyArray<Uint8Array> {
  const header = new Uint8Array(blockBytes)
  const put = (at: number, text: string) => header.set(utf8.encode(text), at)
  const octal = (at: number, length: number, value: number) =>
    put(at, `${value.toString(8).padStart(length - 1, "0")}\0`)
  put(0, `package/${path}`)
  octal(100, 8, path.endsWith("main.js") ? 0o755 : 0o644)
  octal(108, 8, 0)
  octal(116, 8, 0)
  octal(124, 12, bytes.length)
  octal(136, 12, 499_162_500)
  put(148, " ".repeat(8))
  put(156, "0")
  put(257, "ustar\x0000")
  octal(148, 7, header.reduce((sum, byte) => sum + byte, 0))
  const padded = new Uint8Array(Math.ceil(bytes.length / blockBytes) * blockBytes)
  padded.set(bytes)
  return [header, padded]
}
