"""Language usage: what is reported, what is translated, and what is in no language."""

import asyncio

import pytest
from lexical_helpers import asked, check_for, judge

from knitbone import Session
from knitbone.adaptation.scenario.lexical import translation as translate
from knitbone.adaptation.scenario.lexical.language import (
    foreign_spans,
    has_foreign_signs,
    language_of,
    letters_only,
    same_language,
    speaks_of_languages,
)
from knitbone.adaptation.scenario.lexical.spans import protected_spans
from knitbone.adaptation.testing import Deadline
from knitbone.testing import ModelServer, Reply

QUESTION = "How do I keep the plants in my kitchen alive, and what do they need?"
ENGLISH = "You should water the plants twice a week and keep them in the light."
SPANISH = "La biblioteca abre a las nueve de la mañana y cierra a las seis."
FOREIGN = {
    "es": SPANISH,
    "de": "Bitte vergessen Sie nicht, Ihren Ausweis am Montag mitzubringen.",
    "fr": "Le train part à huit heures du matin de la gare centrale.",
    "pt": "O relatório foi enviado ontem para todos os membros da equipe.",
    "it": "Il museo della città è aperto tutti i giorni tranne il lunedì.",
    "nl": "De winkel is morgen niet open vanwege de nationale feestdag.",
    "pl": "Sklep jest zamknięty w poniedziałek z powodu święta narodowego.",
    "sv": "Butiken är stängd på måndag eftersom det är helgdag i hela landet.",
    "tr": "Mağaza pazartesi günü resmi tatil nedeniyle bütün gün kapalı.",  # noqa: RUF001
    "vi": "Cửa hàng đóng cửa vào thứ Hai vì ngày lễ quốc gia.",
    "ru": "Магазин закрыт в понедельник из-за государственного праздника.",
    "zh": "图书馆早上九点开门但是晚上六点关门所以请不要迟到。",
    "ar": "المتجر مغلق يوم الاثنين بسبب العطلة الرسمية في البلاد.",
    "hi": "दुकान सोमवार को राष्ट्रीय अवकाश के कारण बंद रहेगी।",
}


@pytest.mark.parametrize("language", FOREIGN)
def test_a_sentence_in_another_language_is_reported_with_its_place(language):
    sentence = FOREIGN[language]
    text = f"{ENGLISH}\n\n{sentence}\n\n{ENGLISH}"
    spans = foreign_spans(text, "en", protected_spans(text), Deadline(5))
    assert [(text[span.start : span.end], span.language) for span in spans] == [
        (sentence, language)
    ]
    verdict = judge(text, QUESTION)
    assert verdict.disposition == "refused"
    assert verdict.text is text
    assert f"1 passage in {language}, the session is in en" in verdict.reason
    assert str(text.index(sentence)) in verdict.reason


def test_neighbours_in_one_language_are_one_passage():
    text = f"{ENGLISH} {SPANISH} {SPANISH} {ENGLISH}"
    spans = foreign_spans(text, "en", protected_spans(text), Deadline(5))
    assert [text[span.start : span.end] for span in spans] == [f"{SPANISH} {SPANISH}"]


def test_an_answer_in_english_to_a_question_in_spanish_is_reported():
    question = "¿Cómo puedo mantener vivas las plantas de mi cocina durante el invierno?"
    assert judge(ENGLISH, question).disposition == "refused"
    assert judge(SPANISH, question).disposition == "conforming"


@pytest.mark.parametrize(
    "question",
    [
        f"Translate this: {ENGLISH}",
        "How do you say it in Spanish, and what does the word mean?",
        "What languages are spoken there, and what are they like?",
        f"What does the notice say to you? {SPANISH}",
        "Please write a poem that I can give to the teacher.",
        "",
        "Hola",
    ],
)
def test_off_where_several_languages_are_expected_or_none_is_known(question):
    text = f"{ENGLISH}\n\n{SPANISH}"
    assert judge(text, *([question] if question else [])).text is text
    assert judge(text, *([question] if question else [])).disposition == "conforming"


def test_off_where_a_later_question_asks_for_a_translation():
    session = Session(QUESTION)
    session.hear("And now translate the answer, please.")
    assert judge(SPANISH, session=session).disposition == "conforming"


@pytest.mark.parametrize(
    "text",
    [
        f'{ENGLISH} The sign says "{SPANISH}" to all.',
        f"{ENGLISH}\n\n> {SPANISH}",
        f"{ENGLISH}\n\n```\n{SPANISH}\n```",
        f"{ENGLISH} In Spanish: {SPANISH}",
        f"{ENGLISH} Hola, buenos días, amigo!",
        f"{ENGLISH}\n\n- La Sagrada Familia\n- Museo del Prado\n- Casa de Campo de Madrid",
        f"{ENGLISH} Gabriel García Márquez and José Martí wrote it.",
        f"{ENGLISH} The crème brûlée at the café was naïve, de facto and per se.",
        f"{ENGLISH}\n\nhttps://example.com/la/de/el/nueve-y-seis-de-la-tarde",
        f"{ENGLISH} \u2705 Done \u2014 and \u201cfine\u201d \U0001f600.",
    ],
)
def test_quotations_names_code_and_borrowed_words_are_in_no_language(text):
    assert judge(text, QUESTION).text is text
    assert judge(text, QUESTION).disposition == "conforming"


def test_plain_english_shows_no_signs_of_others():
    assert not has_foreign_signs(ENGLISH, letters_only(ENGLISH))
    assert all(has_foreign_signs(text, letters_only(text)) for text in FOREIGN.values())


def test_the_language_of_a_question():
    assert language_of(QUESTION) == "en"
    assert language_of(FOREIGN["de"]) == "de"
    assert language_of(f"{QUESTION} {SPANISH}") is None
    assert language_of("ok") is None
    assert same_language("no", "da")
    assert not same_language("en", "es")
    assert speaks_of_languages("Say it in French")


def test_lone_surrogates_and_odd_text_do_not_crash():
    for text in ("\ud800 la de el una " * 5, "\x00\ufffd" * 50, "。" * 500, SPANISH + "\udfff"):
        assert judge(text, QUESTION).disposition in ("conforming", "refused")


@pytest.fixture
def translator():
    calls = []

    def install(answer):
        def translated(passage, source, target):
            calls.append((passage, source, target))
            return answer(passage) if callable(answer) else answer

        translate.use_translator(translated)
        return calls

    yield install
    translate.use_translator(None)


GOOD = "The library opens at nine in the morning and it closes at six."


def test_a_passage_is_translated_in_its_place(translator):
    calls = translator(GOOD)
    text = f"- {ENGLISH}\n- {SPANISH}\n"
    verdict = judge(text, QUESTION)
    assert verdict.disposition == "repaired"
    assert verdict.text == f"- {ENGLISH}\n- {GOOD}\n"
    assert verdict.rules == ("passage translated from es to en in 1 place",)
    assert calls == [(SPANISH, "es", "en")]
    assert judge(verdict.text, QUESTION).text is verdict.text


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "",
        SPANISH,
        GOOD * 5,
        "It opens.",
        GOOD.replace("nine", "9"),
        GOOD.replace(" and", "\nand"),
    ],
)
def test_a_translation_that_is_not_certain_is_not_used(translator, answer):
    translator(answer)
    text = f"{ENGLISH}\n\n{SPANISH}"
    verdict = judge(text, QUESTION)
    assert verdict.disposition == "refused"
    assert verdict.text is text


def test_a_translator_that_fails_leaves_the_answer(translator):
    def fail(_):
        raise OSError("no network")

    translator(fail)
    text = f"{ENGLISH}\n\n{SPANISH}"
    assert judge(text, QUESTION).text is text


def test_numbers_have_to_stay(translator):
    spanish = "La biblioteca abre a las 9 de la mañana y cierra a las 18 horas."
    text = f"{ENGLISH}\n\n{spanish}"
    translator("The library opens at 9 in the morning and it closes at 18 hours.")
    assert judge(text, QUESTION).disposition == "repaired"
    translator("The library opens at 9 in the morning and it closes at 6 hours.")
    assert judge(text, QUESTION).disposition == "refused"


@pytest.fixture
def writer(monkeypatch):
    def configure(server):
        monkeypatch.setenv("KNITBONE_WRITER_NAME", "small-model")
        monkeypatch.setenv("KNITBONE_WRITER_BASE_URL", server.base_url)
        monkeypatch.setenv("KNITBONE_WRITER_MAX_RETRIES", "0")
        monkeypatch.setenv("OPENAI_API_KEY", "unused")
        translate.use_translator(None)

    yield configure
    monkeypatch.undo()
    translate.use_translator(None)


def test_the_writer_model_translates_where_one_is_configured(writer):
    text = f"{ENGLISH}\n\n{SPANISH}"
    with ModelServer([GOOD, GOOD]) as server:
        writer(server)
        assert judge(text, QUESTION).text == f"{ENGLISH}\n\n{GOOD}"

        async def inside_a_loop():
            return judge(text, QUESTION).text

        assert asyncio.run(inside_a_loop()) == f"{ENGLISH}\n\n{GOOD}"
        assert server.requests[0].body["messages"][-1]["content"] == SPANISH


def test_a_writer_model_that_fails_leaves_the_answer(writer):
    text = f"{ENGLISH}\n\n{SPANISH}"
    with ModelServer([Reply(status=400)]) as server:
        writer(server)
        verdict = judge(text, QUESTION)
    assert verdict.disposition == "refused"
    assert verdict.text is text


def test_nothing_is_sent_where_no_writer_is_configured():
    assert judge(f"{ENGLISH}\n\n{SPANISH}", QUESTION).disposition == "refused"


def test_the_language_heuristic_can_be_switched_off():
    assert judge(SPANISH, QUESTION, without=("lexical.language",)).disposition == "conforming"


def test_a_spent_budget_raises_timeout():
    text = f"{SPANISH}\n" * 2_000
    judge(SPANISH, QUESTION)  # the detector is loaded
    with pytest.raises(TimeoutError):
        check_for()(text, asked(QUESTION, budget_ms=0))


@pytest.mark.parametrize("prompt", ["Translate the message into {language}.", "Quote it verbatim."])
def test_a_prompt_that_asks_for_the_words_of_somebody_else_switches_it_off(prompt):
    answer = "Quelle belle couleur, et quel magnifique port !\n---\nThe color of the harbor."
    verdict = judge(answer, ("system", prompt), "What a lovely colour the harbour has!")
    assert verdict.disposition == "conforming"
    assert verdict.text is answer
    assert judge(answer, "What a lovely colour the harbour has!").disposition != "conforming"


RUNS = {
    "zh": "\u975e\u5e38",
    "ja": "\u3068\u3066\u3082",
    "ko": "\ucd94\ucc9c\ud569\ub2c8\ub2e4",
    "ru": "\u043e\u0447\u0435\u043d\u044c \u043a\u0440\u0430\u0441\u0438\u0432\u044b\u0439",
    "ar": "\u062c\u0645\u064a\u0644",
    "th": "\u0e2a\u0e27\u0e22",
}


@pytest.mark.parametrize("language", RUNS)
def test_words_in_another_script_amid_a_sentence_are_reported(language):
    text = f"You should water the plants {RUNS[language]} often and keep them in the light."
    verdict = judge(text, QUESTION)
    assert (verdict.disposition, verdict.text) == ("refused", text)
    assert "1 run of words in another script" in verdict.reason


@pytest.mark.parametrize(
    "text",
    [
        "The best of them is the Golden Pavilion ({}), which you should see.",
        'The sign at the door of the house says "{}", which you should know.',
        "The word {} is what they would say to you at the door.",
        "{}: the plant that you should water twice a week.",
        "- {} is the one that you should water\n- the other one",
        "You should water the plants `{}` and keep them in the light.",
        "You should read {}/readme and keep it with this.",
        "In Chinese you would write {} for that, and keep it.",
    ],
)
def test_a_word_in_another_script_that_is_set_off_is_meant(text):
    text = text.format(RUNS["zh"])
    verdict = judge(text, QUESTION)
    assert (verdict.disposition, verdict.text) == ("conforming", text)


def test_a_script_that_the_user_or_the_language_has_is_not_foreign():
    text = f"You should water the plants {RUNS['zh']} often and keep them in the light."
    assert judge(text, f"{QUESTION} I have {RUNS['zh']}.").disposition == "conforming"
    chinese = "\u6211\u7684\u7535\u8111\u4e3a\u4ec0\u4e48\u4e0d\u80fd\u5f00\u673a\u4e86\uff1f"
    answer = (
        "\u8bf7\u6253\u5f00 Windows \u7684\u8bbe\u7f6e\uff0c"
        "\u7136\u540e\u91cd\u65b0\u542f\u52a8\u7535\u8111\u3002"
    )
    assert judge(answer, chinese).disposition == "conforming"
    mixed = answer.replace("\uff0c", f"\uff0c{RUNS['ru'][:5]} ")
    assert judge(mixed, chinese).disposition == "refused"
    name = "You should look at the map of \u042f\u043d\u0434\u0435\u043a\u0441 and keep to that."
    assert judge(name, QUESTION).disposition == "conforming"


def test_the_user_may_go_on_in_another_language():
    session = Session(QUESTION)
    assert judge(SPANISH, session=session).disposition == "refused"
    session.hear("Muchas gracias, pero \u00bfa qu\u00e9 hora abre la biblioteca de la ciudad?")
    assert judge(SPANISH, session=session).disposition == "conforming"
    assert judge(FOREIGN["de"], session=session).disposition == "conforming"


def test_a_short_english_text_and_an_english_prompt_are_english():
    prompt = ("system", "You are the helper of a shop and answer what you are asked.")
    assert judge(SPANISH, prompt, "Review this diff").disposition == "refused"
    assert judge(SPANISH, prompt, "Tapas?").disposition == "conforming"
    assert judge(SPANISH, "Review this diff").disposition == "conforming"


def test_data_in_the_users_place_leaves_the_prompt_to_set_the_language():
    prompt = ("system", "You are the helper of a shop and answer what you are asked.")
    assert judge(SPANISH, prompt, '{"sold": 3}').disposition == "refused"


def test_where_words_are_anothers_lists_are_looked_at_if_nobody_brought_one():
    text = "- uno, el primero\n* dos, el segundo\n- tres, el tercero"
    wanted = text.replace("*", "-")
    prompt = ("system", "Translate this into Spanish.")
    assert judge(text, prompt, "One, two, three").text == wanted
    assert judge(text, prompt, "- one\n* two\n- three").text is text


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("\u600e\u4e48\u8fde\u63a5\u4e8c\u697c\u7684\u6253\u5370\u673a\uff1f", "zh"),
        ("I am writing a story about my neighbour. Any tips?", "en"),
        ("Use British English for the shop window, please.", "en"),
        ("Say it in English for the shop window, please.", None),
    ],
)
def test_short_questions_have_a_language(question, language):
    assert language_of(question) == language


def test_english_is_told_from_its_words_where_the_detector_is_not_sure():
    german = "Wie verbinde ich mich mit dem Drucker im zweiten Stock?"
    text = "You find the printer under settings and devices."
    assert judge(text, german).disposition == "refused"
    assert (
        judge("Laser Jet Pro, Office Jet, Smart Tank, Deskjet", german).disposition == "conforming"
    )
