/**
 * A load generator that costs little: requests as text over kept-alive sockets, one at a time each.
 *
 * It reads no more of an answer than its status and where it ends.
 *
 * @module
 */

export interface Load {
  readonly port: number
  /** Whole requests, each sent once. */
  readonly requests: ReadonlyArray<string>
  readonly connections: number
  /** What every answer must be. */
  readonly status: number
}

const answerBytesMax = 64 * 1_024
const ascii = new TextDecoder("latin1")

/** Sends every request and waits for every answer; an answer of another status is an error. */
export async function askAll({ port, requests, connections, status }: Load): Promise<void> {
  const payloads = requests.map((request) => new TextEncoder().encode(request))
  let next = 0
  const askMany = async () => {
    const socket = await Deno.connect({ hostname: "127.0.0.1", port })
    socket.setNoDelay(true)
    const buffer = new Uint8Array(answerBytesMax)
    for (let payload = payloads[next++]; payload !== undefined; payload = payloads[next++]) {
      for (let sent = 0; sent < payload.length;) sent += await socket.write(payload.subarray(sent))
      await readAnswer(socket, buffer, status)
    }
    socket.close()
  }
  await Promise.all(Array.from({ length: connections }, askMany))
}

async function readAnswer(socket: Deno.Conn, buffer: Uint8Array, status: number): Promise<void> {
  let length = 0
  for (;;) {
    const read = await socket.read(buffer.subarray(length))
    if (read === null) throw new Error("The server hung up")
    length += read
    const text = ascii.decode(buffer.subarray(0, length))
    if (!isWhole(text)) continue
    if (!text.startsWith(`HTTP/1.1 ${status} `)) throw new Error(text)
    return
  }
}

function isWhole(answer: string): boolean {
  const headersEnd = answer.indexOf("\r\n\r\n")
  if (headersEnd < 0) return false
  const headers = answer.slice(0, headersEnd)
  const length = /\r\ncontent-length: (\d+)/i.exec(headers)?.[1]
  return length === undefined
    ? answer.endsWith("0\r\n\r\n")
    : answer.length >= headersEnd + 4 + Number(length)
}
