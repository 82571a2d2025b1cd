"""Stockroom: an agent looks up the stock and says how many to reorder."""
import os

from smolagents import OpenAIServerModel, ToolCallingAgent, tool

STOCK = {
    "BOLT-M8": 140,
    "NUT-M8": 35,
    "HINGE-40": 12,
    "LATCH-02": 7,
    "TAPE-50": 60,
    "GLOVE-L": 18,
    "LAMP-E27": 0,
    "CABLE-3M": 25,
}


@tool
def stock_level(sku: str) -> int:
    """Returns how many pieces of an article are in the stockroom.

    Args:
        sku: the article number, such as BOLT-M8
    """
    return STOCK[sku.strip().upper()]


TASK = """{question}

Look up the stock with the tool first. The number to reorder is the target minus the stock.
Give as final answer only the article number and the number to reorder with a colon between them, e.g. PIPE-20: 15"""


def build_agent():
    model = OpenAIServerModel(
        model_id="gpt-4o-mini",
        api_base=os.environ["OPENAI_BASE_URL"],
        api_key=os.environ.get("OPENAI_API_KEY", "none"),
    )
    return ToolCallingAgent(tools=[stock_level], model=model, max_steps=4, verbosity_level=0)


def read_answer(answer):
    sku, _, number = str(answer).partition(":")
    if sku not in STOCK:
        raise KeyError(sku)
    number = int(number)
    return {"sku": sku, "reorder": number, "boxes": -(-number // 10)}


def run(request: str):
    return read_answer(build_agent().run(TASK.format(question=request)))


if __name__ == "__main__":
    import sys

    print(run(" ".join(sys.argv[1:])))
