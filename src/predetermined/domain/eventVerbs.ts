/**
 * Verbs of completed events, in families: the verbs of a family report that one kind of event has
 * happened, and its opposites report that it has not, or that the contrary has.
 *
 * @module
 */

export type Family = keyof typeof families

interface FamilyWords {
  /** Verbs that report the event. Forms are separated by `/`; a regular verb is given once. */
  readonly yes: string
  /** Verbs that report its contrary. */
  readonly no: string
  /** Whether the contrary ends the matter. Else it decides only once the question's time is over. */
  readonly isFinal: boolean
  /** Whether the subject of the question may be the object of the verb: `Mayor opens lighthouse`. */
  readonly takesObject: boolean
}

const families = {
  win: {
    yes:
      "win/wins/won/winning take/takes/took/taken lift clinch secure capture crown top triumph " +
      "prevail elect reelect become/becomes/became award",
    no: "lose/loses/lost concede",
    ...{ isFinal: true, takesObject: false },
  },
  sign: {
    yes:
      "sign agree/agrees/agreed seal ink finalise finalize conclude strike struck/struck reach " +
      "ratify announce declare",
    no: "reject collapse abandon",
    ...{ isFinal: false, takesObject: false },
  },
  pass: {
    yes: "pass approve adopt enact clear/clears/cleared",
    no: "reject block veto defeat",
    ...{ isFinal: false, takesObject: false },
  },
  leave: {
    yes: "resign quit/quits leave/leaves/left oust remove fire sack dismiss",
    no: "",
    ...{ isFinal: false, takesObject: true },
  },
  cut: {
    yes: "cut/cuts lower reduce slash trim",
    no: "raise hike lift hold/holds/held keep/keeps/kept",
    ...{ isFinal: false, takesObject: false },
  },
  raise: {
    yes: "raise hike lift increase",
    no: "cut/cuts lower reduce slash trim hold/holds/held keep/keeps/kept",
    ...{ isFinal: false, takesObject: false },
  },
  keep: {
    yes: "hold/holds/held keep/keeps/kept maintain",
    no: "raise hike lift increase cut/cuts lower reduce slash trim",
    ...{ isFinal: false, takesObject: false },
  },
  open: {
    yes: "open launch release unveil publish debut ship/ships/shipped",
    no: "cancel scrap",
    ...{ isFinal: false, takesObject: true },
  },
  light: { yes: "light/lights/lit", no: "", ...{ isFinal: false, takesObject: true } },
  appoint: {
    yes: "appoint name nominate confirm inaugurate select choose/chooses/chose/chosen pick",
    no: "reject",
    ...{ isFinal: true, takesObject: true },
  },
  convict: {
    yes: "convict",
    no: "acquit/acquits/acquitted",
    ...{ isFinal: true, takesObject: true },
  },
  acquit: {
    yes: "acquit/acquits/acquitted",
    no: "convict",
    ...{ isFinal: true, takesObject: true },
  },
  arrest: {
    yes: "arrest charge indict detain sentence jail",
    no: "",
    ...{ isFinal: false, takesObject: true },
  },
  overturn: {
    yes: "overturn annul/annuls/annulled",
    no: "uphold/upholds/upheld",
    ...{ isFinal: false, takesObject: false },
  },
  uphold: {
    yes: "uphold/upholds/upheld",
    no: "overturn annul/annuls/annulled",
    ...{ isFinal: false, takesObject: false },
  },
  ban: { yes: "ban/bans/banned", no: "lift", ...{ isFinal: false, takesObject: false } },
  acquire: {
    yes: "acquire buy/buys/bought merge purchase",
    no: "abandon",
    ...{ isFinal: false, takesObject: false },
  },
  arrive: { yes: "land arrive", no: "crash", ...{ isFinal: false, takesObject: false } },
  die: { yes: "die kill", no: "", ...{ isFinal: false, takesObject: true } },
  end: {
    yes: "end close complete finish",
    no: "extend",
    ...{ isFinal: false, takesObject: true },
  },
  qualify: {
    yes: "qualify advance reach",
    no: "eliminate lose/loses/lost",
    ...{ isFinal: true, takesObject: false },
  },
} satisfies Readonly<Record<string, FamilyWords>>

/** Verbs between two sides: the subject wins and the object loses. */
const beating = formsOf(
  "beat/beats/beaten defeat edge thrash rout outlast overcome/overcomes/overcame stun sink/sinks/sank " +
    "crush hammer overpower upset/upsets down/downs/downed eliminate",
)

/** Every form of the verbs: `clinch` has `clinch`, `clinches`, `clinched`. */
function formsOf(verbs: string): ReadonlySet<string> {
  return new Set(
    verbs.split(" ").filter((verb) => verb !== "").flatMap((verb) => {
      const forms = verb.split("/")
      if (forms.length > 1) return forms
      const ending = /(?:s|x|ch|sh)$/.test(verb) ? "es" : "s"
      return verb.endsWith("y") && !/[aeiou]y$/.test(verb)
        ? [verb, `${verb.slice(0, -1)}ies`, `${verb.slice(0, -1)}ied`]
        : [verb, `${verb}${ending}`, verb.endsWith("e") ? `${verb}d` : `${verb}ed`]
    }),
  )
}

interface Forms {
  readonly family: Family
  readonly yes: ReadonlySet<string>
  readonly no: ReadonlySet<string>
  readonly isFinal: boolean
  readonly takesObject: boolean
}

const names = Object.keys(families).filter((name): name is Family => name in families)
const forms: ReadonlyArray<Forms> = names.map((family) => {
  const { yes, no, isFinal, takesObject } = families[family]
  return { family, yes: formsOf(yes), no: formsOf(no), isFinal, takesObject }
})

/** The families that have this verb. */
export function familiesOf(verb: string): ReadonlyArray<Family> {
  if (beating.has(verb)) return ["win"]
  return forms.filter(({ yes }) => yes.has(verb)).map(({ family }) => family)
}

export function isEventVerb(word: string): boolean {
  return beating.has(word) || forms.some(({ yes, no }) => yes.has(word) || no.has(word))
}

/** What a verb says of an event of a family. */
export function verbKind(verb: string, family: Family): "yes" | "no" | "beats" | null {
  if (family === "win" && beating.has(verb)) return "beats"
  const of = forms.find((one) => one.family === family)
  return of?.yes.has(verb) === true ? "yes" : of?.no.has(verb) === true ? "no" : null
}

export function isContraryFinal(family: Family): boolean {
  return families[family].isFinal
}

export function takesObject(family: Family): boolean {
  return families[family].takesObject
}
