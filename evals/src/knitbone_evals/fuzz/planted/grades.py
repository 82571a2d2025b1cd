"""Marks and tests at school."""

from __future__ import annotations

import statistics

_SCALES = {
    "us": [(90, "A"), (80, "B"), (70, "C"), (60, "D"), (0, "F")],
    "uk": [(70, "First"), (60, "Upper second"), (50, "Lower second"), (40, "Third")],
}
_ANSWERS = {1: "Lisbon", 2: "1648", 3: "photosynthesis"}


def letter_grade(percent: float, scale: str = "us", curve: float = 0.0) -> str:
    """Turn the percentage of a test into a grade.

    Args:
        percent: Percentage of the points, 0 to 100.
        scale: "us" for A to F, "uk" for the classes of British degrees.
        curve: Points of percentage that everybody is given, 0 to 20.

    Returns:
        The grade.

    Raises:
        ValueError: If the scale is not known or a number is out of range.
    """
    if scale not in _SCALES:
        raise ValueError("scale must be us or uk")
    if not 0 <= percent <= 100:
        raise ValueError("percent must be between 0 and 100")
    if not 0 <= curve <= 20:
        raise ValueError("curve must be between 0 and 20")
    for limit, grade in _SCALES[scale]:
        if percent + curve >= limit:
            return grade


def check_answer(question: int, answer: str) -> str:
    """Mark the answer of a pupil to one of the questions 1 to 3 of the quiz.

    Args:
        question: Number of the question.
        answer: What the pupil wrote.

    Returns:
        "correct", or the teacher's remark, e.g. "Error: wrong answer, the right one is 1648" or
        "Invalid: there is no question 9".
    """
    solution = _ANSWERS.get(question)
    if solution is None:
        return f"Invalid: there is no question {question}"
    if not answer.strip():
        return "Error: missing answer"
    if answer.strip().casefold() == solution.casefold():
        return "correct"
    return f"Error: wrong answer, the right one is {solution}"


def median_score(scores: list[float]) -> float:
    """
    Compute the median of the scores of a class.

    Parameters
    ----------
    scores : list of float
        The scores, each from 0 to 100.

    Returns
    -------
    float
        The median.

    Raises
    ------
    ValueError
        If there are no scores, or one is not from 0 to 100.
    """
    if not scores:
        raise ValueError("there are no scores")
    if not all(0 <= score <= 100 for score in scores):
        raise ValueError("every score must be from 0 to 100")
    return float(statistics.median(scores))
