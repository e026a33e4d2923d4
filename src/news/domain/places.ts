/**
 * Countries, regions and cities, with the adjectives and names of their people.
 *
 * A headline about one country is not about the same subject in another one, and "Kenyan" is "Kenya".
 *
 * @module
 */

/**
 * One place in a line: its name, then other words for it. `_` is a space, and `>` names the place that
 * it is part of. The first word in lower case and without `_` is its term.
 */
const table = `
  USA US America American Washington_DC White_House Pentagon
  UK Britain British Briton Great_Britain United_Kingdom
  EU European_Union
  England English >UK
  Scotland Scottish Scots >UK
  Wales Welsh >UK
  Northern_Ireland Northern_Irish >UK
  Ireland Irish
  France French
  Germany German
  Italy Italian
  Spain Spanish Spaniard
  Catalonia Catalan >Spain
  Portugal Portuguese
  Netherlands Dutch Holland
  Belgium Belgian
  Luxembourg
  Switzerland Swiss
  Austria Austrian
  Poland Polish
  Czechia Czech Czech_Republic
  Slovakia Slovak
  Slovenia Slovenian Slovene
  Hungary Hungarian
  Romania Romanian
  Bulgaria Bulgarian
  Greece Greek
  Cyprus Cypriot
  Malta Maltese
  Croatia Croatian
  Serbia Serbian Serb
  Bosnia Bosnian Bosnia_and_Herzegovina
  Kosovo Kosovan Kosovar
  Albania Albanian
  North_Macedonia Macedonia Macedonian
  Montenegro Montenegrin
  Moldova Moldovan
  Ukraine Ukrainian
  Russia Russian Kremlin
  Belarus Belarusian
  Lithuania Lithuanian
  Latvia Latvian
  Estonia Estonian
  Finland Finnish
  Sweden Swedish Swede
  Norway Norwegian
  Denmark Danish
  Greenland Greenlandic Greenlander >Denmark
  Iceland Icelandic Icelander
  Turkey Turkish Turk Türkiye Turkiye
  Georgia Georgian
  Armenia Armenian
  Azerbaijan Azerbaijani Azeri
  Kazakhstan Kazakh
  Uzbekistan Uzbek
  Kyrgyzstan Kyrgyz
  Tajikistan Tajik
  Turkmenistan Turkmen
  Afghanistan Afghan
  Pakistan Pakistani
  India Indian
  Kashmir Kashmiri
  Bangladesh Bangladeshi
  Sri_Lanka Sri_Lankan
  Nepal Nepali Nepalese
  Bhutan Bhutanese
  Myanmar Burmese Burma
  Thailand Thai
  Cambodia Cambodian
  Laos Laotian
  Vietnam Vietnamese
  Malaysia Malaysian
  Singapore Singaporean
  Indonesia Indonesian
  Philippines Philippine Filipino
  China Chinese PRC
  Hong_Kong Hongkonger
  Taiwan Taiwanese
  Japan Japanese
  South_Korea South_Korean
  North_Korea North_Korean DPRK
  Mongolia Mongolian
  Australia Australian Aussie
  New_Zealand New_Zealander
  Papua_New_Guinea
  Fiji Fijian
  Iran Iranian
  Iraq Iraqi
  Israel Israeli
  Palestine Palestinian
  Gaza Gazan >Palestine
  West_Bank >Palestine
  Lebanon Lebanese
  Syria Syrian
  Jordan Jordanian
  Saudi_Arabia Saudi Saudi_Arabian
  Yemen Yemeni
  Oman Omani
  Qatar Qatari
  Kuwait Kuwaiti
  Bahrain Bahraini
  UAE Emirati United_Arab_Emirates
  Egypt Egyptian
  Libya Libyan
  Tunisia Tunisian
  Algeria Algerian
  Morocco Moroccan
  Sudan Sudanese
  South_Sudan South_Sudanese
  Ethiopia Ethiopian
  Eritrea Eritrean
  Somalia Somali
  Somaliland
  Djibouti
  Kenya Kenyan
  Uganda Ugandan
  Tanzania Tanzanian
  Rwanda Rwandan
  Burundi Burundian
  DR_Congo Congo Congolese Democratic_Republic_of_Congo
  Cameroon Cameroonian
  Gabon Gabonese
  Chad Chadian
  Niger Nigerien
  Nigeria Nigerian
  Mali Malian
  Burkina_Faso Burkinabe
  Senegal Senegalese
  Gambia Gambian
  Guinea Guinean
  Sierra_Leone Sierra_Leonean
  Liberia Liberian
  Ivory_Coast Ivorian Cote_d'Ivoire
  Ghana Ghanaian
  Togo Togolese
  Benin Beninese
  Angola Angolan
  Zambia Zambian
  Zimbabwe Zimbabwean
  Malawi Malawian
  Mozambique Mozambican
  Madagascar Malagasy
  Mauritius Mauritian
  Namibia Namibian
  Botswana Botswanan
  South_Africa South_African
  Lesotho
  Eswatini
  Canada Canadian
  Quebec Quebecer Quebecois >Canada
  Alberta Albertan >Canada
  Ontario >Canada
  Mexico Mexican
  Guatemala Guatemalan
  Honduras Honduran
  El_Salvador Salvadoran
  Nicaragua Nicaraguan
  Costa_Rica Costa_Rican
  Panama Panamanian
  Cuba Cuban
  Haiti Haitian
  Dominican_Republic Dominican
  Jamaica Jamaican
  Puerto_Rico Puerto_Rican
  Colombia Colombian
  Venezuela Venezuelan
  Guyana Guyanese
  Suriname
  Ecuador Ecuadorian Ecuadorean
  Peru Peruvian
  Bolivia Bolivian
  Chile Chilean
  Argentina Argentine Argentinian
  Uruguay Uruguayan
  Paraguay Paraguayan
  Brazil Brazilian
  Alabama >USA
  Alaska >USA
  Arizona >USA
  Arkansas >USA
  California Californian >USA
  Colorado >USA
  Connecticut >USA
  Delaware >USA
  Florida Floridian >USA
  Hawaii >USA
  Idaho >USA
  Illinois >USA
  Indiana >USA
  Iowa >USA
  Kansas >USA
  Kentucky >USA
  Louisiana >USA
  Maine >USA
  Maryland >USA
  Massachusetts >USA
  Michigan >USA
  Minnesota >USA
  Mississippi >USA
  Missouri >USA
  Montana >USA
  Nebraska >USA
  Nevada >USA
  New_Hampshire >USA
  New_Jersey >USA
  New_Mexico >USA
  New_York New_York_City NYC New_Yorker >USA
  North_Carolina >USA
  North_Dakota >USA
  Ohio >USA
  Oklahoma >USA
  Oregon >USA
  Pennsylvania >USA
  Rhode_Island >USA
  South_Carolina >USA
  South_Dakota >USA
  Tennessee >USA
  Texas Texan >USA
  Utah >USA
  Vermont >USA
  Virginia >USA
  West_Virginia >USA
  Wisconsin >USA
  Wyoming >USA
  Chicago >Illinois
  Los_Angeles >California
  San_Francisco >California
  San_Diego >California
  Seattle >USA
  Denver >Colorado
  Miami >Florida
  Houston >Texas
  Dallas >Texas
  Austin >Texas
  Atlanta >USA
  Boston >Massachusetts
  Philadelphia >Pennsylvania
  Phoenix >Arizona
  Las_Vegas >Nevada
  Detroit >Michigan
  Minneapolis >Minnesota
  New_Orleans >Louisiana
  Toronto >Ontario
  Montreal >Quebec
  Vancouver >Canada
  Ottawa >Canada
  London Londoner >UK
  Manchester >UK
  Edinburgh >Scotland
  Belfast >UK
  Dublin >Ireland
  Paris Parisian >France
  Lyon >France
  Marseille >France
  Berlin >Germany
  Munich >Germany
  Hamburg >Germany
  Frankfurt >Germany
  Rome >Italy
  Milan >Italy
  Venice >Italy
  Madrid >Spain
  Barcelona >Spain
  Lisbon >Portugal
  Amsterdam >Netherlands
  Brussels >Belgium
  Zurich >Switzerland
  Geneva >Switzerland
  Vienna >Austria
  Warsaw >Poland
  Krakow >Poland
  Prague >Czechia
  Budapest >Hungary
  Bucharest >Romania
  Sofia >Bulgaria
  Athens >Greece
  Belgrade >Serbia
  Zagreb >Croatia
  Kyiv Kiev >Ukraine
  Kharkiv >Ukraine
  Odesa Odessa >Ukraine
  Moscow >Russia
  Minsk >Belarus
  Helsinki >Finland
  Stockholm >Sweden
  Oslo >Norway
  Copenhagen >Denmark
  Ankara >Turkey
  Istanbul >Turkey
  Tbilisi >Georgia
  Yerevan >Armenia
  Baku >Azerbaijan
  Kabul >Afghanistan
  Islamabad >Pakistan
  Karachi >Pakistan
  Delhi New_Delhi >India
  Mumbai >India
  Dhaka >Bangladesh
  Kathmandu >Nepal
  Bangkok >Thailand
  Hanoi >Vietnam
  Jakarta >Indonesia
  Manila >Philippines
  Beijing >China
  Shanghai >China
  Shenzhen >China
  Taipei >Taiwan
  Tokyo >Japan
  Osaka >Japan
  Seoul >South_Korea
  Busan >South_Korea
  Pyongyang >North_Korea
  Sydney >Australia
  Melbourne >Australia
  Perth >Australia
  Brisbane >Australia
  Canberra >Australia
  Wellington >New_Zealand
  Auckland >New_Zealand
  Tehran >Iran
  Baghdad >Iraq
  Jerusalem >Israel
  Tel_Aviv >Israel
  Beirut >Lebanon
  Damascus >Syria
  Riyadh >Saudi_Arabia
  Doha >Qatar
  Dubai >UAE
  Abu_Dhabi >UAE
  Cairo >Egypt
  Tripoli >Libya
  Khartoum >Sudan
  Addis_Ababa >Ethiopia
  Mogadishu >Somalia
  Nairobi >Kenya
  Kampala >Uganda
  Kigali >Rwanda
  Kinshasa >DR_Congo
  Lagos >Nigeria
  Abuja >Nigeria
  Accra >Ghana
  Dakar >Senegal
  Johannesburg >South_Africa
  Cape_Town >South_Africa
  Pretoria >South_Africa
  Harare >Zimbabwe
  Mexico_City >Mexico
  Havana >Cuba
  Bogota >Colombia
  Caracas >Venezuela
  Quito >Ecuador
  Lima >Peru
  La_Paz >Bolivia
  Santiago >Chile
  Buenos_Aires >Argentina
  Montevideo >Uruguay
  Brasilia >Brazil
  Sao_Paulo >Brazil
  Rio_de_Janeiro Rio >Brazil
`

export interface Place {
  readonly term: string
  /** The terms of the places that it is part of, the smallest first. */
  readonly within: ReadonlyArray<string>
}

const lines = table.trim().split("\n").map((line) => line.trim().split(" "))
const partOf = new Map(
  lines.flatMap(([name = "", ...rest]) =>
    rest.filter((word) => word.startsWith(">")).map((word) => [termOf(name), termOf(word.slice(1))])
  ),
)

function termOf(name: string): string {
  return name.replaceAll("_", "").toLowerCase()
}

function placeNamed(term: string): Place {
  const within: Array<string> = []
  for (let outer = partOf.get(term); outer !== undefined; outer = partOf.get(outer)) {
    within.push(outer)
  }
  return { term, within }
}

/** By each of their words, spaces left out, as written: "SouthKorean". */
const places: ReadonlyMap<string, Place> = new Map(
  lines.flatMap(([name = "", ...rest]) => {
    const place = placeNamed(termOf(name))
    return [name, ...rest.filter((word) => !word.startsWith(">"))]
      .map((word) => [plain(word).replaceAll("_", ""), place])
  }),
)

const severalWords = lines.flat().filter((word) => word.includes("_") && !word.startsWith(">"))
  .map((word) => plain(word).replaceAll("_", " ")).sort((a, b) => b.length - a.length)
const spaced: ReadonlyMap<string, string> = new Map(
  severalWords.map((name) => [name.replaceAll(" ", ""), name]),
)
const severalWordsPattern = new RegExp(`\\b(?:${severalWords.join("|")})(?=s?\\b)`, "g")

function plain(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "")
}

/** The text with each place of several words as one word. */
export function joinedPlaces(text: string): string {
  return text.replace(severalWordsPattern, (name) => name.replaceAll(" ", ""))
}

/** The usual spelling of a word of `joinedPlaces`. */
export function spacedPlace(word: string): string {
  return spaced.get(word) ?? word
}

/** The place that a word of `joinedPlaces` means, if it is written as a name. */
export function placeOf(word: string): Place | undefined {
  if (!/^\p{Lu}/u.test(word)) return undefined
  const title = /^\p{Lu}{4,}$/u.test(word) ? word[0] + word.slice(1).toLowerCase() : word
  return places.get(word) ?? places.get(title) ??
    (/s$/.test(title) ? places.get(title.slice(0, -1)) : undefined)
}
