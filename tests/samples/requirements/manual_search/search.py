"""Questions about machine manuals, with LlamaIndex."""

import sys

from llama_index.core import Settings, SimpleDirectoryReader, VectorStoreIndex
from llama_index.core.node_parser import SentenceSplitter
from llama_index.llms.openai import OpenAI

Settings.llm = OpenAI(model="gpt-4o-mini", temperature=0)
MIN_SCORE = 0.55


class ManualSearch:
    def __init__(self, folder):
        documents = SimpleDirectoryReader(folder).load_data()
        splitter = SentenceSplitter(chunk_size=512, chunk_overlap=64)
        nodes = splitter.get_nodes_from_documents(documents)
        self.index = VectorStoreIndex(nodes)
        self.llm = OpenAI(model="gpt-4o")

    def ask(self, question):
        engine = self.index.as_query_engine(response_mode="compact")
        response = engine.query(question)
        text = str(response).strip()
        if text == "Empty Response":
            return None
        return text

    def excerpts(self, question):
        retriever = self.index.as_retriever(similarity_top_k=8)
        nodes = retriever.retrieve(question)
        good = [node for node in nodes if (node.score or 0) >= MIN_SCORE]
        return "\n\n* * *\n\n".join(node.get_content() for node in good)

    def torque(self, bolt):
        """The torque, such as '25 Nm', if the manuals tell."""
        prompt = (
            f"{self.excerpts(bolt)}\n\nWhich torque for {bolt}? "
            "Answer as 'Torque: <number> <unit>', or 'Torque: none'."
        )
        text = self.llm.complete(prompt).text
        _, _, answer = text.partition("Torque:")
        if answer.strip() == "none":
            return None
        return answer.strip()

    def part_numbers(self, text):
        """Of a text that the user typed, not of an answer."""
        return [part for part in text.split() if part.startswith("P-")]


def main():
    manual = ManualSearch("manuals")
    question = " ".join(sys.argv[1:])
    for number in manual.part_numbers(question):
        print(number, manual.torque(number))
    print(manual.ask(question) or "The manuals do not say.")


if __name__ == "__main__":
    main()
