"""What is removed from retrieved contexts, on labelled cases."""
