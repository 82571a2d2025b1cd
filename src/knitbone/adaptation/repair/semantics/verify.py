"""Proof that an answer with less text says no less."""

from __future__ import annotations

from collections.abc import Collection

from knitbone.adaptation.repair.semantics.atoms import AnswerAtoms
from knitbone.adaptation.repair.semantics.pairs import says_all
from knitbone.adaptation.text.facts import fold_titles

__all__ = ["lost"]


def lost(answer: AnswerAtoms, gone: Collection[int], result: AnswerAtoms) -> str:
    """What ``result`` does not say any more, for people; empty where all is there.

    Every atom that stays must come back in order and unchanged; every one that went must be said
    by one that stayed, or be the beginning of one (an answer that was cut off inside a loop).
    """
    stayed = [atom for place, atom in enumerate(answer.atoms) if place not in gone]
    if [atom.text for atom in stayed] != [atom.text for atom in result.atoms]:
        return "what stays would be read in another way"
    words = {fold_titles(atom.words) for atom in result.atoms}
    claims = None
    for place in sorted(gone):
        atom = answer.atoms[place]
        if fold_titles(atom.words) in words:
            continue
        if claims is None:
            claims = [answer.claims[other.text] for other in result.atoms]
        claim = answer.claims[atom.text]
        said = any(says_all(other, claim) for other in claims)
        last = place == len(answer.atoms) - 1
        if not said and not (last and any(x.text.startswith(atom.text) for x in result.atoms)):
            return f"{atom.text[:40]!r} would be lost"
    return ""
