"""Text structure: what is aligned, and what may be meant and stays."""

import pytest
from lexical_helpers import judge
from markdown_it import MarkdownIt

from knitbone import Session


def aligned(text, *said, **more):
    verdict = judge(text, *said, **more)
    assert verdict.disposition == "repaired", verdict
    return verdict.text


def untouched(text, *said, **more):
    verdict = judge(text, *said, **more)
    assert verdict.text is text
    assert verdict.disposition == "conforming", verdict


def test_a_bullet_that_stands_out_becomes_the_lists():
    text = "Buy:\n\n- red apples\n* green pears\n- ripe figs\n"
    assert aligned(text) == text.replace("*", "-")
    assert judge(text).rules == ('bullet "*" -> "-" in 1 place',)
    dots = "\u2022 red apples\n\u2022 ripe figs\n- green pears\n"
    assert aligned(dots) == dots.replace("-", "\u2022")


def test_a_loose_list_is_one_list_where_its_bullet_comes_back():
    text = "- 2 red apples\n\n* 3 green pears\n\n- 4 ripe figs\n"
    assert aligned(text) == text.replace("*", "-")


def test_alternating_bullets_become_the_first():
    text = "* red apples\n- green pears\n* ripe figs\n- sweet dates\n"
    assert aligned(text) == text.replace("-", "*")


def test_nested_siblings_are_aligned_within_their_parent():
    text = "- fruit\n  * red apples\n  - green pears\n  * ripe figs\n- vegetables\n"
    assert (
        aligned(text) == "- fruit\n  * red apples\n  * green pears\n  * ripe figs\n- vegetables\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "- one thing\n  * another thing\n  * a third thing\n- two things\n",
        "- one thing\n- two things\n* three things\n* four things\n",
        "- one thing\n* two things\n",
        "+ good price\n- bad taste\n+ fast service\n+ nice view\n",
        "+ added line\n- removed line\n* note of it\n",
        "* Fruit:\n- red apples\n- green pears\n- ripe figs\n",
        "- one price*\n- two prices\n* without tax of any kind\n",
        "- one thing\n- two things\n* Note that prices vary\n",
        "- 3\n* 4\n- 5 / 2\n",
        "```\n- one a\n* two b\n- three c\n```\n",
        "    - one a\n    * two b\n    - three c\n",
        "- one a\n\n- two b\n\n* three c\n",
        "- one\n\n* * *\n\n- two\n- three\n",
        "\u25e6 one a\n\u2022 two b\n\u25e6 three c\n",
    ],
)
def test_bullets_that_may_be_meant_are_left_alone(text):
    untouched(text)


def test_one_delimiter_behind_numbers():
    text = "1. wash it\n2) dry it\n3. eat it\n"
    assert aligned(text) == text.replace(")", ".")
    assert aligned("1) a b\n2) c d\n3. e f\n") == "1) a b\n2) c d\n3) e f\n"


@pytest.mark.parametrize(
    ("numbers", "wanted"),
    [((1, 2, 4), (1, 2, 3)), ((1, 2, 2, 3), (1, 2, 3, 4)), ((1, 2, 3, 1, 2), (1, 2, 3, 4, 5))],
)
def test_numbers_with_one_slip_count_on(numbers, wanted):
    def listed(numbers):
        return "".join(f"{n}. wash the {i}th apple\n" for i, n in enumerate(numbers))

    assert aligned(listed(numbers)) == listed(wanted)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("1. B\n2. C\n4. A\n", ""),
        ("1. light gas hydrogen\n6. black solid carbon\n8. life gas oxygen\n", ""),
        ("1. wash the apple\n1. dry the apple\n1. eat the apple\n", ""),
        ("1. wash the apple\n2. dry the apple\n4. eat the apple\n\nRepeat step 4.\n", ""),
        ("1. yes it is\n2. no it is not\n4. I do not know\n", "1. Is it?\n2. Was it?\n"),
        ("2. wash the apple\n3. dry the apple\n5. eat the apple\n", ""),
        ("1. wash the apple\n\n2. dry the apple\n\n4. eat the apple\n", ""),
        ("1. wash the apple\n3. dry the apple\n7. eat the apple\n", ""),
        ("1. wash it\n1) dry it\n2) eat it\n", ""),
        (
            "1. one more thing\n2. two more things\n\nText.\n\n1. one more thing\n2. two things\n",
            "",
        ),
        ("1945. The war ended\n1946. The peace began\n1948. The blockade began\n", ""),
    ],
)
def test_numbers_that_may_be_meant_are_left_alone(text, question):
    untouched(text, *([question] if question else []))


def test_nested_indentation_is_evened():
    text = "- fruit\n  - red apples\n   - green pears\n  - ripe figs\n"
    assert aligned(text) == text.replace("   - g", "  - g")


@pytest.mark.parametrize(
    "text",
    [
        "- fruit\n - red apples\n- vegetables\n",
        "- fruit\n  - red apples\n    - sweet ones\n  - green pears\n",
        "1. fruit here\n   - red apples\n   - green pears\n2. vegetables here\n",
    ],
)
def test_indentation_that_may_be_nesting_is_left_alone(text):
    untouched(text)


def test_a_series_of_headings_has_one_level():
    text = "## Step 1: wash\n\nDo.\n\n**Step 2: dry**\n\n## Step 3\n\n### Step 4\n\n## Step 5\n"
    assert aligned(text) == text.replace("**Step 2: dry**", "## Step 2: dry").replace("###", "##")


@pytest.mark.parametrize(
    "text",
    [
        "# Title\n\n### Part\n\n### Other part\n",
        "## Step 1\n\n### Step 1\n\n### Step 2\n",
        "**Step 1** is to wash\n\n## Step 2\n\n## Step 3\n",
        "```\n## Step 1\n### Step 2\n## Step 3\n```\n",
    ],
)
def test_headings_that_may_be_meant_are_left_alone(text):
    untouched(text)


def test_the_sessions_bullet_holds_inside_a_session_only():
    session = Session("What shall I buy?")
    untouched("- red apples\n- green pears\n", session=session)
    assert aligned("* ripe figs\n* sweet dates\n", session=session) == (
        "- ripe figs\n- sweet dates\n"
    )
    untouched("* ripe figs\n* sweet dates\n", session=Session("What shall I buy?"))


@pytest.mark.parametrize(
    "text",
    [
        "* name: fig\n* name: date\n",
        "* figs\n* dates\n",
        "* ripe figs\n  - sweet ones\n* dates and more\n",
        "+ ripe figs\n+ sweet dates\n",
    ],
)
def test_the_sessions_bullet_leaves_data_and_nested_lists_alone(text):
    session = Session("What shall I buy?")
    untouched("- red apples\n- green pears\n", session=session)
    untouched(text, session=session)


def test_heuristics_can_be_switched_off():
    text = "- red apples\n* green pears\n- ripe figs\n"
    untouched(text, without=("lexical.bullets",))
    untouched("1. wash it\n2) dry it\n3. eat it\n", without=("lexical.numbering",))


def nesting(text):
    """What Markdown makes of a text: items and their texts by depth, whatever their markers."""
    depth, found = 0, []
    for token in MarkdownIt().parse(text):
        depth += token.nesting if token.type.startswith("list_item") else 0
        if token.type == "inline":
            found.append((depth, token.content))
    return found


@pytest.mark.parametrize(
    "text",
    [
        "- fruit\n  * red apples\n  - green pears\n  * ripe figs\n- vegetables\n- bread\n",
        "- fruit\n  - red apples\n   - green pears\n  - ripe figs\n",
        "1. wash the apple\n2. dry the apple\n   - with a cloth\n4. eat the apple\n",
        "1. wash it\n2) dry it\n3. eat it\n",
    ],
)
def test_markdown_reads_the_same_items_in_the_same_nesting(text):
    assert nesting(aligned(text)) == nesting(text)


@pytest.mark.parametrize("sign", ["\u2013", "\u2014", "\u25cf", "\u25aa", "\u2023", "\u00b7"])
def test_other_signs_for_an_item_become_the_lists(sign):
    text = f"- red apples\n{sign} green pears\n- ripe figs\n"
    assert aligned(text) == text.replace(sign, "-")


@pytest.mark.parametrize(
    "text",
    [
        "\u2022 fruit\n\u25e6 red apples\n\u2022 vegetables\n",
        "\u2022 fruit\n\u2013 red apples\n\u2022 vegetables\n",
        "\u2013 Where is it?\n\u2013 Behind you.\n\u2013 Thank you.\n",
        "- good taste\n+ low price\n- nice view\n",
    ],
)
def test_signs_that_may_be_meant_are_left_alone(text):
    untouched(text)


@pytest.mark.parametrize("number", ["2)", "**2.**", "(2)"])
def test_a_number_in_another_dress_is_written_as_the_others(number):
    text = f"1. wash it\n{number} dry it\n3. eat it\n"
    assert aligned(text) == "1. wash it\n2. dry it\n3. eat it\n"


def test_a_number_that_counts_on_is_of_the_list_above():
    assert aligned("1. wash it\n2) dry it\n") == "1. wash it\n2. dry it\n"
    untouched("1. wash it\n\n2) dry it\n")
    untouched("1. wash it\n1) dry it\n")
    untouched("(1) wash it\n(2) dry it\n(3) eat it\n")


LISTS = "Fruit:\n\n{0}\n\nBread:\n\n{0}\n\nMilk:\n\n{1}\n"


@pytest.mark.parametrize(
    ("usual", "other"),
    [
        ("- ripe figs\n- sweet dates", "\u2022 ripe figs\n\u2022 sweet dates"),
        ("1. wash it\n2. dry it", "1) wash it\n2) dry it"),
    ],
)
def test_a_list_that_stands_out_among_several_is_written_as_the_others(usual, other):
    assert aligned(LISTS.format(usual, other)) == LISTS.format(usual, usual)
    untouched(f"Fruit:\n\n{usual}\n\nMilk:\n\n{other}\n")
    nested = other + "\n   - or more of it"
    untouched(LISTS.format(usual, nested))


@pytest.mark.parametrize(
    ("usual", "other"),
    [
        ("- ripe figs\n- sweet dates", "+ ripe figs\n+ sweet dates"),
        ("- ripe figs\n- sweet dates", "\u2013 ripe figs?\n\u2013 sweet dates!"),
        ("1. wash it\n2. dry it", "(1) wash it\n(2) dry it"),
        ("1. wash it\n2. dry it", "3) wash it\n4) dry it"),
    ],
)
def test_a_list_of_another_kind_stays(usual, other):
    untouched(LISTS.format(usual, other))


def test_the_sessions_numbers_hold_inside_a_session():
    session = Session("What shall I do?")
    untouched("1. wash it\n2. dry it\n", session=session)
    assert aligned("1) eat it\n2) like it\n", session=session) == "1. eat it\n2. like it\n"
    untouched("3) eat it\n4) like it\n", session=session)
    session.hear("Please use round brackets when you number things.")
    untouched("1) eat it\n2) like it\n", session=session)


def test_one_indented_list_among_several_is_moved_to_the_margin():
    flat = "- ripe figs\n- sweet dates"
    inset = "  - ripe figs\n  - sweet dates"
    assert aligned(LISTS.format(flat, inset)) == LISTS.format(flat, flat)
    untouched(f"Fruit:\n\n{flat}\n\nMilk:\n\n{inset}\n")
    untouched(LISTS.format(inset, flat))
    untouched(LISTS.format(flat, inset + "\n    and more of it"))
    untouched(LISTS.format(flat, inset + "\n    - and more of it"))
    untouched(LISTS.format("1. wash it\n2. dry it", "1. wash it:\n   - at once\n   - in time"))
