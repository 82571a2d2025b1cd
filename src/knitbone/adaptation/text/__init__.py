"""Reading prose: the blocks of a text, the facts of a sentence, paraphrases, wrappers of an
answer."""
