/**
 * A connection to the embedded PostgreSQL: what a client writes goes to the backend, and the answer
 * comes back.
 *
 * The backend has one session, so a client opens one connection at a time. Notifications (LISTEN) are
 * not supported.
 *
 * @module
 */
import { Duplex } from "node:stream"

/** Runs messages of the PostgreSQL protocol, in the order of the calls. */
export type Backend = (messages: Uint8Array) => Promise<Uint8Array>

export class EmbeddedConnection extends Duplex {
  readonly #run: Backend

  constructor(run: Backend) {
    super()
    this.#run = run
  }

  override _read(): void {}

  /** The client writes whole messages, and the next ones wait until these are answered. */
  override _write(messages: Uint8Array, _encoding: string, done: (error?: Error) => void): void {
    if (isCancelRequest(messages)) {
      // A statement is never interrupted, so there is nothing to cancel.
      this.destroy()
      return done()
    }
    this.#run(messages).then(
      (answer) => {
        if (!this.destroyed) this.push(answer)
        done()
      },
      (cause) => done(new Error("The embedded store failed", { cause })),
    )
  }

  override _final(done: () => void): void {
    this.push(null)
    done()
  }

  /** The session outlives the connection: its transaction and its named statements end here. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#run(rollback).then(() => this.#run(forget)).catch(() => {})
    done(error)
  }
}

const cancelRequestCode = 80877102

function isCancelRequest(messages: Uint8Array): boolean {
  const view = new DataView(messages.buffer, messages.byteOffset, messages.byteLength)
  return messages.length === 16 && view.getInt32(4) === cancelRequestCode
}

const rollback = queryMessage("ROLLBACK")
const forget = queryMessage("DEALLOCATE ALL")

/** A type byte, the length of the rest, and the statement with a zero at its end. */
function queryMessage(statement: string): Uint8Array {
  const text = new TextEncoder().encode(`${statement}\0`)
  const message = new Uint8Array(5 + text.length)
  message[0] = "Q".charCodeAt(0)
  new DataView(message.buffer).setInt32(1, 4 + text.length)
  message.set(text, 5)
  return message
}
