"""Catalogue of models on the user's machine: Ollama, Hugging Face, vLLM, llama.cpp, GPT4All.

Checked against ollama 0.2 and 0.6 (``_client``, ``_types``), huggingface-hub
(``inference/_client``) and transformers (``pipelines``). The tables are explained in
``records.py``.
r _PIPE _PIPELINE
"""

from __future__ import annotations

from knitbone.adaptation.analysis.catalogue.records import Call, ImportedName, Rule, Setting, Type

__all__ = ["ENTRIES", "RULES", "TYPES"]

_CHAT = Call(
    "ollama", "ollama.response", ("messages", "1"), stream="ollama.piece*", schema=("format",)
)
_GENERATE = _CHAT._replace(prompt=("prompt", "system", "1"))
_HF_CHAT = Call(
    "huggingface-chat",
    "openai.chat",
    ("messages", "0"),
    stream="openai.chat-chunk*",
    schema=("response_format",),
)
_HF_TEXT = Call("huggingface", "text", ("prompt", "0"), stream="piece*")
_TASKS = (
    "text-generation",
    "text2text-generation",
    "summarization",
    "translation*",
    "conversational",
    "image-to-text",
    "image-text-to-text",
)
_PIPE = Call("huggingface", "hf.generated*", ("0", "text_inputs", "inputs"), awaited=False)
_LLAMA = Call("llama-cpp", "openai.chat", ("messages", "0"), stream="openai.chat-chunk*")
_LLAMA_TEXT = Call("llama-cpp", "openai.completion", ("prompt", "0"), stream="openai.completion*")
_VLLM = Call("vllm", "vllm.output*", ("prompts", "messages", "0"), awaited=False)

TYPES: dict[str, Type] = {
    "ollama.client": Type({"chat()": _CHAT, "generate()": _GENERATE}, role="client"),
    "ollama.response": Type({"message": "ollama.message", "response": "text", "thinking": "text"}),
    "ollama.message": Type(
        {"content": "text", "thinking": "text", "tool_calls": "ollama.tool-call*"}, form="message"
    ),
    "ollama.tool-call": Type({"function": "ollama.function"}),
    "ollama.function": Type({"arguments": "object", "name": "tool-name"}),
    "ollama.piece": Type(
        {"message": "ollama.message-piece", "response": "piece", "thinking": "piece"}, piece=True
    ),
    "ollama.message-piece": Type(
        {"content": "piece", "thinking": "piece", "tool_calls": "ollama.tool-call*"},
        form="message",
        piece=True,
    ),
    # transformers
    "hf.pipeline": Type({"()": _PIPE}, role="model", setting=Setting(("task", "0"), _TASKS)),
    "hf.text-pipeline": Type({"()": _PIPE}, role="model"),
    "hf.generated": Type(
        {
            "generated_text": "text|hf.turn*",
            "summary_text": "text",
            "translation_text": "text",
            # Several inputs, or several sequences: one list each.
            "[]": "hf.generated",
        }
    ),
    "hf.turn": Type({"content": "text"}, form="message"),
    "hf.model": Type(
        {
            "generate()": Call("huggingface", "hf.tokens", ("0", "input_ids"), awaited=False),
            "to()": "hf.model",
            "cuda()": "hf.model",
            "eval()": "hf.model",
            "half()": "hf.model",
            "merge_and_unload()": "hf.model",
        },
        role="model",
    ),
    # Token numbers: a text only when the tokenizer has decoded them.
    "hf.tokens": Type(
        {
            "[]": "hf.tokens",
            "sequences": "hf.tokens",
            "cpu()": "hf.tokens",
            "to()": "hf.tokens",
            "tolist()": "hf.tokens",
            "detach()": "hf.tokens",
            "numpy()": "hf.tokens",
            "squeeze()": "hf.tokens",
            "decode()": "text",
            "batch_decode()": "text*",
            "__getitem__()": "hf.tokens",
        }
    ),
    "hf.inference": Type(
        {
            "chat": "hf.inference-chat",
            "chat_completion()": _HF_CHAT,
            "text_generation()": _HF_TEXT._replace(switch=(("details", True, "hf.text-details"),)),
            "summarization()": _HF_TEXT._replace(shape="hf.generated", stream=""),
            "translation()": _HF_TEXT._replace(shape="hf.generated", stream=""),
            "conversational()": _HF_TEXT._replace(shape="hf.generated", stream=""),
        },
        role="client",
    ),
    "hf.inference-chat": Type({"completions": "hf.inference-completions"}),
    "hf.inference-completions": Type({"create()": _HF_CHAT}),
    "hf.text-details": Type({"generated_text": "text"}),
    # llama-cpp-python returns OpenAI's dictionaries.
    "llama-cpp.model": Type(
        {
            "()": _LLAMA_TEXT,
            "create_completion()": _LLAMA_TEXT,
            "create_chat_completion()": _LLAMA,
            "create_chat_completion_openai_v1()": _LLAMA,
        },
        role="model",
    ),
    "vllm.model": Type({"generate()": _VLLM, "chat()": _VLLM}, role="model"),
    "vllm.output": Type({"outputs": "vllm.completion*"}),
    "vllm.completion": Type({"text": "text"}),
    "gpt4all.model": Type(
        {
            "generate()": Call(
                "gpt4all",
                "text",
                ("prompt", "0"),
                awaited=False,
                switch=(("streaming", True, "piece*"),),
            )
        },
        role="model",
    ),
}

ENTRIES: dict[str, ImportedName] = {
    "ollama": ImportedName("ollama.client", is_class=False),
    "ollama.Client": ImportedName("ollama.client"),
    "ollama.AsyncClient": ImportedName("ollama.client", awaited=True),
    "transformers.pipeline": ImportedName("hf.pipeline"),
    "transformers.pipelines.pipeline": ImportedName("hf.pipeline"),
    "huggingface_hub.InferenceClient": ImportedName("hf.inference"),
    "huggingface_hub.AsyncInferenceClient": ImportedName("hf.inference", awaited=True),
    "llama_cpp.Llama": ImportedName("llama-cpp.model"),
    "vllm.LLM": ImportedName("vllm.model"),
    "gpt4all.GPT4All": ImportedName("gpt4all.model"),
}

RULES: tuple[Rule, ...] = (
    Rule(
        r"transformers(?:\.\w+)*\.(?:TextGeneration|Text2TextGeneration|Summarization|Translation)"
        r"Pipeline",
        ImportedName("hf.text-pipeline"),
    ),
    Rule(
        r"(?:transformers|peft|auto_gptq|unsloth|optimum)(?:\.\w+)*\.(?:Auto\w*ForCausalLM"
        r"|AutoModelForSeq2SeqLM|AutoModelForVision2Seq|AutoModelForImageTextToText|\w+ForCausalLM"
        r"|\w+LMHeadModel|\w+ForConditionalGeneration|PeftModel\w*|GenerationMixin)",
        ImportedName("hf.model"),
    ),
    Rule(r"huggingface_hub\.inference(?:\.\w+)*\.InferenceClient", ImportedName("hf.inference")),
    Rule(
        r"huggingface_hub\.inference(?:\.\w+)*\.AsyncInferenceClient",
        ImportedName("hf.inference", awaited=True),
    ),
)
