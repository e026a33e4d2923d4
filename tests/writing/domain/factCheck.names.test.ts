/**
 * The fact check on names, wallets, links and markup: a passage contains only those of its cited facts.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary } from "effect"
import { factsById, type FaultCode, faultsOf } from "../../../src/writing/domain/factCheck.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"
import { anyInt, hostilePieces, oneOf } from "../../support/http/hostile.ts"
import {
  anyStory,
  changed,
  inserted,
  passageOf,
  type Story,
  withNames,
} from "../../support/writing/passages.ts"

const runs = sized({ short: 100, full: 700 })
const codesIn = (story: Story): ReadonlyArray<FaultCode> =>
  faultsOf(passageOf(story), factsById(story.facts)).map(({ code }) => code)
const namesOf = (story: Story) => story.own.flatMap(({ names }) => names)

const anyPlace = Arbitrary.all({ story: anyStory(true), which: anyInt(0, 99), n: anyInt(0, 9_999) })

/** Asserts that these words fail at any position, with one of these codes among the faults. */
function refuses(
  name: string,
  words: Arbitrary.Arbitrary<string>,
  codes: ReadonlyArray<FaultCode>,
): void {
  law(
    `prose fails with ${name}`,
    Arbitrary.all({ place: anyPlace, words }),
    ({ place: { story, which }, words }) => {
      const bad = inserted(story, which, words)
      ok(codesIn(bad).some((code) => codes.includes(code)), passageOf(bad).text)
    },
    { runs },
  )
}

/** Asserts that a changed quoted name fails, unless the change gives another name of the cited facts. */
function refusesName(name: string, change: (name: string, n: number, piece: string) => string) {
  const drawn = Arbitrary.all({ place: anyPlace, piece: oneOf(hostilePieces) })
  const bad = Arbitrary.map(drawn, ({ place: { story, which, n }, piece }) => {
    let result = ""
    const bad = changed(story, "name", which, (text) => result = change(text, n, piece))
    return { bad, isBad: !namesOf(story).includes(result) }
  })
  law(
    `a quoted name fails ${name}`,
    Arbitrary.filter(bad, ({ isBad }) => isBad),
    ({ bad }) => ok(codesIn(bad).length > 0, passageOf(bad).text),
    { runs },
  )
}

const splice = (text: string, at: number, drop: number, add: string) =>
  text.slice(0, at) + add + text.slice(at + drop)

refusesName(
  "with anything put in",
  (name, n, piece) => splice(name, n % (name.length + 1), 0, piece),
)
refusesName("with a letter dropped", (name, n) => splice(name, n % name.length, 1, ""))
refusesName("with a letter changed", (name, n, piece) => splice(name, n % name.length, 1, piece))
refusesName("in other letters", (name, n) => n % 2 === 0 ? name.toUpperCase() : name.toLowerCase())
refusesName("cut short", (name, n) => name.slice(0, n % name.length))
refusesName("followed by another", (name) => `${name}“${name}”`)
refusesName("split by other quotation marks", (name) => `x” "${name}" “x`)

law("a name of a fact that the passage does not cite fails", anyPlace, ({ story, which, n }) => {
  const name = story.other.names[n % story.other.names.length] ?? ""
  if (namesOf(story).includes(name)) return
  ok(codesIn(inserted(story, which, `“${name}”`)).includes("name"), name)
}, { runs })

const syllables = ["zor", "bek", "quin", "vax", "drel", "mok", "ifra", "tul", "wenz", "pry", "gha"]
const invented = Arbitrary.map(
  Arbitrary.array(oneOf(syllables), { minLength: 2, maxLength: 3 }),
  (parts) => parts.join(""),
)
const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1)

refuses("an invented market", Arbitrary.map(invented, (word) => `“Will ${capital(word)} win?”`), [
  "name",
])
refuses(
  "an invented wallet's pseudonym",
  Arbitrary.map(
    Arbitrary.all([invented, invented]),
    ([one, other]) => `${capital(one)} ${capital(other)}`,
  ),
  ["word"],
)
refuses(
  "a pseudonym of two capitalized plain words",
  oneOf([
    "Silent Harbor",
    "Careful Trader",
    "Deep Market",
    "Strong Hand",
    "Quiet Money",
    "Big Short",
  ]),
  ["word"],
)
refuses("a lower-case name", invented, ["word"])
refuses(
  "a well-known name",
  oneOf([
    ..."trump biden putin musk google tesla apple nvidia meta amazon japan china russia".split(" "),
    ..."ukraine israel iran paris london monday november bitcoin ethereum polymarket".split(" "),
    ..."Trump2 Polymarket Monday November Japan Tesla CNN WHO EU USA NATO FBI SEC".split(" "),
  ]),
  ["word", "markup", "figure"],
)
refuses(
  "an address of a wallet",
  Arbitrary.map(
    Arbitrary.array(anyInt(0, 15), { minLength: 4, maxLength: 40 }),
    (digits) => `0x${digits.map((digit) => digit.toString(16)).join("")}`,
  ),
  ["link", "figure"],
)

const links: ReadonlyArray<(host: string) => string> = [
  (host) => `http://${host}.com`,
  (host) => `https://${host}.com/a?b=c`,
  (host) => `HTTPS://${host}.com`,
  (host) => `www.${host}.com`,
  (host) => `${host}.com`,
  (host) => `${host}.io/path`,
  (host) => `//${host}.com`,
  (host) => `[news](https://${host}.com)`,
  (host) => `[news][${host}]`,
  (host) => `![news](https://${host}.com/x.png)`,
  (host) => `<https://${host}.com>`,
  (host) => `<a href="https://${host}.com">news</a>`,
  (host) => `javascript:${host}`,
  (host) => `data:text/html,${host}`,
  (host) => `mailto:joe@${host}.com`,
  (host) => `joe@${host}.com`,
  (host) => `@${host}`,
  (host) => `#${host}`,
  (host) => `xn--${host}-9d0b.com`,
  (host) => `${host}。com`,
  (host) => `${host}․com`,
  (host) => `https:/${host}`,
  (host) => `ftp://${host}`,
  () => "market.now",
  () => "(the.market)",
]
refuses(
  "a link that is in no fact",
  Arbitrary.map(
    Arbitrary.all({ host: invented, link: oneOf(links) }),
    ({ host, link }) => link(host),
  ),
  ["link", "markup", "name", "word", "figure"],
)
law("a changed or extended link fails", anyPlace, ({ story, which, n }) => {
  const changes: ReadonlyArray<(link: string) => string> = [
    (link) => splice(link, n % link.length, 1, ""),
    (link) => splice(link, 1 + n % (link.length - 1), 0, "x"),
    (link) => `${link}.evil.com`,
    (link) => `${link}@evil.com`,
    (link) => `${link}/x`,
    (link) => link.replace("https", "http"),
    (link) => `${link}\u200b`,
    (link) => `<${link}>`,
  ]
  let result = ""
  const bad = changed(
    story,
    "link",
    which,
    (link) => result = changes[n % changes.length]?.(link) ?? link,
  )
  if (story.own.some(({ links }) => links.includes(result))) return
  ok(codesIn(bad).length > 0, passageOf(bad).text)
}, { runs })
law("a link of a fact that the passage does not cite fails", anyPlace, ({ story, which, n }) => {
  const link = story.other.links[n % story.other.links.length] ?? ""
  if (story.own.some(({ links }) => links.includes(link))) return
  ok(codesIn(inserted(story, which, link)).includes("link"), link)
}, { runs })

refuses(
  "a tag, an entity, a mark of Markdown, a control or an invisible character",
  oneOf([
    ...[
      "<b>",
      "</p>",
      "<br/>",
      "<script>",
      "<!-- x -->",
      "&lt;",
      "&#60;",
      "&amp;",
      "**now**",
      "_now_",
    ],
    ...[
      "`now`",
      "# now",
      "~~now~~",
      "| now |",
      "[now]",
      "{now}",
      "\\now",
      "now\\",
      "> now",
      "* now",
    ],
    ...["\n", "\t", "\r\n", "\u2028", "\u0000", "now\u200b", "\u202enow", "n\u00adow", "now\u0301"],
    ...["\u00a0", "now\u00a0now", "\ufeff", "- now", "now--now", "now/now", "…", "now…", "•", "→"],
    ...[
      '"now"',
      "'now'",
      "‘now’",
      "«now»",
      "„now“",
      "“now",
      "now”",
      "``now''",
      "nоw",
      "ｎow",
      "now!!",
    ],
  ]),
  ["markup", "name", "word", "figure", "link"],
)

law(
  "a word of a cited name fails outside quotation marks, unless it is a plain word",
  Arbitrary.all({
    story: anyStory(false),
    which: anyInt(0, 99),
    word: oneOf(["Fed", "Fed's", "Acme", "FED", "Rates", "fed", "marches", "keepers"]),
  }),
  ({ story, which, word }) => {
    const { own, facts } = withNames(story, ["Will the Fed cut Rates, say Acme keepers?"])
    equal(codesIn({ ...inserted(story, which, "rates"), own, facts }), [])
    ok(codesIn({ ...inserted(story, which, word), own, facts }).includes("word"), word)
  },
)
