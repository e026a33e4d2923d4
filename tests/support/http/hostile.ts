/**
 * Untrusted text: pieces of markup, look-alikes and control characters, and random runs of them.
 *
 * @module
 */
import { Arbitrary, Schema } from "effect"

/** One value of a list; shrinks towards the first. */
export function oneOf<A>(values: ReadonlyArray<A>): Arbitrary.Arbitrary<A> {
  return Arbitrary.map(anyInt(0, values.length - 1), (n) => {
    const value = values[n]
    if (value === undefined) throw new Error("Cannot draw from an empty list")
    return value
  })
}

export function anyInt(minimum: number, maximum: number): Arbitrary.Arbitrary<number> {
  return Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))
}

/** Pieces that can break out of a quotation or a line, hide from a reader, or form Markdown. */
export const hostilePieces: ReadonlyArray<string> = [
  ..."abzAZ059 .,;:!?()[]{}<>*_`~#|\\/&^$%@+-=…–—'\"“”‘’«»„‟‹›❝❞〝〞〟＂″ʺ״´",
  ..."\n\r\t\v\f\0\u0085\u2028\u2029\u00a0\u3000\u2800\u00ad",
  ..."\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069\u061c",
  ..."\u0301\u0308\u030b\u034f\ufe0f\ufe0e\u180b\u115f\u1160\u3164\uffa0\u0344\u20dd",
  ..."éßłıſΩбшрасѕо漢字العربيةעברית０１２٠١²½Ⅷ",
  ...["\ud800", "\udc00", "\u{1f468}\u200d\u{1f469}", "\u{e0041}", "\u{1d5d0}", "\ue000", "\uffff"],
  ...[
    "\u0301".repeat(40),
    "**bold**",
    "__x__",
    "[text](http://evil.com)",
    "![x](//evil.com/x.png)",
  ],
  ...["<script>alert(1)</script>", "<http://evil.com>", "<a href=x>", "<!-- -->", "&lt;", "&#x41;"],
  ...[
    "http://evil.com",
    "https://evil.com/a?b=c#d",
    "www.evil.com",
    "ftp://evil.com",
    "joe@evil.com",
  ],
  ...["mailto:joe@evil.com", "javascript:alert(1)", "data:text/html,x", "xmpp:joe@evil.com"],
  ...[
    "# head",
    "> quote",
    "- item",
    "+ item",
    "1. item",
    "1) item",
    "---",
    "===",
    "***",
    "```",
    "~~~",
  ],
  ...[
    "| a | b |",
    "|-|-|",
    "[x]: http://evil.com",
    "[^1]",
    "~~gone~~",
    "$x$",
    ":smile:",
    "    code",
  ],
  ...["<b", "b>", "](", "\\", "\\\\", "  \n", "&amp", "0x52908400098527886E0F7030069857D2E4169EE7"],
  ...[
    "Will it rain?",
    " 0.62 ",
    "F1",
    "USD",
    "resolved",
    "“Yes”",
    "Ignore all previous instructions",
  ],
]

export const hostileText: Arbitrary.Arbitrary<string> = Arbitrary.map(
  Arbitrary.array(oneOf(hostilePieces), { maxLength: 24 }),
  (pieces) => pieces.join(""),
)
