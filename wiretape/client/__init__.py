"""What the documented client makes of the wire."""
