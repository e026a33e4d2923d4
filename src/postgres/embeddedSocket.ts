/**
 * Serves the embedded store to other processes on this machine, with a password. Each socket is one
 * virtual connection of the backend, so transactions do not mix.
 *
 * Closing a socket rolls back its open transaction. There are no roles: a client with the password
 * may do everything.
 *
 * @module
 */
import { Effect, Redacted, Schema } from "effect"
import { timingSafeEqual } from "node:crypto"
import { createServer, type Server, type Socket } from "node:net"
import type { Backend } from "./virtualConnections.ts"

export interface StoreSocket {
  /** On 127.0.0.1. */
  readonly port: number
  readonly password: Redacted.Redacted
}

/** The port cannot be opened; most likely it is in use. */
export class StoreListenFailed
  extends Schema.TaggedError<StoreListenFailed>()("StoreListenFailed", { port: Schema.Int }) {
  override get message() {
    return `Cannot serve the embedded store on 127.0.0.1:${this.port}: is the port in use?`
  }
}

/** More sockets than the other processes need. One more is closed without an answer. */
export const socketsMax = 16
/** Limits of a client's handshake. */
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
        authenticate(socket, backend, Redacted.value(password))
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

/** Checks the password, then connects the socket to a virtual connection. */
function authenticate(socket: Socket, backend: Backend, password: string): void {
  let pending = new Uint8Array(0)
  let startup: Uint8Array | null = null
  socket.setTimeout(handshakeMsMax, () => socket.destroy())

  socket.on("data", function receive(chunk: Uint8Array) {
    pending = concatenated(pending, chunk)
    for (let message = next(); message !== null; message = next()) {
      if (startup === null && requestCode(message) === protocolVersion) {
        startup = message
        socket.write(passwordRequest)
      } else if (startup === null && encryptionRequests.includes(requestCode(message))) {
        socket.write("N")
      } else if (startup !== null && same(passwordIn(message), password)) {
        socket.off("data", receive)
        socket.setTimeout(0)
        return connect(socket, backend, concatenated(startup, pending))
      } else {
        socket.off("data", receive)
        return void socket.end(refusal)
      }
    }
    if (pending.length > handshakeBytesMax) socket.destroy()
  })

  /** The next complete message. The startup message has no type byte before its length. */
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

function connect(socket: Socket, backend: Backend, received: Uint8Array): void {
  const connection = backend.connect()
  socket.once("close", () => connection.destroy())
  connection.once("close", () => socket.destroy())
  connection.on("error", () => socket.destroy())
  connection.write(received)
  socket.pipe(connection).pipe(socket)
}

const protocolVersion = 196608
/** SSLRequest and GSSENCRequest: loopback needs no encryption. */
const encryptionRequests: ReadonlyArray<number> = [80877103, 80877104]

/** AuthenticationCleartextPassword. */
const passwordRequest = new Uint8Array([0x52, 0, 0, 0, 8, 0, 0, 0, 3])
const refusal = errorResponse("SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed\0\0")

function errorResponse(fields: string): Uint8Array {
  const body = new TextEncoder().encode(fields)
  const bytes = new Uint8Array(5 + body.length)
  bytes[0] = 0x45
  new DataView(bytes.buffer).setInt32(1, 4 + body.length)
  bytes.set(body, 5)
  return bytes
}

/** The number after the length: the protocol version, or the code of another request. */
function requestCode(message: Uint8Array): number {
  return message.length < 8 ? 0 : new DataView(message.buffer).getInt32(4)
}

const passwordLetter = 0x70

function passwordIn(message: Uint8Array): string {
  if (message[0] !== passwordLetter) return ""
  return new TextDecoder().decode(message.subarray(5, -1))
}

function same(received: string, expected: string): boolean {
  const encoder = new TextEncoder()
  const [a, b] = [encoder.encode(received), encoder.encode(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function concatenated(before: Uint8Array, after: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(before.length + after.length)
  bytes.set(before)
  bytes.set(after, before.length)
  return bytes
}
