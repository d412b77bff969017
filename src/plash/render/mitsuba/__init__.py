"""Ray tracing with Mitsuba, and the denoiser."""
