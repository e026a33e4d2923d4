/**
 * GET requests, each on a connection of its own, with a chosen local address and X-Forwarded-For; one
 * may hang up before the answer.
 *
 * @module
 */
import { get } from "node:http"

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
}

export interface HttpAnswer {
  /** Null: no complete answer. */
  readonly status: number | null
  readonly body: string
  readonly headers: Headers
  readonly seconds: number
  /** Without a status: why. */
  readonly failure: "hung up" | "timeout" | "closed" | "refused" | null
}

const timeoutMs = 40_000

/** Sends one request. Never rejects. */
export function request(options: RequestOptions): Promise<HttpAnswer> {
  const { port, path, client, localAddress = localAddresses.honest, hangUpAfterMs } = options
  const began = performance.now()
  return new Promise((done) => {
    let failure: HttpAnswer["failure"] = "refused"
    const end = (answer: Omit<HttpAnswer, "seconds">) => {
      clearTimeout(timer)
      done({ ...answer, seconds: (performance.now() - began) / 1_000 })
    }
    const fail = () => end({ status: null, body: "", headers: new Headers(), failure })
    const headers = { "x-forwarded-for": client, ...options.headers }
    const sent = get({ host: "127.0.0.1", port, path, localAddress, headers, agent: false })
    const timer = setTimeout(() => {
      failure = hangUpAfterMs === undefined ? "timeout" : "hung up"
      sent.destroy()
    }, hangUpAfterMs ?? timeoutMs)
    sent.on("socket", (socket) => {
      socket.on("connect", () => {
        failure = "closed"
      })
    })
    sent.on("response", (response) => {
      let body = ""
      response.setEncoding("utf8")
      response.on("data", (text: string) => {
        body += text
      })
      response.on("error", fail)
      response.on("end", () => {
        const fields = Object.entries(response.headers).map(([name, value]) => [name, `${value}`])
        const headers = new Headers(fields as Array<[string, string]>)
        if (!response.complete) return fail()
        end({ status: response.statusCode ?? null, body, headers, failure: null })
      })
    })
    sent.on("error", fail)
    sent.on("close", fail)
  })
}
