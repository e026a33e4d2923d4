/**
 * The hard checks of a drafted sentence: what code can refuse without understanding English. A figure that
 * no cited fact gives, a name that none has, a direction against theirs, a link, markup, an order to trade.
 *
 * @module
 */
import { day, hour, minute } from "../../core/domain/time.ts"
import type { Fact } from "./facts.ts"
import checkWords from "./checkWords.json" with { type: "json" }
import { slotsIn, withoutSlots } from "./fill.ts"
import { isPlainName, spelled, type Value } from "./values.ts"

type Facts = ReadonlyArray<Fact>
type Texts = ReadonlyArray<string>

/** Why a text, its values still open, is refused; empty when it is not. `facts`: all of the page. */
export function hardFaults(text: string, cited: Facts, facts: Facts): Texts {
  const own = ownWords(text, cited)
  return [
    ...formFaults(text),
    ...nameFaults(text, own, cited, facts),
    ...figureFaults(own, cited),
    ...directionFaults(text, cited),
  ]
}

/** What the author's own words may not have. Slots, and quotations of cited words, may. */
const forbidden: Readonly<Record<string, RegExp>> = {
  "it is empty": /^\s*$/,
  "markup, or another script": /[^\p{Script=Latin}0-9 .,;:!?'"“”‘’()%$¢°&/+−–—…→≈~·-]|~~/u,
  "a link": /:\/\/|www\.|\p{L}\.\p{L}{2}/iu,
  "an order":
    /(?:^|[.!?;:,]\s*|\b(?:and|then|so|now|please)\s+)(?:buy|sell|bet|short|go (?:long|short)|ape|send|claim|visit|join|deposit)\b(?! (?:side|order|price)s?)/iu,
  "advice to trade":
    /\b(?:you|we|worth|time to|should|must|recommend\w*|advis\w+)\s+(?:\w+\s+)?(?:buy|sell|bet|hold)(?:ing)?\b/iu,
  "an order in a sentence":
    /\b(?:that|whether|if)\s+(?:bet|send|claim|visit|join|deposit)\b(?! (?:is|are|was))|\b(?:is|was|says?|said|word|advice) that\s+(?:buy|sell|short)\b/iu,
  "a promise": /\bguarante\w+|\bcertainly\b|\brisk[- ]free\b/iu,
  "spelled letters": /(?:(?<![\p{L}\p{N}])\p{L} ){3}/u,
  "an outcome or money in lower case": /\b(?:yes|usd\w?)\b/u,
}
/** `2{F8.to}`, `-{F8.return}`, `{F8.stake} million`: another figure than that of the slot. */
const touched =
  /(?:[\p{L}\p{N}.$€+−]|(?:^|\s)-)◦|◦(?:[\p{L}\p{N}%]|[ -](?:k|bn|percent|fold|times|(?:thous|mill|bill|trill)\w*)\b)/iu

function formFaults(text: string): Texts {
  const words = withoutSlots(text, " ").normalize("NFC").replace(quotation, " ")
  return [
    ...Object.entries(forbidden).flatMap(([reason, it]) => it.test(words) ? [reason] : []),
    ...touched.test(withoutSlots(text, gap)) ? ["a value is changed by what touches it"] : [],
  ]
}

/** Stands for a slot or a cited name in the author's own words. */
const gap = "◦"

/** The author's own words: without slots, and without the cited names that stand as a statement has them. */
function ownWords(text: string, cited: Facts): string {
  return cited.flatMap(({ names }) => names).toSorted((a, b) => b.length - a.length)
    .map((name) => [`“${RegExp.escape(name)}”`, ...isPlainName(name) ? [RegExp.escape(name)] : []])
    .map((forms) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${forms.join("|")})(?![\\p{L}\\p{N}])`, "gu"))
    .reduce((left, name) => left.replaceAll(name, gap), withoutSlots(text, gap))
}

const capital = /(?<![\p{L}\p{N}’'])\p{Lu}[\p{L}\p{M}’'-]*/gu
const quotation = /[“"]([^“”"]*)[”"]/g
/** Words of a name in a row, and their letters and spaces, that stand in quotation marks only. */
const repeated = { words: 3, letters: 19 }
const calendar =
  /^(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|UTC|USD)$/

/** Quotations and capitals that no cited fact has, and names that stand without their quotation marks. */
function nameFaults(text: string, own: string, cited: Facts, facts: Facts): Texts {
  const bare = own.replace(quotation, gap)
  const said = cited.flatMap(({ names, statement }) => [...names, statement])
  const statements = unquoted(cited)
  const ordinary = openers.union(new Set(unquoted(facts).match(/(?<![\p{L}’'-])\p{Ll}+/gu)))
  const isOwn = (word: string) =>
    [word, word.replace(/s$/, "")].some((it) => ordinary.has(it.toLowerCase()))
  const names = facts.flatMap(({ names }) => names.map(inRow))
  const pseudonyms = facts.flatMap(({ values }) => Object.entries(values))
    .flatMap(([slot, it]) => slot.startsWith("wallet") && it.type === "name" ? [it.text] : [])
  const isOfWallet = (word: string) => inRow(pseudonyms.join(" ")).includes(inRow(word))
  const known = new Set(said.flatMap(wordsOf).filter((word) => !isOfWallet(word)))
  const isRepeated = wordsOf(bare).some((word, at, all) => {
    const run = inRow(all.slice(at, at + repeated.words).join(" "))
    const isLong = run.length >= repeated.letters && all.length >= at + repeated.words
    return isOfWallet(word) && !isOwn(word) ||
      isLong && !inRow(statements).includes(run) && names.some((it) => it.includes(run))
  })
  return [
    ...[...withoutSlots(text, gap).matchAll(quotation)].filter(([, part = ""]) => {
      const words = part.replace(/[,.…]+$/, "").trim()
      return words === "" || words !== gap && !said.some((text) => text.includes(words))
    }).map(([whole]) => `no cited fact has the words ${whole}`),
    ...[...bare.matchAll(capital)].filter(({ 0: word, index }) => {
      const parts = word.replace(/[’']s?$/, "").split(/[’'-]/).filter((part) => part !== "")
      if (parts.every((it) => known.has(it) || calendar.test(it))) return false
      const isFirst = /(?:^|[.!?…]["”’')]*\s+)["“(]*$/u.test(bare.slice(0, index))
      const isPlain = isOwn(word) || plainOpener.test(word) && !names.join().includes(inRow(word))
      return !isFirst || !isPlain || outcomeAsSubject.test(bare.slice(index))
    }).map(([word]) => `no cited fact has the name ${word}`),
    ...isRepeated ? ["a name without its slot"] : [],
    ...(bare.match(/(?:\p{L}\d|\d\p{L})[\p{L}\p{N}]*/gu) ?? [])
      .flatMap((it) => statements.includes(it) ? [] : [`no cited fact has the code ${it}`]),
  ]
}

function unquoted(facts: Facts): string {
  return facts.map(({ statement }) => statement.replace(quotation, gap)).join(" ")
}

const wordsOf = (text: string): Texts => text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

const inRow = (text: string) => ` ${wordsOf(text).join(" ").toLowerCase()} `

/** `Over in …`, `No costs …`: the name of an outcome, and no opener. */
const outcomeAsSubject =
  /^(?:Yes|No|Over|Under|Up|Down)\b(?=\s+(?:in|at|on|to|for|here|is|was|has|costs?|rose|fell|trades?|needs?|gain\w*|pays?|moved)\b|\s*[,.;])/
const smallNumbers = "no one two three four five six seven eight nine ten eleven twelve".split(" ")
/** Other words that may begin a sentence with a capital, by their ending: `Trading`, `Kick-off`. */
const plainOpener =
  /^\p{Lu}\p{Ll}+(?:-\p{Ll}+|ing|ly|ity|ness|[ts]ions?|ments?|ers|ed|[ae]nces?|[ci]al|ous|ful|less|[ai]ble)$/u
/** Words that may begin a sentence with a capital, besides those of the statements; no name is one. */
const openers = new Set([...smallNumbers, ...checkWords.openers.split(" ")])

/** A figure: the way it moves, its sign or currency, its digits, and its unit or noun. */
const figure =
  /(?<way>(?:rose|fell|up|down|r[io]se[sn]?|fall(?:s|en)?)\s+(?:by\s+)?)?(?<sign>[$€£¥])?(?<digits>\d+(?:,\d{3})*(?:\.\d+|:\d{2})?)(?:[\s-]?(?<unit>(?:percentage )?points?|[%¢]|\p{L}+))?/giu
const numberWord =
  /\b(?:four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)\w*|hundreds?|thousands?|millions?|billions?|trillions?|dozens?|doubl\w*|twice|tripl\w*|thrice|quarters?|percent\w*)\b/giu
const scale =
  /^(?:point|minute|hour|day|week|month|year|k|m|bn|hundred|thousand|million|billion|x|time|fold)$/
/** A figure may be rounded by this share of it. */
const rounding = 0.01

/** Figures that are no value of a cited fact, and no complement, sum or difference of its values. */
function figureFaults(own: string, cited: Facts): Texts {
  const statements = unquoted(cited)
  const values = cited.flatMap((fact) =>
    Object.entries(fact.values).map(([slot, value]) => ({ fact, slot, value }))
  )
  const forms = values.flatMap((a, n) => [
    ...[a.value, ...complementOf(a.value)].flatMap(formsOf),
    ...values.slice(n + 1).filter((b) => a.fact === b.fact || a.slot === b.slot)
      .flatMap((b) => pairOf(a.value, b.value)).flatMap(formsOf),
  ])
  /** The word behind the digits is no unit unless a value is counted in it. */
  const figuresIn = (text: string) =>
    [...text.matchAll(figure)].map(({ groups = {} }) => {
      const { way = "", sign = "", digits = "", unit = "" } = groups
      const one = unit.toLowerCase().replace(/^percentage /, "").replace(/s$/, "")
      const same = { dollar: "usd", percent: "%", "¢": "cent" }[one] ?? one
      const known = forms.some(({ unit }) => unit === same) || scale.test(same) ? same : ""
      return { way, digits, unit: sign === "$" && known === "" ? "usd" : sign + known }
    })
  const stated = figuresIn(statements)
  const isGiven = ({ way, digits, unit }: typeof stated[number]) => {
    const typed = Number(digits.replaceAll(",", ""))
    const step = 0.5 * 10 ** -(digits.split(".")[1]?.length ?? 0)
    return stated.some((it) => it.digits === digits && it.unit === unit) ||
      forms.some(({ type, unit: is, n }) =>
        is === unit && (way === "" || /change|rate/.test(type)) &&
        Math.abs(Math.abs(n) - typed) <= Math.min(step, rounding * Math.abs(n)) + 1e-9
      )
  }
  const rest = own.replace(figure, gap)
  const inWords = (rest.match(numberWord) ?? []).filter((word) =>
    !inRow(statements).includes(inRow(word)) &&
    stated.every(({ digits }) => smallNumbers[Number(digits)] !== word.toLowerCase())
  )
  return [
    ...figuresIn(own).filter((it) => !isGiven(it)).map(({ digits, unit }) => `${digits} ${unit}`),
    ...inWords,
    ...rest.match(/[$€£¥%¢≈~+−]|\p{N}/gu) ?? [],
  ].map((it) => `no cited fact gives ${it}`)
}

/** The units that a value of each type may be written in, and how many of each it has. */
const unitsOf: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  price: { "": 1, usd: 1, cent: 100, "%": 100 },
  change: { cent: 100, point: 100 },
  rate: { "%": 100 },
  usd: { usd: 1 },
  count: { "": 1 },
  duration: { minute: 1 / minute, hour: 1 / hour, day: 1 / day },
}

function formsOf(value: Value) {
  const { type } = value
  const n = type === "duration" ? value.ms : "value" in value ? value.value : 0
  const nouns = type === "count" ? { [value.noun.split(" ").at(-1) ?? ""]: 1 } : {}
  return Object.entries({ ...unitsOf[type], ...nouns })
    .map(([unit, each]) => ({ type, unit, n: n * each }))
}

/** What is left to one; of a sum of two it would be nothing, and any text may say 0. */
const complementOf = (value: Value): ReadonlyArray<Value> =>
  value.type === "price" || value.type === "rate" ? [{ ...value, value: 1 - value.value }] : []

/** The sum and the difference of two values of one kind. */
function pairOf(a: Value, b: Value): ReadonlyArray<Value> {
  if (a.type === "time" && b.type === "time") return [{ type: "duration", ms: a.at - b.at }]
  if (!("value" in a) || !("value" in b) || a.type !== b.type) return []
  if (a.type === "count" && b.type === "count" && a.noun !== b.noun) return []
  const difference = a.type === "price" ? "change" : a.type
  const of = (type: Value["type"], value: number) => ({ ...a, type, value }) as Value
  return [of(a.type, a.value + b.value), of(difference, a.value - b.value)]
}

/** The words of the two poles of each direction. */
const poles = checkWords.opposites.map((pair) =>
  pair.map((words) => new RegExp(`(?<![\\p{L}’'-])(?:${words})(?![\\p{L}’'-])`, "iu"))
)
const idiom =
  /\b(?:fall (?:together|short|within)|(?:tied|made|makes?|gives?) up|at (?:least|most))\b/gi
const clauseEnd = /[,;:]\s|\s(?:and|but|or|while|though)\s/

/** Whether a text names a pole of a direction of which only the other one is stated. */
function isAgainst(text: string, stated: string): boolean {
  const polesIn = (words: string, pair: ReadonlyArray<RegExp>) =>
    new Set(pair.flatMap((pole, n) => pole.test(words.replace(idiom, " ")) ? [n] : []))
  return poles.some((pair) => {
    const known = polesIn(stated, pair)
    return known.size > 0 && !polesIn(withoutSlots(text, " "), pair).isSubsetOf(known)
  })
}

/** A direction against those of the cited facts, or in a clause against the statements of its values. */
function directionFaults(text: string, cited: Facts): Texts {
  const own = text.replace(quotation, " ")
  const values = cited.flatMap((fact) =>
    Object.entries(fact.values).map(([slot, value]) => {
      const typed = new RegExp(`(?<![\\d.,])${RegExp.escape(spelled(value))}(?!\\d)`)
      const said = unquoted([fact]).split(clauseEnd).filter((clause) => typed.test(clause))
      return { id: fact.id, slot, typed, said: said.join(" ") }
    })
  )
  const isTurned = own.split(clauseEnd).some((clause) => {
    const open = slotsIn(clause)
    const stated = values.filter(({ id, slot, typed }) =>
      typed.test(clause) || open.some((it) => it.id === id && it.slot === slot)
    )
    return isAgainst(clause, stated.map(({ said }) => said).join(" "))
  })
  const stated = [unquoted(cited), ...cited.map(({ direction }) => direction)].join(" ")
  return isTurned || isAgainst(own, stated) ? ["a direction against the cited facts"] : []
}
