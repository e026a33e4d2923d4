/**
 * Parses the answers of news sources in a worker, with a time limit.
 *
 * @module
 */
import { Duration, Effect, Semaphore } from "effect"
import type { ParseAnswer, Parsed, ParseRequest } from "./parse.ts"

/** The worker is stopped after this time, its start included. */
const parseTimeMax = Duration.seconds(10)
/** Workers at once, each with a heap of its own. */
const workersMax = 1

const places = Semaphore.makeUnsafe(workersMax)

/** Never fails: a reason takes the place of the rows. */
export const parseInWorker: ParseAnswer = (request) =>
  places.withPermits(1)(
    Effect.timeoutOrElse(parse(request), {
      duration: parseTimeMax,
      orElse: () => Effect.succeed({ failed: "not parsed in time" }),
    }),
  )

const parse = (request: ParseRequest) =>
  Effect.callback<Parsed>((resume) => {
    const worker = new Worker(new URL("./parseWorker.ts", import.meta.url), { type: "module" })
    const finish = (parsed: Parsed) => {
      worker.terminate()
      resume(Effect.succeed(parsed))
    }
    worker.onmessage = ({ data }: MessageEvent<Parsed>) => finish(data)
    worker.onerror = (event) => {
      event.preventDefault()
      finish({ failed: "not parsed" })
    }
    worker.postMessage(request)
    return Effect.sync(() => worker.terminate())
  })
