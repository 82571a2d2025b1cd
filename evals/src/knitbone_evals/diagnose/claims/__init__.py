"""How often a diagnosis claims that something went wrong, in runs that succeeded and in runs that
failed, when it is not told which is which; and how often a claim names the right step."""
