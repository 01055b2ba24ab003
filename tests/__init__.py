"""The specification: sentences about the domain, on literal inputs and real components."""
