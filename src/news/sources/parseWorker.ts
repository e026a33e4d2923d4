/**
 * The worker that parses the answers of news sources: 2 MB of hostile XML take seconds.
 *
 * @module
 */
import { parse, type Parsed, type ParseRequest } from "./parse.ts"

/** The global scope of a worker, as far as it is used. */
interface WorkerScope {
  onmessage: (event: MessageEvent<ParseRequest>) => void
  postMessage: (parsed: Parsed) => void
}

const scope = globalThis as unknown as WorkerScope

scope.onmessage = ({ data }) => scope.postMessage(parse(data))
