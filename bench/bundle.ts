/**
 * The stdio server as an MCP bundle (`.mcpb`), which desktop hosts install with a click: a zip of the
 * built server and of `manifest.json`, in which the host reads how to start it and what to ask. The
 * same files make the same bytes.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { crc32, deflateRawSync } from "node:zlib"
import { variables } from "../packages/mcp/src/settings.ts"
import { serviceTools } from "../packages/mcp/src/serviceTools.ts"

const entryPoint = "dist/main.js"
const utf8 = new TextEncoder()

/** What the host asks: a title, and what is not like a plain text with an empty default. */
const asked = {
  BASE_URL: { title: "Address of the service", required: true },
  BUYER_PRIVATE_KEY: { title: "Key of the wallet that pays", default: "", sensitive: true },
  MAX_PRICE_USD: { title: "Most for one call, USD", default: "0.10" },
  BUDGET_USD: { title: "Most for a day, USD", default: "0.50" },
  PAY_TO: { title: "Only address that is paid", default: "" },
} as const

function manifestOf({ name, version, description }: Record<string, string>) {
  const settings = Object.keys(asked) as ReadonlyArray<keyof typeof asked>
  return {
    manifest_version: "0.3",
    ...{ name, version, description },
    display_name: "Bellwether",
    author: { name: "Bellwether" },
    server: {
      type: "node",
      entry_point: entryPoint,
      mcp_config: {
        command: "node",
        args: [`\${__dirname}/${entryPoint}`],
        env: Object.fromEntries(settings.map((key) => [key, `\${user_config.${key}}`])),
      },
    },
    tools: serviceTools.map(({ name, title }) => ({ name, description: title })),
    user_config: Object.fromEntries(
      settings.map((key) => [key, { type: "string", description: variables[key], ...asked[key] }]),
    ),
    compatibility: { runtimes: { node: ">=20.3" } },
  }
}

/** The bundle of the built package in a folder. */
export async function bundle(
  folder: URL,
): Promise<{ readonly name: string; readonly bytes: Uint8Array }> {
  const manifest = JSON.parse(await Deno.readTextFile(new URL("package.json", folder)))
  const json = (value: unknown) => utf8.encode(`${JSON.stringify(value, null, 2)}\n`)
  const files = ["README.md", "dist/LICENSES.txt", entryPoint]
  return {
    name: `${manifest.name}-${manifest.version}.mcpb`,
    bytes: zip([
      ["manifest.json", json(manifestOf(manifest))],
      // Node reads in it that the server is a module.
      ["package.json", json({ type: manifest.type })],
      ...await Promise.all(
        files.map(async (path) => [path, await Deno.readFile(new URL(path, folder))] as const),
      ),
    ]),
  }
}

/** The date of every file: 1 January 1980, the earliest that a zip can have. */
const dosDate = 0x0021

function zip(files: ReadonlyArray<readonly [path: string, bytes: Uint8Array]>): Uint8Array {
  const parts: Array<Uint8Array> = []
  const directory: Array<Uint8Array> = []
  let offset = 0
  for (const [path, bytes] of files) {
    const name = utf8.encode(path)
    const packed = deflateRawSync(bytes, { level: 9 })
    // Version 2.0, no flags, deflate, time, date, checksum, sizes, lengths of name and extra field.
    const facts = [
      ...[u16(20), u16(0), u16(8), u16(0), u16(dosDate), u32(crc32(bytes))],
      ...[u32(packed.length), u32(bytes.length), u16(name.length), u16(0)],
    ]
    const local = [u32(0x04034b50), ...facts, name, packed]
    // Made by version 2.0; comment, disk and attributes are zero; where the file starts.
    directory.push(
      ...[u32(0x02014b50), u16(20), ...facts, u16(0), u16(0), u16(0), u32(0), u32(offset), name],
    )
    parts.push(...local)
    offset += local.reduce((sum, { length }) => sum + length, 0)
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  const count = u16(files.length)
  const end = [u32(0x06054b50), u16(0), u16(0), count, count, u32(size), u32(offset), u16(0)]
  return new Uint8Array(Buffer.concat([...parts, ...directory, ...end]))
}

function u16(value: number): Uint8Array {
  return new Uint8Array([value & 0xff, value >> 8])
}

function u32(value: number): Uint8Array {
  return new Uint8Array([value, value >>> 8, value >>> 16, value >>> 24])
}
