"""What English small talk is made of: phrases taken out wherever they stand, and words of mood.

Greetings, thanks, wishes, partings, encouragement, sayings, weather; then the words of appraisal,
feeling, body and sky that are left between them. A list may be generous, because a number, a name
or one word outside it keeps a sentence (`small_talk`). What may be a fact about somebody (a job, an
illness, a pet, a thing) is on no list.
"""

from __future__ import annotations

import re

from memstone.extraction.vocabulary import words

_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_NICE = (
    r"(?:good|great|nice|lovely|wonderful|safe|fun|fab(?:ulous)?|amazing|awesome|fantastic|blessed"
    r"|beautiful|pleasant|relaxing|restful|happy|super|perfect|productive|chill)"
)
_WEATHER = (
    r"(?:hot|cold|warm|sunny|rainy|windy|lovely|beautiful|nice|gorgeous|nasty|chilly|humid|cloudy"
    r"|gr[ae]y|dreary|freezing|boiling|foggy|gloomy|stormy|muggy|miserable|bright|dark|crisp)"
)
_GREETINGS = (
    r"good (?:morning|afternoon|evening|night|day|luck|job|to (?:see|hear)(?: from)? you|one|call"
    r"|idea|point|question)"
    r"|(?:nice|great|lovely|good|glad|happy|pleased) to (?:see|meet|hear)(?: from| that| it)?"
    r"(?: you)?(?: too| again)?"
    r"|how (?:are|have|r|is|was|were|'?s|did) (?:you|u|ya|things|everyone|everything|life|it|your"
    r"|the)"
    r"(?: (?:been|doing|going|go|feeling|day|night|week|weekend|trip|party|treating|today|lately"
    r"|you|on your end|over there|weather|so far))*"
    r"|how(?:'s| is) it going|how(?:'ve| have) you been|how about you(?:rself)?|what about you"
    r"|and you(?:rself)?"
    r"|what(?:'?s| is) (?:up|new|happening|on your mind|going on|cooking)(?: with you)?"
    r"|(?:what(?:'re| are) you|wh?at u|what have you been) (?:up to|doing)(?: (?:today|tonight"
    r"|now|lately|this weekend))?"
    r"|(?:hey|hi|hello|hiya|howdy|yo|dear|morning|evening|afternoon|buddy|mate|man|dude|guys"
    r"|folks|everyone|there)"
    r"|welcome back|long time no (?:see|talk|speak|chat)|it'?s been (?:a while|ages|so long"
    r"|forever|too long)"
    r"|(?:i'?m )?back(?: again)?|rise and shine|(?:is )?any ?body (?:home|there|here)"
    r"|just (?:wanted to (?:say hi|say hello|check in)|checking in|saying hi|popping in)"
    r"|(?:slept|sleep) (?:well|tight|ok|okay|good)"
)
_THANKS = (
    r"(?:many |so many )?thanks?(?: so much| a lot| a (?:bunch|ton|million)| again)?"
    r"(?: for [a-z' ]{3,40})?"
    r"|thank (?:you|u|ya)(?: so| very| much| again)*(?: for [a-z' ]{3,40})?"
    r"|i (?:really |truly |so )?appreciate (?:it|that|this|you|your [a-z ]{2,20})"
    r"|much appreciated|you'?re (?:very |most |so )?welcome|you are welcome"
    r"|no (?:problem|worries|rush|biggie|prob|big deal|need)(?: at all)?|don'?t mention it"
    r"|my pleasure|any ?time|(?:three )?cheers(?: (?:for|to) (?:you|that|us))?|(?:you|us|them) two"
    r"|(?:glad|happy|pleased) (?:i could|to|that i could) (?:help|assist)(?: you)?|happy to"
    r"|(?:it |that )?means? (?:a lot|so much|the world|everything)(?: to me)?"
    r"|couldn'?t have done (?:it|this|that) without you(?:r \w+)?"
    r"|(?:you'?re|you are|ur) (?:the best|a lifesaver|a star|a legend|a gem|a real one)"
)
_PARTINGS = (
    r"(?:see|talk to|speak to|catch|chat with) (?:you|ya|u)(?: guys| all)?(?: soon| later| then"
    r"| tomorrow| around| there| next time)?"
    r"|talk (?:soon|later)|take (?:good )?care(?: of yourself)?|bye(?: bye)?|good ?bye|cheers"
    r"|so long"
    r"|have (?:a |an )?" + _NICE + r"[a-z ]{0,20}"
    r"|sleep (?:well|tight)|sweet dreams|stay (?:safe|warm|cool|strong|positive|healthy|tuned"
    r"|awesome|hydrated)|take it easy"
    r"|(?:(?:i|we)(?:'ve| have)? |i'?d )?(?:got ?ta|have to|should|must|need to|better|really must"
    r"|ought to) (?:go|run|dash|bounce|head out|get going|be off|be going|leave you|sign off)"
    r"(?: now| to bed| to sleep)?"
    r"|(?:i'?m |we'?re )?(?:off|heading|going) to (?:bed|sleep)|i'?ll let you go|i won'?t keep you"
    r"(?: any longer)?|(?:i'?ll|we'?ll) (?:be right back|brb|catch up later|talk soon)"
    r"|keep (?:it up|at it|going|me posted|in touch|up the [a-z]+ (?:work|spirit))"
    r"|until (?:next time|then|tomorrow)|don'?t be a stranger|enjoy (?:your|the|the rest of your) "
    r"(?:day|night|evening|weekend|trip|holidays?|vacation|meal|lunch|dinner|time|rest|sleep)"
    r"|let'?s (?:catch up|talk|chat|do (?:it|this|that)|hang out|meet up|stay in touch)"
    r"(?: again| soon| later| some ?time| more often)*"
    r"|(?:we should|let'?s) (?:really |totally )?do (?:it|this|that) (?:again|more often)"
    r"(?: soon| some ?time)?"
    r"|(?:give|send) my (?:love|regards|best)(?: to [a-z' ]{2,30})?"
    r"|don'?t let the bed ?bugs bite|later,? alligator"
)
_ASSENT = (
    r"(?:yeah|yes|yep|yup|no|nope|nah|ok|okay|k|kk|sure|alright|right|cool|fine|great|perfect"
    r"|exactly|totally|absolutely|definitely|indeed|agreed|got it|gotcha|i see|makes sense"
    r"|sounds (?:good|great|fun|nice|lovely|awesome|perfect|amazing|like (?:a plan|fun))"
    r"|fair enough|of course|no doubt|true|same here|me (?:too|neither|either)|you bet|deal|noted"
    r"|understood|likewise|ditto|same to you|right back at you|you too)"
    r"|(?:i |you )?(?:couldn'?t|can'?t) agree more|i (?:totally |completely |fully )?agree"
    r"(?: with you)?|you'?re (?:so |absolutely )?right(?: about (?:that|it))?"
    r"|fair (?:point|play)|good to know|that'?s (?:true|fair|right|it|the one|the spirit|the point"
    r"|all|life|for sure)|tell me about it|i know(?:,? right)?|you know(?: that| what i mean)?"
    r"|i mean|to be honest|i guess(?: so)?|i suppose(?: so)?|i think so|i hope so|if you say so"
    r"|(?:that'?s )?(?:exactly |just )?what i (?:was looking for|needed|wanted|meant|thought)"
    r"|(?:a )?(?:lot|ton) of sense|can'?t complain|same old(?:,? same old)?|not (?:too )?(?:bad"
    r"|much)|nothing (?:much|special|new)|just (?:chilling|hanging(?: out)?|relaxing|saying"
    r"|kidding|messing with you|curious)|all (?:good|ears|set)"
    r"|that'?s (?:just )?how it goes|it'?s all good"
)
_CHEER = (
    r"congrat(?:s|ulations)(?: on [a-z' ]{2,30})?|well done|way to go|(?:good|nice|great|amazing"
    r"|awesome|excellent|fantastic|incredible|hard) (?:work|job)|good for you|happy for you"
    r"|(?:so )?proud of (?:you(?:rself)?|us)|so (?:happy|proud|stoked|excited|thrilled"
    r"|glad) for you"
    r"(?: guys| both| all)?"
    r"|(?:you(?:'ve| have)?|u) got this|you can do (?:it|this|anything)|hang in there"
    r"|i believe in you"
    r"|believe in yourself|rooting for you|keep (?:your chin|your head) up|eyes on the prize"
    r"|(?:don'?t|never|do not) (?:ever )?(?:give up|worry|stress|panic|sweat it|lose hope"
    r"|apologi[sz]e"
    r"|be (?:so |too )?(?:hard|harsh|sad|shy|nervous|silly|sorry|afraid|scared|upset|down)"
    r"(?: on yourself| about it)?)(?: about (?:it|that))?"
    r"|(?:you(?:'re| are) )?doing (?:your|my|our) best|(?:i'?m |i'?ll )?(?:always |be )*(?:here"
    r"|there)"
    r" (?:for you|if you need|to help|in your corner)[a-z' ]{0,30}|in your corner|got your back"
    r"|(?:everything|things|it)(?:'s|'ll| will| is going to| gets?| will get)? (?:be |get )?(?:fine"
    r"|okay|ok|alright|all right|better|work out)|this too shall pass|nobody'?s perfect"
    r"|(?:you|u) (?:totally |so |really )?deserve (?:it|this|all)|you (?:never|always) "
    r"(?:cease|fail) to [a-z]+ me|(?:break a|shake a) leg|knock (?:'?em|them) dead|crush it"
    r"|that'?s what friends are for|each other(?: out)?|wish me luck|fingers crossed"
    r"|sending (?:you )?(?:lots of |all my |good |positive |big )?(?:hugs?|love|vibes|prayers"
    r"|thoughts)|come(?:s)? a long way|how far (?:you|i|we)(?:'ve| have) come|you'?re on fire"
)
_SAYINGS = (
    r"time flies[a-z' ]{0,30}|it is what it is|(?:that|such)(?:'s| is) life"
    r"|everything happens for a "
    r"reason|(?:one|a) (?:step|day|thing) at a time|better late than never|no pain,? no gain"
    r"|practice makes perfect|you only live once|the more the merrier|been there,? done that"
    r"|easier said than done|so far so good|(?:the )?sky(?:'s| is) the limit|silver lining"
    r"|rome wasn'?t built in a day|patience is a virtue|the best medicine|no place like home"
    r"|slow and steady(?: wins the race)?|time heals[a-z ]{0,14}"
    r"|life(?:'s| is) (?:too |so )?(?:short|good|hard|tough|weird|funny|unfair|beautiful"
    r"|full of surprises|a journey|crazy)|that escalated quickly|small world|no such luck"
    r"|never gets old|nothing beats (?:it|that|this)|we(?:'ve)? all (?:have|been|get)"
    r" (?:those days|there|that)|it happens(?: to (?:everyone|all of us|the best of us))?"
    r"|(?:the )?joys of [a-z ]{2,20}|what goes around comes around|like a charm|too good to be true"
)
_SKY = (
    r"(?:it'?s|what|so|such|been|looks like|feels like) (?:a |an )?(?:so |such |really |very |too "
    r"|quite |pretty |super |freaking )*(?:a |an )?"
    + _WEATHER
    + r"(?: (?:day|weather|out(?:side)?|today|tonight|here|there|morning|evening|one))*"
    r"|(?:is|are) (?:it|you) [a-z]+ing(?: there| today| much)?|the weather(?: is|'s)?"
    r"|(?:this|nice|bad|lovely|crazy) weather|(?:it'?s|it'?s been|it was|been) (?:pouring|raining"
    r"|snowing|drizzling|hailing|storming)(?: (?:all day|all night|all morning|cats and dogs|here"
    r"|again|outside|today|like crazy))*"
    r"|getting (?:dark|cold|light|late|warm)(?: (?:so|too|already|early|outside|now|here))*"
)
_REMARKS = (
    r"(?:ha){2,}h?|(?:he){2,}|lo+l|lmao+|rofl|omg|haha[ha]*|hehe|hmm+|umm?|uh|ah+|oh|ooh|aw+|wow"
    r"|yay|phew|oops|whoa|yikes|ugh|huh|oof|meh|eek|psst|jeez|sheesh|damn|dang|gosh|argh|whew"
    r"|(?:oh )?my (?:goodness|god|gosh|word)|oh (?:dear|boy|man|no)|no (?:way|kidding|joke)"
    r"|holy (?:cow|moly|smokes)|for real|are you (?:serious|kidding|sure|ok|okay)|wait,? what"
    r"|(?:good|great|incredible|amazing|wonderful|awesome|fantastic) news|test(?:ing)?|sunshine"
    r"|never ?mind|nvm|forget (?:it|about it)|(?:i|i've) (?:figured|sorted|worked) it out"
    r"|happy [a-z]+(?:'s)? day|(?:happy|merry|blessed) (?:belated )?(?:new year|birthday|easter"
    r"|christmas|xmas|holidays"
    r"|thanksgiving|halloween|anniversary|" + _DAY + r")"
    r"|(?:ugh|yay|finally|hooray|another|only|already|thank god it'?s)[, ]+(?:it'?s )?"
    + _DAY
    + r"s?"
    r"|(?:is it|it'?s)(?: already| finally)? (?:" + _DAY + r"|the weekend|bedtime|lunchtime)"
    r"(?: (?:morning|evening|night|afternoon))?(?: already| yet| again)?|tgif"
    r"|let me (?:know(?: if [a-z' ]{2,30})?|think(?: about it)?|see)|(?:drop(?:ping)?"
    r"|pop(?:ping)?|swing(?:ing)?) (?:in|by)|up the wall|turn(?:s)? out (?:fine|okay|ok|great"
    r"|well)|feel free(?: to [a-z]+)?"
    r"|(?:hope|hoping|trust) (?:you|u|this|that|it|all|your|everyone|everything)"
    r"|no idea|(?:just )?(?:saying|kidding|joking|teasing)|can'?t (?:even|wait|stop (?:smiling"
    r"|laughing|crying)|think straight|believe (?:it|this))(?: to (?:hear|see)[a-z' ]{0,30})?"
    r"|i (?:can|could)(?: only| just| totally)? (?:imagine|picture (?:it|that))"
    r"|tell me (?:more|about it|everything|a joke)|please"
    r"|(?:i'?m )?(?:so |very |really )?sorry(?: (?:about that|to hear that|for the (?:late"
    r"|delayed|slow)"
    r" (?:reply|response|answer)|i missed (?:you|this|that)|for your loss))*"
    r"|my bad|no offen[sc]e|out loud|cracks? me up|made my day|made me (?:smile|laugh|cry|blush)"
    r"|making me (?:smile|laugh|cry|blush|jealous|hungry)|lost for words|beyond words"
    r"|(?:you|it|that) (?:must|should|would) have been|(?:you|it|that|there) must be"
    r"|in (?:the|a) (?:good|bad|great|weird|happy|mood) ?(?:mood|place)?"
    r"|i (?:really |just |could really )?(?:need|could use|want|deserve) (?:a |an |some |another "
    r"|my )?(?:coffees?|naps?|hugs?|breaks?|drinks?|vacation|holiday|sleep|rest|beer|bed|tea"
    r"|good cry)|(?:need|want) (?:a |some |more |my )?(?:coffee|sleep|nap|hug|bed|tea)"
    r"|(?:as )?a compliment|i(?:'ll| will) take (?:it|that)|take (?:it|that) as|stop it|give up"
    r"|you(?: always| still)? there|where did the time go|put my feet up"
    r"|on (?:top of the world|cloud nine)|a blast|up to something|what do you (?:wanna|want to)"
    r" (?:talk about|do)|thinking (?:about|of) you|(?:got )?butterflies(?: in my stomach)?"
    r"|how (?:sweet|kind|nice|lovely|cute|adorable|thoughtful|fun|exciting|funny|sad|awful)"
    r"(?: of you)?|(?:good|bad|rough|long|tough|hard|great|crazy|busy|lazy) (?:day|week|night|one)"
    r"|brain is (?:fried|mush|dead|melting)|stay(?:ed|ing)? up (?:that |so |too )?late(?: again)?"
)
_IDIOMS = (
    r"call(?:ing)? it a (?:day|night)|hit(?:ting)? the (?:hay|sack|road)|(?:go|going"
    r"|went) with the "
    r"flow|twiddling my thumbs|not gonna lie|(?:great|brilliant) minds(?: think alike)?"
    r"|c'?est la vie"
    r"|(?:when )?it (?:never )?rains,? (?:but )?it pours|whatever floats your boat|whatever works"
    r"|another day another dollar|(?:you )?win some,? (?:you )?lose some|can'?t win them all"
    r"|what doesn'?t kill you(?: makes you stronger)?|(?:all )?good things(?: come)?"
    r"(?: to (?:those|people) who wait| must come to an end)?|no use crying over spilt milk"
    r"|under the weather|over the moon|out of my (?:mind|league)|on fumes|out of steam|zero energy"
    r"|eat a horse|killing me|dead on my feet|mouth(?:'s| is) watering|from ear to ear"
    r"|written all over (?:your|his|her) face|(?:a )?way with words|mysterious ways|things (?:will "
    r"|are )?look(?:ing)? up|puts? (?:things|it) (?:in(?:to)?|in) perspective"
    r"|process(?:ing)? it(?: all)?"
    r"|(?:didn'?t|did not) see (?:it|that) coming|what a (?:twist|ride|mess|shame|pity|relief"
    r"|surprise"
    r"|view|sight|joke|legend|time|treat|game|move|story|coincidence|vibe|feeling)|get you down"
    r"|tomorrow(?:'s| is) (?:another|a new) day|better days|through thick and thin"
    r"|heart (?:goes|went) out|words out of my mouth|hats? off|go get '?em(?: tiger)?"
    r"|pull (?:this|it)"
    r" off|back to (?:the grind|work|reality|square one)|peace out|rain check"
    r"|(?:the )?cat'?s pajamas"
    r"|piece of cake|no harm(?: done|,? no foul)|best of both worlds|blessing in disguise"
    r"|food for thought"
    r"|cherry on top|icing on the cake|elephant in the room|once in a blue moon|butterflies"
    r"|goosebumps"
    r"|(?:gives?|gave|got|giving) me (?:chills|goosebumps|life|hope)|on the same page|ring a bell"
    r"|spill the (?:beans|tea)|break the ice|cross(?:ing|ed)? (?:my |our )?(?:fingers|paths)"
    r"|paths cross|touch wood|knock on wood|cost an arm and a leg|beat around the bush"
    r"|bite the bullet"
    r"|(?:hang|stick|tough) (?:in there|around|it out)|for better or (?:for )?worse|live and learn"
    r"|the grass is greener|actions speak louder than words|(?:the )?early bird|haste makes waste"
    r"|there(?:'s| is) (?:always )?(?:a )?(?:light at the end of the tunnel|hope|tomorrow"
    r"|next time)"
    r"|third time'?s (?:a|the) charm|two peas in a pod|birds of a feather|partners? in crime"
    r"|best of luck"
    r"|worst case|speak of the devil|curiosity killed the cat|ignorance is bliss"
    r"|seeing is believing"
    r"|you (?:can'?t|cannot) (?:make this (?:stuff )?up|have it all)|says who|my lips are sealed"
    r"|pinky (?:promise|swear)|cross my heart|scout'?s honou?r|no strings attached|long way to go"
    r"|the (?:whole )?nine yards|in a nutshell|at the end of the day|needless to say"
    r"|believe it or not"
    r"|(?:my |your |the )?(?:social )?batter(?:y|ies) (?:is |are )?(?:low|empty|drained|dead)"
    r"|adulting(?: is hard)?|(?:mind|brain) (?:is |= |= ?)?(?:blown|fried)|mic drop|plot twist"
    r"|main character"
    r"|rent free|touch grass|living (?:the dream|my best life|rent free|for (?:it|this))"
    r"|no (?:cap|shade|filter|brainer|sweat|stress|pressure)|it'?s a (?:vibe|mood|wrap|date"
    r"|small world)"
    r"|big (?:mood|yikes|oof)|hard (?:pass|same)|case of the mondays|am i right|mondays"
    r"|(?:in|is in|feel it in) the air|in a (?:sec|bit|jiffy|heartbeat)|hold (?:on|up|your horses)"
    r"|(?:i|we) owe (?:you|u) (?:one|big time|a lot|so much)|owe it all to you|made it(?: through)?"
    r"|(?:don'?t )?mind me|zoned? out|spaced? out|pass(?:ed|ing)? out|crash(?:ed|ing)? (?:hard|out)"
    r"|(?:let|getting|get|letting) (?:it|that|this) (?:all )?(?:out|off (?:my|your) chest)"
    r"|vent(?:ing)?"
    r"|rant(?:ing)?|rambl(?:e|ing)|blabber(?:ing)?|bug(?:ging)? you|bother(?:ing)? you|teas(?:e"
    r"|ing) (?:me|you)"
    r"|knock,? knock|who'?s there|good (?:boy|girl)|holy \w+|what (?:on earth|in the world|the \w+)"
)
ENGLISH_PHRASES = re.compile(
    rf"\b(?:{_IDIOMS}|{_GREETINGS}|{_THANKS}|{_PARTINGS}|{_CHEER}|{_SAYINGS}|{_SKY}|{_REMARKS}"
    rf"|{_ASSENT})\b",
    re.IGNORECASE,
)
# What is no word: shorthand of chats.
_CHAT = words(
    """
    lol lmao rofl omg omfg wtf idk tbh imo imho btw brb ttyl tysm thx ty ya hows whats cya laters
    convo tnx np nvm gm gn hbu wbu
    wyd sup u ur r rn tho thru cuz coz smh fr ngl ikr xd xoxo bff aww awww hehe haha hahaha yep yup
    yea yeah nah nope okie dokie kk k gonna wanna gotta kinda sorta lemme gimme dunno oopsie hiya
    heya hullo yo hun hon sis bro bruh dude mate pal fam guys folks y'all hehehe yass yas slay woo
    woohoo yippee hooray hurray bravo whoop ouch brr bah bahaha muah mwah toodles ooh oooh mhm mm
    mmm uhh uhm um er erm welp anyhow
    anyways tgif asdf asdfgh qwerty congrats pls plz
    """
)
# Appraisal, feeling, body, sky, and what goes with them.
_MOOD = words(
    """
    amazing awesome awful beautiful beautifully best better brilliant charming cool crazy cute
    delightful easy enjoy enjoyed excellent excited exciting excitement fabulous fantastic
    fascinating fine fun funny glad good gorgeous great happy happier happiest happiness hard harder
    helpful hilarious impressed impressive incredible insane inspire inspires inspired inspiring
    inspiration interesting kind kindness lovely lucky nice nicest okay perfect pleasant powerful
    pretty proud rad rough sad sadness seem seems sound sounds special splendid stunning super
    superb sweet sweetest terrible terrific thoughtful tough true ugly weird wild wise wonderful
    mouth feet foot fingers hands eyelids cheeks tummy belly stomach tears knees legs bones
    adorable ridiculous silly wholesome cozy cosy comfy yummy delicious tasty gross creepy scary
    spooky bittersweet magical peaceful calming calm serene breathtaking mesmerizing contagious
    passionate talented gifted clever smart brave strong stronger strength positive positivity
    negative grateful thankful blessed honored touched moved overwhelmed overwhelming emotional
    heartwarming heartbreaking encouraging encouragement motivating motivation motivated supportive
    annoying annoyed angry mad furious upset frustrated frustrating disappointed disappointing
    worried worrying worry nervous anxious scared afraid terrified stressed stressful embarrassed
    embarrassing awkward confused confusing bored boring lonely jealous envious shocked shocking
    surprised surprising surprise surprises speechless relieved relief relaxed relaxing chill
    chilling exhausted exhausting tired sleepy drowsy hungry starving thirsty lazy busy hectic
    restless bummed gutted heartbroken devastated miserable gloomy depressing lousy unbearable
    heavenly stuffed unbelievable bloated knackered parched
    goodness epic pumped wiped dreamy flatterer odd classic mess zombie rude sweets
    stupid dumb evil shook stunned mindblown baffled astonished dazed depressing moody grumpy
    cranky hangry thrilled stoked ecstatic overjoyed delighted joy joyful joys bliss blissful pure
    cheerful cheer cheered cheers smile smiles smiling laugh laughs laughed laughing laughter giggle
    cry cries crying cried tears sob hug hugs kiss kisses love loved lovin loving lovely adore miss
    missed missing hope hoping hopeful hopefully wish wishes wishing dream dreams dreaming
    touch touching melt melts shine shining sparkle bright blush blushing chuckle giggles grin
    grinning beaming glowing wink snort cackling
    rooting deserve deserves deserved believe belief trust honest honestly literally seriously
    obviously clearly simply basically apparently exactly precisely absolutely totally completely
    definitely certainly truly really quite extremely incredibly insanely rather somewhat
    utterly legit lowkey highkey
    """
)
_LIGHT = words(
    """
    joke jokes kidding luck bit lot lots ton tons guess hear heard hearing see seeing seen saw say
    saying says said tell telling told think thinking thought thoughts know knowing knew known look
    looks looking looked feel feels feeling feelings felt way ways thing things stuff day days today
    tonight morning mornings afternoon night nights evening weekend week time times moment moments
    sec second minute while whole weather rain raining rainy rained pouring drizzle sun sunny sunset
    sunrise sky clouds cloud snow snowing snowy cold hot warm chilly windy wind cloudy outside storm
    stormy thunder lightning fog foggy humid humidity freezing melting boiling moon stars breeze
    season heat spring hi hey hello bye thanks thank welcome please sorry yes no ok okay sure right
    alright ha going doing done make makes made making keep keeps keeping kept get gets got getting
    gotten go goes went gone come comes coming came take takes taking took give gives gave giving
    let lets put want wants wanted need needs needed try trying tried well maybe perhaps probably
    always never again soon later still much many little big small new old long short vibe vibes
    energy support advice words word story stories idea ideas point one ones friend friends buddy
    mate dear guys dude bro man girl gal people person everyone everybody anyone nobody somebody
    life world appreciate appreciated idk imagine glow lately mind head brain heart face soul pic
    pics photo photos picture pictures view views scenery catch chat chats chatting talk talks
    talking talked hang hanging agree agreed matter matters mean means meant happen happens happened
    happening wait waiting waits hold stop stopped stopping start listen listening listened share
    sharing ask asking answer reply replies response late early quick quickly slow fast able
    together forever ever anymore smoothly lasts last away back around enough almost already
    anyway anyhow though else
    everything anything nothing something fair sense reason reasons compliment compliments
    distracted
    spirit attitude mood moods end ending worth bother chance sort kinda type side
    stay stays stayed staying sit nap bed asleep awake sleep sleeping slept wake woke rest resting
    coffee drink yay robot human ai bot test testing blast treat treats treating cheering rock rocks
    rocking figured figure sorted cheeky messing mess weirdo goofball angel legend star hero
    lifesaver
    gem cutie sweetie sweetheart honey darling babe baby pal champ queen king ears eyes
    patient patience pleasure honor congrats congratulations progress effort efforts
    wonder wonders wondering wondered real reality seriously rush hurry relax vibing peace nature
    escape fault blame problem problems deal whatever whichever shall forward moving
    stuck exist exists beat beats ages age alive
    """
)
EMPTY_ENGLISH = _CHAT | _MOOD | _LIGHT
