/**
 * The small closed sets of words that the checks of a claim know. All other words are open: a claim with
 * a word that no cited fact holds is asked about, and not refused.
 *
 * @module
 */

function wordsOf(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/).filter((word) => word !== ""))
}

/** Words without a meaning of their own: a claim may use them freely. */
export const grammarWords = wordsOf(`
a an the this that these those it its they them their there here he she his her we our us you your i
be is are was were been being am do does did done have has had having of in on at to from by for with
within into onto over under between among through during until till since as than then and or both
either if when while where which who whom whose what how so too also still just even only again now
about around near roughly nearly almost approximately some each every another other others same such
one ones s t re ve ll d m per via across against toward towards up out off down but although though
whereas because before after later earlier ago already yet not no nor never none nothing without can may
might could would should will shall must let all any
`)

/** Words for markets, prices and texts in general: they state nothing by themselves. */
export const marketWords = wordsOf(`
market markets price prices priced outcome outcomes question questions side sides share shares trades
traded trading quote quotes quoted level cent cents percent probability chance odds position positions
entry entries wallet wallets whale whales tracked headline headlines report reports reported story
stories news source sources publisher publishers outlet outlets venue digest time hour hours day days
minute minutes week utc usd dollar dollars move moves moved moving change changed stand stands stood
standing left came comes seen show shows shown paid pays cost costs spent bought buyer buyers published carried
total label labelled labeled record mean average rate took takes last first next end ends ended ending
begin began start started event game match more less most least`)

/** Words that say what the figure next to them is; without a figure they state something themselves. */
export const cueWords = wordsOf(`
stake stakes staked volume depth spread bid ask offer edge win wins won winning success break even round
trip riskless sum sums liquidity jump rise fall drop gain loss move step swing change brought total stake
buyer buyers paid interval drift base kept lag turnover odds price priced mean average entered purchased`)

/** Openers of an English sentence that are no names; with the words above, the only free capitals. */
export const openers = wordsOf(`
meanwhile however overall despite like unlike besides instead together separately elsewhere
note noted watch treat check expect likely possibly perhaps maybe probably apparently direct odd see
read copying copy buying selling bids asks offers orders liquidity volume depth spread money tracked
three two four five six seven eight nine ten eleven twelve twenty thirty forty fifty half once twice
another neither none nobody nothing something someone everyone few several many most following given
according based taken seen viewed compared measured thin heavy light large small big largest smallest
new old good bad better worse high low higher lower cheap expensive strong weak quiet busy liquid open
closed weather politics sport sports crypto culture coverage inference confidence risk risks rules
thesis bottom main key reason cause timing timeline context summary update updated today yesterday
tomorrow tonight sellers buyers holders traders bettors whales wallets headlines reports stories sources
outlets publishers prices quotes markets moves shares entries positions proposals outcomes events
decided priced published reported bought seen quoted traded without within beyond toward towards
`)

/** Words that begin a clause as its subject. */
export const subjects = wordsOf(`
it this that these those they he she we who which what nothing something everything everyone nobody there
market markets price prices outcome result results matter news headline headlines report reports story
traders buyers sellers whales wallets wallet insiders investors bettors rest`)

/** Words that call something sure. No fact makes one true, except as its own word. */
export const sureWords = wordsOf(`
certain certainly certainty definite definitely definitively guarantee guaranteed guarantees
guaranteeing inevitable inevitably undoubtedly undoubted undeniable undeniably surely sure assured
assuredly unquestionably unquestionable indisputable indisputably obvious obviously clearly evident
evidently plainly irrefutable irreversible foregone unstoppable foolproof surefire infallible
destined doomed safe safely bulletproof riskfree rigged absolutely impossible indeed truly locked sealed clinched
cemented inescapable unavoidable ironclad bound must shall shan't won't will 'll`)

/** Words that call something decided. A fact must say so. */
export const decidedWords = wordsOf(`
confirm confirms confirmed confirming confirmation official officially verified verifies verify proven
proved proves proof resolve resolves resolved resolving settle settles settled settling decided decides
final finally finalised finalized conclusive concluded completed complete ratified established
won win wins winner winning winners lost loses loser defeat defeated beat beats beaten victory victorious
champion champions triumph prevailed elected resigned died dead killed signed approved passed rejected
banned arrested convicted acquitted cancelled canceled postponed forfeited eliminated qualified
disputed challenged overturned reversed happened occurred true false
`)

/** Words of a cause. A fact never states one. */
export const causeWords = wordsOf(`
because caused causes causing cause drove drives driven driving triggered triggers triggering trigger
sparked sparks spurred fuelled fueled prompted prompts explains explained explain attributable thanks
owing pushed pushes pushing lifted boosted dragged reacted reacting reacts reaction response respond
responded blamed blame provoked induced due reason reasons why sent amid amidst fuelling sparking driving
spurring prompting culprit rumour rumours rumor rumors leak leaked insiders insider speculation`)

/** Words of a general claim of frequency or habit. */
export const frequencyWords = wordsOf(`
rarely seldom usually often always normally typically generally commonly frequently invariably
historically habitually ordinarily traditionally routinely tend tends tended never
regularly occasionally sometimes consistently repeatedly everywhere everyone nobody everybody`)

/** Words that hold back: an inference has one. */
export const hedgeWords = wordsOf(`
may might could can perhaps possibly possible likely unlikely probably probable seem seems seemed seemingly
appear appears apparently suggest suggests suggesting suggested consistent if would whether or either
look looks looking plausible plausibly presumably arguably potentially potential hint hints unclear
uncertain think thinks indicate indicates indicating reads unexplained unknown maybe points`)

export const negators = wordsOf(`
no not nor never none nothing nobody neither without cannot can't don't doesn't didn't isn't aren't
wasn't weren't hasn't haven't hadn't won't wouldn't couldn't shouldn't lacks lack lacked
lacking absent missing unknown unlabelled unlabeled undisputed unchallenged unread unrelated
unverified unexplained unchanged fails fail failed hardly barely scarcely`)

/** What an honest text may deny without a fact that denies it: knowledge, and not events. */
export const deniableWords = wordsOf(`
known know clear verified checked certain confirmed reason reasons cause causes caused explanation
explain explains explained report reports headline headlines news label labelled labeled record history
related relate among sure settled proof evidence judge judged information advice guarantee guaranteed
enough follow fade view read reads press coverage support link mention`)

/** Nouns that say what a thing is. A fact must say so: a question with a title in it does not. */
export const categoryNouns = wordsOf(`
film films movie movies novel novels song songs album albums sitcom drama
documentary musical band bands singer singers rapper actor actors actress director directors author
authors artist artists writer producer president presidents minister ministers premier senator senators
congressman governor governors mayor mayors chancellor king queen prince princess pope bishop ceo
founder chairman chairwoman executive company companies startup corporation player
players striker goalkeeper coach manager boxer fighter golfer swimmer sprinter candidate
candidates politician politicians lawmaker lawmakers war wars army troops missile
missiles vessel rocket hurricane storm earthquake virus vaccine drug religion church university
celebrity billionaire activist journalist soldier spy criminal thriller comedy romance sequel
footballer quarterback rookie veteran incumbent dictator nation kingdom republic`)

const directions: ReadonlyMap<string, "up" | "down"> = new Map([
  ...[...wordsOf(`
rise rises rose risen rising riser risers gain gains gained gaining gainer climb climbs climbed climbing
jump jumps jumped jumping surge surges surged surging soar soars soared soaring rally rallies rallied
rallying increase increases increased increasing advance advances advanced advancing spike spikes spiked
up upward upwards higher rebound rebounds rebounded recover recovers recovered recovery leap leaps leapt
added adds adding strengthened strengthens firmed ascended rocketed upswing uptick rocketing lifted
dearer boosted swelled grew grows grow growing growth`)].map((word) => [word, "up"] as const),
  ...[...wordsOf(`
fall falls fell fallen falling faller drop drops dropped dropping decline declines declined declining
slide slides slid sliding lose loses lost losing loss sink sinks sank sunk sinking decrease decreases
decreased decreasing slump slumps slumped plunge plunges plunged plunging tumble tumbles tumbled tumbling
crash crashes crashed crashing shed sheds shedding dip dips dipped slip slips slipped slipping down
downward downwards lower collapse collapses collapsed collapsing retreat retreats retreated weaken
weakens weakened weakening slumping ebbed eased cheaper downswing downtick halved shrank shrinks
dived plummeted plummets sagged softened descended`)].map((word) => [word, "down"] as const),
])

/** Which way a word says that something moved. */
export function directionOf(lower: string): "up" | "down" | undefined {
  return directions.get(lower)
}

/** Verbs that a claim about a fact of these kinds may use; of another fact they state what it does not. */
export const roleVerbs: ReadonlyArray<
  { readonly words: ReadonlySet<string>; readonly kinds: ReadonlySet<string> }
> = [
  {
    words: wordsOf(
      "bought buys buyer buyers purchased backed entered staked invested acquired bet betting wagered",
    ),
    kinds: new Set(["whale_entry", "whale", "record"]),
  },
  {
    words: wordsOf(
      `sold sells sell selling seller sellers received receives collected earned dumped dumps exited exits unwound closed shorted offloaded liquidated
      redeemed withdrew withdrawn hedged`,
    ),
    kinds: new Set(),
  },
  {
    words: wordsOf("published reported carried wrote printed headlined announced broke"),
    kinds: new Set(["news", "coverage", "predetermined"]),
  },
  { words: wordsOf("proposed proposal proposals"), kinds: new Set(["predetermined"]) },
  {
    words: wordsOf("resolved resolves settled payout paid-out"),
    kinds: new Set(["resolution", "record"]),
  },
]

/** Verbs of an order to trade. */
export const tradeVerbs = wordsOf(`
buy sell short fade take follow bet back avoid grab load exit dump accumulate copy chase lay hedge long go
get join ape hold add`)
