"""``python -m knitbone``: the command, where its script is not on the path."""

from knitbone.cli import main

if __name__ == "__main__":
    main()
