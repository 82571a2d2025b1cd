"""How unlike the words of prose, of programs and of paths a text is spelled.

A table of pairs of characters, counted over the distinct words of 4,000 files of public packages
(code, prose, settings): how many bits the second of a pair tells after the first, in eighths,
written as a character from ``0`` on. Letters without case, one row for all digits and one for all
else. ``python -m knitbone_evals.redact.fit --pairs`` counts it again.
"""

from __future__ import annotations

__all__ = ["bits_of"]

_ROWS = (
    "wYQTxkTzXzkJPKzSzHPE]ijgaziS",
    "Hi`iEkopOYzFmtOmzSUmOzzzVzZJ",
    "LwanJszJYzQPozAgzU_IXuzzfzgP",
    "LclXAgczHxy`muSjz_X_]wztjze>",
    "VmTPdadzkzzNZLq_fHIPualVizoB",
    "QqmnQSszBzzVtnJozS`ZSzzzjz[>",
    r"Xr]t?l]UQzv\a\]bzMPe[wzzpzg@",
    "DoprCmzzOztldqIrzT]OWzzzdzmA",
    "Y`PUV_VzzzoRSAI[z[NKr^zez[z[",
    "KzuvArzzZzijrmIZzzCzSzbzxzpB",
    "Zrfa=lfnJzzWd_dezhQgenZbmzn?",
    "LmhZDJmzHzuOlxLhzqVUVlyz]ztG",
    "D[hkAyzzMzwbYfNIztTmYzzzhzpG",
    r"OtQNN[LzWzfin\T\zpLF_aylpzwD",
    "`_VRteazcu_PPAVSzEYXRaZkzzzT",
    r"FyhbEvy\TzzNtzLUzJ_QTzzxSzoJ",
    "azr_zpzznzhGglyjz[gl5zuzzztK",
    "Ir[`Am[zNzad[^LjzWQU]etz]zvF",
    "[zWsCku[QzbgnsWUjsREYujzazv?",
    r"LvbpDnzSHzzklyNazOV\^znzUzoA",
    r"WVY\McbzWzzLNGlQzJMExzzwzzfb",
    r"@zgl9vszHzzuqzZzzyhwzzzwzz\N",
    "IyjmGuzUDzsdrSJrzMOkzz^zzzuE",
    "XsSkOcusRzznhyqFzqmCzzzjczH?",
    "cib__mizazz]^RdCzjROrrgzvzm9",
    r"Gzzz6rifSzzljyWfzrlh]zzz\iaO",
    "mnogVmzzzxzzzzzzzzzzzzzezz4B",
    r"SYOUWW\aUoiYVX[SpTKR^aajxwLF",
)
_DIGIT, _OTHER = 26, 27
_BITS = {
    (first, second): (ord(character) - 48) / 8
    for first, row in enumerate(_ROWS)
    for second, character in enumerate(row)
}
_CLASS = dict.fromkeys((chr(code) for code in range(128)), _OTHER)
_CLASS.update({chr(code): code - 97 for code in range(97, 123)})
_CLASS.update({chr(code): code - 65 for code in range(65, 91)})
_CLASS.update({chr(code): _DIGIT for code in range(48, 58)})


def bits_of(text: str) -> float:
    """Bits that a character of the text tells on the average: 3 to 4 of words, above 5 of what is
    drawn."""
    last, bits = _OTHER, 0.0
    for character in text:
        this = _CLASS.get(character, _OTHER)
        bits += _BITS[last, this]
        last = this
    return (bits + _BITS[last, _OTHER]) / (len(text) + 1)
