/**
 * A cheap HTTP client on bare sockets. It chooses its local address, sends X-Forwarded-For, and can
 * hang up before the answer.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { connect } from "node:net"

/** Loopback addresses, so that limits for each connection's address see two kinds of clients. */
export const localAddresses = { honest: "127.0.0.1", attacker: "127.0.0.66" } as const

export interface RequestOptions {
  readonly port: number
  readonly path: string
  /** The client's address in X-Forwarded-For. */
  readonly client: string
  readonly localAddress?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Closes the connection after this time, whatever has arrived. */
  readonly hangUpAfterMs?: number
  readonly timeoutMs?: number
}

export interface HttpAnswer {
  /** Null: no complete answer. */
  readonly status: number | null
  readonly body: string
  readonly headers: ReadonlyMap<string, string>
  readonly seconds: number
  /** Without a status: why. */
  readonly failure: "hung up" | "timeout" | "closed" | "refused" | null
}

const timeoutMsDefault = 40_000

/** Sends one GET on a connection of its own. Never rejects. */
export function request(options: RequestOptions): Promise<HttpAnswer> {
  const { port, path, client, headers = {} } = options
  const { localAddress = localAddresses.honest } = options
  const began = performance.now()
  return new Promise((done) => {
    const chunks: Array<Buffer> = []
    let failure: HttpAnswer["failure"] = "refused"
    const socket = connect({ host: "127.0.0.1", port, localAddress })
    const timer = setTimeout(() => {
      failure = options.hangUpAfterMs === undefined ? "timeout" : "hung up"
      socket.destroy()
    }, options.hangUpAfterMs ?? options.timeoutMs ?? timeoutMsDefault)
    socket.on("connect", () => {
      failure = "closed"
      const lines = Object.entries({ "x-forwarded-for": client, ...headers })
        .map(([name, value]) => `${name}: ${value}\r\n`)
      socket.write(
        `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n${lines.join("")}\r\n`,
      )
    })
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk)
    })
    socket.on("error", () => {})
    socket.on("close", () => {
      clearTimeout(timer)
      const seconds = (performance.now() - began) / 1_000
      const text = Buffer.concat(chunks).toString("latin1")
      done({ ...parse(text, failure), seconds })
    })
  })
}

function parse(text: string, failure: HttpAnswer["failure"]): Omit<HttpAnswer, "seconds"> {
  const end = text.indexOf("\r\n\r\n")
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? NaN)
  if (end < 0 || Number.isNaN(status)) {
    return { status: null, body: "", headers: new Map(), failure }
  }
  const headers = new Map(
    text.slice(0, end).split("\r\n").slice(1).map((line) => {
      const at = line.indexOf(":")
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()] as const
    }),
  )
  const rest = text.slice(end + 4)
  const body = headers.get("transfer-encoding") === "chunked" ? unchunked(rest) : rest
  const length = Number(headers.get("content-length") ?? body.length)
  if (body.length < length) return { status: null, body: "", headers, failure }
  const bytes = Buffer.from(body, "latin1")
  return { status, body: bytes.toString("utf8"), headers, failure: null }
}

function unchunked(text: string): string {
  let body = ""
  for (let at = 0;;) {
    const end = text.indexOf("\r\n", at)
    const size = parseInt(text.slice(at, end), 16)
    if (end < 0 || !(size > 0)) return body
    body += text.slice(end + 2, end + 2 + size)
    at = end + 4 + size
  }
}
