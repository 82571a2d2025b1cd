"""Plans a week of dinners and prints the shopping list.

python planner.py --days 5 --diet vegetarian
"""

import argparse
import re

from openai import OpenAI

client = OpenAI()
MODEL = "gpt-4o-mini"


def ask(prompt, temperature=0.7):
    response = client.chat.completions.create(
        model=MODEL,
        messages=[
            {"role": "system", "content": "You are a home cook. Be brief."},
            {"role": "user", "content": prompt},
        ],
        temperature=temperature,
    )
    return response.choices[0].message.content


def dishes(days, diet):
    text = ask(f"Suggest {days} {diet} dinners. Answer with a numbered list, one dish a line.")
    return re.findall(r"^\d+\.\s+(.*)$", text, re.M)  # noqa: FURB167


def ingredients(dish):
    answer = ask(f"Which ingredients does {dish} need? Only a comma separated list.")
    return [item.strip() for item in answer.split(",")]


def minutes(dish):
    answer = ask(f"How many minutes does {dish} take? Answer with the number only.", 0)
    return int(answer.strip())


def is_vegetarian(dish):
    answer = ask(f"Is {dish} vegetarian? Answer yes or no.", 0).strip().lower()
    return answer.startswith("yes")


def recipe(dish):
    text = ask(
        f"Write a recipe for {dish}.\n"
        "Start with a line 'Title: <name>'. Then a line 'Steps:', then one step a line."
    )
    title = text.split("Title:")[1].split("\n")[0].strip()
    steps = text.split("Steps:")[1].strip().splitlines()
    return title, steps


def shopping_list(names):
    needed = set()
    for name in names:
        needed.update(ingredients(name))
    return sorted(needed)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--days", type=int, default=5)
    parser.add_argument("--diet", default="vegetarian")
    parser.add_argument("--skip", default="", help="comma separated dishes you had lately")
    arguments = parser.parse_args()
    skipped = [name.strip() for name in arguments.skip.split(",")]
    week = [dish for dish in dishes(arguments.days, arguments.diet) if dish not in skipped]
    for number, dish in enumerate(week, 1):
        leaf = "*" if is_vegetarian(dish) else " "
        print(f"{number}. {leaf} {dish} ({minutes(dish)} min)")
        title, steps = recipe(dish)
        print(f"   {title}: {len(steps)} steps")
    print("Buy: " + ", ".join(shopping_list(week)))
    print(ask("Wish the family a good week, in one sentence."))


if __name__ == "__main__":
    main()
