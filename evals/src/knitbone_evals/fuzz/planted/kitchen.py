"""Tools of a kitchen: recipes, cooking times, menus, pans."""

import json
import re
from fractions import Fraction
from typing import Any

import yaml
from langchain_core.tools import tool
from pydantic import BaseModel, Field

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_PANS = (500, 1000, 2000, 4000)


def _servings(argument: str, number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= 100:
        raise ValueError(f"{argument} must be a whole number, 1 to 100")
    return number


def scaled_amounts(recipe: str, servings: int) -> str:
    """Scale the amounts of a recipe to another number of servings.

    Args:
        recipe: JSON object with "servings" and "ingredients", a list of objects with "name" and
            "amount". An amount is text: a number of one to four digits, or a fraction of two of
            them, as in "1/2".
        servings: How many servings are wanted, 1 to 100.

    Raises:
        ValueError: A number of servings is out of range, or the recipe has another form.
    """
    wanted = _servings("servings", servings)
    try:
        parsed = json.loads(recipe)
    except (ValueError, RecursionError) as error:
        raise ValueError("recipe: not JSON") from error
    if not isinstance(parsed, dict) or not isinstance(parsed.get("ingredients"), list):
        raise ValueError("recipe: an object with a list of ingredients is needed")
    factor = Fraction(wanted, _servings("recipe: servings", parsed.get("servings")))
    lines = []
    for place, item in enumerate(parsed["ingredients"]):
        if not isinstance(item, dict) or not isinstance(item.get("name"), str):
            raise ValueError(f"recipe: ingredient {place} has no name")
        amount = item.get("amount")
        if not isinstance(amount, str) or not re.fullmatch("[0-9]{1,4}(/[0-9]{1,4})?", amount):
            raise ValueError(f"recipe: ingredient {place} has no amount")
        lines.append(f"{Fraction(amount) * factor} {item['name'][:40]!r}")
    return "\n".join(lines) or "The recipe has no ingredients."


class Step(BaseModel):
    name: str = Field(description="short name of the step")
    minutes: int = Field(ge=0, le=600, description="how long it takes")
    after: list[str] = Field(
        default=[], max_length=50, description="names of the steps that have to be done before"
    )


class Recipe(BaseModel):
    title: str = Field(description="title of the recipe")
    steps: list[Step] = Field(
        max_length=50, description="the steps; those that can be done side by side are"
    )


def _done_at(name: str, steps: dict[str, Step], known: dict[str, int], path: list[str]) -> int:
    if name in path:
        raise ValueError(f"step {name[:40]!r} waits for itself")
    if name not in known:
        step = steps[name]
        waits = [_done_at(before, steps, known, [*path, name]) for before in step.after]
        known[name] = step.minutes + max(waits, default=0)
    return known[name]


@tool
def cooking_time(recipe: Recipe) -> str:
    """Compute how long a recipe takes; steps that wait for themselves are refused."""
    steps = {step.name: step for step in recipe.steps}
    known: dict[str, int] = {}
    minutes = max((_done_at(name, steps, known, []) for name in steps), default=0)
    return f"{minutes // 60} h {minutes % 60} min"


def menu_card(menu: str) -> str:
    """Set the menu of a week in title case.

    Args:
        menu: YAML with a dish for every day that has one, as in "monday: potato soup". Tags,
            anchors and references are refused; 2000 characters at most.

    Raises:
        ValueError: The menu is not YAML, is too long, or has something else than days of the week
            as its keys.
    """
    if len(menu) > 2000:
        raise ValueError("menu: 2000 characters at most")
    if any(sign in menu for sign in "!&*"):
        raise ValueError("menu: tags, anchors and references are refused")
    try:
        days = yaml.safe_load(menu)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        raise ValueError("menu: not YAML") from error
    if not isinstance(days, dict) or not days:
        raise ValueError("menu: a dish for every day is needed")
    lines = []
    for day, dish in days.items():
        if day not in _DAYS:
            raise ValueError("menu: only the days of the week can be keys")
        lines.append(f"{day.title()}: {dish.title()!r}")
    return "\n".join(lines)


def pan_for(millilitres: int) -> str:
    """Choose the smallest pan that holds an amount.

    Args:
        millilitres: The amount, at least 1.

    Raises:
        ValueError: The amount is below 1.
    """
    if millilitres < 1:
        raise ValueError("millilitres must be at least 1")
    size = next(size for size in _PANS if size >= millilitres)
    return f"the pan of {size} ml"
