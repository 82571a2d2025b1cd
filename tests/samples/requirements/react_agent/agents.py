from langchain_classic.agents import AgentExecutor
from langchain_classic.agents.format_scratchpad import format_log_to_str
from langchain_classic.agents.output_parsers import ReActSingleInputOutputParser
from langchain_core.agents import AgentFinish
from langchain_core.prompts import PromptTemplate
from langchain_core.tools import render_text_description, tool
from langchain_openai import ChatOpenAI
from parsing import ShopOutputParser

SHOP = PromptTemplate.from_template(
    "You serve the customers of a flower shop with these tools:\n{tools}\n\n"
    "Either:\nTool: <one of {names}>\nTool Input: <its input>\n"
    "or, when you are done:\nReply to customer: <text>\n\n{input}\n{scratchpad}"
)
REACT = PromptTemplate.from_template(
    "Answer the question. You have these tools:\n{tools}\n\nUse this format:\n"
    "Thought: what to do\nAction: one of [{names}]\nAction Input: the input\n"
    "Observation: the result\n... (repeated)\nFinal Answer: the answer\n\n"
    "Question: {input}\n{scratchpad}"
)


@tool
def stock(flower: str) -> str:
    """How many stems of a flower are in stock."""
    return {"rose": "40", "tulip": "0"}.get(flower.lower(), "unknown")


@tool
def price(flower: str) -> str:
    """The price of one stem."""
    return {"rose": "2.50", "tulip": "1.20"}.get(flower.lower(), "unknown")


TOOLS = [stock, price]
llm = ChatOpenAI(model="gpt-4o", temperature=0)


def prepared(prompt):
    names = ", ".join(each.name for each in TOOLS)
    return prompt.partial(tools=render_text_description(TOOLS), names=names)


def serve(request):
    agent = (
        {
            "input": lambda given: given["input"],
            "scratchpad": lambda given: format_log_to_str(given["intermediate_steps"]),
        }
        | prepared(SHOP)
        | llm.bind(stop=["\nObservation:"])
        | ShopOutputParser()
    )
    executor = AgentExecutor(agent=agent, tools=TOOLS, max_iterations=6)
    return executor.invoke({"input": request})["output"]


def research(question):
    """The textbook loop, written out."""
    agent = prepared(REACT) | llm.bind(stop=["\nObservation:"]) | ReActSingleInputOutputParser()
    by_name = {each.name: each for each in TOOLS}
    scratchpad = ""
    for _ in range(8):
        step = agent.invoke({"input": question, "scratchpad": scratchpad})
        if isinstance(step, AgentFinish):
            return step.return_values["output"]
        observation = by_name[step.tool].invoke(step.tool_input)
        scratchpad += f"{step.log}\nObservation: {observation}\nThought: "
    raise RuntimeError("no answer after eight steps")
