"""How runs and OpenTelemetry spans say the same thing; used by exporters and importers."""
