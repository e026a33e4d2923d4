/**
 * Serves the embedded store to other processes of this machine, under a password: each socket is one
 * virtual connection of the backend, so that no transaction of one mixes with another's.
 *
 * A socket that goes takes its open transaction with it. There are no roles behind the password: who
 * holds it may do everything.
 *
 * @module
 */
import { Effect, Redacted, Schema } from "effect"
import { timingSafeEqual } from "node:crypto"
import { createServer, type Server, type Socket } from "node:net"
import type { Backend } from "./wire.ts"

export interface StoreSocket {
  /** On 127.0.0.1. */
  readonly port: number
  readonly password: Redacted.Redacted
}

/** Nothing listens: most likely the port is taken. */
export class StoreListenFailed
  extends Schema.TaggedError<StoreListenFailed>()("StoreListenFailed", { port: Schema.Int }) {
  override get message() {
    return `Cannot serve the embedded store on 127.0.0.1:${this.port}: is the port taken?`
  }
}

/** More than the pools of the processes beside the service need; one more is closed unanswered. */
export const socketsMax = 16
/** How long a client may take to say who it is, and in how many bytes. */
const handshakeMsMax = 5_000
const handshakeBytesMax = 4_096

/** Listens for as long as the scope lives. */
export const serveStore = (backend: Backend, { port, password }: StoreSocket) =>
  Effect.acquireRelease(
    Effect.callback<{ server: Server; sockets: Set<Socket> }, StoreListenFailed>((resume) => {
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        sockets.add(socket)
        socket.once("close", () => sockets.delete(socket))
        socket.on("error", () => socket.destroy())
        admit(socket, backend, Redacted.value(password))
      })
      server.maxConnections = socketsMax
      server.once("error", () => resume(Effect.fail(new StoreListenFailed({ port }))))
      server.listen(port, "127.0.0.1", () => resume(Effect.succeed({ server, sockets })))
    }),
    ({ server, sockets }) =>
      Effect.promise(() =>
        new Promise<void>((resolve) => {
          server.close(() => resolve())
          for (const socket of sockets) socket.destroy()
        })
      ),
  ).pipe(Effect.asVoid)

/** Asks for the password, then joins the socket to a virtual connection. */
function admit(socket: Socket, backend: Backend, password: string): void {
  let pending = new Uint8Array(0)
  let startup: Uint8Array | null = null
  socket.setTimeout(handshakeMsMax, () => socket.destroy())

  socket.on("data", function hear(chunk: Uint8Array) {
    pending = joined(pending, chunk)
    for (let heard = next(); heard !== null; heard = next()) {
      if (startup === null && code(heard) === protocolVersion) {
        startup = heard
        socket.write(askPassword)
      } else if (startup === null && encryptionRequests.includes(code(heard))) {
        socket.write("N")
      } else if (startup !== null && same(passwordIn(heard), password)) {
        socket.off("data", hear)
        socket.setTimeout(0)
        return join(socket, backend, joined(startup, pending))
      } else {
        socket.off("data", hear)
        return void socket.end(refusal)
      }
    }
    if (pending.length > handshakeBytesMax) socket.destroy()
  })

  /** The next whole message. The startup has no letter before its length; the password has. */
  function next(): Uint8Array | null {
    const at = startup === null ? 0 : 1
    if (pending.length < at + 4) return null
    const end = at + new DataView(pending.buffer, pending.byteOffset).getInt32(at)
    if (end < at + 4 || end > handshakeBytesMax) return socket.destroy(), null
    if (pending.length < end) return null
    const message = pending.slice(0, end)
    pending = pending.slice(end)
    return message
  }
}

function join(socket: Socket, backend: Backend, said: Uint8Array): void {
  const connection = backend.connect()
  socket.once("close", () => connection.destroy())
  connection.once("close", () => socket.destroy())
  connection.on("error", () => socket.destroy())
  connection.write(said)
  socket.pipe(connection).pipe(socket)
}

const protocolVersion = 196608
/** SSLRequest and GSSENCRequest: on loopback there is nobody to hide from. */
const encryptionRequests: ReadonlyArray<number> = [80877103, 80877104]

/** AuthenticationCleartextPassword. */
const askPassword = new Uint8Array([0x52, 0, 0, 0, 8, 0, 0, 0, 3])
const refusal = errorResponse("SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed\0\0")

function errorResponse(fields: string): Uint8Array {
  const body = new TextEncoder().encode(fields)
  const bytes = new Uint8Array(5 + body.length)
  bytes[0] = 0x45
  new DataView(bytes.buffer).setInt32(1, 4 + body.length)
  bytes.set(body, 5)
  return bytes
}

/** The number after the length: a protocol's version, or what is asked instead. */
function code(message: Uint8Array): number {
  return message.length < 8 ? 0 : new DataView(message.buffer).getInt32(4)
}

const passwordLetter = 0x70

function passwordIn(message: Uint8Array): string {
  if (message[0] !== passwordLetter) return ""
  return new TextDecoder().decode(message.subarray(5, -1))
}

function same(shown: string, expected: string): boolean {
  const encoder = new TextEncoder()
  const [a, b] = [encoder.encode(shown), encoder.encode(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function joined(before: Uint8Array, after: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(before.length + after.length)
  bytes.set(before)
  bytes.set(after, before.length)
  return bytes
}
