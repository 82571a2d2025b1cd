import argparse
import os

import lite
import warehouse


def main():
    parser = argparse.ArgumentParser(description="Ask a database in plain words.")
    parser.add_argument("question")
    parser.add_argument("--sqlite", metavar="FILE")
    parser.add_argument("--url", help="SQLAlchemy URL")
    arguments = parser.parse_args()
    if arguments.sqlite:
        rows = lite.answer(arguments.sqlite, arguments.question)
    elif arguments.url:
        rows = warehouse.frame_for(arguments.question, arguments.url)
    else:
        rows = warehouse.rows_for(arguments.question, os.environ["WAREHOUSE_DSN"])
    for row in rows:
        print(row)


if __name__ == "__main__":
    main()
