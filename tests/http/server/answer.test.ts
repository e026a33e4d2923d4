/**
 * ETags of answers, and the comparison of `If-None-Match` with lists, weak tags and `*`.
 *
 * @module
 */
import { notStrictEqual, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { answer, matchesTag } from "../../../src/http/server/answer.ts"
import { law } from "../../support/effect.ts"

const tag = Arbitrary.map(
  Arbitrary.schema(Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_,-]{1,8}$/))),
  (text) => `"${text}"`,
)
const tags = Arbitrary.array(tag, { maxLength: 5 })
const weak = (etag: string) => `W/${etag}`

law("answer() gives equal tags to equal bodies only", tags, (bodies) => {
  for (const a of bodies) {
    for (const b of bodies) {
      const same = answer({ body: a, cache: "polled" }).etag ===
        answer({ body: b, cache: "polled" }).etag
      strictEqual(same, a === b)
    }
  }
})

law("matchesTag() finds a tag in a list, weak or strong", Arbitrary.all([tags, tag, tags]), (
  [before, wanted, after],
) => {
  const list = [...before, wanted, ...after]
  strictEqual(matchesTag(list.join(", "), wanted), true)
  strictEqual(matchesTag(list.map(weak).join(","), wanted), true)
  strictEqual(matchesTag(list.join(", "), weak(wanted)), true)
})

law("matchesTag() does not match other tags", Arbitrary.all([tags, tag]), ([others, wanted]) => {
  const list = others.filter((other) => other !== wanted)
  strictEqual(matchesTag(list.join(", "), wanted), false)
})

law("matchesTag() matches any tag with *", tag, (etag) => matchesTag(" * ", etag))

Deno.test("answer() gives no tag to a body that must not be cached", () => {
  strictEqual(answer({ body: "{}", cache: "none" }).etag, null)
  notStrictEqual(answer({ body: "{}", cache: "document" }).etag, null)
})
