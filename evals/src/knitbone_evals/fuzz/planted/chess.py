"""Tools of a chess club: positions, ratings, records of games."""

import re
from typing import Literal


def piece_at(position: str, square: str) -> str:
    """Tell which piece stands on a square.

    Args:
        position: The position in Forsyth-Edwards notation: eight ranks from black's side to
            white's, with slashes between them; fields after the board are ignored.
        square: Name of the square, as in "e4".

    Returns:
        The letter of the piece, capital for white, or "empty".

    Raises:
        ValueError: The square or the position has another form.
    """
    if not re.fullmatch("[a-h][1-8]", square):
        raise ValueError("square: a letter a to h and a digit 1 to 8 are needed")
    ranks = position.split(" ", maxsplit=1)[0].split("/")
    if len(ranks) != 8:
        raise ValueError("position: eight ranks are needed")
    rows = []
    for rank in ranks:
        if not re.fullmatch("[pnbrqkPNBRQK1-8]+", rank):
            raise ValueError(f"position: not a rank: {rank[:20]!r}")
        row = "".join("." * int(sign) if sign.isdigit() else sign for sign in rank)
        if len(row) > 8:
            raise ValueError(f"position: a rank is too long: {rank[:20]!r}")
        rows.append(row)
    piece = rows[8 - int(square[1])]["abcdefgh".index(square[0])]
    return "empty" if piece == "." else piece


def rating_after(rating: int, opponent: int, points: float) -> int:
    """Compute a player's Elo rating after a game.

    Args:
        rating: Rating before the game.
        opponent: Rating of the opponent.
        points: 1 for a win, 0.5 for a draw, 0 for a loss.

    Raises:
        ValueError: The points are none of these.
    """
    if points not in (0, 0.5, 1):
        raise ValueError("points must be 0, 0.5 or 1")
    expected = 1 / (1 + 10 ** ((opponent - rating) / 400))
    return rating + round(32 * (points - expected))


def without_comments(moves: str) -> str:
    """Take the comments in braces out of the moves of a game.

    Args:
        moves: The moves with comments, as in "1. e4 {best by test} e5", 2000 characters at most.

    Raises:
        ValueError: There are too many characters, others than ASCII, or a brace lacks its partner.
    """
    if len(moves) > 2000 or not moves.isascii():
        raise ValueError("moves: at most 2000 characters, all ASCII")
    if moves.count("{") != moves.count("}"):
        raise ValueError("moves: a brace lacks its partner")
    while "{" in moves:
        start, end = moves.index("{"), moves.index("}")
        moves = moves[:start] + moves[end + 1 :]
    return " ".join(moves.split())


class _Scoresheet:
    def __init__(self) -> None:
        self._moves: list[str] = []
        self._number = 0

    def record(self, action: Literal["move", "undo", "show"], move: str = "") -> str:
        """Write down a game of chess.

        Args:
            action: "move" writes a move down, "undo" takes the last one back, and "show" names
                the number of moves and the last one.
            move: The move, from square to square, as in "e2e4"; only for "move".

        Raises:
            ValueError: The move has another form, none is left to take back, or there are 200.
        """
        if action == "move":
            if not re.fullmatch("[a-h][1-8][a-h][1-8]", move):
                raise ValueError("move: two squares are needed, as in e2e4")
            if len(self._moves) == 200:
                raise ValueError("the sheet is full")
            self._moves.append(move)
            self._number += 1
            return f"{self._number}. {move}"
        if action == "undo":
            if not self._moves:
                raise ValueError("there is no move to take back")
            return f"{self._moves.pop()} is taken back"
        if self._number == 0:
            return "The game has not begun."
        return f"{self._number} moves, the last one {self._moves[-1]}"


scoresheet = _Scoresheet().record
