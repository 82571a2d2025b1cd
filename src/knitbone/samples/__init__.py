"""Small applications, written as users write them, that the demo and the tests run."""
