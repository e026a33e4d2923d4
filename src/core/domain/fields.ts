/**
 * Fields on the wire that many answers share, each described once.
 *
 * @module
 */
import { Schema } from "effect"
import { IsoTime } from "./time.ts"

/** A text with its meaning. */
export const text = (description: string) => Schema.String.annotate({ description })

/** A field with its meaning; a shared type keeps its name. */
export const described = <S extends Schema.Top>(schema: S, description: string) =>
  schema.annotate({ description })

export const success = described(Schema.Literal(true), "False in an error")

export const disclaimer = text("What the answer is not")

/** What names a market. */
export const marketName = {
  slug: text("What /v1/research takes as `market`"),
  question: text("The market's question, in the venue's words"),
}

/** What names a wallet. */
export const walletName = {
  wallet: text("0x and 40 hexadecimal digits"),
  pseudonym: text("The wallet's name, chosen by its owner"),
}

/** A statement that a text may cite. */
export const FactRow = Schema.Struct({
  id: text("How the text cites it, such as F3"),
  statement: text("The fact in a sentence or two, with its figures and names"),
  about: described(
    Schema.NullOr(Schema.String),
    "Slug of the market or address of the wallet that it is about; null for none or several",
  ),
}).annotate({ identifier: "Fact" })

/** A headline, or the venue's proposal of an outcome. */
export const EvidenceRow = Schema.Struct({
  title: text("The headline as published, or the proposed outcome; not verified"),
  url: text("Address of the article, or of the market"),
  source: text("Name of the publisher or venue"),
  publishedAt: described(IsoTime, "When it was published, by its publisher, or proposed"),
}).annotate({ identifier: "Evidence" })
