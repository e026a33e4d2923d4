/**
 * Words for one kind of event: a question about a resignation and a headline with "quits" share the
 * concept `leave`. A concept is weaker than a shared word and is never enough without a name or a place.
 *
 * @module
 */

/** In one line: the concept, then the words in any of their forms. */
const table = `
  price: slide fall fell drop dip rise rose surge rally climb plunge tumble jump soar sink sank slump
    rebound crash gain retreat trader trading bull bear ath slip
  match: beat defeat draw victory thrash edge outlast rout stun goal comeback overtime penalty shootout
    fixture kickoff match clash sweep upset eliminate semifinal final lineup knockout game derby innings
    score winless unbeaten hold
  vote: election elect electoral poll ballot voter seat candidate campaign runoff turnout majority
    coalition landslide presidency presidential referendum exitpoll primary
    electorate
  campaign: election presidential campaign debate rally candidate pledge
  inflation: inflation price cpi deflation disinflation
  rates: rate interest hike bps hawkish dovish monetary easing tightening basis
  weather: temperature heat heatwave hot warm warmer warmest cold cool cooler chill frost snow rain
    forecast forecaster degree weather celsius fahrenheit hottest coldest thermometer meteorologist sun
  leave: resign resignation quit oust ouster depart departure exit step sack impeach impeachment removal
    remove leadership topple successor replace confidence
  peace: ceasefire truce peace armistice hostility mediator mediation envoy talk negotiate negotiation
    negotiator withdraw withdrawal
  deal: treaty accord pact agreement deal sign memorandum ratify negotiator talk
  attack: invade invasion strike struck attack war offensive bomb bombing missile troop drill military
    warplane bomber shelling raid airstrike retaliate retaliation blockade
  release: release launch unveil debut rollout ship introduce premiere album trailer
  award: award prize oscar grammy emmy nobel jury laureate trophy ceremony shortlist
    applause festival
  law: bill act law legislation veto lawmaker sign filibuster
  court: court judge ruling verdict trial appeal justice convict conviction acquit acquittal sentence
    indict indictment lawsuit sue guilty prosecutor jury plead
  jobs: unemployment jobless payroll job hiring layoff
  growth: gdp growth recession economy contract contraction
  transfer: sign join trade transfer contract freeagent free roster play suitor
  space: launch rocket starship liftoff orbit scrub spacecraft lander
  budget: shutdown funding budget stopgap spending appropriation furlough
  storm: hurricane typhoon cyclone landfall storm evacuate evacuation
  health: outbreak virus vaccine pandemic measles flu infection cholera ebola
  listing: ipo listing share debut float stock
  merger: acquire acquisition merger takeover merge bid buy bought buyout
  tariff: tariff duty levy import trade
  pardon: pardon clemency commute
  nominate: nominee nominate confirm appoint pick chair successor candidate frontrunner
  visit: visit summit meet met meeting trip travel host
  arrest: arrest detain jail custody extradite extradition
  member: join accession membership member admit candidacy
  recognise: recognise recognize recognition
  border: border crossing asylum migrant deport deportation immigration
  ai: leaderboard model benchmark chatbot
  value: cap valuation valuable trillion trillionaire share stock worth fortune wealth
  strait: strait shipping tanker transit hormuz
`

/** The lines of the table, a word in its form without endings (`stem`). */
export function conceptsOf(
  stem: (word: string) => string,
): ReadonlyMap<string, ReadonlyArray<string>> {
  const concepts = new Map<string, ReadonlyArray<string>>()
  let concept = ""
  for (const word of table.trim().split(/\s+/)) {
    if (word.endsWith(":")) {
      concept = `~${word.slice(0, -1)}`
      continue
    }
    const term = stem(word)
    const known = concepts.get(term) ?? []
    if (!known.includes(concept)) concepts.set(term, [...known, concept])
  }
  return concepts
}
