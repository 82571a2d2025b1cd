def league_points(goals_for: int, goals_against: int) -> int:
    """Points that a team gets for one match in the Halm Valley League.

    The league's own rule, not the usual 3-1-0:
    - a draw with goals: 4 points to each team
    - a draw without goals (0-0): 0 points
    - a win by exactly one goal: 3 points
    - a win by two goals or more: 2 points
    - a loss by exactly one goal: 1 point
    - a loss by two goals or more: -1 point

    Args:
        goals_for: goals scored by the team whose points are wanted, 0 or more.
        goals_against: goals scored by its opponent, 0 or more.

    Returns:
        Points of the team for this match, from -1 to 4.

    Raises:
        ValueError: a number of goals is negative.
    """
    if goals_for < 0 or goals_against < 0:
        raise ValueError("goals must be 0 or more")
    margin = goals_for - goals_against
    if margin == 0:
        return 4 if goals_for > 0 else 0
    if margin > 0:
        return 3 if margin == 1 else 2
    return 1 if margin == -1 else -1
