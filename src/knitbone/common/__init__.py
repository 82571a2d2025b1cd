"""What two engines or more share; imports none of them."""
