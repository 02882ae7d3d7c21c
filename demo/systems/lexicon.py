"""What the example systems know of English and of the map before they read: words, not facts.

The lists were written with the stories in view, and left incomplete on purpose.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(" ".join(phrase.split()) for phrase in text.split(";"))


ORGANIZATION_WORDS = _words(
    """
    Academy Air Alliance Association Athletic Bank Board Books Broadcasting Chamber Club College Company
    Council Courier Energy Federation Garden Glass Group Guild Hospital House Institute Instruments League
    Library Mills Museum Observatory Opera Philharmonic Power Press Quartet Rovers School Service Shipyard
    Society Stone Strings Studios Theatre Tramway Trust Union University Wanderers &
    """
)
"""A name that contains one of these is an organization."""

HEADS = _words(
    """
    Academy Association Board Chamber Club College Company Council Federation Guild Institute League Library
    Museum School Society Union University
    """
)
"""After these, *of* and *for* belong to the name: the Museum of the Lowmarch."""

ORGANIZATION_NOUNS = _words(
    """
    academy airline bakery bank club college company council firm garden group hospital institute league
    library mill museum observatory paper party quartet school shipyard society station studio theatre works
    workshop yard
    """
)
"""*The club* stands for an organization named before."""

COUNTRIES = frozenset({"Arvenia", "Solmark"})
PROVINCES = frozenset({"Lowmarch", "Upper Marren"})
CITIES = _words(
    """
    Brackwater Corvel Dunmarrow Fenby Oxmere Pellworth Quarrow Stenwick Tarnholm Vantry
    """
) | {"Hollin Bay"}
PLACES = COUNTRIES | PROVINCES | CITIES

GIVEN_NAMES = _words(
    """
    Ada Adam Agnes Albert Alfred Alice Alma Amelie Anne Anton Arthur Beatrix Ben Benedict Berta Bruno Carla
    Charles Clara Clement Conrad Constance Daniel David Delia Desmond Dominic Dora Edith Edmund Edward Edwin
    Elena Ellen Emil Emma Eva Felix Flora Florian Frank Freya George Grete Gwen Hanna Harold Harriet Hector
    Helen Henry Hester Hugh Ida Imre Ingrid Irene Jack James Jerome John Jonah Jonas Josef Josephine Judith
    Julia Karl Ken Kurt Lars Laurence Lena Leopold Louis Luc Lucas Lucy Mabel Marguerite Maria Marta Martin
    Mary Matteo Maud Max Miriam Nadia Nell Nils Noah Nora Oscar Otto Paul Peter Petra Philippa Poppy Priya
    Rafael Rhoda Robert Rolf Rosalind Ruth Sabine Salma Samuel Simon Stefan Sylvie Tamara Thomas Tobias Toby
    Tomas Victor Viktor Violet Walter Wilfred William Winifred
    """
)
"""Given names: those of most people in the stories, and others; some in the stories are missing."""

TITLES = _phrases(
    """
    accountant; actor; architect; artist; artistic director; astronomer; baker; bishop; botanist;
    brewer; bus driver; captain; carpenter; cellist; chairman; chaplain; chemist; chief engineer; chief
    executive; club captain; club chairman; coach; composer; curator; cyclist; dean; dentist; deputy
    head; diplomat; director; driver; editor; electrician; engineer; film director; finance director;
    fisherman; foreman; general manager; geologist; goalkeeper; governor; grandmaster; harbour pilot;
    head baker; head coach; head teacher; judge; lawyer; librarian; lighthouse keeper; lock keeper;
    manager; managing director; mathematician; mayor; midfielder; milkman; miner; music director; naval
    architect; night watchman; novelist; nurse; oceanographer; physiotherapist; piano teacher; pilot;
    plumber; poet; president; principal; professor; rector; secretary; sergeant; singer; soprano;
    statistician; striker; surgeon; teacher; technical director; treasurer; vicar; violin maker; weaver
    """
)
"""Titles and trades, as they are written in running text."""

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July",
    "August", "September", "October", "November", "December",
)  # fmt: skip

NOT_NAMES = _words(
    """
    A Above After Among An And As At Before Behind Born Both But By For Friday From He Her His If In
    Inside It Its Monday My Next Nobody Nothing On One Our Saturday She Sunday That The Their Then There
    They This Those Thursday To Tuesday Two Under Until We Wednesday What When Where While With
    """
)
"""Capitalized words that begin no name."""
