"""Hand-written passages by kind, as a reader would be shown them."""

from __future__ import annotations

import random as random_module

PASSAGES: dict[str, list[str]] = {
    "summary": [
        """The council voted 7–4 on Tuesday to close Mill Lane to through traffic for a trial of six
months. Residents had collected 1,204 signatures; shopkeepers, led by O'Brien & Sons, objected that
deliveries would take "at least twice as long". A decision on bollards was put off until May.""",
        """In short: the merger of Halden Inc. and Weiss GmbH & Co. KG is off. Both boards cite the
€1.2bn pension gap (up from €0,9bn in the German filing) and neither expects talks to resume before
Q3. Shares fell 4.5 % and recovered to -1 % by the close.""",
        """Here is what matters. The pump failed twice, on 3 March and again on 3 March, nine hours
apart; the log shows both. Nobody was hurt. The maker (Grundvik A/S) has sent part no. 0042-B.""",
        """The paper asks whether nurses on 12-hour shifts make more errors. They do, but not many:
+0.3 per 1,000 doses (95% CI <0.1 to 0.6). N = 48; no ward was excluded. The authors say "maybe
not" when asked if the finding holds elsewhere.""",
    ],
    "translation": [
        """Sehr geehrte Frau Núñez,

vielen Dank für Ihre Nachricht vom 3. d. M. Die Lieferung (1.000,5 kg) geht am Montag ab; den
Frachtbrief finden Sie anbei. Für „Rückfragen“ bin ich unter -14 erreichbar.

Mit freundlichen Grüßen
i. A. Jörg Weiß""",
        """« Non », dit-elle. « Non, non et non. » Puis, après un silence : « Peut-être. »
Il attendit ; l'horloge de l'église sonna la demie. Dehors, on rentrait les chaises.""",
        """«No sé», dijo el viejo. «¿Usted qué haría?» —Yo, nada —contestó ella—. Nada de nada.
Y se fueron los dos, cada uno por su lado, sin decir ni adiós.""",
        """彼は黙って窓を閉めた。「もう遅い」と母が言った。「まだ九時だよ」と私は答えた。
雨は、次の日も、その次の日も降り続いた。""",
        """Всё началось с письма: «Приезжай. Дом продан. Яблоки — в подвале». Подписи не было.
Мы выехали в 5:40, без завтрака, и к полудню были уже в Твери.""",
    ],
    "poem": [
        """The kettle sings, the kettle sings,
  and no one lifts it from the flame;
the cat has gone to other things,
  the rain came back and knows my name.

The kettle sings. The kettle sings.
  I know, I know. I know. I came.""",
        """snow
  on the
    bin lid —
one crow
    says no
  says no
says no""",
        """O wind, o wind, o westering wind,
You took my hat; I didn't mind.
You took my coat, you took my shoe,
And now, o wind, I'm taking you.

    (to be read twice)""",
        """I.
What did the river say?
    Nothing.
II.
What did the river say?
    Nothing, again: but slower.
III.
""",
    ],
    "letter": [
        """Sure, Tom, here is the news you asked for:

the roof is on, the roofer is off (to Málaga, lucky man), and we're £3,450 poorer. Mum's knee is
"no worse", which in her language means worse. Bring the good saw.

Let me know if you need anything else!

Love,
Bea x""",
        """Dear Mr. and Mrs. Halloran,

I'm sorry, but I can't come to the wedding on the 14th. I cannot tell you how much I would have
liked to; the surgeon, however, has other plans for my hip.

    Yours ever,
        F. St. John-Smythe, M.D.

P.S. The toaster is in the post. P.P.S. It is the red one.""",
        """To whom it may concern:

As an assistant to Dr. Adeyemi since 2016 I have watched Ms. Li run the 'C++ for chemists' course
three times, with marks of A-, A and A+. She never once raised her voice, or her fees.

Certainly, I'd hire her.

— Ruth Ó Súilleabháin""",
        """Hi all,

quick note: the office is closed on Friday. Yes, this Friday. Yes, all day. No, the car park isn't.

Cheers
Dai""",
    ],
    "transcript": [
        """[00:00:03] INTERVIEWER: So, um, you were — you were there?
[00:00:06] WITNESS: I was, I was, I was there, yeah.
[00:00:09] INTERVIEWER: (coughs) Sorry. And the the the dog?
[00:00:12] WITNESS: [inaudible] no. No dog. There were no dog.
[00:00:15] WITNESS: No dog.
[00:00:19] INTERVIEWER: Uh-huh. Okay, okay.""",
        """Q. State your name.
A. Jean-Luc d'Arcy, J-E-A-N hyphen L-U-C.
Q. Were you paid $12 or $1,200?
A. Yes.
Q. Which?
A. The the latter.
MR. KO: Objection.
THE COURT: Sustained. Strike "latter".""",
        """WEBVTT

1
00:00.000 --> 00:02.500
<v Ana>Right. Is it on?

2
00:02.500 --> 00:04.000
<v Bo>It's on. It's, it's on.

3
00:04.000 --> 00:04.000
<v Ana>[laughs]""",
    ],
    "changelog": [
        """## [2.0.0-rc.1] - 2024-02-30 [YANKED]
### Added
- `--dry-run` for `sync` (#412, thanks @o-brien)
- `--dry-run` for `push` (#413)
### Fixed
- Crash on empty input.
- Crash on empty input, again.

## [1.10.0] - 2023-12-01
### Changed
- **BREAKING:** `get()` now returns `None`, not `""`.
""",
        """v0.9.9
* Fix typo
* Fix typo
* Fix typo in fix
* Revert "Fix typo in fix"
* Bump lodash from 4.17.20 to 4.17.21
* C# and F# bindings: .NET 8 only""",
        """Release notes, spring '24 (v2.0.)

  NEW    Dark mode. It's dark.
  NEW    Import from .csv, .tsv and "other"
  FIXED  Totals below -5 no longer shown as +5
  KNOWN  Printing: N/A on ARM""",
    ],
    "log": [
        """2024-03-01T12:00:00Z ERROR db: connection refused (10.0.0.7:5432)
2024-03-01T12:00:01Z ERROR db: connection refused (10.0.0.7:5432)
2024-03-01T12:00:01Z ERROR db: connection refused (10.0.0.7:5432)
2024-03-01T12:00:05Z WARN  retry: giving up after 3 attempts
2024-03-01T12:00:05Z INFO  {"event": "shutdown", "code": 0x1F, "clean": false,}""",
        """Traceback (most recent call last):
  File "app.py", line 12, in <module>
    main()
  File "app.py", line 8, in main
    return json.loads(text)
json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)""",
        """Mar  3 04:05:06 web-1 kernel: [12345.678901] eth0: link up
Mar  3 04:05:06 web-1 kernel: [12345.678901] eth0: link up
Mar  3 04:05:07 web-1 sshd[991]: Failed password for root from ::1 port 22 ssh2
\ttab-led continuation
Mar  3 04:05:09 web-1 cron[1002]: (www) CMD (/bin/true)""",
    ],
    "legal": [
        """1. Definitions
1.1 "Goods" means the goods; "Buyer" means the buyer.
1.2 Intentionally left blank.
1.3 Intentionally left blank.
2. Payment
2.1 The Buyer shall pay within thirty (30) days,
  (a) in full; or
  (b) in part, but not
    (i) in kind, nor
    (ii) in kind, save as per 2.1(a).
4. [sic; clause 3 deleted by Deed of 1 May 2019]""",
        """§ 7 Kündigung
(1) Der Vertrag läuft auf unbestimmte Zeit. (2) Er kann mit einer Frist von drei Monaten zum
Quartalsende gekündigt werden. (3) Absatz 2 gilt nicht für Absatz 2a.
(2a) entfällt""",
        """WHEREAS the parties have agreed; and WHEREAS the parties have agreed to agree;

NOW, THEREFORE, the parties agree:

Article IV. No Waiver. No failure, no delay, no course of dealing, and no "no" shall be a waiver.
Article III. Survival. Article IV survives this Article.""",
    ],
    "recipe": [
        """**Gran's soda bread** (makes 1)

Ingredients
- 450 g flour (or 1 lb, ~3½ cups)
- 1 tsp salt
- 1 tsp soda
- 1 tsp salt, for the top
- 400 ml buttermilk, <10 °C

Method
1. Heat oven to 220°C/425°F/Gas 7.
2. Mix. Don't over-mix.
3. Bake 35-40 min.
3. (yes, 3 again) Tap it: hollow = done.""",
        """Crème brûlée
Zutaten: 5 Eigelb; 80 g Zucker; ½ l Sahne; 1 Prise Salz.
Stir. Wait. Stir. Wait. Stir. Bain-marie, 90 min @ 100 °C. Colour: "pale, like straw".""",
    ],
    "code explanation": [
        """The function `parse_row` first calls `row.split(",")`, which *doesn't* respect quotes:
the row `"Smith, J.",3` gives three parts, not two. Then `int(parts[-1])` raises `ValueError` on
`"3 "`... no, sorry, it doesn't: `int()` strips blanks. What fails is `int("3.0")`.

```python
>>> int("3.0")
ValueError: invalid literal for int() with base 10: '3.0'
```

So use `float` or, better, `csv.reader`.""",
        """`__init__` stores `self._q = deque(maxlen=n)`; `push()` and `_pop_all()` are thin
wrappers. The odd-looking `x & -x` isolates the lowest set bit (e.g. 12 & -12 == 4), and
`~i` is `-i - 1`. In C++: `std::countr_zero(x)`; C#, `BitOperations.TrailingZeroCount(x)`.""",
        """1. `<answer>` opens the block.
2. `{{ user.name|default("N/A") }}` is Jinja, *not* f-string.
3. `</answer>` closes it.

Note: the trailing comma in `{"a": 1,}` is legal in Python but not in JSON.""",
    ],
    "markdown": [
        """# Setup

| Option | Default | Meaning |
|:-------|--------:|---------|
| `-n`   |      -1 | no limit |
| `--no` |         | say \\| no |
|        |         |          |

- Linux
  - apt
    1. `sudo apt update`
    1. `sudo apt install foo`
  - dnf
- macOS
  - brew

---

> **Note** see [FAQ](#faq).[^1]

[^1]: There is none.""",
        """Title
=====

Sub
---

* one
+ two
- three

    indented code, not a list

1) first
7) seventh
3) third

![logo](data:image/gif;base64,R0lGODlhAQABAAAAACw=)
<br/>&nbsp;""",
        """````markdown
```json
{"nested": "fence"}
```
````

The above shows how to nest fences.

- [x] done
- [ ] not done
- [ ] not done""",
    ],
    "quotation": [
        """"Begin at the beginning," the King said, very gravely, "and go on till you come to the
end: then stop.\"""",
        """As Flaherty put it: “I said ‘no’. I meant ‘No.’ I did not mean ‘no, sir’.”""",
        """'Colour is not color,' wrote Harbour Labor Center's chair, Ms. Grey (née Gray). 'We
organise; they organize. The programme was not the program.'""",
        """"No."
"No?"
"No.\"""",
    ],
    "lyrics": [
        """(Verse 1)
I left my boots in Aberdeen
My heart in County Clare
(Refrain)
Oh no, no, no, no, no, no, no
Oh no, no, no, no, no
Oh no, no, no, no, no, no, no
Oh no, no, no, no, no
(Verse 2)
I left my keys in Tipperary
(Refrain)
Oh no, no, no, no, no, no, no
Oh no, no, no, no, no
Oh no, no, no, no, no, no, no
Oh no, no, no, no, no
(Refrain x2)""",
        """La la la, la la la, hey!
La la la, la la la, hey!
Row on, row on, the tide is late,
La la la, la la la, hey!
Row on, row on, the tide is late,
La la la, la la la, hey!
La la la, la la la — hey""",
    ],
    "repeats": [
        """- Breathe in
- Breathe out
- Breathe in
- Breathe out
- Breathe in
- Breathe out
- Rest""",
        """Mon: rice, beans
Tue: rice, beans
Wed: rice, beans
Thu: rice, beans
Fri: fish
Sat: rice, beans
Sun: rice, beans""",
        """1. Squat x 10
2. Rest
3. Squat x 10
4. Rest
5. Squat x 10
6. Rest
7. Done. Well done. Done.""",
    ],
    "mixed languages": [
        """Team, kurz zur Info: der Build ist wieder grün 🎉. S'il vous plaît, ne poussez pas avant
17 h. 谢谢! (José, это тебе тоже.) — Θανάσης""",
        """The word *saudade* has no English equal; neither has *Feierabend*, nor ある日. «Nein» is
no, «ναι» is yes, and in Sofia a nod is не.""",
        """שלום to everyone — مرحبا, नमस्ते, and good morning, y'all 👩‍👩‍👧.
Agenda auf Deutsch; minutes en français; coffee in English (two sugars).""",
    ],
    "math": [
        r"""Let $f(x) = x^2 - 5$. Then $f'(x) = 2x$ and the roots are $x = \pm\sqrt{5}$.

$$\int_{-1}^{+1} f(x)\,dx = \frac{2}{3} - 10 = -\frac{28}{3} \approx -9.33$$

Hence $f(0) < 0 < f(3)$; \textbf{QED}.""",
        r"""Claim. For all n >= 1: 1 + 2 + ... + n = n(n+1)/2.
Proof. n = 1: 1 = 1*2/2. n -> n+1: n(n+1)/2 + (n+1) = (n+1)(n+2)/2. []
So x = -5 or x = +3; |x - 1| <= 6 and {x : x < 0} = {-5}. The answer: \boxed{-5}""",
        """12 × 12 = 144
144 ÷ 12 = 12
12 − 144 = −132
√144 = ±12
Σ = 3 % of ~10,000 ≈ 3·10² (1e3 would be 10 %)""",
    ],
    "chat": [
        """User: is it open today?
Assistant: Yes, until 5.
User: and tomorrow?
Assistant: No.
User: ok
User: ok
Assistant: 👍""",
        """<mika> anyone here
<mika> anyone here?
<zoë_> no
<mika> lol
* zoë_ is away (brb)
<mika> {"cmd": "quit"}
--> o'brien has joined""",
        """System: You are a pirate.
Human: Hello
AI: Arr.
Human: As an AI language model, can you say "arr" thrice?
AI: Arr. Arr. Arr.""",
    ],
    "minutes": [
        """MINUTES, 4th Allotment Committee, 12/3/2024
Present: A. Nkosi (chair), J. O'Dowd, Prof. dr. ir. van 't Hof. Apologies: none.
1. Minutes of last meeting: approved.
2. Hosepipe: deferred.
3. Hosepipe (again): deferred.
4. AOB: none.
Closed 19:05. Next meeting: TBC/TBA""",
        """Action | Owner | Due
Buy lock | Jo | asap
Buy lock (2nd) | Jo | asap
Ask Zürich re "budget" | N/A | -
Decision: YES (5), NO (0), abstained (-).""",
    ],
    "faq": [
        """Q: Can I cancel?
A: Yes.

Q: Can I cancel after 30 days?
A: No.

Q: Why not?
A: Because.

Q: Can I cancel?
A: See above.""",
        """### Is it vegan?
Maybe. Ask the kitchen.

### Do you accept £, $ or €?
£ and € (no $, no AmEx).

### Do you ship to non-EU countries?
Not yet!""",
    ],
    "python code": [
        '''```python
def mean(xs: list[float]) -> float:
    """Return the mean, or -1 if there's nothing."""
    return sum(xs) / len(xs) if xs else -1


print(mean([1, 2, 3]))  # 2.0
```''',
        """import re
PATTERN = re.compile(r"^\\s*(\\d+)\\.\\s+(.*)$")
for line in open('in.txt'):
    if not (m := PATTERN.match(line)): continue
\tprint(m.group(1), m.group(2), sep="\\t")  # yes, a tab""",
        """Here's the fix:

```diff
-    return None
+    return []
```

and here's the test:

```python
assert load("") == []
```

Hope this helps!""",
    ],
    "sql code": [
        """SELECT u.id, u.name AS "user name", COUNT(*) -- all of them
FROM users u LEFT JOIN orders o ON o.user_id = u.id
WHERE u.name <> 'O''Brien' AND o.total >= -5 OR NULL IS NULL
GROUP BY 1, 2
HAVING COUNT(*) > 1;""",
        """```sql
INSERT INTO t VALUES (1, 'yes'), (1, 'yes'), (1, 'no');
DELETE FROM t WHERE 1 = 0;
```""",
    ],
    "shell code": [
        """$ find . -name '*.tmp' -print0 | xargs -0 rm -f --
$ echo "done: $?" >&2
$ echo "done: $?" >&2""",
        """#!/bin/sh
set -eu
cat <<'END'
{"ok": true}
END
[ -n "${1:-}" ] || exit 64  # no args""",
    ],
    "json text": [
        """{
  // comments are fine here: it is JSON5
  name: 'O\\'Brien',
  tags: ["a", "a",],
  ratio: .5, hex: 0x1F, nan: NaN,
}""",
        """{"a": 1}
{"a": 1}
{"a": 2, "b": "}{"}""",
        """The smallest valid document is `null`. The next is {"a":1 , "a":2}, and duplicate keys
are allowed: most readers keep the last. [1, 2, 3,] isn't valid. 'single' isn't either.""",
    ],
}


def passage(random: random_module.Random, *kinds: str) -> str:
    """One passage of one of the kinds, or of any."""
    kind = random.choice(kinds or tuple(PASSAGES))
    return random.choice(PASSAGES[kind])


def prose(random: random_module.Random, *kinds: str) -> str:
    """An answer for a reader: mostly one passage, sometimes several, with untouched whitespace."""
    count = random.choice((1, 1, 1, 1, 2, 2, 3, 5))
    text = random.choice(("\n\n", "\n\n", "\n", "\n\n\n", "\n\n***\n\n")).join(
        passage(random, *kinds) for _ in range(count)
    )
    chance = random.random()
    if chance < 0.06:
        text = text.replace("\n", "\r\n")
    elif chance < 0.12:
        text += random.choice(("\n", "\n\n", "  ", " \n"))
    elif chance < 0.18:
        text = random.choice(("\n", "\n\n", "  ", "\t")) + text
    elif chance < 0.22:
        text = text.replace(". ", ".  ")
    elif chance < 0.25:
        text = text.replace(" ", "\u00a0", 2)
    elif chance < 0.28:
        text = text.rsplit(" ", 1)[0] + random.choice((" ...", " …", ":", " —", ","))
    return text


def single_line(random: random_module.Random) -> str:
    """A passage as one line without blanks at its ends."""
    return " ".join(passage(random).split())
