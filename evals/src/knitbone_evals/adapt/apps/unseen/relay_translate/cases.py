"""Translations: two languages in one answer, one thing said twice, and both on purpose."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import on_text

SPEC = AppSpec(name="relay_translate", half="unseen", domain="conversation", function="relay")
MESSAGES = (
    (
        "The colour of the centre line is wrong.",
        {
            "German": "Die Farbe der Mittellinie ist falsch.",
            "Spanish": "El color de la línea central es incorrecto.",
            "French": "La couleur de la ligne centrale est fausse.",
            "American English": "The color of the center line is wrong.",
        },
    ),
    (
        "Please organise the files. Then lock the door.",
        {
            "German": "Bitte ordnen Sie die Akten. Schließen Sie dann die Tür ab.",
            "Spanish": "Por favor, ordene los archivos. Luego cierre la puerta con llave.",
            "French": "Veuillez ranger les dossiers. Fermez ensuite la porte à clé.",
            "American English": "Please organize the files. Then lock the door.",
        },
    ),
    (
        "The truck leaves at 6. The van leaves at 8.",
        {
            "German": "Der Lastwagen fährt um 6 ab. Der Lieferwagen fährt um 8 ab.",
            "Spanish": "El camión sale a las 6. La furgoneta sale a las 8.",
            "French": "Le camion part à 6 heures. La camionnette part à 8 heures.",
        },
    ),
    (
        "My neighbour's dog barks all night.",
        {
            "German": "Der Hund meines Nachbarn bellt die ganze Nacht.",
            "Spanish": "El perro de mi vecino ladra toda la noche.",
            "French": "Le chien de mon voisin aboie toute la nuit.",
            "American English": "My neighbor's dog barks all night.",
        },
    ),
    (
        "No smoking in hall 3!",
        {
            "German": "Rauchen verboten in Halle 3!",
            "Spanish": "¡Prohibido fumar en la nave 3!",
            "French": "Défense de fumer dans le hall 3 !",
        },
    ),
    (
        "Grey paint, 12 litres, for the theatre.",
        {
            "German": "Graue Farbe, 12 Liter, für das Theater.",
            "Spanish": "Pintura gris, 12 litros, para el teatro.",
            "American English": "Gray paint, 12 liters, for the theater.",
        },
    ),
)


def base(rng, _pool):
    message, translations = rng.choice(MESSAGES)
    language, translated = rng.choice(list(translations.items()))
    signed = rng.choice(("", " Ada", " Hugo, line 2", f" (ref. {rng.randint(2, 98)}/12)"))
    return Base(
        inputs={"message": message + signed, "language": language},
        outputs=(f"{translated}{signed}\n---\n{message}{signed}",),
        expected={"translation": translated + signed, "original": message + signed},
    )


FAULTS = (
    on_text(
        "rule of five dashes", "template", lambda text, _: text.replace("\n---\n", "\n-----\n")
    ),
    on_text("rule with blanks", "template", lambda text, _: text.replace("\n---\n", "\n --- \n")),
    on_text("rule without its line", "template", lambda text, _: text.replace("\n---\n", " --- ")),
)


def extra(rng):
    for _ in range(10):
        yield case_of(SPEC, base(rng, None), note="a translation repeats on purpose")
