/**
 * A copy of the sources of both packages without the catalog: the modules that read it in this
 * repository are replaced by data.
 *
 * @module
 */
import { answerTables, serviceTools } from "../packages/mcp/src/serviceTools.ts"

const root = new URL("../", import.meta.url)

/** The folder of a copy, with the imports.json that the two packages need; the caller removes it. */
export async function packageSources(contract: string): Promise<URL> {
  const copy = new URL(`file://${await Deno.makeTempDir()}/`)
  for (const name of ["client", "mcp"]) {
    const folder = new URL(`packages/${name}/src/`, copy)
    await Deno.mkdir(folder, { recursive: true })
    for (const { name: file } of Deno.readDirSync(new URL(`packages/${name}/src/`, root))) {
      await Deno.copyFile(new URL(`packages/${name}/src/${file}`, root), new URL(file, folder))
    }
    await Deno.copyFile(
      new URL(`packages/${name}/package.json`, root),
      new URL(`packages/${name}/package.json`, copy),
    )
  }
  await Deno.writeTextFile(new URL("packages/client/src/contract.ts", copy), contract)
  await Deno.writeTextFile(
    new URL("packages/mcp/src/serviceTools.ts", copy),
    `export const serviceTools = ${JSON.stringify(serviceTools)}\n` +
      `export const answerTables = ${JSON.stringify(answerTables)}\n`,
  )
  for (const [name, file] of [["mcp", "compactText.ts"], ["client", "nearest.ts"]]) {
    await Deno.copyFile(
      new URL(`src/catalog/domain/${file}`, root),
      new URL(`packages/${name}/src/${file}`, copy),
    )
  }
  await Deno.copyFile(new URL("imports.json", root), new URL("imports.json", copy))
  return copy
}
