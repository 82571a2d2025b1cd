"""What the simulated reader of documentation knows: values in requests, and the forms they take."""
