/**
 * An image of a migrated embedded database. Opening a copy of it costs a third of migrating a fresh
 * database. It is made once and kept in `.data` until a migration or a version of a package changes.
 *
 * @module
 */
import { PGlite } from "@electric-sql/pglite"
import { Effect, Layer } from "effect"
import { layerEmbedded } from "../../src/postgres/client.ts"
import { migrate, migrationFiles } from "../../src/postgres/migrate.ts"

const root = new URL("../../", import.meta.url).pathname
const type = "application/x-tar"

/** What the image depends on. */
async function version(): Promise<string> {
  const files = await Effect.runPromise(migrationFiles)
  const packages = await Deno.readTextFile(`${root}imports.json`)
  const text = new TextEncoder().encode(JSON.stringify([files, packages]))
  return new Uint8Array(await crypto.subtle.digest("SHA-256", text)).toHex().slice(0, 16)
}

/** Reads the image; makes it first where there is none of this version. */
export async function migratedImage(): Promise<Blob> {
  const folder = `${root}.data/test-images`
  const path = `${folder}/${await version()}.tar`
  const kept = await Deno.readFile(path).catch(() => null)
  if (kept !== null) return new Blob([kept], { type })
  await Deno.mkdir(folder, { recursive: true })
  const dir = await Deno.makeTempDir({ dir: folder })
  const store = layerEmbedded({ dataDir: dir })
  const migrated = Layer.effectDiscard(Effect.flatMap(migrationFiles, migrate))
  await Effect.runPromise(Effect.scoped(Layer.build(Layer.provide(migrated, store))))
  const pglite = await PGlite.create(`${dir}/postgres`)
  const image = await pglite.dumpDataDir("none")
  await pglite.close()
  // Another worker may do the same at this moment: the last write wins, with the same image.
  const bytes = new Uint8Array(await image.arrayBuffer())
  await Deno.writeFile(`${dir}.part`, bytes)
  await Deno.rename(`${dir}.part`, path)
  await Deno.remove(dir, { recursive: true })
  for await (const { name } of Deno.readDir(folder)) {
    const isOlder = name.endsWith(".tar") && `${folder}/${name}` !== path
    if (isOlder) await Deno.remove(`${folder}/${name}`).catch(() => {})
  }
  return new Blob([bytes], { type })
}
