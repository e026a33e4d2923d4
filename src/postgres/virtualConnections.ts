/**
 * Shares one in-process PostgreSQL backend between many virtual connections, each a byte stream.
 *
 * The backend runs one unit at a time: all messages of a connection up to a Sync or a Query. A
 * connection inside a transaction keeps the backend until the transaction ends; the others wait in
 * order of arrival. Notifications (LISTEN) are not supported.
 *
 * @module
 */
import { Duplex } from "node:stream"

/** Runs frontend messages on the backend. `onAnswer` must copy its bytes: the buffer is reused. */
type Run = (message: Uint8Array, onAnswer: (bytes: Uint8Array) => void) => Promise<void>

interface Unit {
  readonly from: VirtualConnection
  readonly message: Uint8Array
}

/** How long units run one after another before other work on the event loop gets a turn. */
const turnMsMax = 8

const idle = code("I")
const encoder = new TextEncoder()

export class Backend {
  readonly #run: Run
  readonly #waiting: Array<Unit> = []
  /** The connection inside a transaction. */
  #owner: VirtualConnection | null = null
  #running = false

  constructor(run: Run) {
    this.#run = run
  }

  /** A new connection. Its startup message is answered here and never reaches the backend. */
  connect(): Duplex {
    return new VirtualConnection((unit) => this.#enqueue(unit))
  }

  #enqueue(unit: Unit): void {
    this.#waiting.push(unit)
    if (!this.#running) void this.#drain()
  }

  async #drain(): Promise<void> {
    this.#running = true
    let turnStarted = performance.now()
    for (let unit = this.#next(); unit !== undefined; unit = this.#next()) {
      await this.#answer(unit)
      if (performance.now() - turnStarted > turnMsMax) {
        await new Promise((resolve) => setTimeout(resolve, 0))
        turnStarted = performance.now()
      }
    }
    this.#running = false
  }

  #next(): Unit | undefined {
    const at = this.#owner === null
      ? 0
      : this.#waiting.findIndex((unit) => unit.from === this.#owner)
    return at < 0 ? undefined : this.#waiting.splice(at, 1)[0]
  }

  async #answer({ from, message }: Unit): Promise<void> {
    const pieces: Array<Uint8Array> = []
    let status = idle
    try {
      await this.#run(message, (bytes) => {
        pieces.push(bytes.slice())
        status = bytes[bytes.length - 1] ?? status
      })
      this.#owner = status === idle ? null : from
      from.answer(concat(pieces))
    } catch (cause) {
      this.#owner = null
      from.destroy(new Error("The embedded store failed", { cause }))
    }
  }
}

/** A type byte and a length of four bytes. */
const headerLength = 5
const noBytes = new Uint8Array(0)

class VirtualConnection extends Duplex {
  readonly #enqueue: (unit: Unit) => void
  /** Bytes of an incomplete unit, and the length of the complete frames in them. */
  #pending: Uint8Array = noBytes
  #framed = 0
  #started = false
  #closed = false
  /** Named statements of this connection: the backend keeps them until they are closed. */
  readonly #statements = new Set<string>()

  constructor(enqueue: (unit: Unit) => void) {
    super()
    this.#enqueue = enqueue
  }

  override _read(): void {}

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    this.#pending = this.#pending.length === 0 ? chunk : concat([this.#pending, chunk])
    if (this.#started || this.#startup()) this.#frames()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#close()
    done(error)
  }

  override _final(done: () => void): void {
    this.#close()
    this.push(null)
    done()
  }

  /** Sends the backend's answer to the client, unless the connection is closed. */
  answer(bytes: Uint8Array): void {
    if (!this.#closed) this.push(bytes)
  }

  #startup(): boolean {
    const view = new DataView(this.#pending.buffer, this.#pending.byteOffset)
    if (this.#pending.length < 8 || this.#pending.length < view.getInt32(0)) return false
    if (view.getInt32(4) !== protocolVersion) {
      // A CancelRequest: a unit is never interrupted, so there is nothing to cancel.
      this.destroy()
      return false
    }
    this.#pending = this.#pending.subarray(view.getInt32(0))
    this.#started = true
    this.push(greeting)
    return true
  }

  #frames(): void {
    const bytes = this.#pending
    const view = new DataView(bytes.buffer, bytes.byteOffset)
    let unitStart = 0
    let at = this.#framed
    while (at + headerLength <= bytes.length && at + 1 + view.getInt32(at + 1) <= bytes.length) {
      const type = bytes[at]
      const end = at + 1 + view.getInt32(at + 1)
      if (type === parse) this.#rememberStatement(bytes.subarray(at + headerLength, end))
      if (type === terminate) return this.#close()
      if (type === sync || type === query) {
        this.#enqueue({ from: this, message: bytes.slice(unitStart, end) })
        unitStart = end
      }
      at = end
    }
    this.#pending = unitStart === bytes.length ? noBytes : bytes.slice(unitStart)
    this.#framed = at - unitStart
  }

  #rememberStatement(body: Uint8Array): void {
    const name = new TextDecoder().decode(body.subarray(0, body.indexOf(0)))
    if (name !== "") this.#statements.add(name)
  }

  /** Rolls back the open transaction and closes the named statements. */
  #close(): void {
    if (this.#closed) return
    this.#closed = true
    if (!this.#started) return
    const closes = [...this.#statements].map((name) => frame("C", encoder.encode(`S${name}\0`)))
    this.#enqueue({
      from: this,
      message: concat([frame("Q", encoder.encode("ROLLBACK\0")), ...closes, frame("S", noBytes)]),
    })
  }
}

const protocolVersion = 196608
const parse = code("P")
const query = code("Q")
const sync = code("S")
const terminate = code("X")

/** AuthenticationOk, ParameterStatus, BackendKeyData, ReadyForQuery (idle). */
const greeting = concat([
  frame("R", new Uint8Array(4)),
  ...[
    ["client_encoding", "UTF8"],
    ["DateStyle", "ISO, MDY"],
    ["integer_datetimes", "on"],
    ["server_version", "18.0"],
    ["standard_conforming_strings", "on"],
    ["TimeZone", "UTC"],
  ].map(([name, value]) => frame("S", encoder.encode(`${name}\0${value}\0`))),
  frame("K", new Uint8Array(8)),
  frame("Z", encoder.encode("I")),
])

function code(letter: string): number {
  return letter.charCodeAt(0)
}

function frame(letter: string, body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(headerLength + body.length)
  bytes[0] = code(letter)
  new DataView(bytes.buffer).setInt32(1, 4 + body.length)
  bytes.set(body, headerLength)
  return bytes
}

function concat(pieces: ReadonlyArray<Uint8Array>): Uint8Array {
  const [only] = pieces
  if (only !== undefined && pieces.length === 1) return only
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}
