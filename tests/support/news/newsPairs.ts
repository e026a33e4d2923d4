/**
 * Questions and headlines with hand-written labels: which headlines are about which question.
 *
 * A headline that is not in `about` of a question is about something else. The labels were written
 * before the threshold was set. The headlines are invented, so no publisher's words are repeated.
 *
 * @module
 */

export interface NewsCase {
  readonly question: string
  readonly eventSlug: string
  readonly outcomes?: readonly [string, string]
  /** Headlines that are about the question. */
  readonly about: ReadonlyArray<string>
  /** Headlines that share words with it and are about something else. */
  readonly unrelated: ReadonlyArray<string>
}

export const newsCases: ReadonlyArray<NewsCase> = [
  {
    question: "Will the Fed cut rates in December?",
    eventSlug: "fed-decision-in-december",
    about: [
      "Fed officials split over a December rate cut as inflation lingers",
      "Federal Reserve signals it may hold rates steady at its next meeting",
    ],
    unrelated: [
      "Bank of England holds interest rates at 4%",
      "Prison chiefs ask for cut in sentences",
    ],
  },
  {
    question: "Israel x Hamas ceasefire by December 31?",
    eventSlug: "israel-hamas-ceasefire",
    about: ["Mediators say Israel and Hamas are close to ceasefire deal in Cairo talks"],
    unrelated: [
      "Ceasefire holds in eastern Congo, monitors say",
      "Israel opens a new railway line",
    ],
  },
  {
    question: "Will Emmanuel Macron resign before the end of the year?",
    eventSlug: "macron-out-in-2026",
    about: ["Pressure mounts on Macron to resign after budget defeat"],
    unrelated: [
      "Coach resigns after derby defeat in Lyon",
      "Macron opens restored abbey in Normandy",
    ],
  },
  {
    question: "Will Bitcoin reach $150,000 in November?",
    eventSlug: "what-price-will-bitcoin-hit-in-november",
    about: ["Bitcoin slides below $90,000 as traders flee risk"],
    unrelated: ["Charity run raises $150,000 for lifeboats", "November rain floods Venice"],
  },
  {
    question: "Lakers vs. Celtics",
    eventSlug: "nba-lal-bos-2026-11-22",
    outcomes: ["Lakers", "Celtics"],
    about: ["Lakers outlast Celtics in double overtime thriller"],
    unrelated: ["Lakers sign veteran guard to short contract", "Celtic win again in Glasgow"],
  },
  {
    question: "Will Keir Starmer be out as Prime Minister by March 31?",
    eventSlug: "starmer-out",
    about: ["Starmer faces leadership challenge as prime minister loses vote"],
    unrelated: ["Prime minister of Japan visits Hanoi", "Starmer praises lifeboat crews"],
  },
  {
    question: "Will SpaceX launch Starship Flight 14 before December?",
    eventSlug: "starship-flight-14",
    about: ["SpaceX scrubs Starship launch minutes before lift-off"],
    unrelated: ["Starlink outage hits rural Canada", "Flight to Lisbon diverted after storm"],
  },
  {
    question: "Will OpenAI release GPT-6 by January 31?",
    eventSlug: "gpt-6-released-by",
    about: ["OpenAI says GPT-6 will be released early next year"],
    unrelated: ["OpenAI signs lease for London office", "Police release suspect in museum theft"],
  },
  {
    question: "Will Zohran Mamdani freeze rents in New York?",
    eventSlug: "mamdani-rent-freeze",
    about: ["Mamdani names board that could freeze rents for a million tenants"],
    unrelated: [
      "Hard freeze threatens Florida orange harvest",
      "New York marathon draws record crowd",
    ],
  },
  {
    question: "Russia x Ukraine peace agreement in 2026?",
    eventSlug: "russia-ukraine-peace",
    about: ["Envoys present new peace plan to Ukraine and Russia in Geneva"],
    unrelated: ["Nobel Peace laureate honoured in Oslo", "Russia bans imports of Moldovan wine"],
  },
  {
    question: "Will Nvidia be the largest company in the world by market cap on December 31?",
    eventSlug: "largest-company-end-of-december",
    about: ["Nvidia overtakes Apple to become most valuable company"],
    unrelated: [
      "World's largest iceberg runs aground",
      "Small company builds cap for wind turbines",
    ],
  },
  {
    question: "Will Shohei Ohtani win the National League MVP?",
    eventSlug: "national-league-mvp",
    about: ["Ohtani takes MVP award for a fourth straight season"],
    unrelated: ["Premier League clubs back new spending cap", "National gallery reopens"],
  },
  {
    question: "Will Argentina dollarize its economy before 2028?",
    eventSlug: "argentina-dollarize",
    about: ["Milei revives plan to dollarize Argentina after peso tumbles"],
    unrelated: [
      "Argentina beat Uruguay in stoppage time",
      "Economy of Ghana grows faster than forecast",
    ],
  },
  {
    question: "Will the Supreme Court strike down Trump's tariffs?",
    eventSlug: "supreme-court-tariffs",
    about: [
      "Supreme Court justices seem sceptical of Trump tariffs",
      "Court ruling on tariffs could force billions in refunds, importers say",
    ],
    unrelated: ["Dock workers strike in Montreal", "Trump hosts Saudi crown prince"],
  },
  {
    question: "Will Typhoon Kalmaegi make landfall in Vietnam?",
    eventSlug: "typhoon-kalmaegi",
    about: ["Vietnam evacuates thousands as Typhoon Kalmaegi nears coast"],
    unrelated: ["Vietnam raises minimum wage", "Pilot makes emergency landing on motorway"],
  },
  {
    question: "Will José Antonio Kast win the Chilean presidential election?",
    eventSlug: "chile-presidential-election",
    about: ["Kast leads polls ahead of Chile presidential runoff"],
    unrelated: ["Chilean wildfire destroys vineyards", "Presidential palace in Lima evacuated"],
  },
  {
    question: "US government shutdown before February?",
    eventSlug: "us-government-shutdown",
    about: ["Senators race to avert government shutdown as U.S. funding deadline looms"],
    unrelated: ["Shutdown of Dutch gas field completed", "US women reach hockey final"],
  },
  {
    question: "Will Taylor Swift announce a new album in 2026?",
    eventSlug: "taylor-swift-album",
    about: ["Taylor Swift teases next album at surprise concert"],
    unrelated: ["Taylor wins council seat in Leeds", "Swift action saves beached whales"],
  },
  {
    question: "Will Luis Robert Jr. be traded before opening day?",
    eventSlug: "luis-robert-traded",
    about: ["White Sox weigh trade offers for outfielder Luis Robert"],
    unrelated: ["Luis Diaz scores twice for Bayern", "China and Chile expand trade talks"],
  },
  {
    question: "Will China invade Taiwan in 2026?",
    eventSlug: "china-invade-taiwan",
    about: ["Taiwan warns China could invade within years as drills widen"],
    unrelated: ["Taiwan chipmaker opens plant in Dresden", "China bans seafood from Japan"],
  },
]

/** Headlines that share no subject with any question. */
export const otherNews: ReadonlyArray<string> = [
  "Volcano in Iceland erupts for the tenth time",
  "Scientists find deep sea coral reef off Sicily",
  "Train derailment injures dozens in Bavaria",
  "Museum returns looted bronzes to Nigeria",
  "Striking doctors reach pay deal in Kenya",
  "Study links sleep to memory in older adults",
  "Farmers block roads in Brussels over subsidy rules",
  "Airline cancels hundreds of flights after software fault",
  "Bridge collapse in Sichuan closes highway",
  "Wolves return to the hills of Denmark",
  "Parliament in Nepal dissolved after protests",
  "Court jails former minister over vaccine contracts",
  "Rare comet visible to naked eye this weekend",
  "Cholera spreads in Sudan camps, aid groups warn",
  "Actor dies at 91 after long illness",
  "Chess champion defends title in Singapore",
  "Gold slips as dollar strengthens",
  "Heavy snow closes Alpine passes",
  "Startup unveils battery that charges in five minutes",
  "Pope calls for an end to arms sales",
]
