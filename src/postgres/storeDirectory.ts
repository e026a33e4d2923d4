/**
 * The directory of the embedded PostgreSQL: its lock, its creation, and the worker that has it open.
 *
 * It imports nothing, so a process can open the store before it loads its own modules: both then load
 * at once.
 *
 * @module
 */
import type { StoreAnswer, StoreRequest } from "./embeddedWorker.ts"

interface OpenStore {
  /** Sends frontend messages to the backend, one call after another, and returns its answer. */
  readonly run: (message: Uint8Array) => Promise<Uint8Array>
  readonly close: () => Promise<void>
}

/** One backend needs less memory than the defaults of a server. */
export const backendParams: ReadonlyArray<string> = [
  "shared_buffers=32MB",
  "work_mem=8MB",
  "maintenance_work_mem=32MB",
  "max_wal_size=256MB",
].flatMap((setting) => ["-c", setting])

let early: { readonly dataDir: string; readonly store: Promise<OpenStore | null> } | null = null

/** Opens the store that the next `openStore` of this directory returns. */
export function openStoreEarly(dataDir: string): void {
  early = { dataDir, store: open(dataDir) }
  // The caller of `openStore` gets this promise, and sees a failure.
  early.store.catch(() => {})
}

/**
 * Opens the directory, and creates it if there is none; null when another process has it open, because
 * two at once would lose rows silently.
 */
export function openStore(dataDir: string): Promise<OpenStore | null> {
  if (early?.dataDir !== dataDir) return open(dataDir)
  const { store } = early
  early = null
  return store
}

async function open(dataDir: string): Promise<OpenStore | null> {
  const worker = startWorker(dataDir)
  let lock: Deno.FsFile | null = null
  const end = () => {
    worker.terminate()
    lock?.close()
  }
  try {
    lock = await openLock(dataDir)
    if (lock === null) {
      end()
      return null
    }
    const database = `${dataDir}/postgres`
    const creating = `${dataDir}/creating`
    const fresh = await needsCreating(database, creating)
    await worker.ask({ open: { dataDir: database, params: backendParams }, fresh })
    if (fresh) await Deno.remove(creating)
  } catch (error) {
    end()
    throw error
  }
  return {
    run: (message) => worker.ask({ run: message }),
    close: async () => {
      await worker.ask({ close: true }).finally(end)
    },
  }
}

/** Null when another process has the lock. The kernel releases it when a process ends, even if killed. */
async function openLock(dataDir: string): Promise<Deno.FsFile | null> {
  await Deno.mkdir(dataDir, { recursive: true })
  const file = await Deno.open(`${dataDir}/lock`, { create: true, write: true })
  if (await file.tryLock(true)) return file
  file.close()
  return null
}

/**
 * Whether to create the database. The mark file exists until the creation is complete. A directory
 * found together with the mark is incomplete and has no data yet, so it is created again.
 */
async function needsCreating(database: string, mark: string): Promise<boolean> {
  const begun = await exists(mark)
  if (!begun && await exists(database)) return false
  await Deno.writeTextFile(mark, "")
  if (await exists(database)) await Deno.remove(database, { recursive: true })
  return true
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path)
    return true
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false
    throw error
  }
}

interface StoreWorker {
  /** Answers come in the order of the requests. */
  readonly ask: (request: StoreRequest) => Promise<Uint8Array>
  readonly terminate: () => void
}

function startWorker(dataDir: string): StoreWorker {
  const worker = new Worker(new URL("./embeddedWorker.ts", import.meta.url), { type: "module" })
  const waiting: Array<PromiseWithResolvers<Uint8Array>> = []
  let failure: Error | null = null
  worker.onmessage = ({ data }: MessageEvent<StoreAnswer>) => {
    if ("diskFull" in data) return endOnFullDisk(dataDir)
    const asked = waiting.shift()
    if ("bytes" in data) asked?.resolve(data.bytes)
    else asked?.reject(new Error(data.failed))
  }
  worker.onerror = (event) => {
    event.preventDefault()
    failure = new Error(event.message)
    for (const asked of waiting.splice(0)) asked.reject(failure)
  }
  return {
    ask: (request) => {
      if (failure !== null) return Promise.reject(failure)
      const asked = Promise.withResolvers<Uint8Array>()
      waiting.push(asked)
      worker.postMessage(request)
      return asked.promise
    },
    terminate: () => worker.terminate(),
  }
}

/** Ends the process at once: its finalizers would wait for the store, which may never answer again. */
function endOnFullDisk(dataDir: string): never {
  const message =
    `Cannot write to the embedded store: the disk of ${dataDir} is full. The process ` +
    "ends. Free some space and start again; what was committed is kept\n"
  Deno.stderr.writeSync(new TextEncoder().encode(message))
  Deno.exit(1)
}
