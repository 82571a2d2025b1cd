"""What adapt changes of prose that is as it should be; see ``__main__.py``."""
