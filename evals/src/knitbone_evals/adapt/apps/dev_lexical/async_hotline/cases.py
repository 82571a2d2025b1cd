"""An answer in the language of the question."""

# ruff: noqa: RUF001 - texts in other writing systems

import re

from knitbone_evals.adapt.apps.dev_lexical.common import foreign, spec
from knitbone_evals.adapt.cases import Base, case_of
from knitbone_evals.adapt.faults import Injected

SPEC = spec("async_hotline", "hotline")
DATA = {
    "en": (
        (
            "My screen stays black after the update. What can I do?",
            "How do I connect to the printer on floor two?",
        ),
        (
            "Hold the power button for ten seconds and start again.",
            "If that does not help, unplug the dock.",
            "You find the printer under settings and devices.",
            "Choose the queue with the number of your floor.",
            "Please send us the serial number if it still fails.",
            "The driver is installed during the night.",
        ),
    ),
    "de": (
        (
            "Mein Bildschirm bleibt nach dem Update schwarz. Was kann ich tun?",
            "Wie verbinde ich mich mit dem Drucker im zweiten Stock?",
        ),
        (
            "Halten Sie den Einschaltknopf zehn Sekunden lang gedrückt und starten Sie neu.",
            "Wenn das nicht hilft, ziehen Sie die Dockingstation ab.",
            "Den Drucker finden Sie unter Einstellungen und Geräte.",
            "Wählen Sie die Warteschlange mit der Nummer Ihres Stockwerks.",
            "Bitte schicken Sie uns die Seriennummer, falls es weiterhin nicht geht.",
            "Der Treiber wird über Nacht installiert.",
        ),
    ),
    "pt": (
        (
            "A minha tela fica preta depois da atualização. O que posso fazer?",
            "Como me conecto à impressora do segundo andar?",
        ),
        (
            "Mantenha o botão de ligar pressionado por dez segundos e reinicie.",
            "Se isso não ajudar, desconecte a base.",
            "A impressora fica em configurações e dispositivos.",
            "Escolha a fila com o número do seu andar.",
            "Envie-nos o número de série se ainda falhar.",
            "O driver é instalado durante a noite.",
        ),
    ),
    "pl": (
        (
            "Po aktualizacji ekran pozostaje czarny. Co mogę zrobić?",
            "Jak połączyć się z drukarką na drugim piętrze?",
        ),
        (
            "Przytrzymaj przycisk zasilania przez dziesięć sekund i uruchom ponownie.",
            "Jeśli to nie pomoże, odłącz stację dokującą.",
            "Drukarkę znajdziesz w ustawieniach urządzeń.",
            "Wybierz kolejkę z numerem swojego piętra.",
            "Prześlij nam numer seryjny, jeśli nadal nie działa.",
            "Sterownik instaluje się w nocy.",
        ),
    ),
    "ru": (
        (
            "После обновления экран остаётся чёрным. Что делать?",
            "Как подключиться к принтеру на втором этаже?",
        ),
        (
            "Удерживайте кнопку питания десять секунд и включите снова.",
            "Если это не поможет, отключите док-станцию.",
            "Принтер находится в настройках устройств.",
            "Выберите очередь с номером вашего этажа.",
            "Пришлите нам серийный номер, если не получится.",
            "Драйвер устанавливается ночью.",
        ),
    ),
    "ja": (
        (
            "更新の後、画面が黒いままです。どうすればいいですか。",
            "二階のプリンターに接続するにはどうすればいいですか。",
        ),
        (
            "電源ボタンを十秒間押し続けてから再起動してください。",
            "それでも直らない場合は、ドックを外してください。",
            "プリンターは設定のデバイスにあります。",
            "階の番号が付いたキューを選んでください。",
            "まだ動かない場合はシリアル番号を送ってください。",
            "ドライバーは夜の間にインストールされます。",
        ),
    ),
    "zh": (
        ("更新之后屏幕一直是黑的，该怎么办？", "怎么连接二楼的打印机？"),
        (
            "请按住电源键十秒钟，然后重新启动。",
            "如果还不行，请拔下扩展坞。",
            "打印机在设置的设备里面。",
            "请选择带有您楼层号码的队列。",
            "如果仍然失败，请把序列号发给我们。",
            "驱动程序会在夜里安装。",
        ),
    ),
}


def joined(language, sentences):
    return ("" if language in ("zh", "ja") else " ").join(sentences)


def of(question, answer, slots=None, note=""):
    ticket = {"id": 7, "question": question}
    return Base(
        inputs={"ticket": ticket},
        outputs=(answer,),
        expected={**ticket, "status": "answered", "answer": answer.strip()},
        slots=slots or {},
        note=note,
    )


def base(rng, _pool):
    language = rng.choice(list(DATA))
    sentences = rng.sample(DATA[language][1], rng.choice((2, 3, 4)))
    return of(
        rng.choice(DATA[language][0]),
        joined(language, sentences),
        {"language": language, "sentences": sentences},
    )


def whole(to):
    def inject(base, rng):
        language = base.slots["language"]
        other = to or rng.choice([each for each in DATA if each != language])
        if other == language:
            return None
        return Injected(
            outputs=(joined(other, rng.sample(DATA[other][1], len(base.slots["sentences"]))),),
            determined=False,
        )

    return inject


def part(place):
    def inject(base, rng):
        language = base.slots["language"]
        other = (
            "en"
            if language != "en" and rng.random() < 0.5
            else rng.choice([each for each in DATA if each != language])
        )
        sentences = list(base.slots["sentences"])
        sentences[place] = rng.choice(DATA[other][1])
        return Injected(outputs=(" ".join(sentences),), determined=False)

    return inject


def half(base, rng):
    language = base.slots["language"]
    other = rng.choice([each for each in DATA if each != language])
    return Injected(
        outputs=(base.outputs[0] + "\n\n" + joined(other, rng.sample(DATA[other][1], 2)),),
        determined=False,
    )


def word(base, rng):
    language = base.slots["language"]
    if language in ("zh", "ja"):
        new = re.sub("。", rng.choice(("。 обязательно ", "。 반드시 ")), base.outputs[0], count=1)
    else:
        put = rng.choice(
            ("请务必", "ください", "重新启动")
            if language == "ru"
            else ("请务必", "пожалуйста", "ください", "重新启动")
        )
        words = base.outputs[0].split(" ")
        words.insert(rng.randrange(1, len(words)), put)
        new = " ".join(words)
    return Injected(outputs=(new,), determined=False)


FAULTS = (
    foreign("whole answer in English", whole("en")),
    foreign("whole answer in another language", whole(None)),
    foreign("first sentence foreign", part(0)),
    foreign("last sentence foreign", part(-1)),
    foreign("paragraph in another language", half),
    foreign("word of another script", word),
)
TRAPS = (
    (
        "menu names",
        "Mein Bildschirm ist schwarz, was tun?",
        "Öffnen Sie 'Settings > Display > Advanced' und klicken Sie auf 'Restart graphics driver'.",
    ),
    (
        "technical words",
        "Como conecto o notebook?",
        (
            "Abra o Wi-Fi, escolha Guest Network e faça login com o e-mail corporativo. "
            "Depois reinicie o Outlook."
        ),
    ),
    (
        "Japanese with product names",
        "プリンターはどこですか。",
        "HP LaserJet Pro は二階です。Windows Update の後に再起動してください。",
    ),
    (
        "error message quoted",
        "Po starcie widzę błąd, co robić?",
        'Komunikat "The device could not be started (code 10)" oznacza, że brakuje sterownika.',
    ),
    ("a command", "Как проверить сеть?", "Выполните `ipconfig /all` и пришлите нам вывод команды."),
    (
        "code block",
        "Wie teste ich das Netz?",
        (
            "Geben Sie das ein:\n\n"
            "```\n"
            "ping -n 4 server.example # check that the server is reachable from here\n"
            "```\n\n"
            "Schicken Sie uns das Ergebnis."
        ),
    ),
    (
        "Chinese with English terms",
        "怎么连接 VPN？",
        "请打开 Cisco AnyConnect，输入 vpn.example.com，然后点击 Connect 按钮。",
    ),
    (
        "asked to answer in English",
        "Mein Kollege spricht nur Englisch. Bitte antworte auf Englisch: wo ist der Drucker?",
        "The printer is on the second floor, next to the kitchen.",
    ),
    ("short answer", "Ist der Server wieder da?", "Ja."),
    ("numbers", "What is the number?", "+49 30 1234567"),
    (
        "address",
        "Where do I send the laptop?",
        "Send it to: Technische Universität, Straße des 17. Juni 135, 10623 Berlin.",
    ),
    (
        "translation of a message",
        "What does 'Gerät nicht gefunden' on my screen mean?",
        "'Gerät nicht gefunden' means that the device was not found. Check the cable.",
    ),
)


def extra(_rng):
    for note, question, answer in TRAPS:
        yield case_of(SPEC, of(question, answer, note=note))
