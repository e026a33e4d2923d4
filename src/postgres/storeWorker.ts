/**
 * The worker of the embedded PostgreSQL, seen from the event loop of the service.
 *
 * It imports nothing, so a process can start the worker before it loads its own modules: both then
 * load at once.
 *
 * @module
 */
import type { StoreAnswer, StoreRequest } from "./embeddedWorker.ts"

interface StoreWorker {
  /** Answers come in the order of the requests. */
  readonly ask: (request: StoreRequest) => Promise<Uint8Array>
  readonly terminate: () => void
}

let early: StoreWorker | null = null

/** Starts a worker that the next `storeWorker()` returns. */
export function startStoreWorker(): void {
  early ??= started()
}

/** The worker that was started early, or a new one. */
export function storeWorker(): StoreWorker {
  const worker = early ?? started()
  early = null
  return worker
}

function started(): StoreWorker {
  const worker = new Worker(new URL("./embeddedWorker.ts", import.meta.url), { type: "module" })
  const waiting: Array<PromiseWithResolvers<Uint8Array>> = []
  let dataDir = ""
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
      if ("open" in request) dataDir = request.open
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
