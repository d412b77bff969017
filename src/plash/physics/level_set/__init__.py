"""The surface as a level set: a signed distance that is carried along, and signed particles that correct it."""
