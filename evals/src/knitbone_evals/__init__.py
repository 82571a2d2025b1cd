"""How good knitbone is. The product never imports this package."""
