from langchain_chroma import Chroma
from langchain_community.document_loaders import DirectoryLoader, TextLoader
from langchain_openai import OpenAIEmbeddings
from langchain_text_splitters import MarkdownTextSplitter, RecursiveCharacterTextSplitter


def load_chunks(folder):
    documents = DirectoryLoader(folder, glob="**/*.txt", loader_cls=TextLoader).load()
    splitter = RecursiveCharacterTextSplitter(
        chunk_size=800, chunk_overlap=100, separators=["\n\n", "\n", ". ", " "]
    )
    return splitter.split_documents(documents)


def load_readme(text):
    return MarkdownTextSplitter(chunk_size=1200, chunk_overlap=0).split_text(text)


def build_store(folder, readme):
    store = Chroma.from_documents(load_chunks(folder), OpenAIEmbeddings())
    store.add_texts(load_readme(readme))
    return store
