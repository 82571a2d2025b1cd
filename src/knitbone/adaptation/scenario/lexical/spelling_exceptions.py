"""Exceptions to the dictionary of British and American spellings: which of its entries are used.

The entries come from ``breame`` (see ``varieties.py``); each list here says why its words are left
out, or used although they follow no rule. Words are American spellings in lower case; the other
member of the pair is the dictionary's.
"""

from __future__ import annotations

__all__ = ["AMERICAN_ONLY", "BRITISH_ONLY", "LISTED", "UNSAFE"]

_MEANING = """
check checkbook checkbooks checkered curb disk disks draft drafts drafty draftier draftiest
draftboard draftboards draftsman draftsmen draftsmanship draftswoman draftswomen filet filets
fileted fileting filter filters gage gages gaged gaging groin groins license licensed licenses
licensing meter meters micrometer micrometers practice practiced practices practicing program
programs story ton tons tire tires analyzes paralyzes catalyzes rigor rigors raveled raveling
molder moldered moldering molders chili coloreds initialed initialing trialed trialing savior
saviors savory savories
"""
"""The members differ in meaning (``a storey of a house``), or one is another word besides
(``analyses`` is a plural too)."""

_AMERICAN_TOO = """
esthete esthetes esthetic esthetically esthetics archeological archeologically archeologist
archeologists archeology analog analogs ax battleax busses bussing cancelation cancelations catalog
catalogs cataloged cataloging coziest dialog dialogs epilog epilogs exorcize exorcized exorcizes
exorcizing gasses glamor groveled groveling minibusses monolog monologs pharmacopeia pharmacopeias
prolog prologs sheik theatergoer theatergoers travelog travelogs woolies wooly worshiped worshiper
worshiping
"""
"""The spelling that is listed as British is current, or the only one, in American English too."""

_BRITISH_TOO = """
banister banisters biased biasing bougainvillea bougainvilleas caliper calipers calisthenics chimera
chimeras connection connections encyclopedia encyclopedias encyclopedic eon eons fetal fetid fetus
fetuses homeopath homeopathic homeopaths homeopathy medieval presidium presidiums primeval
technicolor tricolor tricolors
"""
"""The spelling that is listed as American is current, or the usual one, in Britain too."""

_MISTAKES = """
bevies bevy colorize colorized colorizes colorizing edema overemphasize overemphasized
overemphasizes overemphasizing pummel pummeled snowplow tranquility tranquilize tranquilized
tranquilizer tranquilizers tranquilizes tranquilizing
"""
"""The entry is wrong or doubtful."""

UNSAFE = frozenset(f"{_MEANING} {_AMERICAN_TOO} {_BRITISH_TOO} {_MISTAKES}".split())
"""Words that follow a rule and still take no side."""

_IRREGULAR = """
aging aluminum cozier cozily coziness cozy distill distills enroll enrolls enthrall enthralls
fulfill fulfillment fulfills gray grayed graying grayish grays installment installments instill
instills jewelry maneuver maneuverability maneuverable maneuvered maneuvering maneuvers mold molded
molding molds moldy molt molted molting molts mustache mustached mustaches pajama pajamas plow
plowed plowing plows skeptic skeptical skeptically skepticism skeptics smolder smoldered smoldering
smolders
"""

LISTED = frozenset(_IRREGULAR.split())
"""Words that follow no rule and take a side nevertheless."""

_BRITISH_ONLY = """
programme/program programmes/programs cheque/check cheques/checks chequebook/checkbook
chequebooks/checkbooks chequered/checkered kerb/curb kerbs/curbs kerbside/curbside licence/license
licences/licenses metre/meter metres/meters practise/practice practised/practiced
practises/practices practising/practicing storey/story storeys/stories tyre/tire tyres/tires
"""
_AMERICAN_ONLY = """
catalog/catalogue catalogs/catalogues cataloged/catalogued cataloging/cataloguing
"""


def _pairs(listed: str) -> dict[str, str]:
    return dict(pair.split("/") for pair in listed.split())


BRITISH_ONLY = _pairs(_BRITISH_ONLY)
"""British words that no American text has; the American word has another meaning in Britain too,
so it is on no side."""
AMERICAN_ONLY = _pairs(_AMERICAN_ONLY)
"""American words that no British text has, beside a British one that Americans have as well."""
