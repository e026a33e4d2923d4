/**
 * A cheap load generator: requests as text over kept-alive sockets, one at a time on each. It reads
 * only the status and the end of an answer.
 *
 * @module
 */

export interface Load {
  readonly port: number
  /** Whole requests, each sent once. */
  readonly requests: ReadonlyArray<string>
  readonly connections: number
  /** The expected status of every answer. */
  readonly status: number
}

const chunkBytesMax = 256 * 1_024
const ascii = new TextDecoder("latin1")

/**
 * Sends every request and waits for every answer; another status is an error. Returns the time to the
 * last byte of each answer, in milliseconds, unordered.
 */
export async function sendAll(
  { port, requests, connections, status }: Load,
): Promise<ReadonlyArray<number>> {
  const payloads = requests.map((request) => new TextEncoder().encode(request))
  const taken: Array<number> = []
  let next = 0
  const sendMany = async () => {
    const socket = await Deno.connect({ hostname: "127.0.0.1", port })
    socket.setNoDelay(true)
    const chunk = new Uint8Array(chunkBytesMax)
    for (let payload = payloads[next++]; payload !== undefined; payload = payloads[next++]) {
      const began = performance.now()
      for (let sent = 0; sent < payload.length;) sent += await socket.write(payload.subarray(sent))
      await readAnswer(socket, chunk, status)
      taken.push(performance.now() - began)
    }
    socket.close()
  }
  await Promise.all(Array.from({ length: connections }, sendMany))
  return taken
}

async function readAnswer(socket: Deno.Conn, chunk: Uint8Array, status: number): Promise<void> {
  let head = ""
  let headersEnd = -1
  while (headersEnd < 0) {
    head += ascii.decode(chunk.subarray(0, await readSome(socket, chunk)))
    headersEnd = head.indexOf("\r\n\r\n")
  }
  if (!head.startsWith(`HTTP/1.1 ${status} `)) throw new Error(head)
  if (status === 304) return
  const length = /\r\ncontent-length: (\d+)/i.exec(head.slice(0, headersEnd))?.[1]
  if (length === undefined) {
    while (!head.endsWith("0\r\n\r\n")) {
      head = head.slice(-8) + ascii.decode(chunk.subarray(0, await readSome(socket, chunk)))
    }
    return
  }
  let read = head.length - headersEnd - 4
  while (read < Number(length)) read += await readSome(socket, chunk)
}

async function readSome(socket: Deno.Conn, chunk: Uint8Array): Promise<number> {
  const read = await socket.read(chunk)
  if (read === null) throw new Error("The server closed the connection")
  return read
}
