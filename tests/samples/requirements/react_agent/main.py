import sys

from agents import research, serve

if __name__ == "__main__":
    words = " ".join(sys.argv[2:])
    if sys.argv[1] == "research":
        print(research(words))
    else:
        print(serve(words))
