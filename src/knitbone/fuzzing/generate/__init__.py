"""Where arguments come from: everything from one seed, nothing from the clock."""
