/**
 * The worker in which the embedded PostgreSQL runs, so that a long statement does not stop the event
 * loop of the service. It runs one request at a time, in order.
 *
 * It imports nothing of ours: the service may read no other source file than this one.
 *
 * @module
 */
import fs from "node:fs"
import { PGlite, type PGliteOptions } from "@electric-sql/pglite"
import { dataDir as freshDatabase } from "@electric-sql/pglite-prepopulatedfs"

/** `open`: a folder, which is made with a database as initdb makes it. `run`: frontend messages for the backend. */
export type StoreRequest =
  | { readonly open: string }
  | { readonly run: Uint8Array }
  | { readonly close: true }

/**
 * The backend's answer, which is empty for `open` and `close`; or why there is none. `diskFull` comes
 * without a request: PostgreSQL may then retry a write of its log for ever, and answer nothing.
 */
export type StoreAnswer =
  | { readonly bytes: Uint8Array }
  | { readonly failed: string }
  | { readonly diskFull: true }

/** The global scope of a worker, as far as it is used. */
interface WorkerScope {
  onmessage: (event: MessageEvent<StoreRequest>) => void
  postMessage: (answer: StoreAnswer, transfer: ReadonlyArray<Transferable>) => void
}

const scope = globalThis as unknown as WorkerScope
const noBytes = new Uint8Array(0)
/** Begun before the first request: reading and compiling take longer than opening a store. */
const program = readProgram()
let pglite: PGlite | null = null

/** PGlite writes its files with this function, and does not pass on why a write failed. */
const { writeSync } = fs
fs.writeSync = ((...args: Parameters<typeof writeSync>) => {
  try {
    return writeSync(...args)
  } catch (error) {
    if (error instanceof Error && "code" in error && fullCodes.includes(`${error.code}`)) {
      scope.postMessage({ diskFull: true }, [])
    }
    throw error
  }
}) as typeof writeSync
/** No space on the device, and the user's quota is used up. */
const fullCodes = ["ENOSPC", "EDQUOT"]

scope.onmessage = ({ data }) =>
  void answer(data).then(
    (bytes) => scope.postMessage({ bytes }, [bytes.buffer]),
    (error) => scope.postMessage({ failed: String(error) }, []),
  )

/** One backend needs less memory than the defaults of a server. */
const startParams = [
  ...PGlite.defaultStartParams,
  ...["shared_buffers=32MB", "work_mem=8MB", "maintenance_work_mem=32MB", "max_wal_size=256MB"]
    .flatMap((setting) => ["-c", setting]),
]

async function answer(request: StoreRequest): Promise<Uint8Array<ArrayBuffer>> {
  if ("open" in request) {
    const dataDir = request.open
    if (!fs.existsSync(dataDir)) await create(dataDir)
    pglite = await PGlite.create({ dataDir, startParams, ...await program })
    return noBytes.slice()
  }
  if (pglite === null) throw new Error("The store is not open")
  if ("close" in request) {
    await pglite.close()
    return noBytes.slice()
  }
  // A copy, because the buffer of the answer is reused.
  return new Uint8Array(await pglite.execProtocolRaw(request.run, { syncToFs: false }))
}

async function readProgram(): Promise<Pick<PGliteOptions, "pgliteWasmModule" | "fsBundle">> {
  const read = (name: string) =>
    Deno.readFile(new URL(name, import.meta.resolve("@electric-sql/pglite")))
  const [wasm, files] = await Promise.all([read("pglite.wasm"), read("pglite.data")])
  return { pgliteWasmModule: await WebAssembly.compile(wasm), fsBundle: new Blob([files]) }
}

/** A folder that is not whole has another name, and is made again. */
async function create(dataDir: string): Promise<void> {
  const begun = `${dataDir}.new`
  fs.rmSync(begun, { recursive: true, force: true })
  await unpack(await freshDatabase(), begun)
  fs.renameSync(begun, dataDir)
}

/** Of a tar archive: each file has a header of one block, and its bytes fill whole blocks. */
const blockBytes = 512

/**
 * Writes the files of a compressed tar archive into a folder, piece by piece: PGlite would load the whole
 * archive, for which a new store took 130 MB more than one reopened.
 */
async function unpack(archive: Blob, folder: string): Promise<void> {
  const reader = archive.stream().pipeThrough(new DecompressionStream("gzip")).getReader()
  let piece = new Uint8Array(0)
  /** Passes the next `bytes` on; false at the end of the archive. */
  const read = async (bytes: number, use: (part: Uint8Array) => unknown): Promise<boolean> => {
    for (let left = bytes; left > 0;) {
      if (piece.length === 0) {
        const { done, value } = await reader.read()
        if (done) return false
        piece = value
      }
      const part = piece.subarray(0, left)
      piece = piece.subarray(part.length)
      left -= part.length
      use(part)
    }
    return true
  }
  Deno.mkdirSync(folder)
  for (let header = ""; await read(blockBytes, (part) => header += text(part)); header = "") {
    const name = header.slice(0, 100).replace(/\0.*/s, "")
    const size = parseInt(header.slice(124, 136), 8)
    // Blocks of zeros end the archive.
    if (name === "") continue
    if (header[156] === "5") {
      Deno.mkdirSync(folder + name)
      continue
    }
    using file = Deno.openSync(folder + name, { write: true, createNew: true })
    await read(size, (part) => {
      for (let written = 0; written < part.length;) {
        written += file.writeSync(part.subarray(written))
      }
    })
    await read((blockBytes - size % blockBytes) % blockBytes, () => {})
  }
}

/** One character for each byte. */
const text = (bytes: Uint8Array): string => String.fromCharCode(...bytes)
