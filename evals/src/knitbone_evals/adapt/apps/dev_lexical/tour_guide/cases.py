"""Two replies in the language of the first question."""

# ruff: noqa: RUF001 - texts in other writing systems

from knitbone_evals.adapt.apps.dev_lexical.common import foreign, replaced, spec
from knitbone_evals.adapt.cases import Base, case_of
from knitbone_evals.adapt.faults import Injected

SPEC = spec("tour_guide", "tour")
DATA = {
    "en": (
        ["What should I see on my first morning in Lisbon?", "How do I get around the old town?"],
        ["And where do we eat?", "Is it safe at night?", "How much is a day ticket?"],
        [
            "Start at the castle before the crowds arrive.",
            "The tram leaves every ten minutes from the square.",
            "Most small restaurants open at seven in the evening.",
            "Keep your bag closed on the busy line twenty-eight.",
            "A day ticket costs less than seven euros.",
            "The view from the upper garden is worth the walk.",
            "Ask for the fish of the day, it is usually grilled.",
            "Taxis are cheap and easy to find near the station.",
        ],
    ),
    "de": (
        [
            "Was soll ich mir am ersten Vormittag in Lissabon ansehen?",
            "Wie komme ich in der Altstadt am besten herum?",
        ],
        ["Und wo essen wir?", "Ist es nachts sicher?", "Was kostet eine Tageskarte?"],
        [
            "Beginnen Sie am besten bei der Burg, bevor es voll wird.",
            "Die Straßenbahn fährt alle zehn Minuten vom Platz ab.",
            "Die meisten kleinen Restaurants öffnen abends um sieben.",
            "Halten Sie in der Linie 28 Ihre Tasche geschlossen.",
            "Eine Tageskarte kostet weniger als sieben Euro.",
            "Der Blick vom oberen Garten lohnt den Aufstieg.",
            "Fragen Sie nach dem Fisch des Tages, er wird meist gegrillt.",
            "Taxis sind günstig und am Bahnhof leicht zu finden.",
        ],
    ),
    "es": (
        ["¿Qué debería ver la primera mañana en Lisboa?", "¿Cómo me muevo por el casco antiguo?"],
        ["¿Y dónde comemos?", "¿Es seguro por la noche?", "¿Cuánto cuesta un billete de día?"],
        [
            "Empieza por el castillo antes de que llegue la gente.",
            "El tranvía sale cada diez minutos desde la plaza.",
            "Casi todos los restaurantes pequeños abren a las siete de la tarde.",
            "Lleva el bolso cerrado en la línea veintiocho.",
            "El billete de un día cuesta menos de siete euros.",
            "La vista desde el jardín de arriba merece la subida.",
            "Pide el pescado del día, suele ser a la brasa.",
            "Los taxis son baratos y es fácil encontrarlos cerca de la estación.",
        ],
    ),
    "fr": (
        [
            "Que faut-il voir le premier matin à Lisbonne ?",
            "Comment se déplacer dans la vieille ville ?",
        ],
        ["Et où mange-t-on ?", "Est-ce sûr la nuit ?", "Combien coûte un billet à la journée ?"],
        [
            "Commencez par le château avant l'arrivée de la foule.",
            "Le tram part toutes les dix minutes de la place.",
            "La plupart des petits restaurants ouvrent à sept heures du soir.",
            "Gardez votre sac fermé dans la ligne vingt-huit.",
            "Un billet à la journée coûte moins de sept euros.",
            "La vue depuis le jardin du haut vaut la montée.",
            "Demandez le poisson du jour, il est souvent grillé.",
            "Les taxis sont bon marché et faciles à trouver près de la gare.",
        ],
    ),
    "zh": (
        ["第一天上午在里斯本应该看什么？", "在老城区怎么走比较方便？"],
        ["那我们在哪里吃饭？", "晚上安全吗？", "一日票多少钱？"],
        [
            "最好在人多之前先去城堡。",
            "电车每十分钟从广场出发一班。",
            "大多数小餐馆晚上七点开门。",
            "坐二十八路电车时请看好包。",
            "一日票不到七欧元。",
            "从上面花园看到的景色值得爬一趟。",
            "可以问问当天的鱼，一般是烤的。",
            "火车站附近很容易打到出租车，也不贵。",
        ],
    ),
    "it": (
        [
            "Che cosa devo vedere la prima mattina a Lisbona?",
            "Come ci si muove nel centro storico?",
        ],
        ["E dove si mangia?", "È sicuro di notte?", "Quanto costa il biglietto giornaliero?"],
        [
            "Comincia dal castello prima che arrivi la folla.",
            "Il tram parte ogni dieci minuti dalla piazza.",
            "Quasi tutti i piccoli ristoranti aprono alle sette di sera.",
            "Tieni la borsa chiusa sulla linea ventotto.",
            "Un biglietto giornaliero costa meno di sette euro.",
            "La vista dal giardino in alto vale la salita.",
            "Chiedi il pesce del giorno, di solito è alla griglia.",
            "I taxi costano poco e si trovano facilmente vicino alla stazione.",
        ],
    ),
}


def of(texts, replies, slots=None, note=""):
    return Base(
        inputs={"questions": list(texts)},
        outputs=tuple(replies),
        expected={"transcript": [list(turn) for turn in zip(texts, replies, strict=True)]},
        slots=slots or {},
        note=note,
    )


def joined(lang, sentences):
    return ("" if lang == "zh" else " ").join(sentences)


def base(rng, _pool):
    lang = rng.choice(list(DATA))
    first, second, said = DATA[lang]
    sentences = rng.sample(said, rng.choice((4, 5, 6)))
    half = len(sentences) // 2
    turns = [sentences[:half], sentences[half:]]
    return of(
        [rng.choice(first), rng.choice(second)],
        [joined(lang, turn) for turn in turns],
        {"lang": lang, "turns": turns},
    )


def other(base, rng):
    return rng.choice([each for each in DATA if each != base.slots["lang"]])


def whole(turn):
    def inject(base, rng):
        lang = base.slots["lang"]
        found = "en" if lang != "en" and rng.random() < 0.6 else other(base, rng)
        new = joined(found, rng.sample(DATA[found][2], len(base.slots["turns"][turn])))
        return Injected(outputs=replaced(base, turn, new), determined=False)

    return inject


def sentence(where):
    def inject(base, rng):
        turn = rng.randrange(2)
        lang = base.slots["lang"]
        found = "en" if lang != "en" and rng.random() < 0.5 else other(base, rng)
        sentences = list(base.slots["turns"][turn])
        drawn = rng.randrange(len(sentences))
        place = -1 if where == "last" else drawn
        sentences[place] = rng.choice(DATA[found][2])
        between = "" if lang == "zh" == found else " "
        return Injected(outputs=replaced(base, turn, between.join(sentences)), determined=False)

    return inject


RUNS = {
    "zh": ["非常重要", "附近的", "建议您提前预订"],
    "ru": ["очень красивый", "рядом с вокзалом", "обязательно"],
    "ja": ["とても人気です", "おすすめの"],
    "ko": ["정말 좋은", "추천합니다"],
    "ar": ["جميل جدا"],
}


def run(base, rng):
    lang = base.slots["lang"]
    found = rng.choice([each for each in RUNS if each != lang and (lang, each) != ("zh", "ja")])
    turn = rng.randrange(2)
    sentences = list(base.slots["turns"][turn])
    place = rng.randrange(len(sentences))
    if lang == "zh":
        at = rng.randrange(2, len(sentences[place]) - 1)
        sentences[place] = sentences[place][:at] + rng.choice(RUNS[found]) + sentences[place][at:]
    else:
        words = sentences[place].split(" ")
        at = rng.randrange(1, len(words))
        words.insert(at, rng.choice(RUNS[found]))
        sentences[place] = " ".join(words)
    return Injected(outputs=replaced(base, turn, joined(lang, sentences)), determined=False)


LATIN_RUNS = {
    "en": ["by the way, you should really", "which is one of the best", "make sure that you"],
    "de": ["und das ist wirklich sehr schön", "ich würde auf jeden Fall", "weil es dort keine"],
    "es": ["que es una de las mejores", "y además no cuesta nada", "porque hay muchos"],
    "fr": ["qui est vraiment une des plus belles", "parce que nous avons", "et il faut absolument"],
}


def latin_run(base, rng):
    lang = base.slots["lang"]
    found = rng.choice([each for each in LATIN_RUNS if each != lang])
    turn = rng.randrange(2)
    sentences = list(base.slots["turns"][turn])
    place = rng.randrange(len(sentences))
    sentences[place] = (
        sentences[place][:-1] + ", " + rng.choice(LATIN_RUNS[found]) + sentences[place][-1]
    )
    return Injected(outputs=replaced(base, turn, joined(lang, sentences)), determined=False)


def opener(base, rng):
    lang = base.slots["lang"]
    found = rng.choice([each for each in ("en", "es", "fr", "de") if each != lang])
    say = {
        "en": "Great question! I would be happy to help you with that.",
        "es": "¡Claro que sí! Con mucho gusto te ayudo con eso.",
        "fr": "Bien sûr ! Je suis ravi de pouvoir vous aider.",
        "de": "Gerne! Ich helfe Ihnen natürlich sehr gerne dabei.",
    }[found]
    turn = rng.randrange(2)
    return Injected(outputs=replaced(base, turn, say + " " + base.outputs[turn]), determined=False)


FAULTS = (
    foreign("first reply in another language", whole(0)),
    foreign("second reply in another language", whole(1)),
    foreign("last sentence in another language", sentence("last")),
    foreign("a sentence in another language", sentence("any")),
    foreign("run of another script", run),
    foreign("half sentence in another latin language", latin_run),
    foreign("opener in another language", opener),
)

TRAPS = (
    (
        "place names",
        ["What should I see in Paris?"],
        [
            (
                "Go to the Musée d'Orsay, walk along the Rue de Rivoli and end the day in the "
                "Jardin du Luxembourg."
            )
        ],
    ),
    (
        "asked for phrases",
        ["How do I say thank you in Portuguese?"],
        [
            (
                "Say 'obrigado' if you are a man and 'obrigada' if you are a woman. Muito "
                "obrigado means thank you very much."
            )
        ],
    ),
    (
        "dish names",
        ["What do we eat in Rome?"],
        [
            (
                "Try cacio e pepe, carciofi alla romana, saltimbocca and supplì. For dessert "
                "there is maritozzo con la panna."
            )
        ],
    ),
    (
        "menu in local language",
        ["Can you translate 'Wo ist der Bahnhof?' for me"],
        ["It means: where is the station? You would answer 'Gehen Sie geradeaus und dann links'."],
    ),
    (
        "loan words",
        ["Wo kann ich heute Abend hingehen?"],
        [
            (
                "Die Rooftop Bar ist sehr cool, Happy Hour bis 20 Uhr. Danach zum Live Jazz "
                "im Blue Note Club."
            )
        ],
    ),
    (
        "user switches",
        ["Where do I start?", "Sag es mir bitte auf Deutsch."],
        ["Start at the castle.", "Beginnen Sie bei der Burg, bevor es voll wird."],
    ),
    (
        "user simply continues in another language",
        [
            "Where do I start in the old town?",
            "Gracias, ¿y dónde podemos cenar esta noche con los niños?",
        ],
        [
            "Start at the castle.",
            "Cerca de la plaza hay un restaurante pequeño con menú para niños.",
        ],
    ),
    (
        "Chinese with names",
        ["在巴黎看什么？"],
        ["可以去 Musée d'Orsay 和 Louvre，然后坐 RER B 线去 Parc de Sceaux。"],
    ),
    (
        "quote of a sign",
        ["What does the sign at the door say?"],
        [
            (
                "The sign reads “Bitte nicht stören, wir sind gleich zurück”, so someone will "
                "be back soon."
            )
        ],
    ),
    ("short", ["Is it open?", "Sure?"], ["Yes.", "Sí!"]),
    (
        "name with translation",
        ["Which temple is the best in Kyoto?"],
        [
            (
                "Kinkaku-ji (金閣寺, the Golden Pavilion) is the best known, and Ginkaku-ji "
                "(銀閣寺) is quieter."
            )
        ],
    ),
    (
        "ask language of response",
        ["Please answer in French: where is the market?"],
        ["Le marché se trouve derrière la gare, à cinq minutes à pied."],
    ),
)


def extra(_rng):
    for note, asked, replies in TRAPS:
        yield case_of(SPEC, of(asked, replies, note=note))
